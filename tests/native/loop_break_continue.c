/* at: 0.5,-1.2,0.3,2.1,-0.7,0.9
 * break and continue, in loops inside loops. */
#include <math.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double sum = 0, product = 1;
    for (size_t i = 0; i < n; i++) {
        if (x[i] < 0)
            continue;
        for (size_t j = 0; j < n; j++) {
            if (j == i)
                continue;
            if (x[j] > 2)
                break;
            product *= 1 + 0.1 * x[i] * x[j];
            if (product > 1.5) {
                product = sqrt(product);
                continue;
            }
            sum += product * x[j];
        }
        sum += sin(x[i]);
        if (sum > 50)
            break;
    }
    return sum + product;
}
