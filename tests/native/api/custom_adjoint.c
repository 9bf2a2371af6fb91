/* foreign: library.c
 * Custom adjoints: of a function of ours that iterates (only its solution counts), of one of a foreign library with
 * numbers, and of one with arrays; in reverse and in tangent mode, and through a pointer. */
#include "expect.h"

#include "../../support/cuts.h"
#include <stddef.h>
#include <verso/native.h>

double foreign_wave(double u, double v);
void foreign_smooth(const double *from, double *to, size_t count);

/* ---- The root of u + exp(u) = c, by any iteration: du/dc = 1 / (1 + exp(u)) ---- */

static int sweeps;

__attribute__((noinline)) static double root(double c) {
    double u = 0;
    for (int i = 0; i < 60; i++)
        u -= (u + exp(u) - c) / (1 + exp(u));
    return u;
}

static double root_record(verso_call *call, double c) {
    double u = root(c);
    verso_keep(call, &u, sizeof u);
    return u;
}

static void root_sweep(verso_call *call, double c) {
    double u = *(const double *)call->kept;
    (void)c;
    sweeps += call->kept_bytes == sizeof u;
    call->argument[0] = call->result[0] / (1 + exp(u));
}

static double root_tangent(verso_call *call, double c) {
    double u = root(c);
    call->result[0] = call->argument[0] / (1 + exp(u));
    return u;
}

VERSO_CUSTOM_ADJOINT(root, root_record, root_sweep, root_tangent);

/* ---- A foreign function of two numbers ---- */

static double wave_record(verso_call *call, double u, double v) {
    (void)call;
    return foreign_wave(u, v);
}

static void wave_sweep(verso_call *call, double u, double v) {
    call->argument[0] = call->result[0] * cos(u) * v * v;
    call->argument[1] = call->result[0] * sin(u) * 2 * v;
}

static double wave_tangent(verso_call *call, double u, double v) {
    call->result[0] = call->argument[0] * cos(u) * v * v + call->argument[1] * sin(u) * 2 * v;
    return foreign_wave(u, v);
}

VERSO_CUSTOM_ADJOINT(foreign_wave, wave_record, wave_sweep, wave_tangent);

/* ---- A foreign function that writes an array ---- */

static void smooth_record(verso_call *call, const double *from, double *to, size_t count) {
    (void)call;
    foreign_smooth(from, to, count);
}

static void smooth_sweep(verso_call *call, const double *from, double *to, size_t count) {
    (void)call;
    for (size_t i = 0; i < count; i++) {
        double out;
        verso_adjoint_take(&to[i], VERSO_SCALAR_DOUBLE, 1, &out);
        out *= 0.5;
        verso_adjoint_add(&from[i], VERSO_SCALAR_DOUBLE, 1, &out);
        verso_adjoint_add(&from[(i + 1) % count], VERSO_SCALAR_DOUBLE, 1, &out);
    }
}

static void smooth_tangent(verso_call *call, const double *from, double *to, size_t count) {
    (void)call;
    double in[3], out[3];
    verso_tangent_read(from, VERSO_SCALAR_DOUBLE, count, in);
    for (size_t i = 0; i < count; i++)
        out[i] = 0.5 * in[i] + 0.5 * in[(i + 1) % count];
    verso_tangent_write(to, VERSO_SCALAR_DOUBLE, count, out);
    foreign_smooth(from, to, count);
}

VERSO_CUSTOM_ADJOINT(foreign_smooth, smooth_record, smooth_sweep, smooth_tangent);

static double f(const double *x, size_t n) {
    double smooth[3], sum = 0, (*through)(double) = n > 2 ? root : sin;
    foreign_smooth(x, smooth, n);
    for (size_t i = 0; i < n; i++)
        sum += root(smooth[i]) * x[i] + through(x[i] * x[i]);
    return foreign_wave(sum, smooth[1]);
}

int main(void) {
    double x[3] = {0.7, 1.1, 0.25}, gradient[3], again[3], direction[3] = {0.3, -0.8, 0.5}, tangent, dot = 0;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 3, gradient, NULL, &report, &error));
    EXPECT(sweeps == 6, "%d sweeps of root with what was kept, instead of 6", sweeps);
    EXPECT_OK(verso_directional(f, x, 3, direction, &tangent, &report, &error));
    EXPECT_OK(verso_gradient(f, x, 3, again, cut_at(UINT64_MAX, 0), &report, &error));
    for (int i = 0; i < 3; i++) {
        double h = 1e-6, moved[3] = {x[0], x[1], x[2]};
        moved[i] += h;
        double plus = f(moved, 3);
        moved[i] -= 2 * h;
        double difference = (plus - f(moved, 3)) / (2 * h);
        EXPECT(fabs(gradient[i] - difference) < 1e-8, "by x[%d]: %.17g, differences say %.17g", i, gradient[i],
               difference);
        EXPECT(gradient[i] == again[i], "cut, by x[%d]: %.17g instead of %.17g", i, again[i], gradient[i]);
        dot += gradient[i] * direction[i];
    }
    EXPECT_CLOSE(dot, tangent);
    printf(failed ? "\n" : " number, array, through a pointer\n");
    return failed;
}
