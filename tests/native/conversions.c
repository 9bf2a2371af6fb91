/* at: 0.7,1.1,0.25,2.0
 * noise: 2e-6
 * Conversions between float, double and long double in all places where they happen, casts and implicit ones. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>

static float narrow(double u) {
    return (float)u;
}

static double widen(float u) {
    return u;
}

static long double extend(float u, double v) {
    return u * v;
}

double f(const double *x, size_t n) {
    float single = (float)x[0], singles[2] = {(float)x[1], 1};
    long double extended = x[2];
    int8_t byte = (int8_t)(x[3] * 2.25);
    uint16_t word = (uint16_t)(x[3] * 700.3 / 300);
    single += (float)x[1];
    single *= 1.5f;
    singles[1] = single * (float)extended;
    extended += single;
    double sum = single * x[1] + widen(narrow(x[2] * x[2])) + (double)extend(singles[1], x[0]);
    sum += byte + word * x[0] + (float)n * 0.5f * singles[0] + (double)(extended * extended);
    return sum + (_Bool)x[0] * x[3] + (x[1] > 1) * 2.5 * x[2] + (char)2 + (sum > 0 ? single : x[0]);
}
