/* at: 0.4,0.6,1.5
 * Loops whose body never runs, or runs once, beside ones that run. */
#include <stddef.h>

static double power(double base, int exponent) {
    double result = 1;
    for (int i = 0; i < exponent; i++)
        result *= base;
    return result;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (int exponent = -1; exponent < 4; exponent++)
        for (size_t i = 0; i < n; i++)
            sum += power(x[i], exponent) * (double)(i + 1);
    for (size_t i = n; i < n; i++)
        sum *= x[i];
    while (sum < 0)
        sum += x[0];
    for (int i = 0; i < 1; i++)
        sum += sum * x[2];
    return sum;
}
