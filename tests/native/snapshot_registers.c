/* Arguments of checkpointed calls in all registers and on the stack: numbers of all kinds, integers, pointers, vectors,
 * structs, and more than there are registers; and errno, which is a part of the state, too.
 * at: 0.7,1.1,0.35
 * noise: 1e-6 */
#include <errno.h>
#include <stddef.h>

#define APART __attribute__((noinline)) static

typedef double pair __attribute__((vector_size(16)));
typedef struct both {
    double a;
    int i;
} both;
typedef struct triple {
    double a, b, c;
} triple;

APART double many(double a, int i, double b, double *u, double c, long k, double d, double *v, double e, char h,
                  double g, double *w, double l, double *y, double m, double o, double *z, double p, int j) {
    u[i] += a * b, v[0] *= c + d, w[1] += e * g, y[k] = l * m * y[k], z[j] += o * p * h;
    return a * v[0] + b * u[i] + w[1] * y[k] - z[j] * p;
}

APART float narrow(float a, double b, float c, float *to) {
    *to += a * c;
    return *to * (float)b;
}

APART long double wide(long double a, double b, long double *to, long double c) {
    *to = *to * a + c * b;
    return *to - a;
}

APART pair vectors(pair a, double b, pair c, pair *to) {
    *to += a * c;
    return *to * b;
}

APART both structs(both s, triple t, double *to) {
    to[s.i] += s.a * t.b * t.c;
    return (both){to[s.i] * t.a, s.i + 1};
}

APART double fails(double q) {
    if (q > 1.5)
        errno = ERANGE;
    return q * q + errno * 1e-3;
}

double f(const double *x, size_t n) {
    double u[6], sum = 0;
    float narrowed = (float)x[0];
    long double widened = x[1];
    pair two = {x[1], x[2]};
    for (int i = 0; i < 6; i++)
        u[i] = x[(size_t)i % n] + 1;
    errno = 0;
    for (int k = 0; k < 3; k++) {
        sum += many(x[0], k, x[1], u, x[2], 1, u[2], u + 1, 0.3, 2, u[k], u + 2, 0.7, u + 3, x[k], 0.2, u, 0.1, 5 - k);
        sum += (double)narrow((float)x[1], x[k], 0.5f, &narrowed);
        sum += (double)wide(x[2], 0.25, &widened, x[k]);
        two = vectors(two, x[0], (pair){x[2], 0.5}, &two) * 0.1;
        both given = structs((both){x[k], k}, (triple){0.1, x[1], 0.2}, u);
        sum += given.a * given.i + two[0] * two[1] + fails(x[k] + k);
    }
    return sum + u[0] * u[1] + u[4] * u[5];
}
