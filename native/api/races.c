/* Finds races of programs with OpenMP: a program that is called again with the same inputs returns the same numbers, up
 * to the order in which its threads add them. Recorded runs have one thread and no races, so verso_check calls the
 * program itself several times, and compares. */
#include "native/api/check.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { TIMES = 8 };

/* Sums in another order differ by a few rounding errors of the terms, which grow with their number. */
#define ROUNDINGS 1e6

static bool has_teams(void) {
    return &verso__native_program_fast != NULL && (verso__native_program_fast & VERSO_NATIVE_FAST_TEAMS) != 0;
}

verso_status verso__native_check_repeat(verso__native_check *check) {
    memcpy(check->again, check->y, check->outputs * sizeof *check->again);
    for (int i = 0; i < TIMES && has_teams(); i++) {
        verso__native_check_restore(check);
        verso_status status = verso__native_plain(&check->job, check->error);
        if (status != VERSO_STATUS_OK)
            return status;
        verso__native_check_outputs(check, check->moved);
        for (size_t k = 0; k < check->outputs; k++)
            if (fabsl(check->moved[k] - check->y[k]) > fabsl(check->again[k] - check->y[k]))
                check->again[k] = check->moved[k];
    }
    verso__native_check_restore(check);
    return VERSO_STATUS_OK;
}

/* The outputs and what the inputs contribute to them show the size of the terms. */
double verso__native_check_repeat_bound(const verso__native_check *check) {
    bool floats = &verso__native_program_single != NULL && verso__native_program_single != 0;
    long double size = 0;
    for (size_t i = 0; i < check->outputs; i++)
        size += fabsl(check->weights[i] * check->y[i]);
    for (size_t i = 0; i < check->inputs; i++)
        size += fabsl(check->gradient[i] * check->x[i]);
    return (double)size * (floats ? 1e4 * FLT_EPSILON : ROUNDINGS * DBL_EPSILON);
}
