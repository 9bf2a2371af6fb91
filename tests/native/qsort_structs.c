/* at: 0.7,1.1,0.25,2.0,-0.3,1.6,0.9
 * noise: 2e-6
 * qsort of structs that carry numbers and other things, of pointers, and of indices. */
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

typedef struct particle {
    char name[6];
    float mass;
    double energy;
    int index;
} particle;

static int by_energy(const void *a, const void *b) {
    const particle *p = a, *q = b;
    return p->energy < q->energy ? -1 : p->energy > q->energy;
}

static int by_name(const void *a, const void *b) {
    return strcmp((*(particle *const *)a)->name, (*(particle *const *)b)->name);
}

static int backwards(const void *a, const void *b) {
    return *(const int *)b - *(const int *)a;
}

double f(const double *x, size_t n) {
    particle all[8], *pointers[8];
    int order[8];
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        all[i] = (particle){"p", (float)(0.5 * x[i]), x[i] * x[i] + x[0], (int)i};
        all[i].name[1] = (char)('a' + i * 5 % 7);
        all[i].name[2] = '\0';
        pointers[i] = &all[i];
        order[i] = (int)(i * 3 % n);
    }
    qsort(all, n, sizeof *all, by_energy);
    qsort(pointers, n, sizeof *pointers, by_name);
    qsort(order, n, sizeof *order, backwards);
    for (size_t i = 0; i < n; i++) {
        sum += all[i].energy * (double)(i + 1) + all[i].mass * pointers[i]->energy;
        sum += x[order[i]] * pointers[order[i]]->index * 0.1;
    }
    return sum;
}
