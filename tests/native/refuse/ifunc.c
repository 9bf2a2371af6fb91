/* at: 0.7,1.1
 * refused: link
 * flags: -fno-inline
 * message: ifunc\.c:[0-9]+: .*chosen is chosen when the program is loaded.*VERSO_CUSTOM_ADJOINT
 * A function that the loader chooses among several. */
#include <math.h>
#include <stddef.h>

static double first(double u) {
    return sin(u);
}

static double second(double u) {
    return sin(u + 1) * 0.5;
}

typedef double (*function)(double);

static function choose(void) {
    __builtin_cpu_init();
    return __builtin_cpu_supports("avx2") ? first : second;
}

double chosen(double u) __attribute__((ifunc("choose")));

double f(const double *x, size_t n) {
    return chosen(x[0]) * x[n - 1];
}
