/* foreign: library.c
 * Functions of a library with adjoints in one piece and in two: the sites of their calls can be switched, which says
 * which form is used; gradients agree, also within a budget, cut, and with other calls checkpointed around them; and a
 * profile predicts the peak of every choice, though what is recorded depends on the form. */
#include "expect.h"

#include "../../support/cuts.h"
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

double foreign_wave(double u, double v);
void foreign_square(double *values, size_t count);
VERSO_INACTIVE void foreign_count(int form);
extern int foreign_pieces[3];
enum { WHOLE, RECORD, SWEEP };

/* ---- Numbers: the first piece keeps more than the adjoints of the arguments take ---- */

static void wave_adjoint(verso_call *call, double u, double v) {
    foreign_count(WHOLE);
    call->argument[0] += call->result[0] * cos(u) * v * v;
    call->argument[1] += call->result[0] * sin(u) * 2 * v;
}

static double wave_record(verso_call *call, double u, double v) {
    const double kept[3] = {cos(u), sin(u), v};
    foreign_count(RECORD);
    verso_keep(call, kept, sizeof kept);
    return foreign_wave(u, v);
}

static void wave_sweep(verso_call *call, double u, double v) {
    const double *kept = call->kept;
    foreign_count(SWEEP);
    (void)u;
    call->argument[0] += call->result[0] * kept[0] * v * v;
    call->argument[1] += call->result[0] * kept[1] * 2 * kept[2];
}

static double wave_tangent(verso_call *call, double u, double v) {
    call->result[0] = call->argument[0] * cos(u) * v * v + call->argument[1] * sin(u) * 2 * v;
    return foreign_wave(u, v);
}

VERSO_CUSTOM_ADJOINT(foreign_wave, wave_record, wave_sweep, wave_tangent);
VERSO_ADJOINT(foreign_wave, wave_adjoint, wave_tangent);

/* ---- Memory that is overwritten: how much is kept is known when it runs ---- */

static void square_adjoint(verso_call *call, double *values, size_t count) {
    (void)call;
    foreign_count(WHOLE);
    for (size_t i = 0; i < count; i++) {
        double bar;
        verso_adjoint_take(&values[i], VERSO_SCALAR_DOUBLE, 1, &bar);
        bar *= 2 * values[i];
        verso_adjoint_add(&values[i], VERSO_SCALAR_DOUBLE, 1, &bar);
    }
}

static void square_record(verso_call *call, double *values, size_t count) {
    foreign_count(RECORD);
    verso_keep(call, values, count * sizeof *values);
    foreign_square(values, count);
}

static void square_sweep(verso_call *call, double *values, size_t count) {
    const double *kept = call->kept;
    foreign_count(SWEEP);
    for (size_t i = 0; i < count; i++) {
        double bar;
        verso_adjoint_take(&values[i], VERSO_SCALAR_DOUBLE, 1, &bar);
        bar *= 2 * kept[i];
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

VERSO_ADJOINT(foreign_square, square_adjoint, NULL);
VERSO_CUSTOM_ADJOINT(foreign_square, square_record, square_sweep, square_tangent);

/* ---- What is differentiated ---- */

enum { MOST = 40 };

__attribute__((noinline)) static double stage(double *heap, size_t count, double u) {
    foreign_square(heap, count);
    double sum = foreign_wave(u, heap[0]) + heap[count - 1];
    for (size_t i = 0; i < count; i++)
        heap[i] = 0.9 * heap[i] / (1 + heap[i]) + 0.01 * sum;
    return sum;
}

static double f(const double *x, size_t n) {
    double sum = 0, *heap = malloc(MOST * sizeof *heap);
    for (size_t i = 0; i < MOST; i++)
        heap[i] = x[i % n] + 0.01 * (double)i;
    for (size_t i = 1; i <= 2 * n; i++) /* so many that it is not unrolled: sites are few */
        sum += stage(heap, 6 * i, x[i % n]) + 0.1 * foreign_wave(sum, x[0]);
    free(heap);
    return sum;
}

enum { CALLS = 3 * 6, MOST_SITES = 10 };

static void expect_gradient(const double *plain, const double *x, const verso_native_options *options, const char *what,
                            verso_native_report *report) {
    double gradient[3];
    memset(foreign_pieces, 0, sizeof foreign_pieces);
    *report = (verso_native_report)VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 3, gradient, options, report, &error));
    EXPECT(memcmp(plain, gradient, sizeof gradient) == 0, "%s: another gradient", what);
}

