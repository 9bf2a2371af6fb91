/* The Taylor test. See tests.h, and verso/native.h for the criterion.
 *
 * With g = v J, the remainder of v f along u is r(h) = v (f(x + h u) - f(x)) - h g u. If g is right, r falls like h^2
 * until rounding errors take over; if it is wrong by d, r contains h d, which falls like h and shows for small h. So
 * what counts is the order just before remainders sink into the noise. The noise is measured, not guessed: at inputs
 * that differ from x in the last places only, all of the remainder is noise. They are so near that the remainder, and
 * also a wrong derivative's share in it, is far below that of every step; but far enough for rounding errors to be
 * others. At a point where f is zero that is next to nothing, and then the rounding of g itself shows, which the
 * dot-product test has measured: its bound, times h, is no error of the derivative either. */
#include "native/tests.h"

#include <math.h>

enum { PROBES = 8, SAYING = 16, FITTED = 3 };

#define FIRST_STEP 0x1p-3
#define STEP_RATIO 0x1p-2
#define NEARBY 0x1p-36
#define ORDER_LEAST 1.6
#define LINEAR_MOST 1e-3

/* What is measured and judged. */
typedef struct series {
    double step[VERSO_CHECK_STEPS], remainder[VERSO_CHECK_STEPS]; /* with their signs; NaN: not finite there */
    double noise;
    double allowed;     /* of h g u, as a part of h */
    double confirmed;   /* the smallest remainder as a part of its linear term */
    double linear_most; /* the largest of these terms */
} series;

/* It is more than rounding. Not a NaN. */
static bool says_something(const series *series, int i) {
    return fabs(series->remainder[i]) > SAYING * series->noise + series->allowed * series->step[i];
}

static verso_status measure(const verso_tested *tested, series *series) {
    verso_status status = VERSO_OK;
    double remainder, linear;
    series->noise = tested->noise;
    series->confirmed = INFINITY;
    for (int i = 0; status == VERSO_OK && i < PROBES; i++) {
        status = tested->remainder(tested->self, NEARBY, true, &remainder, &linear);
        series->noise = fmax(series->noise, fabs(remainder)); /* a NaN is no larger */
    }
    double h = FIRST_STEP;
    for (int i = 0; status == VERSO_OK && i < VERSO_CHECK_STEPS; i++, h *= STEP_RATIO) {
        status = tested->remainder(tested->self, h, false, &remainder, &linear);
        series->step[i] = h;
        series->remainder[i] = remainder;
        series->confirmed = fmin(series->confirmed, remainder == 0 ? 0 : fabs(remainder) / linear);
        series->linear_most = fmax(series->linear_most, linear);
    }
    return status;
}

/* Fits a h + b h^2 + c h^3 (one term less for two points) to points `first` to `last`. Returns the mean of 1, 2 and 3,
 * weighted by the sizes of the three terms at the last point: what of the remainder falls how fast there. Slopes
 * between points would do but for remainders that change their sign on the way. */
static double order_of(const series *series, int first, int last) {
    double x[FITTED],
        difference[FITTED]; /* r / h = a + b h + c h^2 by divided differences, in units of the last point */
    int count = last - first + 1;
    for (int i = 0; i < count; i++) {
        x[i] = series->step[last - i] / series->step[last];
        difference[i] = series->remainder[last - i] / series->remainder[last] / x[i];
    }
    for (int level = 1; level < count; level++)
        for (int i = count - 1; i >= level; i--)
            difference[i] = (difference[i] - difference[i - 1]) / (x[i] - x[i - level]);
    double c = count > 2 ? difference[2] : 0, b = difference[1] - c * (x[0] + x[1]);
    double a = difference[0] - difference[1] * x[0] + c * x[0] * x[1];
    return (fabs(a) + 2 * fabs(b) + 3 * fabs(c)) / (fabs(a) + fabs(b) + fabs(c));
}

/* Remainders that say something come first, for they fall; one that does not ends them. Those that are not finite are
 * too far away. */
static void judge(const series *series, verso_check_report *report) {
    int first = 0, last;
    while (first < VERSO_CHECK_STEPS && isnan(series->remainder[first]))
        first++;
    for (last = first; last < VERSO_CHECK_STEPS && says_something(series, last); last++) {
    }
    report->taylor_linear = --last <= first;
    report->taylor_order = NAN;
    if (report->taylor_linear) {
        report->taylor_holds = first < VERSO_CHECK_STEPS &&
                               (series->confirmed <= LINEAR_MOST || series->linear_most <= SAYING * series->noise);
        return;
    }
    report->taylor_order = order_of(series, last - FITTED + 1 > first ? last - FITTED + 1 : first, last);
    report->taylor_holds = report->taylor_order >= ORDER_LEAST;
}

static void fill_report(const series *series, verso_check_report *report) {
    report->taylor_noise = series->noise;
    for (int i = 0; i < VERSO_CHECK_STEPS; i++) {
        report->taylor_step[i] = series->step[i];
        report->taylor_remainder[i] = fabs(series->remainder[i]);
        bool both = i + 1 < VERSO_CHECK_STEPS && says_something(series, i) && says_something(series, i + 1);
        report->taylor_orders[i] = both ? log(fabs(series->remainder[i] / series->remainder[i + 1])) /
                                              log(series->step[i] / series->step[i + 1])
                                        : NAN;
    }
}

verso_status verso_test_taylor(const verso_tested *tested, verso_check_report *report) {
    series series = {.allowed = report->dot_bound};
    verso_status status = measure(tested, &series);
    if (status != VERSO_OK)
        return status;
    fill_report(&series, report);
    judge(&series, report);
    return VERSO_OK;
}
