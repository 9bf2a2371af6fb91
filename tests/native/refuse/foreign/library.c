/* A library that is not compiled with `verso cc`: the runner compiles it with the plain compiler. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>

typedef double (*variadic_function)(int, ...);
struct large;
typedef double (*caller)(double (*callback)(struct large), const double *x);

double mystery(double u);
void mystery_array(const double *from, double *to, size_t count);
double *mystery_memory(void);
variadic_function mystery_variadic(void);
caller mystery_caller(void);
int mystery_counter(void);
void mystery_constant(double *into);
double mystery_root(const double *x, size_t n);

double mystery(double u) {
    return sin(u) / (1 + u * u);
}

void mystery_array(const double *from, double *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = mystery(from[i]);
}

double *mystery_memory(void) {
    static double memory[64];
    return memory;
}

/* ---- What calls back, or can only be reached through a pointer ---- */

typedef struct large {
    double values[8];
} large;

static double sum_of(int count, ...) {
    va_list arguments;
    double sum = 0;
    va_start(arguments, count);
    while (count-- > 0)
        sum += va_arg(arguments, double);
    va_end(arguments);
    return sum;
}

variadic_function mystery_variadic(void) {
    return sum_of;
}

static double by_value(double (*callback)(large), const double *x) {
    large l = {{x[0], x[1], 1, 2, 3, 4, 5, 6}};
    return callback(l);
}

caller mystery_caller(void) {
    return by_value;
}

int mystery_counter(void) {
    static int calls;
    return ++calls;
}

double mystery_root(const double *x, size_t n) {
    return x[0] * x[n - 1];
}

void mystery_constant(double *into) {
    *into = 7;
}
