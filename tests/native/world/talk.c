/* A function that talks while it is differentiated, for tests/cli/world.sh: reads its weights from standard input in
 * every way there is, says what it does on standard output and standard error, and keeps a log file. Then the gradient.
 *
 *     talk CUTS MEMORY LOG <INPUT     either may be 0 */
#define _GNU_SOURCE
#include "../../support/cuts.h"
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <verso/native.h>

enum { INPUTS = 4 };

static const char *log_name;
static int (*say_it)(const char *, ...) = printf; /* through a pointer, too */

static void note(FILE *log, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    vfprintf(log, format, arguments);
    va_end(arguments);
}

static double smooth(const double *x, size_t n, double weight) {
    double sum = 0;
    for (int repeats = 0; repeats < 500; repeats++)
        for (size_t i = 0; i < n; i++)
            sum += sin(weight * x[i] + 0.01 * sum) * x[i];
    return sum;
}

static double next_weight(int way) {
    static char *line;
    static size_t room;
    char text[64];
    double weight = 0;
    switch (way) {
    case 0:
        if (scanf("%lf ", &weight) != 1)
            weight = -1;
        return weight;
    case 1: return getline(&line, &room, stdin) > 0 ? atof(line) : -1;
    case 2: return fgets(text, sizeof text, stdin) ? strtod(text, NULL) : -1;
    default:
        for (int c; (c = getchar()) != EOF && c != '\n';)
            weight = weight * 10 + (c - '0');
        return weight;
    }
}

static void say(int way, double weight, double sum) {
    switch (way) {
    case 0: printf("weight %g, sum %.17g\n", weight, sum); break;
    case 1:
        puts("a line");
        fflush(stdout);
        if (write(STDOUT_FILENO, "unbuffered\n", 11) != 11)
            abort();
        break;
    case 2: say_it("through a pointer: %g %s %d\n", weight, "text", way); break;
    default:
        putchar('*');
        fputs(" end of round\n", stdout);
        fprintf(stderr, "round ends with %.17g\n", sum);
    }
}

static double f(const double *x, size_t n) {
    double sum = 0;
    FILE *log = fopen(log_name, "w");
    if (!log)
        return 0;
    for (int i = 0; i < 40; i++) {
        double weight = next_weight(i % 4);
        sum += smooth(x, n, weight);
        say(i % 4, weight, sum);
        note(log, "%d: %g %s\n", i, weight, i % 2 ? "odd" : "even");
    }
    fclose(log);
    return sum;
}

int main(int argc, char **argv) {
    double x[INPUTS] = {0.7, 1.1, 0.25, -0.5}, gradient[INPUTS];
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    if (argc != 4)
        return 2;
    uint64_t cuts = strtoull(argv[1], NULL, 10);
    options.memory = strtoull(argv[2], NULL, 10);
    log_name = argv[3];
    static char buffer[1 << 12]; /* of the program, which capsules put back */
    setvbuf(stdout, buffer, _IOFBF, sizeof buffer);
    printf("before\n");
    (void)cut_at(cuts, 3);
    if (verso_gradient(f, x, INPUTS, gradient, &options, &report, &error) != VERSO_STATUS_OK) {
        printf("refused: %s\n", error.message);
        return 1;
    }
    printf("value %a gradient", report.value);
    for (int i = 0; i < INPUTS; i++)
        printf(" %a", gradient[i]);
    printf("\nleft over: %d\n", getchar());
    if (cuts == 0 && options.memory == 0)
        return report.recordings != 1;
    return report.recordings < 2;
}
