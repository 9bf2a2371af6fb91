/* verso_linear_solve in differentiated code. With x0 the solution, a number without a derivative,
 *
 *     x = x0 + A^-1 (b - A x0),
 *
 * where the second term is zero and has the derivatives of x. Here everything is differentiated like the program's own
 * code except x0 and the product with A^-1 (native/sweep/linear.c). The reverse of `A x0` also gives the product of A^T
 * with the solution of the sweep's system, by which that is checked. */
#include "native/state.h"

#include <verso/linear.h>

bool verso__lib_verso_linear_solve_at(const char *where, const verso_linear_problem *problem, const double *b,
                                      double *x) {
    size_t count = problem->count, sides = problem->sides == 0 ? 1 : problem->sides, all = count * sides;
    double *rest = verso__native_malloc((all + 1) * sizeof *rest);
    double *product = verso__native_malloc((count + 1) * sizeof *product);
    double note = 0;
    verso__native_linear_begin(where, problem, b, x, &note);
    for (size_t side = 0; side < sides; side++) {
        problem->apply(problem->context, x + side * count, product);
        for (size_t i = 0; i < count; i++)
            rest[side * count + i] = b[side * count + i] - product[i];
    }
    verso__native_linear_end(where, problem, b, rest, x, &note);
    verso__native_free(product);
    verso__native_free(rest);
    return true;
}
