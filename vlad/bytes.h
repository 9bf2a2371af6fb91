/* Values as bytes, and back, in this process or another one that has read the same program: capsules in files. What is
 * shared is written once, and is shared again. Addresses of lambdas, letrecs and expressions are written as their
 * numbers. Of the interpreter's values; converted continuations have no numbers. */
#ifndef VLAD_BYTES_H
#define VLAD_BYTES_H

#include "vlad/core.h"
#include "vlad/heap.h"

/* What has which number in a program. */
typedef struct vlad_index {
    const vlad_expression **expressions;
    const vlad_lambda **lambdas;
    const vlad_letrec **letrecs;
    uint32_t expression_count, lambda_count, letrec_count;
} vlad_index;

verso_status vlad_index_open(vlad_index *index, const vlad_program *program, verso_error *error);
void vlad_index_close(vlad_index *index);

/* *bytes is to be freed (verso_dealloc). */
verso_status vlad_bytes_write(vlad_value value, char **bytes, size_t *size, verso_error *error);
/* VERSO_CORRUPT: the bytes are not those of a value, or of another program's. */
verso_status vlad_bytes_read(vlad_heap *heap, const vlad_index *index, const char *bytes, size_t size,
                             vlad_value *value, verso_error *error);

#endif
