/* x^n by n multiplications in place (listing 16 of the paper). Products of floating-point numbers cannot be undone
 * exactly, those of log numbers can; no stack is needed. */
#include "examples/rev/host.h"

#include <verso/rev.h>

/* The reversible function is in the library. */
#ifdef VERSO_REV_GENERATED
#include "library/lognumbers.c"
#else
#include "library/lognumbers.rev.c"
#endif

int main(void) {
    const int exponents[] = {3, 10, 1000};
    for (int i = 0; i < 3; i++) {
        double x = 1.01, y = 0;
        int n = exponents[i];
        rev_power(&y, &x, n);
        printf("%g^%d = %.12g (pow: %.12g)", x, n, y, pow(x, n));
#ifdef VERSO_REV_GENERATED
        double x_bar = 0, y_bar = 1;
        rev_power_adj(&y, &y_bar, &x, &x_bar, n);
        printf(", derivative %.12g (exactly: %.12g), value afterwards %g", x_bar, n * pow(x, n - 1), y);
#endif
        printf("\n");
    }
    return 0;
}
