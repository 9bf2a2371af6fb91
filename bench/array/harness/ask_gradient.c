/* See measure.h: gradients, everything recorded. The only call of verso_gradient in bench/array. */
#include "bench/array/harness/measure.h"
#include "bench/array/kernel.h"

#include <stdio.h>
#include <verso/native.h>

const bool asks_tangent = false;

bool ask(const double *x, size_t n, double *derivative, answer *a) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error = {0};
    verso_status status = verso_gradient(kernel, x, n, derivative, NULL, &report, &error);
    a->value = report.value;
    a->tape_bytes = report.tape_bytes + report.lasting_bytes;
    snprintf(a->message, sizeof a->message, "%s", error.message);
    return status == VERSO_STATUS_OK;
}
