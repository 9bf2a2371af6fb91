/* at: 0.7,1.1,0.25,2.0
 * Structs with a flexible array at their end, copied and grown as a whole. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct vector {
    size_t length;
    double scale;
    double items[];
} vector;

static vector *make(const double *x, size_t n, double scale) {
    vector *v = malloc(sizeof *v + n * sizeof v->items[0]);
    v->length = n;
    v->scale = scale;
    for (size_t i = 0; i < n; i++)
        v->items[i] = x[i] * scale;
    return v;
}

static vector *append(vector *v, double item) {
    v = realloc(v, sizeof *v + (v->length + 1) * sizeof v->items[0]);
    v->items[v->length++] = item / v->scale;
    return v;
}

static vector *duplicate(const vector *v) {
    size_t size = sizeof *v + v->length * sizeof v->items[0];
    return memcpy(malloc(size), v, size);
}

double f(const double *x, size_t n) {
    vector *v = make(x, n, x[0]);
    for (int i = 0; i < 6; i++)
        v = append(v, sin(v->items[i]));
    vector *w = duplicate(v);
    v->items[2] = 0;
    double sum = w->scale;
    for (size_t i = 0; i < v->length; i++)
        sum += v->items[i] * w->items[w->length - 1 - i];
    free(v);
    free(w);
    return sum;
}
