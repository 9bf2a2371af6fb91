/* The kernels of kernels.h with ADOL-C's number type, for comparison. Built only where ADOL-C is installed. */
#ifndef VERSO_BENCH_NATIVE_ADOLC_H
#define VERSO_BENCH_NATIVE_ADOLC_H

#ifdef __cplusplus
extern "C" {
#endif

/* The gradient of kernel number `kernel` (in the order of kernels.h): a taping run and a reverse sweep. Returns the
 * value. Tapes longer than its buffers go to files in the working folder. *tape_bytes, which may be NULL, is set to
 * the size of the tape. */
double adolc_gradient(int kernel, const double *x, int n, int t, double *gradient, double *tape_bytes);

#ifdef __cplusplus
}
#endif
#endif
