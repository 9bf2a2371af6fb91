/* at: 0.71,1.17
 * noise: 1e-6
 * flags: -O0
 * Numbers at odd addresses, in a packed struct. From -O2 on, LLVM keeps them in registers, and they are followed. */
#include <stddef.h>

struct __attribute__((packed)) record {
    char kind;
    double value;
    short count;
    float weight;
};

double f(const double *x, size_t n) {
    struct record records[5];
    double sum = 0;
    for (int i = 0; i < 5; i++) {
        records[i].kind = (char)i;
        records[i].value = x[(size_t)i % n] * i;
        records[i].count = (short)i;
        records[i].weight = (float)x[0];
    }
    for (int i = 0; i < 5; i++)
        sum += records[i].value * records[i].value + records[i].weight * records[i].count;
    return sum;
}
