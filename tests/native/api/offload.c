/* Recordings that are offloaded to a file: the same bits as in memory, with and without a thread, with calls that are
 * checkpointed, snapshots that are larger than the limit, custom adjoints that keep much, and recursion. */
#define _GNU_SOURCE
#include "expect.h"

#include <dirent.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <verso/native.h>

enum { SIZE = 8, LIMIT = 4 << 20 };

static char directory[] = "/tmp/verso-offload-XXXXXX";
static const double x[SIZE] = {0.9, 0.4, -0.3, 0.7, 0.2, -0.8, 0.5, 0.1};

/* ---- What is differentiated ---- */

/* Loops within calls: 3 MB of tape for each. */
__attribute__((noinline)) static void relax(double *u, const double *f, int n) {
    for (int sweep = 0; sweep < 20; sweep++)
        for (int i = 1; i < n - 1; i++)
            u[i] = 0.25 * (u[i - 1] * u[i + 1] + 2 * u[i]) + 0.01 * sin(f[i]);
}

static double loops(const double *p, size_t n) {
    enum { POINTS = 5000 };
    double *u = malloc(POINTS * sizeof *u), *f = malloc(POINTS * sizeof *f), sum = 0;
    for (int i = 0; i < POINTS; i++) {
        u[i] = p[(size_t)i % n];
        f[i] = p[(size_t)(i / 7) % n] * 0.5;
    }
    for (int step = 0; step < 5; step++)
        relax(u, f, POINTS);
    for (int i = 0; i < POINTS; i++)
        sum += u[i] * u[i];
    free(u);
    free(f);
    return sum;
}

/* A state that is larger than the limit, all of which changes: so are snapshots. */
enum { LARGE = 600000 };

__attribute__((noinline)) static void turn(double *large, double factor) {
    for (int i = 0; i < LARGE; i++)
        large[i] = large[i] * factor + 1e-3 * large[(i * 7 + 1) % LARGE];
}

static double large_state(const double *p, size_t n) {
    double sum = 0, *large = malloc(LARGE * sizeof *large);
    for (int i = 0; i < LARGE; i++)
        large[i] = p[(size_t)i % n];
    turn(large, p[0]);
    turn(large, 0.5 + p[1]);
    turn(large, p[2] + p[3]);
    for (int i = 0; i < LARGE; i += 11)
        sum += large[i];
    free(large);
    return sum;
}

/* Calls within calls, some hundred thousand of them: those within are never checkpointed, which would take long. */
__attribute__((noinline)) static double integral(double a, double b, double omega, int depth) {
    double middle = 0.5 * (a + b);
    if (depth == 0)
        return (b - a) * exp(-middle * middle) * cos(omega * middle);
    return integral(a, middle, omega, depth - 1) + integral(middle, b, omega, depth - 1);
}

static double recursion(const double *p, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += integral(0, p[i], 1 + p[0], 13);
    return sum;
}

/* An adjoint of its own that keeps 64 kB a call, and one time 6 MB. */
enum { KEPT = 8000, KEPT_MOST = 750000 };

__attribute__((noinline)) static double powers(double a, int count) {
    double sum = 0;
    for (int i = 1; i <= count; i++)
        sum += sin(a / i);
    return sum;
}

static double powers_record(verso_call *call, double a, int count) {
    double sum = 0;
    for (int i = 1; i <= count; i++) {
        double slope = cos(a / i) / i;
        verso_keep(call, &slope, sizeof slope);
        sum += sin(a / i);
    }
    return sum;
}

static void powers_sweep(verso_call *call, double a, int count) {
    const double *slope = call->kept;
    (void)a;
    EXPECT(call->kept_bytes == (size_t)count * sizeof *slope, "%zu bytes kept", call->kept_bytes);
    for (int i = 0; i < count; i++)
        call->argument[0] += call->result[0] * slope[i];
}

VERSO_CUSTOM_ADJOINT(powers, powers_record, powers_sweep, NULL);

static double custom(const double *p, size_t n) {
    double sum = 1;
    for (int step = 0; step < 100; step++)
        sum = 0.5 * sum + powers(p[(size_t)step % n] * sum, step == 77 ? KEPT_MOST : KEPT) / KEPT;
    return sum;
}

/* ---- Comparing ---- */

typedef struct program {
    const char *name;
    double (*f)(const double *x, size_t n);
} program;

static const program programs[] = {
    {"loops", loops}, {"large_state", large_state}, {"recursion", recursion}, {"custom", custom}};

static void expect_empty(void) {
    DIR *folder = opendir(directory);
    int count = 0;
    while (readdir(folder))
        count++;
    closedir(folder);
    EXPECT(count == 2, "the directory holds %d entries", count);
}

