/* The data of one transformation that concerns the program as a whole.
 *
 * `module` is the program as the user wrote it. Passes copy it, transform the copies and link them back into it. A
 * member is a function that is differentiated. Member f is called f in `module`, f.base in the base copy, and
 * f.record and f.tangent in the copies of that. In a new copy, functions keep the names of `module` until
 * lower/copy.c renames them; the name then identifies the function of `module`. */
#ifndef CC_IR_PROGRAM_H
#define CC_IR_PROGRAM_H

#include "cc/driver/cache.h"
#include "cc/ir/request.h"
#include "cc/ir/unit.h"

#include <llvm-c/TargetMachine.h>
#include <sys/types.h>

/* The name of a string attribute of functions: the file of the program that the function comes from. */
#define CC_ORIGIN "verso-origin"
/* The name of a string attribute of functions that clang compiled at -O0 or -O1 (cc/driver/compile.c). */
#define CC_LEVEL "verso-level"

/* The custom adjoint of one function. All names are names of functions of `module`. */
typedef struct cc_adjoint {
    const char *function; /* the function that has the custom adjoint */
    /* The adjoint in two pieces. lower/custom_whole.c makes them if `whole` is given. */
    const char *record, *sweep;
    const char *whole;   /* the adjoint in one piece; NULL: none */
    const char *tangent; /* the tangent version; NULL: none */
    bool world;          /* VERSO_WORLD_ADJOINT: record runs once; lower/custom_world.c makes `record` */
    bool either;         /* given in one piece and in two: the call site selects the form at run time */
    /* Type of the differentiated functions that record and tangent call through pointers; NULL: they call none. */
    LLVMTypeRef calls;
} cc_adjoint;

typedef struct cc_member {
    const char *name;
    LLVMValueRef program;      /* the function in `module`; NULL for a function that a lowering has made */
    LLVMValueRef base;         /* the function in the base copy */
    bool direct;               /* reached from a root by direct calls alone: what cannot be differentiated in it is
                                  reported when the program is linked */
    bool certain;              /* runs whenever a root runs: what cannot be differentiated in it is an error */
    bool pointed;              /* called through pointers, or by the run time: it needs a stub */
    bool scanned;              /* reach.c has read its calls */
    bool inactive;             /* declared inactive */
    bool divided;              /* a parallel region that is called for each thread: lower/regions.h */
    const cc_adjoint *adjoint; /* its custom adjoint; NULL: none */
    const char *fragment;      /* name of the fragment that lower/fragment.c made it from; NULL: not a fragment */
    const cc_adjoint *whole;   /* the adjoint in one piece that lower/custom_whole.c made it for; NULL: none */
    const char *refused;       /* why the run time refuses to call it; NULL: it can be called */
} cc_member;

/* Child processes that make object files of parts of the program: emit/parallel.c. */
typedef struct cc_child {
    pid_t process; /* process ID; 0: it has ended */
    int message;   /* file descriptor from which its error message is read */
    char *object;  /* path of its object file */
} cc_child;
typedef struct cc_jobs {
    cc_child *children;
    size_t count, capacity; /* number of children started; room in `children` */
    size_t running;         /* number of children that have not ended */
    const char *failure;    /* message of the first child that failed; NULL: none */
    driver_cache cache;
    verso_identity maker; /* identifies this transformer and LLVM; see emit/keys.c */
} cc_jobs;

/* A function that the copies share (lower/shared.c), and the function that builds its body. */
typedef void cc_build_shared(cc_unit *unit, LLVMValueRef function, void *context);
typedef struct cc_shared_function {
    const char *name;
    cc_build_shared *build;
} cc_shared_function;

enum { CC_MODULES_MOST = 3 }; /* the program, recording and reverse code, tangent code */
typedef struct cc_program {
    const cc_request *request;
    LLVMModuleRef module;         /* the program as the user wrote it */
    LLVMModuleRef base;           /* the base copy */
    LLVMTargetMachineRef machine; /* the target machine of LLVM */
    bool wants_record;            /* the program calls a function that runs recording code */
    bool wants_tangent;           /* the program calls a function that runs tangent code */
    bool wants_steps;             /* the program calls verso_execution_open */
    uint64_t kinds;               /* verso__native_program_kinds; 0 until cc_find_kinds (cc/types/parts.c) has run */
    bool packs;                   /* verso__native_program_packs */
    bool singles;                 /* routines of BLAS that the program calls have floats in memory */
    bool float_bits;              /* some integer is used as the bits of a float */
    bool single;                  /* verso__native_program_single */
    int fast;                     /* verso__native_program_fast */
    bool names_driver;            /* verso__native_names_driver */
    bool doubts;                  /* verso__native_program_doubts: see cc/plan/doubts.h */
    size_t memory_count;          /* numbers of memories (ir/tags.h) are less than this */
    cc_member **members;
    size_t member_count, member_capacity;
    cc_map member_of; /* function of `module` -> index in members */
    cc_map inactive;  /* set of functions of `module` declared inactive or pure */
    cc_map pure;      /* set of functions of `module` declared pure */
    cc_map marked;    /* function of `module` -> VERSO_NATIVE_MARK_NEVER or VERSO_NATIVE_MARK_ALWAYS */
    cc_adjoint *adjoints;
    size_t adjoint_count, adjoint_capacity;
    /* Globals of `module` that had local linkage; lower/copy.c restores it if no other module refers to them. */
    LLVMValueRef *locals;
    LLVMLinkage *local_linkage; /* the linkage of each */
    size_t local_count, local_capacity, linkage_capacity;
    cc_shared_function *shared;
    size_t shared_count, shared_capacity;
    LLVMMemoryBufferRef written[CC_MODULES_MOST]; /* modules as bitcode, until the end of the transformation */
    size_t written_count;
    const struct cc_code *opened; /* see emit/part.c; NULL: none */
    cc_jobs jobs;
    size_t made; /* number of functions whose names contain a serial number, so far */
} cc_program;

#endif
