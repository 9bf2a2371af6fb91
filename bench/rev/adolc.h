/* The objectives of the cases with ADOL-C's number type. A tape is recorded once; a gradient is then one call of an
 * ADOL-C driver, which is its fastest way. Built only where ADOL-C is installed. */
#ifndef VERSO_BENCH_REV_ADOLC_H
#define VERSO_BENCH_REV_ADOLC_H

#ifdef __cplusplus
extern "C" {
#endif

void adolc_dot_tape(const double *a, const int *a_index, const int *a_start, const double *b, const int *b_index,
                    const int *b_start, int columns);
void adolc_embedding_tape(const double *x, int k, const int *pair_a, const int *pair_b);
void adolc_gmm_tape(const double *parameters, const double *x, int n, int d, int k);
/* Computes the gradient with respect to all inputs of the tape, in the order of the arguments above. */
void adolc_gradient(const double *inputs, double *gradient);

/* One observation, 15 inputs and 2 errors. */
void adolc_ba_tape(const double *camera, const double *point, const double *weight, const double *feature);
/* Two rows of 15. */
void adolc_ba_rows(const double *camera, const double *point, const double *weight, const double *feature,
                   double *rows);

double adolc_bytes(void); /* of the tape */
void adolc_close(void);   /* removes the tape, and its files if it was larger than its buffers */

#ifdef __cplusplus
}
#endif
#endif
