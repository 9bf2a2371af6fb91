/* `verso jacobian`, `verso hvp` and `verso hessian`: the answer, and the forms in which it is printed and written. */
#ifndef CLI_MATRIX_H
#define CLI_MATRIX_H

#include "cli/derive.h"

#include <stdio.h>

/* A matrix, dense and row-major, or as triples (row, column, value) in the order of rows. */
typedef struct matrix_answer {
    const char *name; /* "jacobian" or "hessian" */
    size_t rows, columns, entries;
    bool sparse;
    const double *numbers;
    uint64_t passes; /* runs in tangent or reverse mode; Hessian-vector products */
} matrix_answer;

/* Prints the matrix for reading: a large one in part. */
void matrix_print_page(FILE *out, const derive *task, const matrix_answer *answer);
/* Prints it as JSON: the key is answer->name; a sparse matrix is an object with row, column and value. */
void matrix_print_json(FILE *out, const matrix_answer *answer);
/* Writes it to a file: in the format of Matrix Market if the name ends in .mtx, of NumPy if it ends in .npy (a dense
 * matrix), otherwise as text: a row in a line; of a sparse matrix, row, column and value, which count from 0. Returns
 * CLI_OK, or CLI_FAILED after a message. */
int matrix_write_file(derive *task, const matrix_answer *answer, const char *path);

#endif
