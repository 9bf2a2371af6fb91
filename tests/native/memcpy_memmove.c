/* at: 0.7,1.1,0.25,2.0,0.4
 * memcpy, memmove with overlap in both directions, sizes known and not, of floats and doubles. */
#include <math.h>
#include <stddef.h>
#include <string.h>

static void insert_at(double *array, size_t count, size_t at, double value) {
    memmove(array + at + 1, array + at, (count - at) * sizeof *array);
    array[at] = value;
}

static void remove_at(double *array, size_t count, size_t at) {
    memmove(array + at, array + at + 1, (count - at - 1) * sizeof *array);
}

double f(const double *x, size_t n) {
    double a[12], b[12] = {0};
    float small[4] = {(float)x[0] * 0, 1, 2, 3}, moved[4];
    memcpy(a, x, n * sizeof *x);
    insert_at(a, n, 1, a[0] * a[2]);
    insert_at(a, n + 1, 0, sin(a[3]));
    remove_at(a, n + 2, 4);
    memcpy(b + 2, a, 4 * sizeof *a);
    memmove(b, b + 1, 6 * sizeof *b);
    memcpy(moved, small + 1, 3 * sizeof *small);
    memcpy(moved + 3, small, sizeof *small);
    memcpy(b + 8, b, 0);
    double sum = 0;
    for (int i = 0; i < 6; i++)
        sum += a[i] * b[i] * (i + 1) + moved[i & 3];
    return sum;
}
