/* The program as a whole: what the passes around the differentiating ones know of it.
 *
 * `module` is the program as it was; the copies are made of it and linked back into it. A member is a function that is
 * differentiated: f in `module`, f.base in the base copy, f.record and f.tangent later. Functions keep their names in
 * copies until copy.c renames them, so that a name tells which function of `module` is meant. */
#ifndef CC_PROGRAM_H
#define CC_PROGRAM_H

#include "cc/cc.h"
#include "cc/transform.h"

#include <llvm-c/TargetMachine.h>
#include <sys/types.h>

/* A custom adjoint: names of functions of `module`. */
typedef struct cc_adjoint {
    const char *function;
    const char *record, *sweep; /* in two pieces; if there is one in one piece, made of it (custom_whole.c) */
    const char *whole;          /* in one piece; NULL: none */
    const char *tangent;        /* NULL: none */
    bool either;                /* in one piece and in two: the site of its call says which is used */
    LLVMTypeRef calls; /* record and tangent call differentiated functions of this type through pointers; NULL: none */
} cc_adjoint;

typedef struct cc_member {
    const char *name;
    LLVMValueRef program;      /* in `module`; NULL for one that a lowering made */
    LLVMValueRef base;         /* in the base copy */
    bool direct;               /* calls alone lead to it from a root: what cannot be is an error now, not at run time */
    bool pointed;              /* is called through pointers, or by the run time: it needs a stub */
    bool scanned;              /* reach.c has seen its calls */
    bool inactive;             /* declared so */
    const cc_adjoint *adjoint; /* its own; NULL: none */
    const char *fragment;      /* lower_fragment.c made it: its name in the program; NULL */
    const cc_adjoint *whole;   /* custom_whole.c made it, for this one; NULL */
    const char *refused;       /* why it cannot be differentiated at all: calling it is refused at run time; NULL */
} cc_member;

/* Processes that make object files of modules: parallel.c. */
enum { CC_PARTS_MOST = 4, CC_JOBS_MOST = 1 + 3 * CC_PARTS_MOST }; /* recording, reverse and tangent code in parts */
typedef struct cc_child {
    pid_t process; /* 0: it has ended */
    int message;   /* where to read what went wrong */
    char *object;
} cc_child;
typedef struct cc_jobs {
    cc_child children[CC_JOBS_MOST];
    size_t count, running;
    const char *failure; /* of the first that failed; NULL */
} cc_jobs;

typedef void cc_build_shared(cc_unit *unit, LLVMValueRef function, void *context);
typedef struct cc_shared_function {
    const char *name;
    cc_build_shared *build;
} cc_shared_function;

typedef struct cc_program {
    const cc_request *request;
    LLVMModuleRef module;
    LLVMModuleRef base;
    LLVMTargetMachineRef machine;
    bool wants_record, wants_tangent; /* what the program calls runs that version */
    bool wants_steps;                 /* it calls verso_execution_open */
    uint64_t kinds;                   /* verso_native_program_kinds, once they are known: see cc/parts.c */
    bool packs;                       /* verso_native_program_packs */
    bool doubts;                      /* numbers are made by integer arithmetic: see cc/doubts.h */
    cc_member **members;
    size_t member_count, member_capacity;
    cc_map member_of; /* functions of `module` -> members */
    cc_map inactive;  /* functions of `module` declared so -> 1 */
    cc_adjoint *adjoints;
    size_t adjoint_count, adjoint_capacity;
    LLVMValueRef *locals; /* of `module`: had local linkage, and get it back if no copy names them */
    LLVMLinkage *local_linkage;
    size_t local_count, local_capacity, linkage_capacity;
    cc_shared_function *shared;
    size_t shared_count, shared_capacity;
    cc_jobs jobs;
    size_t made; /* functions that got a number in their name */
} cc_program;

/* ---- module.c ---- */

