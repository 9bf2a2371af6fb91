/* Places that coincide only at run time; checks at run time find each. */
#include <verso/rev.h>

rev static void add_square(double *y, double v) {
    *y += v * v;
}

rev void turned(double *x, passive int i, passive int j) {
    rot(x[i], x[j], 0.3);
}

rev void passed(double *x, passive int i, passive int j) {
    add_square(&x[i], x[j]);
}

rev void started(double *x, int *k, passive int i, passive int j) {
    for (int m = k[i]; m < 5; m++) {
        x[m] += x[0] * m;
        k[j] -= 1;
    }
}

rev void kept(double *y, double *x, passive int i, passive int j) {
    const double h = x[i];
    x[j] += *y;
    *y += h * h;
}
