/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline
 * message: float_of_double\.c:1[0-9]: the bytes of the floating-point number that is written here are used as those of
 * another type Half a double is read as a float. */
#include <stddef.h>
#include <string.h>

static void put(double *to, double number) {
    *to = number;
}

static float half_of(const double *number) {
    float half;
    memcpy(&half, (const char *)number + 4, sizeof half);
    return half;
}

double f(const double *x, size_t n) {
    double kept;
    put(&kept, x[0] * x[n - 1]);
    return (double)half_of(&kept) * x[1];
}
