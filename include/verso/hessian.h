/* Second derivatives: Hessian-vector products, and Hessians, dense or sparse. docs/hessians.md.
 *
 * The derivatives are exact, and a product takes a few times as long as f, whatever the number of inputs. Budgets,
 * schedules and durable runs work as for verso_gradient; the options, errors and rules for f are the same
 * (verso/native.h). Call sites have no effect. Functions with an adjoint of their own (VERSO_CUSTOM_ADJOINT and the
 * like, verso_fixed_point, verso_linear_solve, routines of BLAS and LAPACK, MPI) have no second derivatives: they are
 * refused.
 */
#ifndef VERSO_HESSIAN_H
#define VERSO_HESSIAN_H

#include <stddef.h>
#include <verso/export.h>
#include <verso/jacobian.h>
#include <verso/native.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Sets product[i] = sum over j < n of d2 f(x, n) / d x[i] d x[j] * direction[j]. `gradient` receives the gradient,
 * which costs nothing more; it may be NULL. `options`, `report` and `error` may be NULL. offload and profiles are
 * refused with VERSO_STATUS_INVALID. */
VERSO_API verso_status verso_hvp(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                 const double *direction, double *product, double *gradient,
                                 const verso_native_options *options, verso_native_report *report, verso_error *error);

/* As verso_vjp, and also sets `product`, one number for each number of the regions `wrt`, in order, to the derivative
 * of what verso_vjp computes for it along `direction`, which has a number for each of them. So with a weighted sum of
 * the regions `of` as the function, `product` is its Hessian times `direction`. Regions of long doubles are refused. */
VERSO_API verso_status verso_vjp_along(void (*run)(void *context), void *context, const verso_array *wrt,
                                       size_t wrt_count, const verso_array *of, size_t of_count,
                                       const double *direction, double *product, const verso_native_options *options,
                                       verso_native_report *report, verso_error *error);

/* Sets hessian[i * n + j] = d2 f(x, n) / d x[i] d x[j], by a product for each column. The matrix is symmetric. Before
 * each product the program's heap and globals are restored, so that the effect is that of one call of f. `options` and
 * `report` may be NULL; options->native applies to each product, options->mode is not used. */
VERSO_API verso_status verso_hessian(double (*f)(const double *x, size_t n), const double *x, size_t n, double *hessian,
                                     const verso_jacobian_options *options, verso_jacobian_report *report,
                                     verso_error *error);

/* Computes a sparse Hessian. If *matrix is NULL, finds the pattern first, and sets *matrix, which the caller frees with
 * verso_sparse_free; otherwise uses the pattern of *matrix again, which one more product checks: all as in
 * verso_jacobian_sparse. */
VERSO_API verso_status verso_hessian_sparse(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                            verso_sparse **matrix, const verso_jacobian_options *options,
                                            verso_jacobian_report *report, verso_error *error);

#ifdef __cplusplus
}
#endif
#endif
