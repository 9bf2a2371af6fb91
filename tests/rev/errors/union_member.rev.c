#include <verso/rev.h>

typedef union both {
    double d;
    float f[2];
} both;

rev void f(both *b, double *x) {
    *x += b->d;
}
