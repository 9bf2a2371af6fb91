/* The request to the transformer: what verso-transform's command line asks for. */
#ifndef CC_IR_REQUEST_H
#define CC_IR_REQUEST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* One module of the program. */
typedef struct cc_input {
    const char *name;    /* its name in messages, such as "libgsl.a(odeiv.o)" */
    const void *bitcode; /* LLVM bitcode, owned by the caller */
    size_t size;         /* of `bitcode`, in bytes */
} cc_input;

typedef struct cc_request {
    const cc_input *inputs;
    size_t input_count;
    const char *object;          /* path of the object file to write */
    int optimise;                /* the level of -O: 0, 1, 2, 3, 's' or 'z' */
    bool debug;                  /* keep debug information */
    bool externals;              /* list external functions among the diagnostics (--verso-externals) */
    bool exports;                /* the linker exports the program's functions, so dlsym can find them */
    bool shared;                 /* for a shared library, not for a program */
    bool check_reload;           /* reverse code checks what it reads again (plan/ranges.h) */
    const char *dump;            /* name of the pass to print (ir/unit.h), or "all"; NULL: print none */
    const char *dump_file;       /* file that dumps are appended to; NULL: standard error */
    const char *const *inactive; /* names of functions declared inactive on the command line */
    size_t inactive_count;
    const char *const *pure; /* names of functions declared pure on the command line */
    size_t pure_count;
    const char *cpu; /* target processor; NULL: the one in each function's attributes */
    size_t part;     /* instructions of a part of generated code, about (emit/divide.c) */
    uint64_t strip;  /* maximum bytes of tape that a loop writes between two safepoints (plan/strips.h) */
} cc_request;

#endif
