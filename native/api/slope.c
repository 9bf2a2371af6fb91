/* The derivative by differences, for verso_check: how far it is from the derivative by the gradient, how well
 * it is known, and why the two differ. See series.h, and verso/native.h for the criteria.
 *
 * The Taylor test uses the smallest remainders, which are nearest to x. If rounding is coarse, as with floats,
 * those are still dominated by the second-order term, which can hide a wrong derivative. Central differences
 * have no such term: with e(h) = (r(h) - r(-h)) / 2h, the error d of the derivative is e(h) - c h^2, and
 * Richardson's extrapolation from two steps gives it without c. The change by the extrapolation estimates the
 * remaining error; the noise divided by h is added to that. A d that is found at one step counts only if
 * smaller steps do not contradict it: a kink at some distance is no error at x.
 *
 * A float program may have so much noise that remainders show nothing at all, and are not small compared with
 * the linear term either. Then it suffices that differences confirm the derivative to two digits.
 *
 * If differences do not confirm the gradient, there are two possible reasons. If tangents at points next to x
 * are about equal, the derivative is wrong. If they all differ while differences of all sizes agree, the
 * function computes something smooth by means that are not: for example, a solver chooses its steps by error
 * estimates that are little more than rounding, and differentiating that choice amplifies it. */
#include "native/api/series.h"

#include <math.h>

enum { TRUSTED = 2, NEIGHBOURS = 4 };

#define SAME 0.1       /* compared with the error of the derivative */
#define CONFIRMED 0.02 /* compared with the derivative: the maximum that a float program's noise may leave open */

/* The error of the gradient along u, according to differences. */
typedef struct estimate {
    double error, doubt;
    int step; /* index of the step that gave the estimate; -1: there is no estimate */
} estimate;

/* The smaller of two measures: remainders contain the error of a very wrong gradient, changes of the function
 * do not. */
static double noise_of(const verso__test_series *series) {
    return fmin(series->noise, series->jitter);
}

static double central(const verso__test_series *series, int i) {
    return (series->remainder[i] - series->backward[i]) / (2 * series->step[i]);
}

/* Extrapolates numbers that have a term in h^2 to h = 0. */
static double extrapolate(const verso__test_series *series, const double *numbers, int i) {
    double ratio = series->step[i - 1] / series->step[i];
    return numbers[i] + (numbers[i] - numbers[i - 1]) / (ratio * ratio - 1);
}

static estimate best_of(const verso__test_series *series) {
    estimate best = {.doubt = INFINITY, .step = -1};
    for (int i = 1; i < VERSO_CHECK_STEPS; i++) {
        double ratio = series->step[i - 1] / series->step[i];
        double change = (central(series, i) - central(series, i - 1)) / (ratio * ratio - 1);
        double doubt = fabs(change) + TRUSTED * noise_of(series) / series->step[i];
        if (doubt < best.doubt) /* false for a NaN */
            best = (estimate){central(series, i) + change, doubt, i};
    }
    return best;
}

/* Returns true if no smaller step contradicts the estimate, as far as noise permits. */
static bool is_uncontradicted(const verso__test_series *series, const estimate *found) {
    for (int i = found->step + 1; i < VERSO_CHECK_STEPS; i++)
        if (fabs(central(series, i) - found->error) >
            fabs(found->error) / 2 + 2 * TRUSTED * noise_of(series) / series->step[i])
            return false;
    return true;
}

/* Returns true if the slopes on both sides of x agree, so that there is no corner. */
static bool is_smooth(const verso__test_series *series, const estimate *found) {
    double bend = (series->remainder[found->step] + series->backward[found->step]) / series->step[found->step];
    return fabs(bend) <= SAME * fabs(found->error);
}

/* Determines whether derivatives at points next to x vary by a considerable part of the error. */
static verso_status compare_neighbours(const verso__tested *tested, double error, verso_check_report *report) {
    verso_status status = VERSO_STATUS_OK;
    double h = 0x1p-36, least = report->dot_tangent, most = report->dot_tangent;
    for (int i = 0; status == VERSO_STATUS_OK && i < NEIGHBOURS; i++, h *= 16) {
        double derivative = NAN;
        status = tested->forward_near(tested->self, h, &derivative);
        least = fmin(least, derivative);
        most = fmax(most, derivative);
    }
    report->nearby_least = least;
    report->nearby_most = most;
    report->ill_conditioned = most - least > SAME * fabs(error);
    return status;
}

static double size_of(const verso__tested *tested) {
    double size = 0;
    for (size_t i = 0; i < tested->inputs; i++)
        size += fabs(tested->gradient[i] * tested->direction[i]);
    return size;
}

verso_status verso__test_slope(const verso__tested *tested, const verso__test_series *series,
                               verso_check_report *report) {
    estimate found = best_of(series);
    report->difference = report->difference_doubt = NAN;
    report->nearby_least = report->nearby_most = NAN;
    if (found.step < 0)
        return VERSO_STATUS_OK;
    report->difference = extrapolate(series, series->rise, found.step);
    report->difference_doubt = found.doubt;
    bool differs = fabs(found.error) > 2 * (found.doubt + series->allowed) && is_uncontradicted(series, &found);
    bool confirms =
        fabs(found.error) <= 2 * (found.doubt + series->allowed) && found.doubt <= CONFIRMED * size_of(tested);
    if (tested->single && report->taylor_linear)
        report->taylor_holds = report->taylor_holds || confirms;
    report->taylor_holds = report->taylor_holds && !differs;
    if (!differs || !is_smooth(series, &found))
        return VERSO_STATUS_OK;
    return compare_neighbours(tested, found.error, report);
}
