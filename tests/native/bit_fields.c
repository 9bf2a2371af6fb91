/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Bit-fields beside numbers, in one struct and in one word with a float. */
#include <math.h>
#include <stddef.h>

typedef struct cell {
    unsigned fixed : 1, colour : 3;
    int level : 6;
    double value;
    unsigned long long count : 40, rest : 24;
    float weight;
    unsigned char flags : 2;
} cell;

static void relax(cell *c, const cell *left, const cell *right) {
    c->count++;
    if (c->fixed)
        return;
    c->value = 0.5 * (left->value + right->value) + 0.1 * c->level * sin(c->value);
    c->colour = (c->colour + 3) & 7;
    c->level = c->level > 5 ? -5 : c->level + 2;
    c->flags = (unsigned char)(c->colour & 3);
}

double f(const double *x, size_t n) {
    cell cells[4] = {{0}};
    for (size_t i = 0; i < n; i++) {
        cells[i].value = x[i];
        cells[i].fixed = i == 0;
        cells[i].colour = i & 7;
        cells[i].weight = 0.5f;
        cells[i].level = (int)i - 2;
    }
    for (int sweep = 0; sweep < 4; sweep++)
        for (size_t i = 0; i < n; i++)
            relax(&cells[i], &cells[(i + n - 1) % n], &cells[(i + 1) % n]);
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += cells[i].value * cells[i].value * (1 + cells[i].colour) * cells[i].weight + cells[i].flags * x[i] +
               (double)cells[i].count;
    return sum;
}
