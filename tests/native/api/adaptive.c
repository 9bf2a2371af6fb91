/* An adaptive Runge-Kutta integrator whose step controller is differentiated: its derivative is garbage, verso_check
 * says that it is ill-conditioned, and with the error norm frozen it is that of a fixed-step solution. See
 * docs/adaptive-solvers.md. */
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <verso/native.h>

enum { N = 3, STAGES = 7 };

static const double end = 20, tolerance = 1e-6;
static bool frozen;

static const double a[STAGES][STAGES - 1] = {
    {0},
    {1 / 5.},
    {3 / 40., 9 / 40.},
    {44 / 45., -56 / 15., 32 / 9.},
    {19372 / 6561., -25360 / 2187., 64448 / 6561., -212 / 729.},
    {9017 / 3168., -355 / 33., 46732 / 5247., 49 / 176., -5103 / 18656.},
    {35 / 384., 0, 500 / 1113., 125 / 192., -2187 / 6784., 11 / 84.}}; /* Dormand and Prince */
static const double e[STAGES] = {71 / 57600., 0, -71 / 16695., 71 / 1920., -17253 / 339200., 22 / 525., -1 / 40.};

static void rates(const double *y, const double *p, double *d) {
    double one = p[0] * y[0], two = p[1] * y[1] * y[2], three = p[2] * y[1] * y[1];
    d[0] = two - one;
    d[1] = one - two - three;
    d[2] = three;
}

static void step(const double *y, double h, const double *p, double k[STAGES][N], double *next) {
    for (int s = 0; s < STAGES; s++) {
        for (int i = 0; i < N; i++) {
            next[i] = y[i];
            for (int q = 0; q < s; q++)
                next[i] += h * a[s][q] * k[q][i];
        }
        rates(next, p, k[s]);
    }
}

static double error_norm(double h, double k[STAGES][N], const double *y) {
    double sum = 0;
    for (int i = 0; i < N; i++) {
        double error = 0;
        for (int s = 0; s < STAGES; s++)
            error += h * e[s] * k[s][i];
        error /= tolerance * (1e-3 + fabs(y[i]));
        sum += error * error;
    }
    return sqrt(sum / N);
}

/* A square root where the method's order asks for a fifth one: steps are accurate, and their sizes go up and down. */
static double adaptive(const double *p, size_t n) {
    double y[N] = {1}, next[N], k[STAGES][N], t = 0, h = 1e-3;
    (void)n;
    while (t < end) {
        h = fmin(h, end - t);
        step(y, h, p, k, next);
        double norm = error_norm(h, k, y);
        if (frozen)
            norm = verso_frozen(norm);
        if (norm <= 1) {
            t += h;
            memcpy(y, next, sizeof y);
        }
        h *= fmin(5, fmax(0.2, 0.9 / sqrt(norm)));
    }
    return y[0];
}

static double fixed(const double *p, size_t n) {
    enum { STEPS = 2000 };
    double y[N] = {1}, next[N], k[STAGES][N];
    (void)n;
    for (int i = 0; i < STEPS; i++) {
        step(y, end / STEPS, p, k, next);
        memcpy(y, next, sizeof y);
    }
    return y[0];
}

static double worst(const double *gradient, const double *expected) {
    double largest = 0;
    for (int i = 0; i < N; i++)
        largest = fmax(largest, fabs(gradient[i] / expected[i] - 1));
    return largest;
}

int main(void) {
    const double p[N] = {0.4, 1, 10};
    double expected[N], gradient[N], again[N];
    int wrong = 0;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    verso_check_report check = VERSO_CHECK_REPORT_INIT;
    const verso_check_options few = {.size = sizeof(verso_check_options), .cuts = 3, .every = 1};
    if (verso_gradient(fixed, p, N, expected, NULL, &report, &error) != VERSO_STATUS_OK ||
        verso_gradient(adaptive, p, N, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
        return puts(error.message), 1;
    if (worst(gradient, expected) < 1e3)
        wrong += printf("the differentiated controller does no harm: %g\n", worst(gradient, expected));
    if (verso_check_gradient(adaptive, p, N, &few, &check, &error) != VERSO_STATUS_OK)
        return puts(error.message), 1;
    if (!check.ill_conditioned || check.holds || !check.value_holds || !check.cuts_hold)
        wrong += printf("not diagnosed: differences %g, derivatives from %g to %g\n", check.difference,
                        check.nearby_least, check.nearby_most);
    frozen = true;
    if (verso_gradient(adaptive, p, N, gradient, NULL, &report, &error) != VERSO_STATUS_OK ||
        verso_gradient(adaptive, p, N, again,
                       &(verso_native_options){.size = sizeof(verso_native_options), .memory = 1 << 20}, &report,
                       &error) != VERSO_STATUS_OK)
        return puts(error.message), 1;
    if (worst(gradient, expected) > 1e-5 || memcmp(again, gradient, sizeof gradient) != 0)
        wrong += printf("frozen, the gradient is off by %g\n", worst(gradient, expected));
    if (verso_check_gradient(adaptive, p, N, &few, &check, &error) != VERSO_STATUS_OK)
        return puts(error.message), 1;
    if (check.ill_conditioned || !check.holds)
        wrong += printf("frozen: value %d dot %d Taylor %d (%g) cuts %d\n", check.value_holds, check.dot_holds,
                        check.taylor_holds, check.taylor_order, check.cuts_hold);
    return wrong;
}
