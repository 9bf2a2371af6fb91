/* at: 1.1,40.5
 * large: 1.1,3000.5
 * noise: 1e-9
 * Listing 1 of the divide-and-conquer paper: an inner loop whose length varies wildly from one outer iteration to the
 * next. x[1] is how many outer iterations, so its derivative is zero. */
#include <math.h>
#include <stddef.h>

static int ilog2(double n) {
    return (int)(log(n) / log(2.0));
}

double f(const double *x, size_t n) {
    (void)n;
    int iterations = (int)x[1];
    double y = x[0];
    for (int i = 1; i <= iterations; i++) {
        double scrambled = fmod(x[0] * x[0] * x[0] * (double)i * 1007.0, (double)iterations);
        int inner = 1 << (ilog2(iterations) - ilog2(1 + (int)scrambled));
        for (int j = 1; j <= inner; j++) {
            y = y * y;
            y = sqrt(y);
        }
    }
    return y;
}