/* All inputs as one module, in program->module. Gives up when they do not fit together. */
void cc_merge(cc_unit *unit);
/* The module at hand, with its data layout. */
void cc_use_module(cc_unit *unit, LLVMModuleRef module);
/* Links `source` into `destination`; `what` names it in messages. */
void cc_link(cc_unit *unit, LLVMModuleRef destination, LLVMModuleRef source, const char *what);
/* Runs LLVM's passes over the module at hand. */
void cc_run_passes(cc_unit *unit, const char *passes);
/* Gives up when the module at hand is not well formed: a mistake of the pass that ran last. */
void cc_verify(cc_unit *unit, const char *pass);

/* ---- library.c ---- */

/* Links the functions of native/lib that the program can need into it. */
void cc_link_library(cc_unit *unit);
/* The function of native/lib in `module` that stands for a C library function; NULL: none was linked. */
LLVMValueRef cc_library_version(cc_unit *unit, const char *name);

/* ---- heap.c ---- */

/* The program's calls and addresses of malloc and its kin become those of the arena. */
void cc_redirect_heap(cc_unit *unit);

/* ---- declared.c: what the program says about its functions ---- */

void cc_read_declarations(cc_unit *unit);
/* By a function of any module with that name. */
bool cc_is_inactive(cc_unit *unit, LLVMValueRef function);
const cc_adjoint *cc_adjoint_of(cc_unit *unit, const char *name);

/* ---- custom_whole.c ---- */

/* Functions of `module` that stand for the two pieces of an adjoint in one: record and sweep; they use those that are
 * there, if it is in both forms. */
void cc_make_whole(cc_unit *unit, cc_adjoint *adjoint);
/* In the base copy: functions with such an adjoint call one whose calls are checkpointed. */
void cc_lower_whole(cc_unit *unit);

/* ---- reach.c ---- */

/* Fills program->members; diagnoses what cannot be differentiated. */
void cc_reach(cc_unit *unit);
/* Adds one, or returns what is there. `function` is one of `module` with a body. */
cc_member *cc_add_member(cc_unit *unit, LLVMValueRef function);
/* Adds one that a lowering made: `base` is called NAME.base. */
cc_member *cc_add_made_member(cc_unit *unit, LLVMValueRef base, const char *name);
/* The member that a direct call of `callee` goes to: itself, its stand-in of native/lib, or a wrapper when it is
 * external and has its own adjoint. NULL: none. `callee` may be of any copy that still has the program's names. */
cc_member *cc_member_of(cc_unit *unit, LLVMValueRef callee);
/* Whether a call through a pointer, with these argument types, can be meant for a function of type `function`. */
bool cc_fits(cc_unit *unit, LLVMTypeRef call, const LLVMTypeRef *arguments, unsigned count, LLVMTypeRef function);

/* ---- externals.c ---- */

/* Says, as notes, which functions that were not compiled by `verso cc` differentiated code calls. */
void cc_list_externals(cc_unit *unit);

/* ---- wrap.c ---- */

/* A function of `module` that does nothing but call the external function `external`, for all who take its address. */
LLVMValueRef cc_wrap(cc_unit *unit, LLVMValueRef external);
/* The address of `external` becomes that of its wrapper in the whole program. */
void cc_wrap_addresses(cc_unit *unit, LLVMValueRef external, LLVMValueRef wrapper);

/* ---- taken.c ---- */

/* Whether the address of a function is used other than to call it by its own type. */
bool cc_address_taken(cc_unit *unit, LLVMValueRef function);
/* The functions whose address is the first argument of verso_gradient or its kin. */
void cc_roots(cc_unit *unit, void (*found)(cc_unit *unit, LLVMValueRef call, LLVMValueRef function, bool certain));
bool cc_is_root_call(LLVMValueRef call);

/* ---- refuse.c ---- */

/* Why this instruction cannot be differentiated, and what to do; NULL when it can. In `module` or a copy with its
 * names.
 */
const char *cc_refusal(cc_unit *unit, const cc_member *member, LLVMValueRef instruction);
/* The same for a function as a whole. */
const char *cc_refusal_of_function(cc_unit *unit, const cc_member *member);
/* Whether numbers or pointers go into a function of this type or come out. */
bool cc_concerns_function(cc_unit *unit, LLVMTypeRef type);
/* "HOW NAME, which was not compiled by ...", and the remedies. */
const char *cc_say_unknown(cc_unit *unit, const char *name, const char *how);
/* From here on the run time refuses, with the place and this message: what follows `instruction` in its block, and it
 * itself, is not reached any more. */
