/* Random directions, and the dot-product test. See tests.h. */
#include "native/api/tests.h"

#include <math.h>

double verso__test_random(uint64_t *state) { /* splitmix64 */
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (double)((z ^ z >> 31) >> 11) * 0x1p-53;
}

double verso__test_number(uint64_t *state) {
    double number = 0.5 + verso__test_random(state) / 2;
    return verso__test_random(state) < 0.5 ? -number : number;
}

double verso__test_distance(uint64_t *state, double x) {
    return verso__test_number(state) * (fabs(x) > 0 ? fabs(x) : 1);
}

static double product(const verso__tested *tested, const double *a, const double *b, size_t count, double *size) {
    long double sum = 0, sizes = 0;
    for (size_t i = 0; i < count; i++) {
        sum += (long double)a[i] * b[i];
        sizes += fabsl((long double)a[i] * b[i]);
    }
    double both[2] = {(double)sum, (double)sizes};
    if (tested->join != NULL)
        tested->join(both, 2);
    *size = both[1];
    return both[0];
}

verso_status verso__test_dot(const verso__tested *tested, verso_check_report *report) {
    static const double divisors[] = {3, 7};
    double tangent_size = 0, reverse_size = 0, noise = 0, ignored;
    verso_status status = tested->reverse(tested->self, 1, tested->gradient);
    if (status == VERSO_STATUS_OK && tested->aim != NULL)
        tested->aim(tested->self);
    if (status == VERSO_STATUS_OK)
        status = tested->forward(tested->self, 1, tested->tangent);
    if (status != VERSO_STATUS_OK)
        return status;
    report->dot_reverse = product(tested, tested->gradient, tested->direction, tested->inputs, &reverse_size);
    report->dot_tangent = product(tested, tested->tangent, tested->weights, tested->outputs, &tangent_size);
    for (size_t i = 0; status == VERSO_STATUS_OK && i < sizeof divisors / sizeof *divisors; i++) {
        status = tested->reverse(tested->self, divisors[i], tested->other);
        double again = product(tested, tested->other, tested->direction, tested->inputs, &ignored) * divisors[i];
        noise = fmax(noise, fabs(again - report->dot_reverse));
        if (status == VERSO_STATUS_OK)
            status = tested->forward(tested->self, divisors[i], tested->other);
        again = product(tested, tested->other, tested->weights, tested->outputs, &ignored) * divisors[i];
        noise = fmax(noise, fabs(again - report->dot_tangent));
    }
    double rounding = tested->single ? 1e-6 : 1e-12; /* the cells of floats are floats */
    report->dot_bound = rounding * fmax(tangent_size, reverse_size) + 32 * noise;
    report->dot_holds = fabs(report->dot_tangent - report->dot_reverse) <= report->dot_bound &&
                        isfinite(report->dot_tangent) && isfinite(report->dot_reverse);
    return status;
}
