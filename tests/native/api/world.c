/* What comes from outside and is not the same twice: clocks, entropy, random numbers without a seed. f keeps what
 * it was given; its derivative is exactly that, if runs that are repeated are given it again. */
#define _GNU_SOURCE
#include "expect.h"

#include "../../support/cuts.h"
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/resource.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>
#include <verso/native.h>

enum { SOURCES = 11 };

static double given[SOURCES];

static double from_outside(int source) {
    struct timespec point;
    struct timeval moment;
    struct rusage usage;
    time_t seconds;
    unsigned drawn;
    switch (source) {
    case 0: return (double)time(NULL);
    case 1: return time(&seconds), (double)seconds;
    case 2: return clock_gettime(CLOCK_MONOTONIC, &point), (double)point.tv_nsec;
    case 3: return gettimeofday(&moment, NULL), (double)moment.tv_usec;
    case 4: return getrusage(RUSAGE_SELF, &usage), (double)usage.ru_utime.tv_usec;
    case 5: return getrandom(&drawn, sizeof drawn, 0), (double)drawn;
    case 6: return (double)clock();
    case 7: return (double)rand();
    case 8: return drand48();
    case 9: return seconds = time(NULL), (double)localtime(&seconds)->tm_sec;
    default: return (double)getpid();
    }
}

static double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        given[i] = from_outside((int)i);
        sum += given[i] * x[i];
    }
    return sum;
}

static void check(const verso_native_options *options) {
    double x[SOURCES], gradient[SOURCES];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int i = 0; i < SOURCES; i++)
        x[i] = 0.25 + i;
    EXPECT_OK(verso_gradient(f, x, SOURCES, gradient, options, &report, &error));
    for (int i = 0; i < SOURCES; i++)
        EXPECT(gradient[i] == given[i], "source %d gave %.17g, its derivative is %.17g", i, given[i], gradient[i]);
}

/* Every run of a check draws the same numbers, too. */
static double draws(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sin(x[i] * drand48()) + (double)rand() / RAND_MAX * x[i] * x[i];
    return sum;
}

static void check_draws(void) {
    double x[3] = {0.5, 0.25, 1};
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    EXPECT_OK(verso_check_gradient(draws, x, 3, NULL, &report, &error));
    EXPECT(report.holds, "dot %g %g, order %g, %llu of the cut derivatives differ", report.dot_tangent,
           report.dot_reverse, report.taylor_order, (unsigned long long)report.cut_difference);
}

/* A run that is copied and resumed receives the same answers as the first time. */
static void run(void *context) {
    double x[SOURCES] = {0};
    (void)context;
    f(x, SOURCES);
}

static void check_resuming(void) {
    verso_execution *execution;
    verso_execution_copy *copies[SOURCES]; /* not a global: those are put back */
    double first[SOURCES];
    verso_error error = {0};
    bool ended = false;
    EXPECT(verso_execution_open(run, NULL, NULL, 0, &execution, &error) == VERSO_STATUS_OK, "%s", error.message);
    for (int i = 0; i < SOURCES; i++) {
        EXPECT(verso_execution_capture(execution, &copies[i], &error) == VERSO_STATUS_OK, "%s", error.message);
        EXPECT(verso_execution_run(execution, 1, NULL, &ended, &error) == VERSO_STATUS_OK, "%s", error.message);
    }
    EXPECT(verso_execution_run(execution, UINT64_MAX, NULL, &ended, &error) == VERSO_STATUS_OK && ended, "%s",
           error.message);
    memcpy(first, given, sizeof first);
    for (int i = SOURCES; i-- > 0;) {
        verso_execution_resume(execution, copies[i]);
        verso_execution_copy_free(copies[i]);
        EXPECT(verso_execution_run(execution, UINT64_MAX, NULL, &ended, &error) == VERSO_STATUS_OK, "%s",
               error.message);
        EXPECT(memcmp(first, given, sizeof first) == 0, "resumed from step %d it was given something else", i);
    }
    verso_execution_close(execution);
}

int main(void) {
    check_resuming();
    srand48(11);
    srand(1);
    check_draws();
    for (unsigned seed = 1; seed < 20; seed++) {
        check(cut_at(UINT64_MAX, 0));
        check(cut_at(1 + seed % 6, seed));
    }
    int next = rand(), after;
    srand(1);
    for (int i = 0; i < 38; i++)
        (void)rand();
    after = rand();
    EXPECT(next == after, "the generator went on with %d, not with %d", next, after);
    printf("\n");
    return failed;
}
