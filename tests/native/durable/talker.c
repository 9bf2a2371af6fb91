/* A durable run that meets the outside world, for tests/native/native_durable.sh: it asks clocks and random numbers,
 * which are other ones in every process, and says a line a round.
 *
 *     talker WAY DIRECTORY STEPS     a process goes on for so many steps; 0: to the end
 *
 *     quiet   nothing else            notes   appends to a file, which it opens and closes each time
 *     keeps   keeps a file open       reads   a number a round from standard input
 *     moves   changes its folder      environment   asks for a variable
 * Exits with 3 when it was suspended. Else f is linear in x with factors that came from outside, which it has kept. */
#include <inttypes.h>
#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>
#include <verso/native.h>

enum { ROUNDS = 60, INPUTS = 3 };

static const char *way;
static double factor[INPUTS];

static double ask(int round) {
    struct timespec now;
    double line = 1;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (strcmp(way, "reads") == 0 && scanf("%lf", &line) != 1)
        line = -1;
    return line + (double)(now.tv_nsec % 1000) + (double)(rand() % 100) + (double)(round % 3);
}

static void say(int round) {
    printf("round %d\n", round);
    if (strcmp(way, "notes") != 0)
        return;
    FILE *notes = fopen("notes", "a");
    if (notes == NULL)
        abort();
    fprintf(notes, "note %d\n", round);
    fclose(notes);
}

/* Some work, so that a round is a few steps. */
static double turn(double y) {
    for (int i = 0; i < 100; i++)
        y = exp(log(y));
    return y;
}

static double f(const double *x, size_t n) {
    double sum = 0;
    FILE *kept = strcmp(way, "keeps") == 0 ? fopen("kept", "w") : NULL;
    if (strcmp(way, "moves") == 0 && chdir("elsewhere") != 0)
        abort();
    if (strcmp(way, "environment") == 0 && getenv("HOME") == NULL)
        abort();
    for (int round = 0; round < ROUNDS; round++) {
        double given = ask(round);
        factor[round % INPUTS] += given;
        sum += given * turn(x[(size_t)round % n]);
        say(round);
        if (kept != NULL)
            fprintf(kept, "kept %d\n", round);
    }
    if (kept != NULL)
        fclose(kept);
    return sum;
}

int main(int count, char **words) {
    verso_run_options run;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    double x[INPUTS] = {0.5, 0.25, 2}, gradient[INPUTS];
    if (count != 4)
        return 2;
    way = words[1];
    srand(7);
    verso_run_options_init(&run);
    run.spec.kind = VERSO_KIND_ONLINE;
    run.spec.slots = 3;
    run.directory = words[2];
    run.step_limit = strtoull(words[3], NULL, 10);
    verso_native_options options = {.size = sizeof(verso_native_options), .run = &run, .leaf = 2000};
    verso_status status = verso_gradient(f, x, INPUTS, gradient, &options, &report, &error);
    if (status != VERSO_STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        return status == VERSO_STATUS_SUSPENDED ? 3 : 1;
    }
    for (int i = 0; i < INPUTS; i++)
        if (!(gradient[i] > 0.999999 * factor[i] && gradient[i] < 1.000001 * factor[i])) {
            fprintf(stderr, "the derivative by x[%d] is %.17g, f was given %.17g\n", i, gradient[i], factor[i]);
            return 1;
        }
    fprintf(stderr, "steps %" PRIu64 ", gradient %a %a %a\n", report.steps, gradient[0], gradient[1], gradient[2]);
    return 0;
}
