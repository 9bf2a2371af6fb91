/* bench/fortran: measures one program. Prints "NAME,LANGUAGE,primal seconds,gradient ÷ primal,within a budget ÷ primal,
 * recording in bytes". Ratios are those of the least of several runs, taken in turn. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <verso/native.h>

double f(const double *x, size_t n);

static double now(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void fail(const verso_error *error) {
    fprintf(stderr, "%s\n", error->message);
    exit(1);
}

int main(int argc, char **argv) {
    size_t n = strtoull(argv[2], NULL, 10);
    uint64_t memory = strtoull(argv[3], NULL, 10);
    double *x = malloc(n * sizeof *x), *g = malloc(n * sizeof *g), least[3] = {INFINITY, INFINITY, INFINITY};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    volatile double sink = 0;
    verso_error error;
    if (argc < 5)
        return 2;
    for (size_t i = 0; i < n; i++)
        x[i] = 0.5 + 0.3 * sin(1.7 * (double)i);
    for (int round = 0; round < 7; round++) {
        double begin = now();
        sink += f(x, n);
        least[0] = fmin(least[0], now() - begin);
        begin = now();
        if (verso_gradient(f, x, n, g, NULL, &report, &error) != VERSO_STATUS_OK)
            fail(&error);
        least[1] = fmin(least[1], now() - begin);
        if (memory == 0)
            continue;
        verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
        options.memory = memory;
        begin = now();
        if (verso_gradient(f, x, n, g, &options, NULL, &error) != VERSO_STATUS_OK)
            fail(&error);
        least[2] = fmin(least[2], now() - begin);
    }
    printf("%s,%s,%.4g,%.2f,", argv[1], argv[4], least[0], least[1] / least[0]);
    if (memory == 0)
        printf(",%zu\n", report.tape_bytes);
    else
        printf("%.2f,%zu\n", least[2] / least[0], report.tape_bytes);
    return 0;
}
