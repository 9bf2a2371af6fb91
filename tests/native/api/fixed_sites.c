/* Checkpointed calls inside the steps of fixed points: calls in calls, steps in steps, a call around a fixed point
 * that is itself in a step, a long jump out of a call, recursion. Whichever sites are on, the gradient has the same
 * bits, and the profile predicts recordings and snapshots to the byte; with a file, cut, and within a budget, too. A
 * step that does much takes much less memory with its calls checkpointed. */
#include "expect.h"

#include "../../support/cuts.h"
#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <verso/native.h>

#define APART __attribute__((noinline)) static

enum { SIZE = 5, CELLS = 24, SWEEPS = 30, SITES_MOST = 64 };

static const double x[SIZE] = {0.5, 0.8, 0.3, 0.9, 0.4};
static const verso_fixed_point_options exactly = {sizeof exactly, 1e-13, 1e-13, 500};

typedef struct ice {
    const double *p;
    double *u, *next, *viscosity; /* the state and two more rows of CELLS, in blocks of the heap */
    double inner, level;
    int sweeps;
} ice;

static int times = 3;
static jmp_buf back;

/* Leaves by a long jump if `u` is large, and by a return otherwise. */
APART double limit(double u) {
    if (u > 0.9)
        longjmp(back, 1);
    return u * (1 - 0.1 * u);
}

APART double limited(double u) {
    if (setjmp(back) != 0)
        return 0.9 + 0.01 * u;
    return limit(u);
}

APART double power(double u, int n) {
    return n == 0 ? 1 : n % 2 != 0 ? u * power(u, n - 1) : power(u * u, n / 2);
}

APART void soften(ice *i) {
    for (int c = 0; c < CELLS; c++)
        i->viscosity[c] = 1 / (1 + power(i->u[c], 3) + i->p[1] * limited(i->u[c] + i->p[2]));
}

/* Records much: many sweeps over the row. */
APART void relax(ice *i) {
    for (int k = 0; k < i->sweeps; k++) {
        for (int c = 0; c < CELLS; c++) {
            double left = c > 0 ? i->u[c - 1] : 0, right = c + 1 < CELLS ? i->u[c + 1] : 0;
            i->next[c] = i->viscosity[c] * (0.2 * (left + right) + sin(i->p[c % SIZE] + 0.1 * i->u[c]));
        }
        memcpy(i->u, i->next, CELLS * sizeof *i->u);
    }
}

static void find_level(void *context) {
    ice *i = context;
    i->level = 0.3 * cos(i->level * i->p[3]) + 0.1 * power(i->inner, 2) + 0.01 * i->u[3];
}

APART double level(ice *i) {
    i->level = 0.2;
    return verso_fixed_point(find_level, i, &i->level, 1, &exactly) > 0 ? i->level : NAN;
}

static void find_inner(void *context) {
    ice *i = context;
    i->inner = 0.4 * sin(i->inner + i->u[0]) + 0.2 * level(i);
}

/* The step: calls with calls, a fixed point in it, and memory of its own. */
static void balance(void *context) {
    ice *i = context;
    double *made = malloc(CELLS * sizeof *made);
    soften(i);
    relax(i);
    if (verso_fixed_point(find_inner, i, &i->inner, 1, &exactly) == 0)
        i->inner = NAN;
    for (int c = 0; c < CELLS; c++)
        made[c] = i->u[c] * (1 + 0.01 * i->inner);
    memcpy(i->u, made, CELLS * sizeof *made);
    free(made);
}

APART void solve(ice *i) {
    if (verso_fixed_point(balance, i, i->u, CELLS, &exactly) == 0)
        i->u[0] = NAN;
}

APART double *row(void) {
    return calloc(CELLS, sizeof(double));
}

static double f(const double *p, size_t n) {
    ice i = {.p = p, .u = row(), .next = row(), .viscosity = row(), .sweeps = SWEEPS};
    double sum = 0;
    (void)n;
    for (int t = 0; t < times; t++) {
        solve(&i);
        for (int c = 0; c < CELLS; c++) {
            sum += i.u[c] * i.u[c] * i.level;
            i.u[c] += p[t];
        }
    }
    free(i.u);
    free(i.next);
    free(i.viscosity);
    return sum;
}

/* ---- All choices ---- */

static double expected[SIZE], value;
static bool on[SITES_MOST];

