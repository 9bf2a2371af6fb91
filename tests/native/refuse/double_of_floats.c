/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: double_of_floats\.c:1[0-9]: the bytes of the floating-point number that is written here are used as those of
 * another type Two floats are read as a double. */
#include <stddef.h>
#include <string.h>

static void put(float *to, double number) {
    *to = (float)number;
}

static double both(const float *pair) {
    double number;
    memcpy(&number, pair, sizeof number);
    return number;
}

double f(const double *x, size_t n) {
    float pair[2];
    put(&pair[0], x[0]);
    put(&pair[1], x[n - 1]);
    return both(pair) * x[1];
}
