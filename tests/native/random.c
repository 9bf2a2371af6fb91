/* The main program of tests/native/native_random.sh, linked with programs that tests/native/generator wrote.
 * Differentiates each in a process of its own, and prints a line for each that is wrong.
 *
 * The programs branch on their numbers, so finite differences prove little. Reverse mode is compared with tangent mode,
 * which is a separate transformation, and with reverse mode that is cut at safepoints. Exit status: 0, or 1 if one is
 * wrong. */
#include "../support/cuts.h"
#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>
#include <verso/native.h>

static verso_error error; /* of the last call that failed */

enum { INPUTS = 6, MANY_SAFEPOINTS = 300 };

typedef double (*random_program)(const double *, size_t);
extern const random_program random_programs[];
extern const unsigned long long random_first, random_count;

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

/* Runs in the process of the program: prints what is wrong and ends the process. */
static void expect(bool condition, const char *what, double found, double expected) {
    if (!condition) {
        printf("%s: %.17g instead of %.17g\n", what, found, expected);
        fflush(stdout);
        _exit(1);
    }
}

static void expect_ok(verso_status status, const char *what) {
    if (status != VERSO_STATUS_OK) {
        printf("%s: %s: %s\n", what, verso_status_name(status), error.message);
        fflush(stdout);
        _exit(1);
    }
}

static void check_cuts(random_program f, const double *x, const double *gradient) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (uint64_t seed = 3; seed >= 1; seed--) { /* the first tells how many safepoints there are */
        bool all = seed == 1 && report.safepoints <= MANY_SAFEPOINTS;
        double cut[INPUTS];
        expect_ok(verso_gradient(f, x, INPUTS, cut, cut_at(all ? UINT64_MAX : 4 * seed, seed), &report, &error), "cut");
        for (int i = 0; i < INPUTS; i++)
            expect(same_bits(cut[i], gradient[i]), "a cut sweep has other bits", cut[i], gradient[i]);
    }
}

static void check_at(random_program f, const double *x, const double *direction) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT, tangent_report = VERSO_NATIVE_REPORT_INIT;
    double y = f(x, INPUTS), gradient[INPUTS], tangent, dot = 0, size = 0;
    expect_ok(verso_gradient(f, x, INPUTS, gradient, NULL, &report, &error), "gradient");
    expect(same_bits(report.value, y), "value while recording", report.value, y);
    expect_ok(verso_directional(f, x, INPUTS, direction, &tangent, &tangent_report, &error), "tangent");
    expect(same_bits(tangent_report.value, y), "value in tangent mode", tangent_report.value, y);
    for (int i = 0; i < INPUTS; i++) {
        dot += gradient[i] * direction[i];
        size += fabs(gradient[i] * direction[i]);
    }
    expect(fabs(dot - tangent) <= 1e-5 * size, "gradient times direction", dot, tangent);
    check_cuts(f, x, gradient);
    expect(same_bits(f(x, INPUTS), y), "value afterwards", f(x, INPUTS), y);
}

static void check(random_program f) {
    static const double points[2][INPUTS] = {{0.31, -0.52, 0.73, 0.14, -0.85, 0.66},
                                             {-0.91, 0.27, -0.05, 0.78, 0.43, -0.6}};
    static const double direction[INPUTS] = {0.7, -0.4, 0.9, -1.1, 0.6, 0.8};
    for (int k = 0; k < 2; k++)
        check_at(f, points[k], direction);
}

int main(void) {
    int wrong = 0;
    for (unsigned long long i = 0; i < random_count; i++) {
        int status = 0;
        fflush(stdout);
        pid_t child = fork();
        if (child == 0) {
            printf("seed %llu: ", random_first + i);
            check(random_programs[i]);
            _exit(0);
        }
        if (child < 0 || waitpid(child, &status, 0) < 0) {
            perror("random");
            return 2;
        }
        if (WIFSIGNALED(status))
            printf("seed %llu: signal %d\n", random_first + i, WTERMSIG(status));
        wrong += status != 0;
    }
    return wrong ? 1 : 0;
}