/* Switches the sites as in `on`, and expects the gradient that was computed without any. Returns its report. */
static verso_native_report same_bits(const verso_native_options *options, const char *how, size_t number) {
    double gradient[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (size_t i = 0; i < verso_site_count(); i++)
        verso_site_set(i, on[i]);
    EXPECT_OK(verso_gradient(f, x, SIZE, gradient, options, &report, &error));
    EXPECT(report.value == value && memcmp(gradient, expected, sizeof gradient) == 0, "%s %zu: other bits", how,
           number);
    return report;
}

static void predicted(const verso_profile *profile, const char *how, size_t number) {
    const verso_profile_cost cost = verso_profile_predict(profile, on);
    const verso_native_report report = same_bits(NULL, how, number);
    EXPECT(cost.peak_bytes == report.tape_bytes && cost.turn_bytes == report.turn_bytes,
           "%s %zu: %llu bytes, at the turn %llu; predicted %llu, %llu", how, number,
           (unsigned long long)report.tape_bytes, (unsigned long long)report.turn_bytes,
           (unsigned long long)cost.peak_bytes, (unsigned long long)cost.turn_bytes);
}

static size_t set(bool to, const char *callee) {
    size_t count = 0;
    for (size_t i = 0; i < verso_site_count(); i++) {
        bool is_one = callee == NULL || strcmp(verso_site_get(i).callee, callee) == 0;
        on[i] = is_one ? to : on[i];
        count += is_one;
    }
    return count;
}

static void predictions(void) {
    verso_profile *profile = NULL;
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    double gradient[SIZE];
    uint64_t random = 1;
    options.profile = &profile;
    EXPECT_OK(verso_gradient(f, x, SIZE, gradient, &options, NULL, &error));
    EXPECT(memcmp(gradient, expected, sizeof gradient) == 0, "the profile has other bits");
    if (profile == NULL)
        return;
    EXPECT(verso_site_count() >= 8 && verso_site_count() < SITES_MOST, "%zu sites", verso_site_count());
    for (int all = 0; all < 2; all++) {
        set(all, NULL);
        predicted(profile, all ? "all" : "none", 0);
        for (size_t i = 0; i < verso_site_count(); i++) {
            on[i] = !on[i];
            predicted(profile, all ? "all but" : "only", i);
            on[i] = !on[i];
        }
    }
    for (size_t n = 0; n < 12; n++) {
        for (size_t i = 0; i < verso_site_count(); i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            on[i] = random >> 63;
        }
        predicted(profile, "random", n);
    }
    verso_profile_free(profile);
}

/* ---- What it is for, and all other ways ---- */

static void little_memory(void) {
    set(false, NULL);
    const verso_native_report without = same_bits(NULL, "none", 0);
    EXPECT(set(true, "relax") > 0, "no call of relax");
    const verso_native_report with = same_bits(NULL, "relax", 0);
    EXPECT(3 * with.tape_bytes < 2 * without.tape_bytes, "%zu bytes instead of %zu", with.tape_bytes,
           without.tape_bytes);
    EXPECT(set(true, "solve") > 0, "no call of solve");
    const verso_native_report both = same_bits(NULL, "solve, relax", 0);
    EXPECT(both.tape_bytes < with.tape_bytes, "%zu bytes instead of %zu", both.tape_bytes, with.tape_bytes);
}

static void in_many_ways(void) {
    static const char *const choices[][2] = {
        {NULL, NULL}, {"relax", "relax"}, {"relax", "soften"}, {"solve", "relax"}, {"level", "solve"}};
    char directory[] = "/tmp/verso-fixed-XXXXXX";
    EXPECT(mkdtemp(directory) != NULL, "no directory");
    for (size_t n = 0; n < sizeof choices / sizeof *choices; n++) {
        set(false, NULL);
        if (choices[n][0] != NULL)
            set(true, choices[n][0]), set(true, choices[n][1]);
        same_bits(&(verso_native_options){.size = sizeof(verso_native_options),
                                          .offload_directory = directory,
                                          .offload_memory = 4 << 20},
                  "in a file", n);
        same_bits(cut_at(7, 3), "cut", n);
        for (size_t memory = 1 << 20; memory < 8 << 20; memory *= 2) {
            const verso_native_report report = same_bits(
                &(verso_native_options){.size = sizeof(verso_native_options), .memory = memory}, "within a budget", n);
            EXPECT(report.peak_bytes <= memory, "%zu bytes, not %zu", report.peak_bytes, memory);
        }
    }
    set(true, NULL);
    same_bits(cut_at(5, 9), "all, cut", 0);
    same_bits(&(verso_native_options){.size = sizeof(verso_native_options),
                                      .offload_directory = directory,
                                      .offload_memory = 4 << 20},
              "all, in a file", 0);
    rmdir(directory);
}

int main(void) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_check_report check = VERSO_CHECK_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, SIZE, expected, NULL, &report, &error));
    value = report.value;
    EXPECT_OK(verso_check_gradient(f, x, SIZE, NULL, &check, &error));
    EXPECT(check.holds && value > 0, "wrong without sites");
    little_memory();
    predictions();
    in_many_ways();
    return failed;
}
