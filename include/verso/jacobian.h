/* Jacobians: all derivatives of m numbers with respect to n others, dense or sparse. docs/jacobians.md.
 *
 * The arguments are those of verso_vjp (verso/native.h); the derivative arrays of the regions are not used and may be
 * NULL. The numbers of the regions `of`, in order, are the rows, those of `wrt` the columns. Verso runs `run` several
 * times, and restores the program's heap, globals and the regions before each run, so that the effect is that of one.
 * Thread safety and errors: as in verso/native.h. */
#ifndef VERSO_JACOBIAN_H
#define VERSO_JACOBIAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/export.h>
#include <verso/native.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum verso_jacobian_mode {
    VERSO_JACOBIAN_AUTO = 0, /* the mode that takes fewer runs; a run in reverse mode counts as two */
    VERSO_JACOBIAN_COLUMNS,  /* tangent mode, column by column */
    VERSO_JACOBIAN_ROWS,     /* reverse mode, row by row */
} verso_jacobian_mode;

typedef struct verso_jacobian_options {
    size_t size VERSO_SIZE_OF(verso_jacobian_options); /* set by VERSO_JACOBIAN_OPTIONS_INIT */
    verso_jacobian_mode mode;
    const verso_native_options
        *native;   /* budget and the like of runs in reverse mode; NULL: those of the environment */
    uint64_t seed; /* of the random directions that find a pattern; 0: 1 */
} verso_jacobian_options;
#define VERSO_JACOBIAN_OPTIONS_INIT VERSO_INIT_OF(verso_jacobian_options)

typedef struct verso_jacobian_report {
    size_t size VERSO_SIZE_OF(verso_jacobian_report); /* set by VERSO_JACOBIAN_REPORT_INIT */
    verso_jacobian_mode mode;                         /* the one used: COLUMNS or ROWS */
    uint64_t passes;                                  /* runs in that mode */
    uint64_t pattern_passes; /* sparse: tangent runs that found the pattern, or checked a given one */
    uint64_t colours;        /* sparse: groups of columns (rows) that share a run */
} verso_jacobian_report;
#define VERSO_JACOBIAN_REPORT_INIT VERSO_INIT_OF(verso_jacobian_report)

/* Sets jacobian[i * n + j] to the derivative of row i by column j, for m rows and n columns. `options` and `report` may
 * be NULL. */
VERSO_API verso_status verso_jacobian(void (*run)(void *context), void *context, const verso_array *wrt,
                                      size_t wrt_count, const verso_array *of, size_t of_count, double *jacobian,
                                      const verso_jacobian_options *options, verso_jacobian_report *report,
                                      verso_error *error);

/* A sparse matrix by compressed rows: row i has the elements row_start[i] to row_start[i + 1] - 1 of `column`, in
 * ascending order, and of `value`. */
typedef struct verso_sparse {
    size_t rows, columns, entries;
    size_t *row_start; /* rows + 1 */
    size_t *column;
    double *value;
    void *plan; /* Verso's own: which columns or rows share a run */
} verso_sparse;

/* Computes a sparse Jacobian. If *matrix is NULL, Verso first finds the pattern, the elements that are not zero, by
 * tangent runs along random directions, and sets *matrix; the caller frees it with verso_sparse_free. Otherwise
 * *matrix is the result of an earlier call with the same regions, and its pattern is used again: one more tangent run
 * checks whether it still holds, and if not, it is found again. The pattern is that at the point: an element that is
 * zero there is not part of it. On failure *matrix stays as it was. */
VERSO_API verso_status verso_jacobian_sparse(void (*run)(void *context), void *context, const verso_array *wrt,
                                             size_t wrt_count, const verso_array *of, size_t of_count,
                                             verso_sparse **matrix, const verso_jacobian_options *options,
                                             verso_jacobian_report *report, verso_error *error);
/* Frees the matrix. No-op on NULL. */
VERSO_API void verso_sparse_free(verso_sparse *matrix);

#ifdef __cplusplus
}
#endif
#endif
