/* Converts values to bytes and back, in this process or in another process that has read the same program: the
 * format of capsules in files. An object that is referenced several times is written once, and is shared again
 * after reading. Pointers to parts of the program are written as their numbers. The interpreter and compiled code
 * read each other's bytes; a program that was converted to CPS (cps.h) uses other numbers. */
#ifndef VLAD_BYTES_H
#define VLAD_BYTES_H

#include "vlad/core.h"
#include "vlad/heap.h"

/* The expressions, lambdas and letrecs of a program by their numbers. */
typedef struct vlad_index {
    const vlad_expression **expressions;
    const vlad_lambda **lambdas;
    const vlad_letrec **letrecs;
    const vlad_lambda **within; /* for each expression: the lambda in whose frame it is evaluated; NULL: none */
    uint32_t expression_count, lambda_count, letrec_count;
    /* NULL: capsules refer to the program itself; else to its CPS conversion. The caller of vlad_index_open sets
     * it. */
    const struct vlad_cps *converted;
} vlad_index;

/* Makes the index of a program; vlad_index_close frees it. Fails only for lack of memory. */
verso_status vlad_index_open(vlad_index *index, const vlad_program *program, verso_error *error);
void vlad_index_close(vlad_index *index);

/* Writes a value, a capsule of a whole evaluation, or an adjoint: ((value . VLAD_TABLE) . value). The caller frees
 * *bytes with verso__dealloc. */
verso_status vlad_bytes_write(const vlad_index *index, vlad_value value, char **bytes, size_t *size,
                              verso_error *error);
/* Reads what vlad_bytes_write has written. The bytes may come from anywhere: they are checked so that evaluation
 * can safely continue with the result (bytes_check.c), and that a capsule has at most `levels` levels of reverse
 * mode. Returns VERSO_STATUS_CORRUPT if the bytes are damaged or belong to another program. */
verso_status vlad_bytes_read(vlad_heap *heap, const vlad_index *index, uint32_t levels, const char *bytes, size_t size,
                             vlad_value *value, verso_error *error);

#endif
