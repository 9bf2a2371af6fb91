/* The cases of bench/rev: each has a plain C objective, the reversible one, and its gradient (and Hessian), on the same
 * random data in static memory, compiled with the same flags in one file. */
#ifndef VERSO_BENCH_REV_CASES_H
#define VERSO_BENCH_REV_CASES_H

#include <stddef.h>

typedef struct rev_case {
    const char *name, *size;
    void (*open)(void);      /* makes the data; called once per process */
    void (*plain)(void);     /* the objective in plain C */
    void (*objective)(void); /* the reversible function */
    void (*gradient)(void);  /* the whole gradient or Jacobian; for table 2, the backward pass alone */
    void (*hessian)(void);   /* NULL: not measured */
    double (*error)(void);   /* after plain, objective and gradient: the greatest relative difference of the values */
    double (*scratch)(
        int i); /* bytes beyond inputs and results: 0 plain, 1 reversible, 2 gradient, bars of scratch too */
    const double *(*result)(size_t *count); /* the gradient, to compare with ADOL-C's */
    double paper[3], bar[3];                /* ratios to the plain objective: objective, gradient, Hessian; 0: none */
    void (*adolc_tape)(void);               /* NULL: not written for ADOL-C, or it is not installed */
    void (*adolc_gradient)(double *gradient);
    double (*adolc_bytes)(void);
    void (*adolc_close)(void);
} rev_case;

extern const rev_case rev_cases[];
extern const size_t rev_case_count;

#endif
