/* Five adjacent arrays in one, passed to one function: gcc 12 at -O3 inlines it, merges stores of neighbours, and
 * generates wrong code if both are `restrict`. Generated code must prevent that. Also compiled with -DSTORAGE="static
 * inline". */
#include <stdio.h>
#include <verso/rev.h>

enum { FEW = 3, MORE = 4, XB = 0, XA = 3, B1 = 8, B2 = 34, SUMS = 37, ALL = 41 };

rev void spread(double *restrict xb, const double *restrict xa, const double *restrict b1, const double *restrict b2,
                double *restrict sums, passive int few, passive int more) {
    compute {
        for (int h = 0; h < more; h++) {
            sums[h] += b1[h];
        }
        for (int j = 0; j < few; j++) {
            sums[j] += xa[j];
        }
    }
    use {
        for (int i = 0; i < few; i++) {
            xb[i] += b2[i];
            for (int h = 0; h < more; h++) {
                xb[i] += sums[h];
            }
        }
    }
}

#ifdef VERSO_REV_GENERATED
static void gradient(double *v, double *b) {
    spread_adj(v + XB, b + XB, v + XA, b + XA, v + B1, b + B1, v + B2, b + B2, v + SUMS, b + SUMS, FEW, MORE);
}

int main(void) {
    void (*volatile run)(double *, double *) = gradient; /* so that the arrays are not known there */
    double v[ALL] = {0}, b[ALL] = {0};
    for (int i = 0; i < FEW; i++)
        b[XB + i] = 1;
    run(v, b);
    for (int h = 0; h < MORE; h++)
        if (b[B1 + h] != FEW || (h < FEW && (b[XA + h] != FEW || b[B2 + h] != 1)))
            return printf("restrict: the gradient is wrong at %d\n", h), 1;
    return 0;
}
#endif
