/* The Taylor test. See tests.h, and verso/native.h for the criterion.
 *
 * With g = v J, the remainder of v f along u is r(h) = v (f(x + h u) - f(x)) - h g u. If g is right, r falls
 * like h^2 until rounding errors dominate; if it is wrong by d, r contains h d, which falls like h and shows
 * for small h. So the order just before remainders sink into the noise decides. The noise is measured: at
 * inputs that differ from x in the last places only, the whole remainder is noise. Such inputs are so near that
 * the true remainder, and a wrong derivative's part of it, is far below that of every step, but far enough for
 * rounding errors to differ. At a point where f is zero, that noise is almost zero, and then the rounding error
 * of g itself shows, which the dot-product test has measured: its bound, times h, does not count as an error of
 * the derivative.
 *
 * A program that rounds to floats does not notice moves of 2^-36: it returns the same number, and the remainder
 * there shows nothing of its rounding. So its noise is also measured at inputs that are some units in the last
 * place of a float away. */
#include "native/api/series.h"

#include <math.h>

enum { PROBES = 8, SAYING = 16, FITTED = 3 };

#define FIRST_STEP 0x1p-3
#define STEP_RATIO 0x1p-2
#define NEARBY 0x1p-36
#define SINGLE_FIRST 0x1p-22
#define SINGLE_LAST 0x1p-12
#define ORDER_LEAST 1.6
#define LINEAR_MOST 1e-3

/* Returns true if the remainder is more than rounding. False for a NaN. */
static bool exceeds_noise(const verso__test_series *series, int i) {
    return fabs(series->remainder[i]) > SAYING * series->noise + series->allowed * series->step[i];
}

/* Measures the noise of remainders at inputs that are about h away from x. Sets *unchanged if v f was the same as at x
 * for some of them, although the derivative predicts a change. */
static verso_status measure_noise(const verso__tested *tested, double h, verso__test_series *series, bool *unchanged) {
    verso_status status = VERSO_STATUS_OK;
    verso__test_move moved = {0};
    *unchanged = false;
    for (int i = 0; status == VERSO_STATUS_OK && i < PROBES; i++) {
        status = tested->move(tested->self, h, true, &moved);
        series->noise = fmax(series->noise, fabs(moved.remainder)); /* ignores a NaN */
        series->jitter = fmax(series->jitter, fabs(moved.change));
        *unchanged = *unchanged || (moved.linear != 0 && moved.change == 0);
    }
    return status;
}

static verso_status measure_noise_of_floats(const verso__tested *tested, verso__test_series *series) {
    verso_status status = VERSO_STATUS_OK;
    bool unchanged = true;
    for (double h = SINGLE_FIRST; status == VERSO_STATUS_OK && unchanged && h <= SINGLE_LAST; h *= 4)
        status = measure_noise(tested, h, series, &unchanged);
    return status;
}

static verso_status measure_step(const verso__tested *tested, int i, double h, verso__test_series *series) {
    verso__test_move ahead = {0}, backward = {0};
    verso_status status = tested->move(tested->self, h, false, &ahead);
    if (status == VERSO_STATUS_OK && tested->forward_near != NULL)
        status = tested->move(tested->self, -h, false, &backward);
    double size = fabs(ahead.remainder), linear = ahead.linear;
    series->remainder[i] = ahead.remainder;
    series->backward[i] = backward.remainder;
    series->rise[i] = (ahead.change - backward.change) / (2 * h);
    series->step[i] = h;
    series->confirmed = fmin(series->confirmed, size == 0 ? 0 : size / fabs(linear));
    series->linear_most = fmax(series->linear_most, fabs(linear));
    return status;
}

static verso_status measure(const verso__tested *tested, verso__test_series *series) {
    series->noise = series->jitter = tested->noise;
    series->confirmed = INFINITY;
    bool unchanged;
    verso_status status = measure_noise(tested, NEARBY, series, &unchanged);
    if (status == VERSO_STATUS_OK && tested->single)
        status = measure_noise_of_floats(tested, series);
    double h = FIRST_STEP;
    for (int i = 0; status == VERSO_STATUS_OK && i < VERSO_CHECK_STEPS; i++, h *= STEP_RATIO)
        status = measure_step(tested, i, h, series);
    return status;
}

/* Fits a h + b h^2 + c h^3 (one term less for two points) to points `first` to `last`. Returns the mean of the
 * orders 1, 2 and 3, weighted by the sizes of the three terms at the last point: how fast the remainder falls
 * there. Slopes between points would suffice, except for remainders that change their sign. */
static double order_of(const verso__test_series *series, int first, int last) {
    double x[FITTED],
        difference[FITTED]; /* divided differences of r / h = a + b h + c h^2, in units of the last point */
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

/* Remainders above the noise come first, because they fall; the first one that is not ends them. Those that are
 * not finite are too far away. */
static void judge(const verso__test_series *series, verso_check_report *report) {
    int first = 0, last;
    while (first < VERSO_CHECK_STEPS && isnan(series->remainder[first]))
        first++;
    for (last = first; last < VERSO_CHECK_STEPS && exceeds_noise(series, last); last++) {
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

static void fill_report(const verso__test_series *series, verso_check_report *report) {
    report->taylor_noise = series->noise;
    for (int i = 0; i < VERSO_CHECK_STEPS; i++) {
        report->taylor_step[i] = series->step[i];
        report->taylor_remainder[i] = fabs(series->remainder[i]);
        bool both = i + 1 < VERSO_CHECK_STEPS && exceeds_noise(series, i) && exceeds_noise(series, i + 1);
        report->taylor_orders[i] = both ? log(fabs(series->remainder[i] / series->remainder[i + 1])) /
                                              log(series->step[i] / series->step[i + 1])
                                        : NAN;
    }
}

verso_status verso__test_taylor(const verso__tested *tested, verso_check_report *report) {
    verso__test_series series = {.allowed = report->dot_bound};
    verso_status status = measure(tested, &series);
    if (status != VERSO_STATUS_OK)
        return status;
    fill_report(&series, report);
    judge(&series, report);
    return tested->forward_near != NULL ? verso__test_slope(tested, &series, report) : VERSO_STATUS_OK;
}
