/* See measure.h: a derivative in tangent mode. The only call of verso_directional in bench/array. */
#include "bench/array/harness/measure.h"
#include "bench/array/kernel.h"

#include <stdio.h>
#include <verso/native.h>

const bool asks_tangent = true;

bool ask(const double *x, size_t n, double *derivative, answer *a) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error = {0};
    double *ones = malloc(n * sizeof *ones);
    for (size_t i = 0; ones && i < n; i++)
        ones[i] = 1;
    verso_status status = verso_directional(kernel, x, n, ones, derivative, &report, &error);
    a->value = report.value;
    a->tape_bytes = 0;
    snprintf(a->message, sizeof a->message, "%s", error.message);
    free(ones);
    return status == VERSO_STATUS_OK;
}
