/* The transformer: from the bitcode of a program to an object file that can differentiate it. Shared by all passes.
 *
 * The way of a program (transform.c), in this order; `--dump PASS` prints the module after a pass:
 *   merge     module.c    the bitcode of all files becomes one module, the program as it was
 *   reach     reach.c     which functions are differentiated: from the arguments of verso_gradient and its kin, through
 *                         calls and functions whose address is taken; what cannot be is refused with file:line
 *   base      copy.c      a copy of the module that holds only those functions, named f.base
 *   lower     lower_*.c   what the later passes shall not meet: marked fragments, variadic functions, byval, computed
 *                         goto, switch, long jumps, C library functions that lib/ replaces, that write memory or meet
 *                         the outside world (known.c)
 *   normal    normal.c    one return, simplified loops, closed SSA: LLVM's own passes; then, where there are numbers of
 *                         several kinds, what is only moved becomes integers: between functions (carried.c,
 *                         lower_carried.c), and within (lower_moves.c)
 *   tangent   tangent.c   in a copy with functions named f.tangent, function by function
 *   record    record.c    in a copy with functions named f.record, function by function:
 *                           inert.c     functions in which nothing concerns derivatives
 *                           graph.c     blocks, predecessors, dominators, loops
 *                           strips.c    innermost loops in strips, with safepoints between
 *                           active.c    which values carry derivatives that somebody uses (bits.c: as bits, too;
 *                                       doubts.c: as bits that may be nobody's)
 *                           plan.c      segments; what a record holds and what is computed again; slots (live.c)
 *                           reverse.c   the reverse function, with sweep_*.c
 *                           guard.c     a look before writes that a capsule may miss
 *                           record.c    writes the records
 *   stub      stub.c      in the program, a function whose address is taken asks for the mode when it is entered and
 *                         goes on in the right version
 *   emit      emit.c      LLVM's optimiser, then an object file: module by module (split.c), several at a time
 *                         (parallel.c); reverse functions ask for the tape ahead (prefetch.c). A mode that the program
 *                         does not ask for is not made
 *
 * What a pass requires and what it leaves is said in its header. Memory of all passes comes from one region that is
 * freed at the end; running out of it, like every other failure that ends a transformation, unwinds to cc_transform by
 * a long jump (cc_give_up), so that no pass checks. */
#ifndef CC_CC_H
#define CC_CC_H

#include <llvm-c/Core.h>
#include <llvm-c/Target.h>
#include <setjmp.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

/* One differentiated function. */
typedef struct cc_function {
    const char *name;     /* the program's: f */
    const char *fragment; /* not NULL: it is a fragment of f, which is called so */
    LLVMValueRef program; /* f in the program's module; NULL for one that was made, and of lib/ */
    LLVMValueRef value;   /* f.record or f.tangent in the module at hand */
    LLVMValueRef reverse; /* f.reverse, void (void), declared before the first function is recorded; else NULL */
    bool inactive;        /* declared so: memory is followed, derivatives are not */
    bool inert; /* record: nothing in it concerns derivatives; calls are not recorded and value is called as it is */
    const struct cc_adjoint *whole; /* not NULL: what is called where f has this adjoint in one piece */
    bool address_taken;
    struct cc_flow *flow; /* record: active.h */
} cc_function;

typedef struct cc_region cc_region; /* of memory */

/* How calls are treated: see known.h. */

typedef struct cc_unit {
    LLVMContextRef context;
    LLVMModuleRef module; /* the one at hand */
    LLVMBuilderRef builder;
    LLVMTargetDataRef layout;
    LLVMTypeRef none, i1, i8, i16, i32, i64, i128, f32, f64, f80, pointer;
    cc_function *functions; /* all differentiated ones */
    size_t function_count;
    struct cc_map *function_of; /* LLVMValueRef of the module at hand -> index in functions */
    bool pointers_carry;        /* record: numbers travel in pointers, too (active.c) */
    cc_region *region;
    verso_error *error;
    size_t errors;  /* diagnostics so far */
    char *messages; /* their text */
    size_t message_bytes, message_capacity;
    struct cc_program *program; /* the program as a whole: program.h */
    jmp_buf give_up;
} cc_unit;

/* ---- memory.c ---- */

/* Zeroed; never NULL: gives up when there is no memory. */
void *cc_alloc(cc_unit *unit, size_t count, size_t size);
/* At least `needed` elements of `size` bytes at *array, which holds *capacity: grows by doubling, keeps what is there.
 */
void cc_reserve(cc_unit *unit, void *array, size_t *capacity, size_t needed, size_t size);
char *cc_print(cc_unit *unit, const char *format, ...) __attribute__((format(printf, 2, 3)));
void cc_region_free(cc_region *region);

/* A map from pointers to numbers. */
typedef struct cc_map {
    const void **keys;
    size_t *values;
    size_t count, capacity;
} cc_map;
enum { CC_NOT_FOUND = -1 };
void cc_map_put(cc_unit *unit, cc_map *map, const void *key, size_t value);
ptrdiff_t cc_map_get(const cc_map *map, const void *key); /* CC_NOT_FOUND */

/* ---- diagnose.c ---- */

/* "heat.c:12", from the debug location; "function heat" when there is none. */
const char *cc_where(cc_unit *unit, LLVMValueRef instruction);
/* An error of the user's program: remembered with its place; the pass goes on, so that one run shows all. The message
 * says what and how to mend it. */
void cc_diagnose(cc_unit *unit, LLVMValueRef instruction, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* A line that is no error, with its newline. */
void cc_note(cc_unit *unit, const char *line);
/* Ends the transformation now. */
_Noreturn void cc_give_up(cc_unit *unit, verso_status status, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* All diagnostics so far, a line each. */
const char *cc_diagnostics(const cc_unit *unit);

/* ---- names.c: what passes ask LLVM most ---- */

/* The function that a call names; NULL: through a pointer, or inline assembly. A function of copies with this attribute
 * is the program's own, which only pointers mean. */
#define CC_BY_POINTER "verso-by-pointer"
LLVMValueRef cc_callee(LLVMValueRef call);
/* Its name; "" when there is none. */
const char *cc_callee_name(LLVMValueRef call);
/* NULL when it is not one of ours. */
cc_function *cc_function_find(const cc_unit *unit, LLVMValueRef value);
/* The declaration of a function of native/ (state.h) in the module at hand; made when first asked for. */
LLVMValueRef cc_runtime(cc_unit *unit, const char *name, LLVMTypeRef result, const LLVMTypeRef *parameters,
                        unsigned count);
/* Builds a call of it; the types are those of the arguments. */
LLVMValueRef cc_call_runtime(cc_unit *unit, const char *name, LLVMTypeRef result, LLVMValueRef *arguments,
                             unsigned count);
/* A private constant string; its address. */
LLVMValueRef cc_string(cc_unit *unit, const char *text);
LLVMValueRef cc_i64(const cc_unit *unit, int64_t value);
/* address + bytes */
LLVMValueRef cc_offset(cc_unit *unit, LLVMValueRef address, int64_t bytes);
/* The address of a member of verso_native_now. */
LLVMValueRef cc_state(cc_unit *unit, size_t offset);

#endif
