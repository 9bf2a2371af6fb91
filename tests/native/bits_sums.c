/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Sums of the bits of numbers that functions give back as integers. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>
static uint64_t bits_of(double a) {
    uint64_t b;
    memcpy(&b, &a, 8);
    return b;
}
static double number_of(uint64_t b) {
    double a;
    memcpy(&a, &b, 8);
    return a;
}
static uint64_t scaled(double a, int e) {
    return bits_of(a) + ((uint64_t)e << 52);
}
static uint64_t again(uint64_t b, int e) {
    return b + ((uint64_t)e << 52);
}
static uint64_t loaded(const uint64_t *b, int e) {
    return *b - ((uint64_t)e << 52);
}
static uint64_t twice(uint64_t b, int e, int times) {
    return times ? twice(again(b, e), e, times - 1) : b;
}
static size_t index_of(size_t i, size_t j, size_t n) {
    return i * n + j;
}
typedef uint64_t change(uint64_t, int);
static change *changes[] = {again, again};
double f(const double *x, size_t n) {
    double s = 0, grid[16];
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            grid[index_of(i, j, n)] = x[i] * x[j];
    for (size_t i = 0; i < n; i++) {
        uint64_t b = bits_of(grid[index_of(i, i, n)]);
        s += number_of(scaled(x[i], 1)) * x[0] + number_of(again(b, -1)) * x[1] + number_of(loaded(&b, 2));
        s += number_of(twice(b, 1, 2)) * x[2] + number_of(changes[i % 2](b, 1));
    }
    return s;
}
