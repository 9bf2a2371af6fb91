/* The main program of tests/native/native_openmp.sh, linked with programs that generate.c wrote.
 *
 * main FILE writes the gradients of all programs, which were compiled without OpenMP. main FILE --compare, with
 * programs that were compiled with OpenMP, reads them. It compares with them, up to rounding, the gradients of the
 * same programs, and these with tangent mode; and to the bit, gradients that are cut at safepoints, and within little
 * memory, and with threads that are delayed. Exit status: 0, or 1 if one is wrong. */
#include "../../support/cuts.h"

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <verso/native.h>

enum { INPUTS = 6 };

typedef double (*random_program)(const double *, size_t);
extern const random_program random_programs[];
extern const unsigned long long random_first, random_count;

static verso_error error;
static unsigned long long seed; /* of the current program */
static bool wrong;

static void expect(bool condition, const char *what, double found, double expected) {
    if (condition)
        return;
    printf("WRONG seed %llu: %s: %.17g instead of %.17g\n", seed, what, found, expected);
    wrong = true;
}

static void gradient_of(random_program f, const double *x, double *gradient, const verso_native_options *options,
                        verso_native_report *report) {
    verso_status status = verso_gradient(f, x, INPUTS, gradient, options, report, &error);
    if (status == VERSO_STATUS_OK)
        return;
    printf("WRONG seed %llu: %s\n", seed, error.message);
    wrong = true;
    for (int i = 0; i < INPUTS; i++)
        gradient[i] = NAN;
}

/* Delays threads where they begin, end and wait (native/sweep/team.h), now and then. */
extern void (*verso__native_team_pause)(void);
static void delay(void) {
    static _Atomic unsigned long long moments;
    unsigned long long mixed = ++moments * 0x9e3779b97f4a7c15u;
    struct timespec time = {.tv_nsec = (long)(mixed >> 49)};
    if (mixed >> 33 & 1)
        nanosleep(&time, NULL);
}

static double most_of(const double *numbers) {
    double most = 1;
    for (int i = 0; i < INPUTS; i++)
        most = fmax(most, fabs(numbers[i]));
    return most;
}

static void expect_bits(const double *found, const double *gradient, const char *what) {
    for (int i = 0; i < INPUTS; i++)
        expect(memcmp(&found[i], &gradient[i], sizeof *found) == 0, what, found[i], gradient[i]);
}

static void check(random_program f, const double *x, const double *serial) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    double gradient[INPUTS], again[INPUTS], tangent = 0, dot = 0, direction[INPUTS];
    gradient_of(f, x, gradient, NULL, &report);
    double value = f(x, INPUTS), most = most_of(serial);
    expect(fabs(value - report.value) <= 1e-9 * fmax(1, fabs(value)), "value", report.value, value);
    for (int i = 0; i < INPUTS; i++)
        expect(fabs(gradient[i] - serial[i]) <= 1e-9 * most, "gradient", gradient[i], serial[i]);
    for (int i = 0; i < INPUTS; i++) {
        direction[i] = sin(7.0 * i + (double)seed);
        dot += direction[i] * gradient[i];
    }
    verso_directional(f, x, INPUTS, direction, &tangent, NULL, NULL);
    expect(fabs(dot - tangent) <= 1e-9 * most, "tangent mode", tangent, dot);
    verso__native_team_pause = delay;
    gradient_of(f, x, again, NULL, NULL);
    verso__native_team_pause = NULL;
    expect_bits(again, gradient, "with delays, other bits");
    gradient_of(f, x, again, cut_at(5, seed), NULL);
    expect_bits(again, gradient, "cut, other bits");
    verso_run_options run;
    verso_run_options_init(&run);
    verso_schedule_spec_init(&run.spec, VERSO_KIND_ONLINE);
    run.spec.slots = 2;
    verso_native_options options = {.size = sizeof options, .run = &run, .leaf = report.tape_bytes / 7 + 1};
    gradient_of(f, x, again, &options, NULL);
    expect_bits(again, gradient, "in steps, other bits");
}

int main(int argc, char **argv) {
    bool compare = argc == 3 && strcmp(argv[2], "--compare") == 0;
    FILE *file = argc >= 2 ? fopen(argv[1], compare ? "rb" : "wb") : NULL;
    if (file == NULL) {
        fprintf(stderr, "usage: main FILE [--compare]\n");
        return 2;
    }
    const double x[INPUTS] = {0.9, 1.3, 0.4, -0.7, 1.1, 0.6};
    for (unsigned long long i = 0; i < random_count; i++) {
        seed = random_first + i;
        double serial[INPUTS] = {0};
        if (!compare)
            gradient_of(random_programs[i], x, serial, NULL, NULL);
        if (compare ? fread(serial, sizeof serial, 1, file) != 1 : fwrite(serial, sizeof serial, 1, file) != 1) {
            printf("WRONG seed %llu: no file\n", seed);
            wrong = true;
        }
        if (compare)
            check(random_programs[i], x, serial);
    }
    return fclose(file) != 0 || wrong;
}
