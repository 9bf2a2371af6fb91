/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Structs too large for registers by value: the callee has a copy that it may change. */
#include <math.h>
#include <stddef.h>

typedef struct matrix {
    double m[4];
    int turns;
    const double *origin;
} matrix;

static matrix turn(matrix a, double s) {
    for (int i = 0; i < 4; i++)
        a.m[i] = a.m[i] * s + a.m[(i + 1) & 3];
    a.turns++;
    return a;
}

static double spoil(matrix a) {
    double sum = 0;
    for (int i = 0; i < 4; i++) {
        a.m[i] = sin(a.m[i] * a.m[3 - i]);
        sum += a.m[i];
    }
    a.turns = -1;
    return sum;
}

static double deeper(matrix a, matrix b, int depth) {
    a.m[depth] += b.m[0];
    return depth == 0 ? a.m[0] * b.m[1] : deeper(b, a, depth - 1) + a.m[1];
}

double f(const double *x, size_t n) {
    (void)n;
    matrix a = {{x[0], x[1], x[2], x[3]}, 0, x}, b = a;
    double r = 0;
    for (int i = 0; i < 5; i++) {
        a = turn(a, 0.2 + 0.1 * sin(r));
        r += spoil(a) * a.m[i & 3];
    }
    return r + a.turns + deeper(a, b, 3) + *a.origin;
}
