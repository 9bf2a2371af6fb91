/* at: 0.7,1.1,0.25,2.0
 * memset over numbers that had been computed: they are gone, and so is their derivative; then the memory is used again.
 */
#include <math.h>
#include <stddef.h>
#include <string.h>

typedef struct grid {
    double cells[8];
    int generation;
    double total;
} grid;

double f(const double *x, size_t n) {
    grid g;
    double sum = 0;
    memset(&g, 0, sizeof g);
    for (int round = 0; round < 4; round++) {
        for (int i = 0; i < 8; i++)
            g.cells[i] += x[(size_t)i % n] * sin(x[round] + i);
        g.total += g.cells[round] * g.cells[7 - round];
        sum += g.total;
        memset(g.cells + round, 0, (size_t)(8 - 2 * round) * sizeof *g.cells);
        if (round == 2) {
            int generation = g.generation;
            memset(&g, 0, sizeof g);
            g.generation = generation;
        }
        g.generation++;
    }
    for (int i = 0; i < 8; i++)
        sum += g.cells[i] * g.generation;
    return sum;
}
