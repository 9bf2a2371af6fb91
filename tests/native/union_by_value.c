/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * A bare union of float and double by value. */
#include <math.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
typedef union fd {
    float f;
    double d;
} fd;
static fd mf(double v) {
    fd r;
    r.f = (float)v;
    return r;
}
static fd md(double v) {
    fd r;
    r.d = v;
    return r;
}
static double gf(fd a) {
    return (double)a.f;
}
static double gd(fd a) {
    return a.d;
}
static fd pass(fd a) {
    return a;
}
double f(const double *x, size_t n) {
    (void)n;
    return gf(pass(mf(x[0] * x[1]))) * x[2] + gd(pass(md(x[2] * x[3]))) * x[0];
}
