/* Second derivatives: the public functions of <verso/hessian.h>. derive.c prepares the run, cc/second makes the code. */
#include <verso/hessian.h>

#include "native/api/api.h"
#include "native/api/jacobian.h"

#include "base/alloc.h"

#include <string.h>

static verso_status fail(verso_error *error, const char *why) {
    return verso__fail(error, VERSO_STATUS_INVALID, "there are no second derivatives of this program: %s", why);
}

static verso_status check_program(verso_error *error) {
    if (!verso__native_is_linked())
        return VERSO_STATUS_OK; /* refused later, like other differentiations */
    if (&verso__native_program_second == NULL || verso__native_program_second == VERSO_NATIVE_SECOND_NONE)
        return fail(error, "no file compiled by `verso cc` calls verso_hvp or verso_hessian; make the call in such a file");
    if (verso__native_program_second == VERSO_NATIVE_SECOND_POINTERS)
        return fail(error, "it moves numbers in pointers; move them as numbers, or use differences of gradients");
    if (verso__native_uses(VERSO_NATIVE_LONG))
        return fail(error, "it computes in long double; use double, or differences of gradients");
    if (&verso__native_program_packs != NULL && verso__native_program_packs != 0)
        return fail(error, "it has doubles in packed structs; align them, or use differences of gradients");
    if (&verso__native_program_doubts != NULL && verso__native_program_doubts != 0)
        return fail(error, "it makes numbers by integer arithmetic; use <math.h> (ldexp, frexp), or differences of "
                           "gradients");
    return VERSO_STATUS_OK;
}

static verso_status check_input(const double *x, size_t n, verso_error *error) {
    verso_status status = check_program(error);
    if (status != VERSO_STATUS_OK || n == 0 || x == NULL || (uintptr_t)x % sizeof *x == 0)
        return status;
    return verso__fail(error, VERSO_STATUS_INVALID, "x is at %p: second derivatives need a multiple of 8",
                       (const void *)x);
}

/* Integer arithmetic on the bits of a number leaves a pattern of ones (cc/second/integers.c). */
verso_status verso__native_product_check(const verso__native_job *job, verso_error *error) {
    for (size_t i = 0; i < job->n; i++) {
        uint64_t bits;
        memcpy(&bits, &job->product[i], sizeof bits);
        if (bits == UINT64_MAX)
            return fail(error, "it computes with the bits of a number; use <math.h>, or differences of gradients");
    }
    return VERSO_STATUS_OK;
}

verso_status verso_hvp(double (*f)(const double *x, size_t n), const double *x, size_t n, const double *direction,
                       double *product, double *gradient, const verso_native_options *options,
                       verso_native_report *report, verso_error *error) {
    verso_status status = check_input(x, n, error);
    if (status == VERSO_STATUS_OK && n > 0 && (direction == NULL || product == NULL))
        status = verso__fail(error, VERSO_STATUS_INVALID, "the argument `%s` is NULL",
                             direction == NULL ? "direction" : "product");
    if (status != VERSO_STATUS_OK)
        return status;
    double *made = verso__alloc(2 * n + 1, sizeof *made);
    if (made == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a gradient of %zu numbers", n);
    verso_array wrt = {(void *)(uintptr_t)x, n, VERSO_SCALAR_DOUBLE, made};
    double nothing = 0;
    verso__native_job job = {.f = f,
                             .x = x,
                             .n = n,
                             .wrt = &wrt,
                             .wrt_count = 1,
                             .direction = direction != NULL ? direction : &nothing,
                             .product = made + n,
                             .weight = 1,
                             .caller = VERSO_NATIVE_CALLER(3)};
    status = verso__native_differentiate(&job, options, report, error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_product_check(&job, error);
    if (status == VERSO_STATUS_OK && n > 0) {
        memcpy(product, made + n, n * sizeof *product);
        if (gradient != NULL)
            memcpy(gradient, made, n * sizeof *gradient);
    }
    verso__dealloc(made);
    return status;
}

static verso__native_job job_of(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                const verso_array *wrt, char *caller) {
    return (verso__native_job){
        .f = f, .x = x, .n = n, .wrt = wrt, .wrt_count = 1, .weight = 1, .caller = caller};
}

verso_status verso_hessian(double (*f)(const double *x, size_t n), const double *x, size_t n, double *hessian,
                           const verso_jacobian_options *options, verso_jacobian_report *report, verso_error *error) {
    verso_status status = check_input(x, n, error);
    if (status == VERSO_STATUS_OK && hessian == NULL)
        status = verso__fail(error, VERSO_STATUS_INVALID, "the argument `hessian` is NULL: it receives the derivatives");
    if (status != VERSO_STATUS_OK)
        return status;
    verso_array wrt = {(void *)(uintptr_t)x, n, VERSO_SCALAR_DOUBLE, NULL};
    verso__native_job job = job_of(f, x, n, &wrt, VERSO_NATIVE_CALLER(1));
    return verso__jacobian_dense(&job, hessian, options, report, error);
}

verso_status verso_hessian_sparse(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                  verso_sparse **matrix, const verso_jacobian_options *options,
                                  verso_jacobian_report *report, verso_error *error) {
    verso_status status = check_input(x, n, error);
    if (status == VERSO_STATUS_OK && matrix == NULL)
        status = verso__fail(error, VERSO_STATUS_INVALID, "the argument `matrix` is NULL: it receives the Hessian");
    if (status != VERSO_STATUS_OK)
        return status;
    verso_array wrt = {(void *)(uintptr_t)x, n, VERSO_SCALAR_DOUBLE, NULL};
    verso__native_job job = job_of(f, x, n, &wrt, VERSO_NATIVE_CALLER(1));
    return verso__jacobian_sparse(&job, matrix, options, report, error);
}
