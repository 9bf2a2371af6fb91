/* Stands in for libverso.a: "differentiates" by calling the function, so that a test can tell whether it was called. */
#include <verso/native.h>

/* Only the transformer can define it: a link that is no result must do without. */
extern const uint64_t verso_native_global_count __attribute__((weak));

verso_status verso_gradient(double (*f)(const double *x, size_t n), const double *x, size_t n, double *gradient,
                            const verso_native_options *options, verso_native_report *report) {
    (void)options;
    (void)report;
    gradient[0] = f(x, n);
    return VERSO_OK;
}

void verso_keep(verso_call *call, const void *bytes, size_t size) {
    (void)call;
    (void)bytes;
    (void)size;
}

const char *verso_status_text(verso_status status) {
    return status == VERSO_OK ? "success" : "failure";
}