void cc_refuse_here(cc_unit *unit, LLVMValueRef instruction, const char *message);
/* A lowering's objection: a diagnostic when the member is certainly called, a refusal at run time else. */
void cc_object(cc_unit *unit, const cc_member *member, LLVMValueRef instruction, const char *message);

/* ---- copy.c ---- */

/* What is local gets a linkage that copies can refer to. */
void cc_publish_locals(cc_unit *unit);
/* What none of the other modules (some may be NULL) names is local again. */
void cc_hide_locals(cc_unit *unit, const LLVMModuleRef *others, size_t count);
/* Adds a function that the generated code shares: made local in the end. */
void cc_add_local(cc_unit *unit, LLVMValueRef value);
/* The base copy, with the members' bodies alone, still under the program's names. */
void cc_copy_base(cc_unit *unit);
/* f becomes f.base; f is from now on the program's, as a declaration, which calls of f.base do not use. */
void cc_rename_base(cc_unit *unit);
/* The declaration of the program's f in the module at hand, which pointers mean; `like` is f, of any module. */
LLVMValueRef cc_pointed_function(cc_unit *unit, const char *name, LLVMValueRef like);
/* f.base becomes f.SUFFIX in a copy of the base copy, which is the module at hand then; fills unit->functions. */
LLVMModuleRef cc_copy_version(cc_unit *unit, const char *suffix);

/* ---- shared.c ---- */

/* The declaration in the module at hand of a function of the program's module; when it is first asked for, `build`
 * builds its body there, at the builder. Its name begins with "verso.pass.", so that it is called as it is. */
LLVMValueRef cc_shared(cc_unit *unit, const char *name, LLVMTypeRef type, cc_build_shared *build, void *context);
LLVMValueRef cc_call_shared(cc_unit *unit, LLVMValueRef shared, LLVMValueRef *arguments, unsigned count);
/* Gives those that were built without a context bodies in the module at hand, to be inlined: nothing looks at the code
 * any more that must not see them. */
void cc_inline_shared(cc_unit *unit);

/* ---- The lowerings, in this order; each works on the base copy ---- */

void cc_lower_labels(cc_unit *unit);  /* before the renaming: computed goto */
void cc_lower_refused(cc_unit *unit); /* before the renaming */
void cc_strip(cc_unit *unit);         /* attributes and flags that are not true of recording code */
void cc_strip_attributes(LLVMValueRef function);
void cc_lower_fragments(cc_unit *unit); /* what the user marked becomes a function */
void cc_lower_library(cc_unit *unit);   /* C library and inactive functions */
void cc_lower_dispatch(cc_unit *unit);  /* calls through pointers that need the two below */
void cc_lower_byval(cc_unit *unit);
void cc_lower_variadic(cc_unit *unit);
void cc_lower_jumps(cc_unit *unit); /* setjmp and longjmp */
/* Those that come after normal.c, once kinds are known */
void cc_lower_carried(cc_unit *unit); /* parameters and results that are only moved */
void cc_lower_moves(cc_unit *unit);   /* numbers that are, within functions */

/* ---- lower_fragment.c ---- */

/* Of verso_fragment_begin and verso_fragment_end: nothing is called there. */
bool cc_is_fragment_mark(LLVMValueRef callee);

/* ---- lower_library.c ---- */

LLVMTypeRef cc_type_of_arguments(cc_unit *unit, LLVMTypeRef result, const LLVMValueRef *arguments, unsigned count);
/* In the function that stands for `call` of the base copy: builds that call, of the same function. */
LLVMValueRef cc_pass_call(cc_unit *unit, LLVMValueRef call, LLVMValueRef *arguments);
/* A call of the function that stands for it in the place of `call`. */
LLVMValueRef cc_replace_passed(cc_unit *unit, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef passing,
                               LLVMValueRef *arguments, unsigned count);

/* ---- areas.c ---- */

