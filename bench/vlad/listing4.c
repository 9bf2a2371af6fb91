/* The same work in the same structure: lists, of which each change copies the beginning. */
#include <stdio.h>
#include <stdlib.h>

typedef struct cell {
    double number;
    struct cell *row, *next;
} cell;

static char *pool, *end; /* nothing is freed */

static cell *make(double number, cell *row, cell *next) {
    if (pool == end) {
        pool = malloc(1 << 20);
        end = pool + (1 << 20) / sizeof(cell) * sizeof(cell);
    }
    cell *made = (cell *)(void *)pool;
    pool += sizeof(cell);
    *made = (cell){number, row, next};
    return made;
}

static cell *ref(cell *l, int i) {
    return i == 0 ? l : ref(l->next, i - 1);
}

static cell *set(cell *l, int i, double number, cell *row) {
    return i == 0 ? make(number, row, l->next) : make(l->number, l->row, set(l->next, i - 1, number, row));
}

static double matrix_ref(cell *a, int i, int j) {
    return ref(ref(a, i)->row, j)->number;
}

static cell *matrix_set(cell *a, int i, int j, double x) {
    return set(a, i, 0, set(ref(a, i)->row, j, x, NULL));
}

int main(void) {
    int n;
    if (scanf("%d", &n) != 1)
        return 1;
    cell *b = NULL;
    double d = 1;
    for (int i = 0; i < n; i++) {
        cell *row = NULL;
        for (int j = 0; j < n; j++)
            row = make(i == j, NULL, row);
        b = make(0, row, b);
    }
    for (int i = 0; i < n; i++) {
        double c = matrix_ref(b, i, i);
        for (int j = i; j < n; j++)
            b = matrix_set(b, i, j, matrix_ref(b, i, j) / c);
        for (int j = i + 1; j < n; j++) {
            double e = matrix_ref(b, j, i);
            for (int k = i + 1; k < n; k++)
                b = matrix_set(b, j, k, matrix_ref(b, j, k) - e * matrix_ref(b, i, k));
        }
        d *= c;
    }
    printf("%.17g\n", d);
}
