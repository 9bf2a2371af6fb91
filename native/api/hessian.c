/* Second derivatives: the public functions of <verso/hessian.h>. derive.c prepares the run, cc/second makes the code.
 * */
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
        return fail(error,
                    "no file compiled by `verso cc` calls verso_hvp or verso_hessian; make the call in such a file");
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

static verso_status check_regions(const verso_array *wrt, size_t count, verso_error *error) {
    verso_status status = check_program(error);
    for (size_t i = 0; status == VERSO_STATUS_OK && wrt != NULL && i < count; i++) {
        if (wrt[i].type == VERSO_SCALAR_LONG_DOUBLE)
            return fail(error, "a region consists of long doubles; use double, or differences of gradients");
        if (wrt[i].type == VERSO_SCALAR_DOUBLE && (uintptr_t)wrt[i].data % sizeof(double) != 0)
            return verso__fail(error, VERSO_STATUS_INVALID,
                               "doubles at %p: second derivatives need an address that is a multiple of 8",
                               wrt[i].data);
    }
    return status;
}

/* Integer arithmetic on the bits of a number leaves a pattern of ones (cc/second/integers.c). */
verso_status verso__native_product_check(const verso__native_job *job, verso_error *error) {
    size_t count = 0;
    for (size_t i = 0; i < job->wrt_count; i++)
        count += job->wrt[i].count;
    for (size_t i = 0; i < count; i++) {
        uint64_t bits;
        memcpy(&bits, &job->product[i], sizeof bits);
        if (bits == UINT64_MAX)
            return fail(error, "it computes with the bits of a number; use <math.h>, or differences of gradients");
    }
    return VERSO_STATUS_OK;
}

/* Computes the product into an array of its own, because the caller's may be memory that the sweep puts back. */
static verso_status compute(verso__native_job *job, size_t count, const double *direction, double *product,
                            const verso_native_options *options, verso_native_report *report, verso_error *error) {
    verso_status status = check_regions(job->wrt, job->wrt_count, error);
    if (status == VERSO_STATUS_OK && count > 0 && (direction == NULL || product == NULL))
        status = verso__fail(error, VERSO_STATUS_INVALID, "the argument `%s` is NULL",
                             direction == NULL ? "direction" : "product");
    if (status != VERSO_STATUS_OK)
        return status;
    double nothing = 0, *made = verso__alloc(count + 1, sizeof *made);
    if (made == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a product of %zu numbers", count);
    job->direction = direction != NULL ? direction : &nothing;
    job->product = made;
    status = verso__native_differentiate(job, options, report, error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_product_check(job, error);
    if (status == VERSO_STATUS_OK && count > 0)
        memcpy(product, made, count * sizeof *product);
    verso__dealloc(made);
    return status;
}

verso_status verso_hvp(double (*f)(const double *x, size_t n), const double *x, size_t n, const double *direction,
                       double *product, double *gradient, const verso_native_options *options,
                       verso_native_report *report, verso_error *error) {
    double *own = gradient == NULL ? verso__alloc(n + 1, sizeof *own) : NULL;
    if (gradient == NULL && own == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a gradient of %zu numbers", n);
    verso_array wrt = {(void *)(uintptr_t)x, n, VERSO_SCALAR_DOUBLE, gradient == NULL ? own : gradient};
    verso__native_job job = {
        .f = f, .x = x, .n = n, .wrt = &wrt, .wrt_count = 1, .weight = 1, .caller = VERSO_NATIVE_CALLER(3)};
    verso_status status = compute(&job, n, direction, product, options, report, error);
    verso__dealloc(own);
    return status;
}

verso_status verso_vjp_along(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                             const verso_array *of, size_t of_count, const double *direction, double *product,
                             const verso_native_options *options, verso_native_report *report, verso_error *error) {
    verso__native_job job = {.run = run,
                             .context = context,
                             .wrt = wrt,
                             .wrt_count = wrt_count,
                             .of = of,
                             .of_count = of_count,
                             .caller = VERSO_NATIVE_CALLER(5)};
    size_t count = 0;
    for (size_t i = 0; wrt != NULL && i < wrt_count; i++)
        count += wrt[i].count;
    return compute(&job, count, direction, product, options, report, error);
}

static verso__native_job job_of(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                const verso_array *wrt, char *caller) {
    return (verso__native_job){.f = f, .x = x, .n = n, .wrt = wrt, .wrt_count = 1, .weight = 1, .caller = caller};
}

verso_status verso_hessian(double (*f)(const double *x, size_t n), const double *x, size_t n, double *hessian,
                           const verso_jacobian_options *options, verso_jacobian_report *report, verso_error *error) {
    verso_array wrt = {(void *)(uintptr_t)x, n, VERSO_SCALAR_DOUBLE, NULL};
    verso_status status = check_regions(&wrt, 1, error);
    if (status == VERSO_STATUS_OK && hessian == NULL)
        status =
            verso__fail(error, VERSO_STATUS_INVALID, "the argument `hessian` is NULL: it receives the derivatives");
    if (status != VERSO_STATUS_OK)
        return status;
    verso__native_job job = job_of(f, x, n, &wrt, VERSO_NATIVE_CALLER(1));
    return verso__jacobian_dense(&job, hessian, options, report, error);
}

verso_status verso_hessian_sparse(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                  verso_sparse **matrix, const verso_jacobian_options *options,
                                  verso_jacobian_report *report, verso_error *error) {
    verso_array wrt = {(void *)(uintptr_t)x, n, VERSO_SCALAR_DOUBLE, NULL};
    verso_status status = check_regions(&wrt, 1, error);
    if (status == VERSO_STATUS_OK && matrix == NULL)
        status = verso__fail(error, VERSO_STATUS_INVALID, "the argument `matrix` is NULL: it receives the Hessian");
    if (status != VERSO_STATUS_OK)
        return status;
    verso__native_job job = job_of(f, x, n, &wrt, VERSO_NATIVE_CALLER(1));
    return verso__jacobian_sparse(&job, matrix, options, report, error);
}
