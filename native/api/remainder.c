/* Runs of the Taylor test of verso_check: the program with moved inputs. See native/api/tests.h.
 *
 * x + h u is rounded, perhaps to float, so the actual step is what was stored, and the linear term is g times
 * that step. Sums are in long double, so that they add no rounding errors of their own. */
#include "native/api/check.h"

#include "native/sweep/ranks.h"

#include <math.h>

static long double along(verso__native_check *check, size_t input, long double h) {
    return h * check->direction[input];
}

/* Returns a random step of about h, at least a unit in the last place. */
static long double nearby(verso__native_check *check, size_t input, long double h) {
    long double least = verso__native_check_input_ulp(check, input), size = h * fabsl(check->direction[input]);
    long double distance = (size > least ? size : least) * (1 + (long double)verso__test_random(&check->random));
    return verso__test_random(&check->random) < 0.5 ? -distance : distance;
}

/* Moves the inputs by h, in random directions (is_nearby) or along u. Returns the linear term: the change of v
 * f that the gradient predicts. */
static long double move(verso__native_check *check, double h, bool is_nearby) {
    long double term = 0;
    verso__native_check_restore(check);
    for (size_t i = 0; i < check->inputs; i++) {
        long double step = (is_nearby ? nearby : along)(check, i, h);
        long double value = verso__native_check_store(check, i, check->x[i] + step);
        term += (value - check->x[i]) * check->gradient[i];
    }
    return term;
}

verso_status verso__native_check_move(void *self, double h, bool is_nearby, verso__test_move *moved) {
    verso__native_check *check = self;
    long double sum = 0, term = move(check, h, is_nearby);
    verso_status status = verso__native_plain(&check->job, check->error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__native_check_outputs(check, check->moved);
    for (size_t i = 0; i < check->outputs; i++)
        sum += (check->moved[i] - check->y[i]) * check->weights[i];
    double all[3] = {(double)sum, (double)term, isfinite(sum) ? (double)(sum - term) : NAN};
    verso__native_ranks_reduce(all, 3, VERSO_NATIVE_SUM_OF);
    *moved = (verso__test_move){all[0], all[1], all[2]};
    return VERSO_STATUS_OK;
}

verso_status verso__native_check_near(void *self, double h, double *derivative) {
    verso__native_check *check = self;
    (void)move(check, h, true);
    verso_status status = verso__native_check_tangent(check, 1, check->other);
    long double sum = 0;
    for (size_t i = 0; status == VERSO_STATUS_OK && i < check->outputs; i++)
        sum += (long double)check->other[i] * check->weights[i];
    *derivative = (double)sum;
    verso__native_ranks_reduce(derivative, 1, VERSO_NATIVE_SUM_OF);
    return status;
}

double verso__native_check_noise(const verso__native_check *check) {
    long double noise = 0;
    for (size_t i = 0; i < check->outputs; i++)
        noise += fabsl(check->weights[i]) * verso__native_check_output_ulp(check, i);
    double all = (double)noise;
    verso__native_ranks_reduce(&all, 1, VERSO_NATIVE_SUM_OF);
    return all;
}
