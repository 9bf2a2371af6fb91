/* at: 0.7,1.1,0.25,2.0,-0.4,1.5,0.9
 * A search tree on the heap: inserted by recursion through pointers to pointers, folded, freed. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct tree {
    double key, weight;
    struct tree *children[2];
} tree;

static void insert(tree **at, double key) {
    if (!*at) {
        *at = calloc(1, sizeof **at);
        (*at)->key = key;
        (*at)->weight = 1 / (1 + key * key);
        return;
    }
    (*at)->weight += 0.1 * key;
    insert(&(*at)->children[key > (*at)->key], key);
}

static double fold(const tree *t, int depth) {
    if (!t)
        return 0;
    return t->weight * sin(t->key) + 0.5 * fold(t->children[0], depth + 1) * depth + fold(t->children[1], depth + 1);
}

static void release(tree *t) {
    if (t) {
        release(t->children[0]);
        release(t->children[1]);
        free(t);
    }
}

double f(const double *x, size_t n) {
    tree *root = NULL;
    for (size_t i = 0; i < n; i++)
        insert(&root, x[i]);
    insert(&root, x[0] * x[1]);
    double sum = fold(root, 1);
    release(root);
    return sum;
}
