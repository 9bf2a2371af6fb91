/* Values as bytes, and back, in this process or another one that has read the same program: capsules in files. What is
 * shared is written once, and is shared again. Addresses of what a program consists of are written as its numbers.
 * Those who interpret and those who run compiled code understand each other's bytes; a converted program has its own.
 */
#ifndef VLAD_BYTES_H
#define VLAD_BYTES_H

#include "vlad/core.h"
#include "vlad/heap.h"

/* What has which number in a program. */
typedef struct vlad_index {
    const vlad_expression **expressions;
    const vlad_lambda **lambdas;
    const vlad_letrec **letrecs;
    const vlad_lambda **within; /* by expression: the lambda whose frame it is evaluated in; NULL: none */
    uint32_t expression_count, lambda_count, letrec_count;
    const struct vlad_cps *converted; /* what capsules are about; NULL: the program itself. Whoever opens it says so */
} vlad_index;

verso_status vlad_index_open(vlad_index *index, const vlad_program *program, verso_error *error);
void vlad_index_close(vlad_index *index);

/* A value, a capsule of a whole evaluation, or ((value . VLAD_TABLE) . value). *bytes is to be freed (verso_dealloc).
 */
verso_status vlad_bytes_write(const vlad_index *index, vlad_value value, char **bytes, size_t *size,
                              verso_error *error);
/* VERSO_CORRUPT: the bytes are not those of such a thing, or of another program's. What is read can be gone on with,
 * whoever wrote the bytes: nothing in it leads anywhere it must not (bytes_check.c), and a capsule has `levels` levels
 * of reverse mode at most. */
verso_status vlad_bytes_read(vlad_heap *heap, const vlad_index *index, uint32_t levels, const char *bytes, size_t size,
                             vlad_value *value, verso_error *error);

#endif
