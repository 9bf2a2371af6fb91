/* at: 0.11,0.23,0.35,0.47,0.59,0.61,0.73,0.85,0.97,1.09,1.21
 * Duff's device: a switch that jumps into a loop. */
#include <stddef.h>

static double weighted_sum(const double *from, size_t count) {
    double sum = 0;
    size_t rounds = (count + 3) / 4;
    switch (count % 4) {
    case 0:
        do {
            sum = sum * 0.9 + *from * *from;
            from++;
            /* fall through */
        case 3:
            sum = sum * 0.8 + *from++;
            /* fall through */
        case 2:
            sum = sum * sum * 0.1 + *from++;
            /* fall through */
        case 1: sum += 0.3 * *from++;
        } while (--rounds > 0);
    }
    return sum;
}

double f(const double *x, size_t n) {
    double total = 0;
    for (size_t count = 1; count <= n; count++)
        total += weighted_sum(x, count);
    return total;
}