/* The two sites within the functions, each on or off, with those of the calls around them. */
static void switch_sites(unsigned choice) {
    for (size_t i = 0; i < verso_site_count(); i++)
        verso_site_set(i, choice >> i & 1);
}

static size_t count_own(void) {
    size_t own = 0;
    for (size_t i = 0; i < verso_site_count(); i++)
        own += strcmp(verso_site_get(i).caller, verso_site_get(i).callee) == 0;
    return own;
}

/* Of the calls of one function: its own site, which says which form is used. */
static bool is_on(const char *function) {
    for (size_t i = 0; i < verso_site_count(); i++) {
        verso_site site = verso_site_get(i);
        if (strcmp(site.caller, function) == 0 && strcmp(site.callee, function) == 0)
            return site.on;
    }
    return false;
}

static void expect_forms(unsigned choice) {
    int whole = (is_on("foreign_wave") ? 12 : 0) + (is_on("foreign_square") ? 6 : 0);
    EXPECT(foreign_pieces[WHOLE] == whole, "choice %u: %d adjoints in one piece, not %d", choice, foreign_pieces[WHOLE],
           whole);
    EXPECT(foreign_pieces[SWEEP] == CALLS - whole, "choice %u: %d sweeps", choice, foreign_pieces[SWEEP]);
    EXPECT(foreign_pieces[RECORD] >= CALLS, "choice %u: %d records", choice, foreign_pieces[RECORD]);
}

int main(void) {
    const double x[3] = {0.7, 1.1, 0.4};
    double plain[3];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 3, plain, NULL, &report, &error));
    EXPECT(report.capsules == 0 && foreign_pieces[WHOLE] == 0, "%d snapshots", (int)report.capsules);
    verso_check_report check = VERSO_CHECK_REPORT_INIT;
    EXPECT_OK(verso_check_gradient(f, x, 3, NULL, &check, &error));
    EXPECT(check.holds, "dot %d, Taylor %d, cuts %d", check.dot_holds, check.taylor_holds, check.cuts_hold);
    verso_profile *profile = NULL;
    expect_gradient(plain, x, &(verso_native_options){.size = sizeof(verso_native_options), .profile = &profile},
                    "profiled", &report);
    EXPECT(foreign_pieces[WHOLE] == CALLS && foreign_pieces[SWEEP] == 0, "the profile has sites off");
    EXPECT(count_own() == 2 && verso_site_count() < MOST_SITES, "%zu sites", verso_site_count());
    uint64_t peaks[2] = {UINT64_MAX, 0};
    for (unsigned choice = 0; choice < 1u << verso_site_count(); choice++) {
        bool on[MOST_SITES];
        switch_sites(choice);
        for (size_t i = 0; i < verso_site_count(); i++) {
            on[i] = verso_site_get(i).on;
            EXPECT(on[i] == (choice >> i & 1) && !verso_site_get(i).always, "site %zu cannot be switched", i);
        }
        expect_gradient(plain, x, NULL, "switched", &report);
        expect_forms(choice);
        uint64_t peak = verso_profile_predict(profile, on).peak_bytes;
        EXPECT(peak == report.tape_bytes, "choice %u: %zu bytes, and not %zu as predicted", choice, report.tape_bytes,
               (size_t)peak);
        peaks[0] = peak < peaks[0] ? peak : peaks[0];
        peaks[1] = peak > peaks[1] ? peak : peaks[1];
        verso_native_options within = {.size = sizeof(verso_native_options), .memory = UINT64_C(8) << 20, .leaf = 256};
        expect_gradient(plain, x, cut_at(3, choice), "cut", &report);
        expect_gradient(plain, x, &within, "within a budget", &report);
        EXPECT(report.steps > 4 || choice == 0, "choice %u: %d steps", choice, (int)report.steps);
    }
    EXPECT(peaks[0] < peaks[1], "all choices have the same peak");
    verso_profile_free(profile);
    return failed;
}
