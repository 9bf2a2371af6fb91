/* A stand-in for libverso.a: "differentiates" by calling the function, so that a test can see whether it was called. */
#include <verso/native.h>

/* Weak, because only the transformer defines it and the first link is made without the transformer. */
extern const uint64_t verso__native_global_count __attribute__((weak));

verso_status verso_gradient(double (*f)(const double *x, size_t n), const double *x, size_t n, double *gradient,
                            const verso_native_options *options, verso_native_report *report, verso_error *error) {
    (void)options;
    (void)report;
    (void)error;
    gradient[0] = f(x, n);
    return VERSO_STATUS_OK;
}

void verso_keep(verso_call *call, const void *bytes, size_t size) {
    (void)call;
    (void)bytes;
    (void)size;
}

const char *verso_status_text(verso_status status) {
    return status == VERSO_STATUS_OK ? "success" : "failure";
}
