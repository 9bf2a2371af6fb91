/* The seven programs that bench/native measures: plain C, independent of Verso. n is the number of inputs, t the
  * size or the number of steps. The same source is compiled twice: by `verso cc`, and by plain clang with names that
  * begin with plain_. */
#ifndef VERSO_BENCH_NATIVE_KERNELS_H
#define VERSO_BENCH_NATIVE_KERNELS_H

double listing1(const double *x, int n, int t); /* n = 1: t outer iterations, inner loops of very different lengths */
double det(const double *x, int n, int t);      /* n = t * t: a determinant by elimination without pivoting */
double heat(const double *x, int n, int t);     /* n = a square: t steps of nonlinear diffusion, buffers swapped */
double nbody(const double *x, int n, int t);    /* n = 7 per body (position, velocity, mass): t leapfrog steps */
double lorenz(const double *x, int n, int t);   /* n = 6 (state, parameters): t Runge-Kutta steps */
double sparse(const double *x, int n, int t);   /* t sparse products and tanh, indirect addressing */
double rec(const double *x, int n, int t);      /* n = 4: adaptive recursive quadrature, at most t deep */

#endif
