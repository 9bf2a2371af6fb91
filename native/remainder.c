/* What the Taylor test of verso_check runs: the program with its inputs moved. See native/tests.h.
 *
 * x + h u is rounded, to float perhaps: the step is taken as what came out, and h g u as g times that step. Sums are in
 * long double, so that they add no noise of their own. */
#include "native/check.h"

#include <math.h>

static long double along(verso_native_check *check, size_t input, long double h) {
    return h * check->direction[input];
}

/* At least a unit in the last place. */
static long double nearby(verso_native_check *check, size_t input, long double h) {
    long double least = verso_native_check_input_ulp(check, input), size = h * fabsl(check->direction[input]);
    long double distance = (size > least ? size : least) * (1 + (long double)verso_test_random(&check->random));
    return verso_test_random(&check->random) < 0.5 ? -distance : distance;
}

verso_status verso_native_check_remainder(void *self, double h, bool is_nearby, double *remainder, double *linear) {
    verso_native_check *check = self;
    long double sum = 0, term = 0;
    verso_native_check_restore(check);
    for (size_t i = 0; i < check->inputs; i++) {
        long double step = (is_nearby ? nearby : along)(check, i, h);
        long double value = verso_native_check_store(check, i, check->x[i] + step);
        term += (value - check->x[i]) * check->gradient[i];
    }
    verso_status status = verso_native_plain(&check->job, &check->report->error);
    if (status != VERSO_OK)
        return status;
    verso_native_check_outputs(check, check->moved);
    for (size_t i = 0; i < check->outputs; i++)
        sum += (check->moved[i] - check->y[i]) * check->weights[i];
    *remainder = isfinite(sum) ? (double)(sum - term) : NAN;
    *linear = (double)fabsl(term);
    return VERSO_OK;
}

double verso_native_check_noise(const verso_native_check *check) {
    long double noise = 0;
    for (size_t i = 0; i < check->outputs; i++)
        noise += fabsl(check->weights[i]) * verso_native_check_output_ulp(check, i);
    return (double)noise;
}
