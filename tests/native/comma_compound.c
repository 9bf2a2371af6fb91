/* at: 0.5,1.2,-0.7
 * Compound assignments to everything that can be assigned, the comma, increments inside expressions, sizeof. */
#include <stddef.h>

struct cell {
    double value, history[2];
};

double f(const double *x, size_t n) {
    struct cell cells[3] = {{0}}, *at = cells;
    double total = 0, *into = &total;
    int i = 0;
    for (const double *from = x; i < (int)n; i++, from++) {
        at->value += *from, at->history[i & 1] -= 2 * *from;
        (at++)->value *= 1.5 - *from;
    }
    for (i = 0; i < (int)(sizeof cells / sizeof cells[0]); ++i)
        *into += (cells[i].history[1] /= 1 + x[0] * x[0], cells[i].value * cells[i].value + cells[i].history[1]);
    double chained, twice;
    chained = twice = total *= 1.25;
    twice /= (chained -= x[1], chained + 3);
    double side[2] = {x[2], 4};
    int index = 0;
    side[index++] *= twice;
    side[index--] -= chained;
    return total + side[0] * side[1] + (double)sizeof side * twice + index;
}
