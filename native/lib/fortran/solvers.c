/* What the module verso calls to solve linear systems: the functions of C return a bool, which flang has in another
 * type. */
#include <verso/linear.h>

int verso__fortran_linear_solve(const char *where, const verso_linear_problem *problem, const double *b, double *x);

int verso__fortran_linear_solve(const char *where, const verso_linear_problem *problem, const double *b, double *x) {
    return verso_linear_solve_at(where, problem, b, x);
}
