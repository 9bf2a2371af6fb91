/* flags: -fopenmp
 * link: -fopenmp
 * verso_check says that a program with a race does not return the same number twice, and accepts one that adds in any
 * order. */
#include <math.h>
#include <omp.h>
#include <stdio.h>
#include <verso/native.h>

enum { MANY = 2000 };

/* The threads overwrite each other's additions, also while they record, so not even the dot product must hold. */
static double races(const double *x, size_t n) {
    double sum = 0;
    volatile double *shared = &sum;
#pragma omp parallel for num_threads(4) schedule(dynamic)
    for (int i = 0; i < MANY; i++) {
        double before = *shared;
        for (int k = 0; k < 100; k++)
            before += 1e-3 * sin(x[i % (int)n] + k);
        *shared = before;
    }
    return sum;
}

static double adds(const double *x, size_t n) {
    double sum = 0;
#pragma omp parallel for num_threads(4) schedule(dynamic) reduction(+ : sum)
    for (int i = 0; i < MANY; i++)
        sum += sin(x[i % (int)n] * i);
    return sum;
}

static int check(double (*f)(const double *, size_t), bool expected, const char *name) {
    const double x[3] = {0.4, 1.1, 0.7};
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_error error = {.message = ""};
    verso_status status = f == races ? verso_check_gradient(races, x, 3, NULL, &report, &error)
                                     : verso_check_gradient(adds, x, 3, NULL, &report, &error);
    if (status == VERSO_STATUS_OK && report.value_holds == expected && (report.dot_holds || !expected))
        return 0;
    printf("%s: %s, value holds: %d, dot: %d; plain %.17g, recorded %.17g, bound %g\n", name, error.message,
           report.value_holds, report.dot_holds, report.value_plain, report.value_recorded, report.value_bound);
    return 1;
}

int main(void) {
    return check(races, false, "races") + check(adds, true, "adds");
}