/* A call of a C library function, and what its description needs of it. */
typedef struct cc_library_call {
    LLVMValueRef result;
    LLVMValueRef *arguments;
    unsigned count;
    const char *format; /* of scanf, when it is a constant string; else NULL */
} cc_library_call;
typedef struct cc_area {
    LLVMValueRef data;  /* may be NULL when the program runs */
    LLVMValueRef bytes; /* NULL: a string, to its NUL */
} cc_area;
typedef void cc_visit_area(cc_unit *unit, cc_area area, void *context);

/* The text of a constant string; NULL: it is none. */
const char *cc_constant_string(cc_unit *unit, LLVMValueRef pointer);
/* `writes` is as in known_table.h. */
cc_library_call cc_describe_call(cc_unit *unit, LLVMValueRef call, const char *writes);
/* Visits all areas that the call has written, building addresses and sizes. False, and none: its format cannot be read.
 */
bool cc_each_area(cc_unit *unit, const cc_library_call *call, const char *writes, cc_visit_area *visit, void *context);

/* lower_written.c: puts markers behind a call of a function of class CC_KNOWN_WRITES. False: it was objected to. */
bool cc_mark_written(cc_unit *unit, const cc_member *member, LLVMValueRef call, const char *writes);
/* lower_world.c: for all but CC_WORLD_NOT. */
struct cc_known;
void cc_lower_world(cc_unit *unit, LLVMValueRef call, const struct cc_known *known);

/* lower_passing.c: puts a call that passes in the place of one of a foreign function. */
void cc_lower_passing(cc_unit *unit, LLVMValueRef call);

/* scan_format.c: what a scanf format says of one argument behind it. */
typedef struct cc_scanned {
    uint64_t bytes; /* written there; 0: a string, to its NUL */
    bool counted;   /* among the assignments that the result counts */
} cc_scanned;
/* False: the format is not understood. */
bool cc_scan_format(cc_unit *unit, const char *format, cc_scanned **scanned, size_t *count);

/* ---- normal.c ---- */

void cc_simplify(cc_unit *unit);  /* before the lowerings */
void cc_normalise(cc_unit *unit); /* after them */

/* ---- stub.c, emit.c ---- */

void cc_make_stubs(cc_unit *unit);
void cc_make_machine(cc_unit *unit);
/* Optimises a module of generated code. `pack`: scalar operations may be put together to vectors; once it was false it
 * is so for this process, since LLVM has a switch for that and no option. */
void cc_optimise_generated(cc_unit *unit, bool pack);
/* prefetch.c: in reverse functions that are optimised. */
void cc_prefetch_tape(cc_unit *unit);
/* Optimises the program itself, and adds the table of its variables. */
void cc_optimise_program(cc_unit *unit);
/* Writes the module at hand as an object file. */
void cc_emit(cc_unit *unit, const char *path);

/* ---- parallel.c ---- */

/* Some of a module's functions: number `number` of `of` parts of those that are meant. */
typedef enum cc_part_functions { CC_PART_ANY, CC_PART_REVERSE, CC_PART_NOT_REVERSE } cc_part_functions;
typedef struct cc_part {
    cc_part_functions which;
    size_t number, of;
} cc_part;
/* split.c. In how many parts they go. */
size_t cc_part_count(LLVMModuleRef module, cc_part_functions which);
/* Makes declarations of all others. */
void cc_keep_part(cc_unit *unit, const cc_part *part);

/* One module, or a part of it, on its way to an object file. */
typedef struct cc_job {
    LLVMModuleRef module; /* NULL: nothing to do */
    void (*optimise)(cc_unit *unit);
    cc_part part; /* of = 0: all */
} cc_job;
/* ---- parallel.c ---- */

size_t cc_processors(void);
/* Starts it in a process of its own, as soon as a processor is free. Nothing that is done to the module from here on
 * counts. */
void cc_start_job(cc_unit *unit, const cc_job *job);
/* Waits for all of them and makes one object file, request->object, of the results. */
void cc_finish_jobs(cc_unit *unit);
/* Ends those that still run; their files go. */
void cc_forget_jobs(cc_program *program);

#endif
