/* at: 0.3,1.1
 * link: -rdynamic
 * durable: dlsym returns memory of the C library
 * Functions that are found by their names: the program's own and the C library's, by constants and by names that are
 * put together. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <stdio.h>

typedef double one(double);
typedef double two(double, double);

double kernel_cube(double v);
double kernel_mixed(double v, double w);

double kernel_cube(double v) {
    return v * v * v;
}

double kernel_mixed(double v, double w) {
    return v * sin(w) + w;
}

static void *find(const char *first, const char *second) {
    char name[32];
    snprintf(name, sizeof name, "%s%s", first, second);
    return dlsym(dlopen(NULL, RTLD_NOW), name);
}

double f(const double *x, size_t n) {
    one *cube = (one *)dlsym(RTLD_DEFAULT, "kernel_cube"), *sine = (one *)dlsym(RTLD_DEFAULT, "sin");
    two *power = (two *)dlsym(RTLD_DEFAULT, "pow"), *mixed = (two *)find("kernel_", "mixed");
    one *cosine = (one *)find("c", "os");
    if (cube == NULL || sine == NULL || power == NULL || mixed == NULL || cosine == NULL || find("no", "such") != NULL)
        return -1;
    return cube(x[0]) + sine(x[n - 1]) * power(x[1], 2.5) + mixed(x[0], x[1]) * cosine(x[0]);
}
