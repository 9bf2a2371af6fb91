/* Linear systems: the functions of two custom adjoints, of verso__native_linear_begin and verso__native_linear_end,
 * which only differentiated code calls (native/lib/linear.c) and which cc/front/declared.c declares. */
#ifndef NATIVE_SWEEP_LINEAR_H
#define NATIVE_SWEEP_LINEAR_H

#include <verso/linear.h>
#include <verso/native.h>

void verso__native_linear_begin_record(verso_call *call, const char *where, const verso_linear_problem *problem,
                                       const double *b, double *x, double *note);
void verso__native_linear_begin_sweep(verso_call *call, const char *where, const verso_linear_problem *problem,
                                      const double *b, double *x, double *note);
void verso__native_linear_begin_tangent(verso_call *call, const char *where, const verso_linear_problem *problem,
                                        const double *b, double *x, double *note);
void verso__native_linear_end_record(verso_call *call, const char *where, const verso_linear_problem *problem,
                                     const double *b, const double *rest, double *x, double *note);
void verso__native_linear_end_sweep(verso_call *call, const char *where, const verso_linear_problem *given,
                                    const double *b, const double *rest, double *x, double *note);
void verso__native_linear_end_tangent(verso_call *call, const char *where, const verso_linear_problem *problem,
                                      const double *b, const double *rest, double *x, double *note);

#endif
