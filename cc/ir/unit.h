/* The transformer: turns the bitcode of a program into an object file that can differentiate it. All passes include
 * this header.
 *
 * Room `ir` has the data and the tools that all rooms share. cc/transform.h lists the passes.
 *
 *   memory.c               the region of memory of all passes, and a map from pointers to numbers
 *   names.c                callees, run-time functions, constants
 *   diagnose.c             messages about the user's program
 *   leaves.c               the numbers of which a type consists
 *   tags.c                 the classes and alias tags of loads and stores; memory_scopes.c: alias scopes
 *   cells.c                accesses to cells
 *   small.c                functions that are called instead of being built again at each place
 *   surgery.c              edits of code that LLVM's C interface does not have
 *
 * Requires: nothing of other rooms. Leaves: changes of code that its callers ask for. Owns: the region
 * of memory, from which all memory of a transformation comes and which is freed at the end.
 *
 * The header of each pass says what it requires and what it leaves. Running out of memory, like every failure that ends
 * a transformation, calls cc_give_up, which jumps to cc_transform, so passes need not check for failures. */
#ifndef CC_CC_H
#define CC_CC_H

#include "cc/ir/memory.h"

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

/* One differentiated function. */
typedef struct cc_function {
    const char *name;     /* f: the name in the program */
    const char *fragment; /* name of the fragment of f that this is; NULL: not a fragment */
    LLVMValueRef program; /* f in the program's module; NULL for a function of lib/ or made by a lowering */
    LLVMValueRef value;   /* f.record or f.tangent in the current module */
    LLVMValueRef reverse; /* f.reverse, void (void), declared before any function is recorded; else NULL */
    bool inactive;        /* declared inactive: its effects on memory are followed, derivatives are not */
    /* A divided region (cc/lower/regions.h): the function that callers enter instead of `reverse`; else NULL. */
    bool divided;
    LLVMValueRef entrance;
    bool inert;                     /* record: does not concern derivatives; `value` is called without recording */
    const struct cc_adjoint *whole; /* the adjoint in one piece that this function is called for; NULL: none */
    bool address_taken;
    struct cc_flow *flow;       /* record: see plan/active.h */
    struct cc_effects *effects; /* record: see plan/effects.h */
} cc_function;

struct cc_unit {
    LLVMContextRef context;
    LLVMModuleRef module; /* the current module: the one that passes work on */
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef none, i1, i8, i16, i32, i64, i128, f32, f64, f80, pointer;
    LLVMTypeRef rule_type;  /* the type in which rules compute now: f64, or f32 (rules/rules.h) */
    cc_function *functions; /* all differentiated functions */
    size_t function_count;
    struct cc_map *function_of; /* function of the current module -> index in `functions` */
    struct cc_map *rewritten;   /* set of global variables that are written again and again: plan/lasting.h */
    bool pointers_carry;        /* record: pointers may carry the bits of numbers, too (plan/active.c) */
    bool *memory_varied;        /* record: for each memory (ir/tags.h), whether varied numbers may be in it */
    cc_region *region;          /* the memory of all passes */
    verso_error *error;
    size_t errors;  /* number of errors in the program so far */
    char *messages; /* text of all diagnostics so far, NUL-terminated; NULL: none */
    size_t message_bytes, message_capacity;
    struct cc_program *program; /* see ir/program.h */
    LLVMValueRef scopes[2][8];  /* data of ir/memory_scopes.c, for the context */
    jmp_buf give_up;
};

/* Gives the unit a new LLVM context, with its builder and types, in place of the one that it has. */
void cc_open_context(cc_unit *unit);

/* ---- diagnose.c ---- */

/* Returns where an instruction, function or global is in the source: "heat.c:12" from its debug location, or
 * "function heat" if it has none; "the program" for NULL. */
const char *cc_where(cc_unit *unit, LLVMValueRef instruction);
/* Records an error in the user's program, with its place. The pass continues, so that one run reports all errors. The
 * message says what is wrong and how to correct it. */
void cc_diagnose(cc_unit *unit, LLVMValueRef instruction, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Records a warning that the run time will refuse the instruction if the program reaches it. */
void cc_warn(cc_unit *unit, LLVMValueRef instruction, const char *message);
/* Returns `text` with mangled names of C++ functions replaced by their names in the source. */
const char *cc_demangled(cc_unit *unit, const char *text);
/* Appends `line`, which ends with a newline, to the diagnostics. It does not count as an error. */
void cc_note(cc_unit *unit, const char *line);
/* Ends the transformation: cc_transform returns `status`, with this message as its error. */
_Noreturn void cc_give_up(cc_unit *unit, verso_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Returns all diagnostics so far, one per line; "" if there are none. The unit owns the text; the next diagnostic may
 * move it. */
const char *cc_diagnostics(const cc_unit *unit);
void cc_forget_diagnostics(cc_unit *unit); /* frees the text */

/* ---- names.c ---- */

/* A function in a copy with this attribute is the program's version, which is only called through pointers. */
#define CC_BY_POINTER "verso-by-pointer"
/* A function with this attribute becomes slower if scalar operations are combined into vector operations. */
#define CC_UNPACKED "verso-unpacked"
/* A function with this attribute has no loop without calls. */
#define CC_BRIEF "verso-brief"
/* A function with this attribute mainly calls others and hardly computes with numbers: LLVM should not take long for
 * it. */
#define CC_QUICK "verso-quick"
/* Returns the function that `call` calls directly; NULL if it calls through a pointer, calls inline assembly, or
 * calls a function with the attribute CC_BY_POINTER. */
LLVMValueRef cc_callee(LLVMValueRef call);
/* Returns the name of cc_callee(call); "" if that is NULL. */
const char *cc_callee_name(LLVMValueRef call);
/* Returns the number of operands of an instruction; of a call, the number of its arguments. */
unsigned cc_operand_count(LLVMValueRef instruction);
/* Returns the differentiated function whose version in the current module is `value`; NULL if there is none. */
cc_function *cc_function_find(const cc_unit *unit, LLVMValueRef value);
/* Returns the declaration in the current module of a function of the run time (native/state.h), and adds it if it is
 * missing. */
LLVMValueRef cc_runtime(cc_unit *unit, const char *name, LLVMTypeRef result, const LLVMTypeRef *parameters,
                        unsigned count);
/* Builds a call of a function of the run time whose parameter types are those of the arguments. */
LLVMValueRef cc_call_runtime(cc_unit *unit, const char *name, LLVMTypeRef result, LLVMValueRef *arguments,
                             unsigned count);
/* Builds a call of an intrinsic function of LLVM, which exists for several types, for this one. */
LLVMValueRef cc_call_intrinsic(cc_unit *unit, const char *name, LLVMTypeRef type, LLVMValueRef *arguments,
                               unsigned count);
/* Adds a private constant string to the current module and returns its address. */
LLVMValueRef cc_string(cc_unit *unit, const char *text);
LLVMValueRef cc_i64(const cc_unit *unit, int64_t value);
/* Builds address + bytes. */
LLVMValueRef cc_offset(cc_unit *unit, LLVMValueRef address, int64_t bytes);
/* Builds the address of the member of verso__native_now at `offset` (offsetof in verso__native_state). */
LLVMValueRef cc_state(cc_unit *unit, size_t offset);

#endif
