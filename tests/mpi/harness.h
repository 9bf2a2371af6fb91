/* What the programs of tests/mpi share: each function f is differentiated by all ranks, with inputs of unequal length,
 * and compared with itself in other ways.
 *
 *   check      verso_check: dot product with tangent mode, Taylor, cuts at other places on each rank
 *   budgets    the same bits with a budget, steps of another length on each rank, and checkpointed calls */
#ifndef TESTS_MPI_HARNESS_H
#define TESTS_MPI_HARNESS_H

#include <math.h>
#include <mpi.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

static int rank, size, failures;

enum { MOST = 64 };

static double x[MOST], gradient[MOST], other[MOST];
static size_t n;

static void stop(const char *name, const char *what, verso_status status, const verso_error *error) {
    if (status == VERSO_STATUS_OK)
        return;
    fprintf(stderr, "rank %d: %s: %s: %s\n", rank, name, what, error->message);
    MPI_Abort(MPI_COMM_WORLD, 1);
}

static void expect(bool holds, const char *name, const char *what) {
    failures += !holds;
    if (!holds)
        fprintf(stderr, "rank %d: %s: %s\n", rank, name, what);
}

static void test_check(const char *name, double (*f)(const double *, size_t)) {
    verso_check_options options = VERSO_CHECK_OPTIONS_INIT;
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_error error;
    options.every = 200;
    stop(name, "check", verso_check_gradient(f, x, n, &options, &report, &error), &error);
    expect(report.holds, name, "verso_check does not hold");
    if (!report.holds && rank == 0)
        fprintf(stderr, "  value %d dot %d (%.17g %.17g) taylor %d cuts %d\n", report.value_holds, report.dot_holds,
                report.dot_reverse, report.dot_tangent, report.taylor_holds, report.cuts_hold);
}

/* Compares the gradient within a budget, which has steps of another length on each rank. */
static void test_budget(const char *name, double (*f)(const double *, size_t), uint64_t memory, uint64_t leaf,
                        const char *what) {
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_run_options run;
    verso_error error;
    verso_run_options_init(&run);
    run.automatic = false;
    verso_schedule_spec_init(&run.spec, VERSO_KIND_ONLINE);
    options.memory = memory;
    options.leaf = leaf;
    options.ranks = VERSO_RANKS_SUM;
    options.run = leaf > 0 ? &run : NULL;
    stop(name, what, verso_gradient(f, x, n, other, &options, &report, &error), &error);
    expect(memcmp(gradient, other, n * sizeof *x) == 0, name, what);
}

static void switch_sites(bool on) {
    for (size_t i = 0; i < verso_site_count(); i++)
        if (!verso_site_get(i).always)
            verso_site_set(i, on);
}

static void test(const char *name, double (*f)(const double *, size_t)) {
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    verso_error error;
    n = (size_t)(6 + rank % 3);
    for (size_t i = 0; i < n; i++)
        x[i] = 0.3 + 0.7 * sin(1.0 + (double)i + 2.3 * rank);
    options.ranks = VERSO_RANKS_SUM;
    stop(name, "gradient", verso_gradient(f, x, n, gradient, &options, NULL, &error), &error);
    test_check(name, f);
    test_budget(name, f, 40000000, 0, "another gradient within a large budget");
    test_budget(name, f, 8000000, (uint64_t)(4096 + 1024 * rank), "another gradient within a budget");
    switch_sites(true);
    test_budget(name, f, 0, 0, "another gradient with checkpointed calls");
    switch_sites(false);
}

/* Lets every number of x count on every rank: a function of the received numbers that is not linear. */
static inline double mix(const double *numbers, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (1 + 0.1 * (double)i) * numbers[i] * numbers[i] + 0.3 * sin(numbers[i]);
    return sum * (1 + 0.25 * rank);
}

static int finish(void) {
    int all;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    if (rank == 0)
        printf("%s\n", all == 0 ? "PASS" : "FAIL");
    MPI_Finalize();
    return all != 0;
}

static void begin(int argc, char **argv) {
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
}

#define TEST(F) test(#F, F)

#endif
