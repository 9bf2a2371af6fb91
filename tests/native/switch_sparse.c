/* at: 0.6,1.1
 * switch over values far apart, over characters and enumerators, and one with cases only in a nested block. */
#include <math.h>
#include <stddef.h>

enum shape { SQUARE = 4, CIRCLE = 'o', STAR = -77, LINE = 1000000 };

static double area(enum shape shape, double size) {
    switch (shape) {
    case SQUARE: return size * size;
    case CIRCLE: return 3.14159 * size * size * 0.25;
    case STAR: {
        double inner = size * 0.4;
        return 5 * inner * sqrt(size * size - inner * inner);
    }
    case LINE: break;
    }
    return 0;
}

static double term(long key, double u) {
    switch (key) {
    case -1000000007L: return sin(u);
    case 0: return u;
    case 17: return u * u;
    case 4000000000L: return 1 / u;
    default: return exp(-u);
    }
}

double f(const double *x, size_t n) {
    (void)n;
    static const enum shape shapes[] = {STAR, SQUARE, LINE, CIRCLE, STAR};
    static const long keys[] = {17, 5, 0, 4000000000L, -1000000007L};
    double sum = 0;
    for (int i = 0; i < 5; i++)
        sum += area(shapes[i], x[0] * (i + 1)) * term(keys[i], x[1] + sum * 0.01);
    return sum;
}
