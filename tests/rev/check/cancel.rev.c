/* Correct functions that are hard to check: second derivatives that cancel, ancillas that are emptied by algebra, a
 * table of zeros in braces. */
#include <math.h>
#include <verso/rev.h>

rev void rearranged(double *y, const double *u) {
    *y += tanh(u[0] * u[1]) * u[0];
    *y -= u[0] * tanh(u[1] * u[0]);
}

rev void exponents(double *y, const double *u) {
    *y += exp(u[0]) * exp(u[1]);
    *y -= exp(u[0] + u[1]);
}

rev void squares(double *y, const double *u) {
    *y += (u[0] + u[1]) * (u[0] - u[1]);
    *y -= u[0] * u[0] - u[1] * u[1];
}

rev void negated(double *y, double *x) {
    anc double t = 0;
    t += *x;
    *y += t * t;
    neg(*x);
    t += *x;
}

rev void table(double *y, const double *x) {
    anc double d[2][2] = {{0}, {0}};
    compute {
        for (int i = 0; i < 2; i++)
            d[i][1 - i] += x[i] * x[i];
    }
    use {
        *y += d[0][1] * d[1][0];
    }
}
