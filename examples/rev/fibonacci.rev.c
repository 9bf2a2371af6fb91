/* A recursive reversible function: the Fibonacci numbers by counting leaves, after listing 11 of the paper. Its inverse
 * subtracts what it has added, call by call. */
#include "examples/rev/host.h"

#include <verso/rev.h>

/* *out += the n-th number of 1, 1, 2, 3, 5, ..., by the sum of all numbers before n - 1, and 1. */
rev void fibonacci(long *out, passive int n) {
    if (n >= 1) {
        anc int counter = n;
        from(counter == n) while (counter > 1) {
            fibonacci(out, counter - 2);
            counter--;
        }
        drop counter == 1;
    }
    *out += 1;
}

int main(void) {
    for (int n = 0; n <= 25; n += 5) {
        long out = 0;
        fibonacci(&out, n);
        printf("fibonacci(%d) = %ld", n, out);
#ifdef VERSO_REV_GENERATED
        fibonacci_inv(&out, n);
        printf(", and back: %ld", out);
#endif
        printf("\n");
    }
    return 0;
}
