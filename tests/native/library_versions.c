/* at: 0.37,0.83,1.9,-0.61
 * Functions of the C library of which Verso has versions of its own, in all three types: what they return must have the
 * bits of the real ones, which the harness sees, because the sum is returned by both. */
#define _GNU_SOURCE
#include <complex.h>
#include <math.h>
#include <search.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMPLEX(X) \
    X(cexp) \
    X(clog) \
    X(csqrt) \
    X(csin) \
    X(ccos) \
    X(ctan) \
    X(csinh) X(ccosh) X(ctanh) X(casin) X(cacos) X(catan) X(casinh) X(cacosh) X(catanh) X(clog10) X(conj) X(cproj)

#define DEFINE_SUM(T, S) \
    static double complex_sum##S(T re, T im) { \
        T complex z = __builtin_complex(re, im), sum = 0; \
        COMPLEX(ADD##S) \
        sum += cpow##S(z, z / (2 + z)) * (cabs##S(z) + carg##S(z)); \
        return (double)(creal##S(sum) + 2 * cimag##S(sum)); \
    } \
    static double real_sum##S(T a, T b) { \
        T whole, sine, cosine, rest = modf##S(a * 7, &whole); \
        int exponent, quotient, sign; \
        sincos##S(b, &sine, &cosine); \
        T sum = rest * whole + frexp##S(b * 5, &exponent) + remquo##S(a * 9, b, &quotient) + sine * cosine; \
        return (double)(sum + lgamma##S##_r(a - 2, &sign)) + exponent + quotient + sign; \
    }
#define ADD(name) sum += name(z);
#define ADDf(name) sum += name##f(z);
#define ADDl(name) sum += name##l(z);
DEFINE_SUM(double, )
DEFINE_SUM(float, f)
DEFINE_SUM(long double, l)

static int compare(const void *a, const void *b) {
    double u = *(const double *)a, v = *(const double *)b;
    return (u > v) - (u < v);
}

/* Sorted, searched, duplicated, printed, grown. */
static double memory_sum(const double *x, size_t n) {
    double *copy = reallocarray(NULL, n + 1, sizeof *copy), key = x[1];
    void *aligned = NULL;
    char *text = NULL, *twin = strdup("abcdef");
    if (copy == NULL || twin == NULL || posix_memalign(&aligned, 64, n * sizeof *x) != 0 ||
        asprintf(&text, "%zu %s", n, twin) < 0)
        abort();
    char *end = mempcpy(copy, x, n * sizeof *x);
    qsort(copy, n, sizeof *copy, compare);
    const double *found = bsearch(&key, copy, n, sizeof *copy, compare);
    size_t count = n;
    key = x[0] * x[1];
    const double *added = lsearch(&key, copy, &count, sizeof *copy, compare);
    memcpy(aligned, copy, n * sizeof *x);
    double sum = *found * 3 + *added + ((double *)aligned)[0] * copy[n - 1] + (double)(strlen(text) + count);
    sum += (double)(end - (char *)copy) * x[2];
    free(copy);
    free(aligned);
    free(text);
    free(twin);
    return sum;
}

double f(const double *x, size_t n) {
    double sum = memory_sum(x, n);
    for (size_t i = 0; i + 1 < n; i++) {
        sum += complex_sum(x[i], x[i + 1]) + complex_suml(x[i], x[i + 1]);
        sum += real_sum(x[i], x[i + 1]) + real_suml(x[i], x[i + 1]);
    }
    /* Floats hide the order of the remainder: only their values matter here. */
    return sum + 1e-3 * (complex_sumf(0.375f, 0.8125f) + real_sumf(0.375f, -0.8125f));
}
