/* at: 0.7,-1.1,0.25,2.3
 * fast: it begins with infinity
 * Functions with kinks, away from them: fmin, fmax, fabs, fdim, copysign, floor, fmod, remainder. */
#include <math.h>
#include <stddef.h>

static double clamp(double u, double low, double high) {
    return u < low ? low : u > high ? high : u;
}

double f(const double *x, size_t n) {
    double sum = 0, largest = -INFINITY, smallest = INFINITY;
    for (size_t i = 0; i < n; i++) {
        largest = fmax(largest, x[i] * x[i]);
        smallest = fmin(smallest, sin(x[i]));
        sum += fabs(x[i]) * fdim(x[i], 0.1) + clamp(x[i], -0.5, 1.5) * x[0];
        sum += copysign(x[i] * x[i], x[1]) + fmod(x[i] * 3, 0.8) * x[2] + remainder(x[i], 0.9);
        sum += (x[i] - floor(x[i])) * (ceil(x[i]) - x[i]) + round(x[i]) * trunc(x[i]) * x[3];
    }
    return sum + largest * smallest + fmax(x[0], nan("")) + fmin(nan(""), x[1]);
}