/* `outgrows`: something must have been in the file. */
static void compare(const program *p, const double *expected, verso_native_options *options, bool outgrows,
                    const char *how) {
    double gradient[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    memset(gradient, 0xff, sizeof gradient);
    verso_status status = verso_gradient(p->f, x, SIZE, gradient, options, &report, &error);
    EXPECT(status == VERSO_STATUS_OK, "%s, %s: %s", p->name, how, error.message);
    EXPECT(memcmp(gradient, expected, sizeof gradient) == 0, "%s, %s: other bits", p->name, how);
    EXPECT(report.offload_bytes > 0 || !outgrows, "%s, %s: nothing of %zu bytes was in a file", p->name, how,
           report.tape_bytes);
    expect_empty();
}

static void switch_sites(unsigned percent, unsigned *random) {
    for (size_t i = 0; i < verso_site_count(); i++)
        if (strcmp(verso_site_get(i).caller, "integral") != 0)
            verso_site_set(i, (((*random = *random * 1103515245 + 12345) >> 16) & 127) < percent);
}

static void check(const program *p) {
    double expected[SIZE];
    unsigned random = 1;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(p->f, x, SIZE, expected, NULL, &report, &error));
    for (int synchronous = 0; synchronous < 2; synchronous++) {
        verso_native_options options = {.size = sizeof(verso_native_options),
                                        .offload_directory = directory,
                                        .offload_memory = LIMIT,
                                        .offload_synchronous = synchronous != 0};
        verso_native_options twice = {.size = sizeof(verso_native_options),
                                      .offload_directory = directory,
                                      .offload_memory = 2 * LIMIT,
                                      .offload_synchronous = synchronous != 0};
        compare(p, expected, &options, true, "no call checkpointed");
        compare(p, expected, &twice, false, "twice the memory");
        for (unsigned percent = 20; percent <= 140; percent += 40) {
            switch_sites(percent, &random);
            compare(p, expected, &options, false, "calls checkpointed");
        }
        switch_sites(0, &random);
    }
    if (p->f == recursion)
        return;
    verso_profile *profile = NULL;
    verso_native_options profiled = {.size = sizeof(verso_native_options),
                                     .offload_directory = directory,
                                     .offload_memory = LIMIT,
                                     .offload_synchronous = false,
                                     .profile = &profile};
    compare(p, expected, &profiled, false, "profiled");
    verso_profile_free(profile);
}

/* ---- What else is asked for ---- */

static void refuse(verso_native_options options, const char *words) {
    double gradient[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_status status = verso_gradient(loops, x, SIZE, gradient, &options, &report, &error);
    EXPECT(status != VERSO_STATUS_OK && strstr(error.message, words), "%s instead of '%s'", error.message, words);
}

static void refusals(void) {
    refuse((verso_native_options){.size = sizeof(verso_native_options),
                                  .offload_directory = directory,
                                  .offload_memory = 1000},
           "at least 4194304 bytes");
    refuse((verso_native_options){.size = sizeof(verso_native_options), .offload_directory = "/nowhere/at/all"},
           "cannot create '/nowhere/at/all/");
    refuse((verso_native_options){.size = sizeof(verso_native_options),
                                  .offload_directory = directory,
                                  .memory = 64000000},
           "leave out either");
    setenv("VERSO_OFFLOAD", "/nowhere/at/all,limit=8M", 1);
    refuse((verso_native_options)VERSO_NATIVE_OPTIONS_INIT, "cannot create '/nowhere/at/all/");
    setenv("VERSO_MEMORY", "64M", 1);
    refuse((verso_native_options)VERSO_NATIVE_OPTIONS_INIT, "leave out either");
    unsetenv("VERSO_MEMORY");
    setenv("VERSO_OFFLOAD", "/tmp,limit", 1);
    refuse((verso_native_options)VERSO_NATIVE_OPTIONS_INIT, "VERSO_OFFLOAD: 'limit' is not an option");
    unsetenv("VERSO_OFFLOAD");
}

static void checked(void) {
    verso_native_options within = {
        .size = sizeof(verso_native_options), .offload_directory = directory, .offload_memory = LIMIT};
    verso_native_report made = VERSO_NATIVE_REPORT_INIT;
    verso_check_options options = {
        .size = sizeof(verso_check_options), .within = &within, .within_report = &made, .cuts = 3, .every = 1};
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_status status = verso_check_gradient(recursion, x, SIZE, &options, &report, &error);
    EXPECT(status == VERSO_STATUS_OK && report.within && report.within_holds, "verso_check: %s", error.message);
    EXPECT(made.offload_bytes > 0, "nothing was offloaded");
}

int main(void) {
    if (!mkdtemp(directory))
        return 1;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        check(&programs[i]);
    refusals();
    checked();
    rmdir(directory);
    return failed;
}
