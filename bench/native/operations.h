/* The number of floating-point operations of the kernels of kernels.h: each operator + - * / and each call of a
 * function of math.h counts as one. */
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
