/* at: 0.5,1.2,-0.3,0.8
 * Counted loops: upwards, downwards, by steps, triangular, three deep, with bounds that are computed. */
#include <math.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    int count = (int)n;
    double sum = 0, table[4][4];
    for (int i = 0; i < count; i++)
        for (int j = 0; j < count; j++)
            table[i][j] = sin(x[i]) * x[j] + (double)(i - j);
    for (int i = count - 1; i >= 0; i--)
        for (int j = 0; j <= i; j++)
            sum = 0.9 * sum + table[i][j] * x[j];
    for (int i = 0; i < count; i += 2)
        for (int j = i; j < count; j++)
            for (int k = j; k > i; k--)
                sum += table[i][j] * table[j][k] * 0.01;
    for (int i = 1, j = count; i < j; i++, j--)
        sum *= 1 + 0.1 * x[i] * x[j - 1];
    return sum;
}
