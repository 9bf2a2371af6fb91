/* Heat in a ring, from a field of temperatures: the functions that the examples of `verso grad --help` differentiate.
 *
 * Warmer parts conduct better, so the equation is nonlinear. Nothing in this file prepares for differentiation:
 *
 *     build/verso grad examples/native/heat.c:misfit --at @examples/native/field.txt --set steps=500
 */
#include <stddef.h>
#include <stdlib.h>

static void diffuse(const double *from, double *to, size_t n) {
    for (size_t i = 0; i < n; i++) {
        const double left = from[i > 0 ? i - 1 : n - 1], right = from[i + 1 < n ? i + 1 : 0];
        const double conductivity = 0.1 + 0.05 * from[i] * from[i];
        to[i] = from[i] + conductivity * (left - 2 * from[i] + right);
    }
}

/* Returns the sum of the squared differences between the temperatures after `steps` steps and 0.5. */
double misfit(const double *field, size_t n, int steps) {
    double *now = malloc(n * sizeof *now), *next = malloc(n * sizeof *next), sum = 0;
    if (!now || !next)
        abort();
    for (size_t i = 0; i < n; i++)
        now[i] = field[i];
    for (int step = 0; step < steps; step++) {
        diffuse(now, next, n);
        double *swap = now;
        now = next;
        next = swap;
    }
    for (size_t i = 0; i < n; i++)
        sum += (now[i] - 0.5) * (now[i] - 0.5);
    free(now);
    free(next);
    return sum;
}

/* One step, in place. */
void step(double *u, size_t n) {
    double *next = malloc(n * sizeof *next);
    if (!next)
        abort();
    diffuse(u, next, n);
    for (size_t i = 0; i < n; i++)
        u[i] = next[i];
    free(next);
}
