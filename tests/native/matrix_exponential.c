/* at: random:9:-0.8:0.8
 * The exponential of a matrix by scaling, a series until terms are small, and squaring; matrices as structs by value.
 */
#include <math.h>
#include <stddef.h>

typedef struct matrix {
    double m[3][3];
} matrix;

static matrix multiply(matrix a, matrix b) {
    matrix c = {{{0}}};
    for (int i = 0; i < 3; i++)
        for (int j = 0; j < 3; j++)
            for (int k = 0; k < 3; k++)
                c.m[i][j] += a.m[i][k] * b.m[k][j];
    return c;
}

static double norm(const matrix *a) {
    double largest = 0;
    for (int i = 0; i < 3; i++) {
        double row = 0;
        for (int j = 0; j < 3; j++)
            row += fabs(a->m[i][j]);
        largest = row > largest ? row : largest;
    }
    return largest;
}

static matrix exponential(matrix a) {
    int squarings = 0;
    while (norm(&a) > 0.5) {
        for (int i = 0; i < 9; i++)
            a.m[i / 3][i % 3] *= 0.5;
        squarings++;
    }
    matrix sum = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}}, term = sum;
    for (int k = 1; norm(&term) > 1e-17; k++) {
        term = multiply(term, a);
        for (int i = 0; i < 9; i++) {
            term.m[i / 3][i % 3] /= k;
            sum.m[i / 3][i % 3] += term.m[i / 3][i % 3];
        }
    }
    while (squarings-- > 0)
        sum = multiply(sum, sum);
    return sum;
}

double f(const double *x, size_t n) {
    matrix a;
    for (size_t i = 0; i < n; i++)
        a.m[i / 3][i % 3] = x[i] + 0.3 * x[(i + 1) % n];
    matrix e = exponential(a);
    return e.m[0][0] * e.m[1][2] + e.m[2][1] + log(e.m[0][0] * e.m[0][0] + 1) * e.m[1][1];
}
