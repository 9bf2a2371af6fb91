/* foreign: library.c
 * Adjoints in one piece: the inputs are there as they were, though the function and what follows have overwritten them;
 * numbers and arrays, on the stack, in the heap and in globals, through a pointer, in a loop, within a budget, with
 * other calls checkpointed or not. */
#include "expect.h"

#include "../../support/cuts.h"
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

double foreign_wave(double u, double v);
void foreign_square(double *values, size_t count);

/* ---- A foreign function of numbers ---- */

static void wave_adjoint(verso_call *call, double u, double v) {
    call->argument[0] += call->result[0] * cos(u) * v * v;
    call->argument[1] += call->result[0] * sin(u) * 2 * v;
}

static double wave_tangent(verso_call *call, double u, double v) {
    call->result[0] = call->argument[0] * cos(u) * v * v + call->argument[1] * sin(u) * 2 * v;
    return foreign_wave(u, v);
}

VERSO_ADJOINT(foreign_wave, wave_adjoint, wave_tangent);

/* ---- A foreign function that overwrites its inputs ---- */

static void square_adjoint(verso_call *call, double *values, size_t count) {
    (void)call;
    for (size_t i = 0; i < count; i++) {
        double bar;
        verso_adjoint_take(&values[i], VERSO_SCALAR_DOUBLE, 1, &bar);
        bar *= 2 * values[i];
        verso_adjoint_add(&values[i], VERSO_SCALAR_DOUBLE, 1, &bar);
    }
}

static void square_tangent(verso_call *call, double *values, size_t count) {
    (void)call;
    for (size_t i = 0; i < count; i++) {
        double dot;
        verso_tangent_read(&values[i], VERSO_SCALAR_DOUBLE, 1, &dot);
        dot *= 2 * values[i];
        verso_tangent_write(&values[i], VERSO_SCALAR_DOUBLE, 1, &dot);
    }
    foreign_square(values, count);
}

VERSO_ADJOINT(foreign_square, square_adjoint, square_tangent);

/* ---- One of ours that has a state, and returns several numbers ---- */

typedef struct pair {
    double u, v;
} pair;

static double scale = 1;

__attribute__((noinline)) static pair turn(double u, int times) {
    pair result = {u * scale, u * u * times};
    scale *= 1.5;
    return result;
}

static void turn_adjoint(verso_call *call, double u, int times) {
    call->argument[0] += call->result[0] * scale + call->result[1] * 2 * u * times;
}

static pair turn_tangent(verso_call *call, double u, int times) {
    call->result[0] = call->argument[0] * scale;
    call->result[1] = call->argument[0] * 2 * u * times;
    return turn(u, times);
}

VERSO_ADJOINT(turn, turn_adjoint, turn_tangent);

/* ---- What is differentiated ---- */

static double global[2];
static double (*volatile pointer)(double, double) = foreign_wave;

__attribute__((noinline)) static double stage(double *heap, double u) {
    double local[2] = {u, heap[0]};
    foreign_square(local, 2);
    foreign_square(heap, 2);
    foreign_square(global, 2);
    double sum = local[0] * heap[1] + global[0] * local[1] + pointer(local[0], 0.3 * u);
    heap[0] = 0.1 * sum;
    return sum;
}

static double f(const double *x, size_t n) {
    double sum = 0, *heap = malloc(2 * sizeof *heap);
    scale = 1;
    heap[0] = x[0];
    heap[1] = 0.5 * x[1];
    global[0] = global[1] = 0.7 * x[n - 1];
    for (int i = 0; i < 3; i++) {
        pair both = turn(x[(size_t)i % n], i);
        sum += 0.3 * stage(heap, x[0] + 0.1 * i) + both.u * 0.2 + both.v * foreign_wave(sum, x[1]);
    }
    free(heap);
    return sum;
}

enum { CALLS = 3 * 6 };

static void expect_bits(const double *plain, const double *x, const verso_native_options *options, const char *what) {
    double gradient[3];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 3, gradient, options, &report, &error));
    EXPECT(memcmp(plain, gradient, sizeof gradient) == 0, "%s: other bits", what);
}

/* What a profile predicts of the sites as they are. */
static void expect_peak(const double *x, const verso_profile *profile) {
    bool on[64] = {false};
    double gradient[3];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 3, gradient, NULL, &report, &error));
    for (size_t i = 0; i < verso_site_count(); i++) /* the others are on whatever is said */
        on[i] = verso_site_get(i).on && !verso_site_get(i).always;
    verso_profile_cost cost = verso_profile_predict(profile, on);
    EXPECT(cost.peak_bytes == report.tape_bytes, "%zu bytes, and not %zu as predicted", report.tape_bytes,
           (size_t)cost.peak_bytes);
}

int main(void) {
    const double x[3] = {0.7, 1.1, 0.4};
    double plain[3];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 3, plain, NULL, &report, &error));
    EXPECT(report.capsules == CALLS, "%d snapshots", (int)report.capsules);
    verso_check_report check = VERSO_CHECK_REPORT_INIT;
    EXPECT_OK(verso_check_gradient(f, x, 3, NULL, &check, &error));
    EXPECT(check.dot_holds, "dot products: %.17g and %.17g", check.dot_tangent, check.dot_reverse);
    EXPECT(check.taylor_holds, "Taylor: order %g", check.taylor_order);
    EXPECT(check.cuts_hold, "cut, it has other bits");
    verso_profile *profile = NULL;
    expect_bits(plain, x, &(verso_native_options){.size = sizeof(verso_native_options), .profile = &profile},
                "profiled");
    size_t always = 0;
    for (size_t i = 0; i < verso_site_count(); i++)
        always += verso_site_get(i).always;
    EXPECT(always == 3, "%zu sites are always on", always);
    for (unsigned set = 0; set < 3; set++) {
        for (size_t i = 0; i < verso_site_count(); i++)
            verso_site_set(i, set == 1 || (set == 2 && i % 2 == 0));
        verso_native_options within = {.size = sizeof(verso_native_options), .memory = UINT64_C(8) << 20, .leaf = 256};
        expect_bits(plain, x, NULL, "switched");
        expect_peak(x, profile);
        expect_bits(plain, x, cut_at(3, set), "cut");
        expect_bits(plain, x, &within, "within a budget");
    }
    verso_profile_free(profile);
    return failed;
}
