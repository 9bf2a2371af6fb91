/* at: random:24:0.3:1.8
 * noise: 1e-6
 * Loads of a vector, and of lanes of it: LLVM takes the latter from the former as bits of an integer of 512 bits. */
#include <stddef.h>
#include <string.h>

typedef double eight __attribute__((vector_size(64)));
typedef double two __attribute__((vector_size(16)));
typedef float floats __attribute__((vector_size(64)));
typedef float four __attribute__((vector_size(16)));

static double of_floats(const float *y) {
    floats all;
    four some;
    float one;
    memcpy(&all, y, sizeof all);
    memcpy(&some, y + 5, sizeof some);
    memcpy(&one, y + 11, sizeof one);
    all = all * all;
    return all[0] * some[1] + all[7] * some[3] + one * some[0];
}

double f(const double *x, size_t n) {
    double s = 0;
    float y[16];
    for (size_t i = 0; i + 8 <= n; i++) {
        eight all;
        two pair;
        double one;
        memcpy(&all, x + i, sizeof all);
        memcpy(&pair, x + i + 3, sizeof pair);
        memcpy(&one, x + i + 6, sizeof one);
        all = all * all;
        s += all[1] * pair[0] + all[5] * pair[1] * one;
    }
    for (int i = 0; i < 16; i++)
        y[i] = (float)(x[(size_t)i % n] * x[1]);
    return s + of_floats(y);
}
