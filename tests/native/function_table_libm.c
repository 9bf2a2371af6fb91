/* at: 0.7,1.1,0.25
 * The C library's own functions in a table, beside one of ours, called through pointers. */
#include <math.h>
#include <stddef.h>

static double cube(double u) {
    return u * u * u;
}

typedef struct entry {
    const char *name;
    double (*function)(double);
} entry;

static const entry functions[] = {{"sin", sin}, {"cos", cos},   {"exp", exp},   {"cube", cube}, {"sqrt", sqrt},
                                  {"log", log}, {"tanh", tanh}, {"fabs", fabs}, {"atan", atan}};

static double compose(double (*outer)(double), double (*inner)(double), double u) {
    return outer(1.5 + inner(u));
}

double f(const double *x, size_t n) {
    size_t count = sizeof functions / sizeof functions[0];
    double sum = 0;
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < n; j++)
            sum += compose(functions[i].function, functions[(i + j) % count].function, x[j]) * (double)(j + 1);
    double (*two)(double, double) = x[0] > 10 ? hypot : pow;
    return sum + two(x[0], x[1]) + two(x[1], x[2]);
}
