/* at: 0.45,0.521,0.592,0.663,0.734
 * Loops that compute integers only, between ones that compute numbers; what they leave in globals steers the rest. */
#include <math.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static long count;
static double table[8];

static uint32_t scramble(uint32_t h) {
    for (uint32_t k = 0, end = 50 + (h >> 28); k < end; k++) {
        h ^= h << 13;
        h ^= h >> 17;
        h ^= h << 5;
        count += h & 1;
    }
    return h;
}

double f(const double *x, size_t n) {
    count = 0;
    memset(table, 0, sizeof table);
    double r = x[1];
    for (uint32_t i = 0; i < 12; i++) {
        uint32_t h = scramble(i * 2654435761u + 1);
        table[h & 7] = table[h & 7] * 0.5 + r * x[h % (uint32_t)n];
        if (count % 3 == 0)
            r = cos(r + table[count & 7]);
        else
            r = r * 0.99 + table[(count >> 2) & 7] * table[h & 7] * 0.1;
    }
    return r + table[3] * table[5];
}
