/* Parameters of every kind that can be registered, called more than once on memory that changes between and afterwards;
 * `verso_check` compares reverse with tangent mode and with differences, in one piece and in stretches. */
#include <complex.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>
#include <verso/rev.h>

typedef struct body {
    double x[2], v;
    double complex spin;
} body;

/* By value, one by pointer, an array whose length is in front of it, and one whose length is said apart. */
rev static void mix(double *out, double a, passive double scale, passive int n, const double x[static n], double b,
                    const double *y) {
    for (int i = 0; i < n; i++) {
        *out += scale * sin(a * x[i]) * b * y[2 * i] * y[2 * i + 1];
    }
}
rev_length(mix, y, 2 * n);

rev static void move(body *b, passive const int order[], passive int n, passive double dt) {
    for (int s = 0; s < n; s++) {
        b[order[s]].x[0] += dt * b[order[s]].v * b[order[s]].x[1];
        b[order[s]].x[1] -= dt * b[order[s]].x[0];
        b[order[s]].spin += b[order[s]].x[0] * b[order[s]].x[1] * I;
    }
}
rev_length(move, b, 2);
rev_length(move, order, n);

rev static void turn(double complex *z, const double complex *w, passive int n, passive int steps) {
    for (int s = 0; s < steps; s++) {
        for (int i = 0; i < n; i++) {
            z[i] += w[i] * z[(i + 1) % n] * 0.1;
        }
    }
}
rev_length(turn, z, n);
rev_length(turn, w, n);

static double f(const double *x, size_t n) {
    double out = x[0], changed[8];
    memcpy(changed, x, sizeof changed);
    int order[] = {0, 1, 1, 0, 1};
    body bodies[2] = {{{x[0], x[1]}, x[2], x[3] + x[4] * I}, {{x[5], x[6]}, x[7], 1}};
    double complex z[3] = {x[0] + x[1] * I, x[2], x[3] * I}, w[3] = {x[4], x[5] + x[6] * I, x[7]};
    for (int i = 0; i < 3; i++) {
        mix(&out, changed[i], 0.5, 2, changed, x[i + 1] * x[0], changed + 2);
        for (int k = 0; k < 8; k++) /* what was read is overwritten */
            changed[k] = changed[k] * 0.9 + 0.1 * out;
        move(bodies, order, 5, 0.1);
        memset(order, 0, sizeof order);
        turn(z, w, 3, 7);
        w[i] *= x[i];
    }
    mix(&out, out, 1, 0, x, out, x);
    double sum = out * out;
    for (int i = 0; i < 2; i++)
        sum += bodies[i].x[0] * bodies[i].x[1] + creal(bodies[i].spin) * cimag(bodies[i].spin);
    for (int i = 0; i < 3; i++)
        sum += creal(z[i] * conj(z[i]));
    return sum + changed[7] * (double)n;
}

int main(void) {
    double x[8] = {0.3, 0.8, 0.5, 0.7, 0.2, 0.9, 0.4, 0.6};
    verso_check_report check = VERSO_CHECK_REPORT_INIT;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    double gradient[8];
    if (verso_check_gradient(f, x, 8, NULL, &check, &error) != VERSO_STATUS_OK ||
        verso_gradient(f, x, 8, gradient, NULL, &report, &error) != VERSO_STATUS_OK)
        return fprintf(stderr, "%s\n", error.message), 1;
    printf("%.12g:", report.value);
    for (int i = 0; i < 8; i++)
        printf(" %.9g", gradient[i]);
    printf("\n");
    if (!check.holds)
        fprintf(stderr, "dot %d (%g, %g), Taylor %d (%g), cuts %d\n", check.dot_holds, check.dot_tangent,
                check.dot_reverse, check.taylor_holds, check.taylor_order, check.cuts_hold);
    return !check.holds;
}
