/* How many floating-point operations the kernels of kernels.h do, as they are written: one for each sign + - * / and
 * each function of math.h. */
#ifndef VERSO_BENCH_NATIVE_OPERATIONS_H
#define VERSO_BENCH_NATIVE_OPERATIONS_H

double operations_listing1(const double *x, int n, int t);
double operations_det(const double *x, int n, int t);
double operations_heat(const double *x, int n, int t);
double operations_nbody(const double *x, int n, int t);
double operations_lorenz(const double *x, int n, int t);
double operations_sparse(const double *x, int n, int t);
double operations_rec(const double *x, int n, int t);

#endif
