/* Linear systems with a solver of the program's own, by any method: direct, iterative, matrix-free. Differentiating
 * through the iterations of a solver is slow, takes much memory, and gives derivatives that have not converged when the
 * solution has (docs/linear-solve.md). verso_linear_solve calls the solver once more in the reverse sweep instead, with
 * the transposed matrix.
 *
 * Thread safety: as verso_fixed_point (verso/native.h). */
#ifndef VERSO_LINEAR_H
#define VERSO_LINEAR_H

#include <stdbool.h>
#include <stddef.h>
#include <verso/export.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Memory that a solver reads. */
typedef struct verso_linear_memory {
    void *data;
    size_t bytes;
} verso_linear_memory;

/* A system A x = b with `count` unknowns. Set all fields that you need. */
typedef struct verso_linear_problem {
    size_t size VERSO_SIZE_OF(verso_linear_problem); /* set by VERSO_LINEAR_PROBLEM_INIT */
    size_t count;                                    /* unknowns */
    size_t sides; /* right-hand sides; b and x hold one vector of `count` numbers after the other. 0: 1 */
    /* Sets y = A x. It is differentiated like any function: what it reads, other than x, are the parameters of A. It
     * must be compiled by `verso cc`. */
    void (*apply)(void *context, const double *x, double *y);
    /* Solves A x = b or, if `transposed`, the system of the transposed matrix; x holds an initial guess. Returns false
     * if it fails. It is not differentiated, and may call any library. */
    bool (*solve)(void *context, bool transposed, const double *b, double *x);
    void *context;
    bool symmetric;   /* A is its own transpose: `solve` is never called with `transposed` */
    double tolerance; /* most |b - A x|, relative to |b|, that counts as solved, here and in the sweep. 0: 1e-8 */
    /* The sweep calls `solve` when the program has run on. What the solver reads, a matrix, a factorisation or
     * *context, must then be as it was: list memory here that the program changes or frees until its end, such as
     * automatic variables. Verso copies it at the call. Only *context may be an automatic variable of the
     * differentiated function. */
    const verso_linear_memory *kept;
    size_t kept_count;
} verso_linear_problem;
#define VERSO_LINEAR_PROBLEM_INIT VERSO_INIT_OF(verso_linear_problem)

/* bool verso_linear_solve(const verso_linear_problem *problem, const double *b, double *x);
 * solves the system. x must not be b. Returns false if the solver does, or if problem->size is 0. It works in plain
 * runs too, and in code of any compiler.
 *
 * In a differentiation, the derivatives are those of the exact solution, by b and by everything that `apply` reads.
 * Verso calls `solve`, records one call of `apply`, and calls `solve` once more in the sweep, with `transposed`. It
 * checks the residuals of both: failure to converge, a solver of another matrix than that of `apply`, and a matrix that
 * has changed in the meantime are errors (VERSO_STATUS_INVALID). `apply` may contain other linear systems and fixed
 * points. In tangent mode the second call is not transposed. */
#define verso_linear_solve(...) verso_linear_solve_at(VERSO__LINEAR_PLACE(__LINE__), __VA_ARGS__)
#define VERSO__LINEAR_PLACE(line) VERSO__LINEAR_TEXT(line)
#define VERSO__LINEAR_TEXT(line) __FILE__ ":" #line
/* The function behind the macro. `where` begins messages. */
VERSO_API bool verso_linear_solve_at(const char *where, const verso_linear_problem *problem, const double *b,
                                     double *x);

#ifdef __cplusplus
}
#endif
#endif
