/* The transformer's one entry. */
#ifndef CC_TRANSFORM_H
#define CC_TRANSFORM_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

typedef struct cc_input {
    const char *name; /* for messages: "libgsl.a(odeiv.o)" */
    const void *bitcode;
    size_t size;
} cc_input;

typedef struct cc_request {
    const cc_input *inputs;
    size_t input_count;
    const char *object;          /* path of the object file to write */
    int optimise;                /* 0, 1, 2, 3 as in -O; 's' and 'z' */
    bool debug;                  /* keep debug information */
    bool externals;              /* list external functions among the diagnostics */
    const char *dump;            /* a pass of cc.h, or "all"; NULL: none */
    const char *dump_file;       /* NULL: standard error */
    const char *const *inactive; /* names of functions declared inactive on the command line */
    size_t inactive_count;
    const char *cpu; /* NULL: as each function's attributes say */
    uint64_t strip;  /* bytes of tape that a loop may write between two safepoints (strips.h) */
} cc_request;

/* *diagnostics: messages about the program, a line each ("" when there are none), to be freed with free(); set also on
 * failure. VERSO_INVALID when the program cannot be differentiated. */
verso_status cc_transform(const cc_request *request, char **diagnostics, verso_error *error);

#endif
