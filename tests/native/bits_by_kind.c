/* at: 0.7,-1.1,0.25,1.9
 * flags: -fno-inline
 * An array of unions; what each of them holds depends on numbers. Integers are computed in it, too, and some of them
 * are numbers. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef union cell {
    double number;
    uint64_t bits;
    struct {
        uint32_t low, high;
    } half;
} cell;

static void step(cell *at, const cell *from, double x) {
    if (x > 1)
        at->number = from->number * x; /* whatever that was */
    else if (x > 0.5)
        at->bits = from->bits; /* as it was */
    else if (x > 0)
        at->bits = from->bits ^ UINT64_C(0x8000000000000000);
    else
        at->bits = UINT64_C(0x3ff0000000000000) | (uint64_t)(-x * 4) << 48;
}

static void mix(uint64_t *seeds, size_t count) {
    for (size_t i = 0; i < count; i++)
        seeds[i] = seeds[(i + 1) % count] * UINT64_C(6364136223846793005) + 1442695040888963407u;
}

double f(const double *x, size_t n) {
    cell cells[6];
    uint64_t seeds[3] = {1, 2, 3};
    double sum = 0;
    for (size_t i = 0; i < 6; i++)
        cells[i].number = x[i % n];
    for (size_t turn = 0; turn < 30; turn++) {
        double by = x[turn % n] * (turn % 7 < 3 ? 1 : -0.8);
        step(&cells[turn % 6], &cells[(turn * 5 + 1) % 6], by);
        sum += cells[turn % 6].number * x[(turn + 2) % n];
        if (turn % 4 == 3) {
            mix(seeds, 3);
            cells[turn % 5].bits = UINT64_C(0x3ff0000000000000) | seeds[turn % 3] >> 12;
        }
        if (turn % 10 == 9) {
            cells[2].half.low = (uint32_t)seeds[0] * 3;
            cells[2].half.high = 0x3ff00000u | (uint32_t)seeds[1] >> 12;
            sum += cells[2].number * x[0];
        }
    }
    return sum;
}
