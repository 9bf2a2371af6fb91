/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Assignment of structs with padding between and after their members: bytes that were never written are copied, too. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct holes {
    char kind;
    double value;
    short code;
    float weight;
    char last;
} holes;

typedef struct outer {
    int id;
    holes inner[2];
} outer;

static void set(holes *h, char kind, double value) {
    h->kind = kind;
    h->value = value;
    h->code = 7;
    h->weight = 0.5f;
    h->last = 'z';
}

double f(const double *x, size_t n) {
    outer *all = malloc(n * sizeof *all), swap;
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        all[i].id = (int)i;
        set(&all[i].inner[0], 'a', x[i]);
        set(&all[i].inner[1], 'b', sin(x[i]));
    }
    for (size_t i = 0; i < n; i++) {
        swap = all[i];
        all[i] = all[(i * 3 + 1) % n];
        all[(i * 3 + 1) % n] = swap;
        all[i].inner[0] = all[i].inner[1];
        all[i].inner[1].value *= swap.inner[0].value;
    }
    for (size_t i = 0; i < n; i++)
        for (int k = 0; k < 2; k++)
            sum += all[i].inner[k].value * all[i].inner[k].weight * (all[i].inner[k].kind - 'a' + 1) * (all[i].id + 1);
    free(all);
    return sum;
}
