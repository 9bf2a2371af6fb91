/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * A hash table from names to numbers on the heap: chains, growth with rehashing, removal. */
#include <math.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct entry {
    struct entry *next;
    double value;
    char name[8];
} entry;

typedef struct table {
    entry **buckets;
    size_t size, count;
} table;

static size_t hash(const char *name) {
    size_t h = 5381;
    while (*name)
        h = h * 33 + (unsigned char)*name++;
    return h;
}

static void grow(table *t) {
    table larger = {calloc(2 * t->size + 2, sizeof *larger.buckets), 2 * t->size + 2, t->count};
    for (size_t i = 0; i < t->size; i++)
        for (entry *e = t->buckets[i], *next; e; e = next) {
            entry **bucket = &larger.buckets[hash(e->name) % larger.size];
            next = e->next;
            e->next = *bucket;
            *bucket = e;
        }
    free(t->buckets);
    *t = larger;
}

static double *slot(table *t, const char *name) {
    if (t->count >= t->size)
        grow(t);
    entry **bucket = &t->buckets[hash(name) % t->size];
    for (entry *e = *bucket; e; e = e->next)
        if (strcmp(e->name, name) == 0)
            return &e->value;
    entry *made = calloc(1, sizeof *made);
    strcpy(made->name, name);
    made->next = *bucket;
    *bucket = made;
    t->count++;
    return &made->value;
}

double f(const double *x, size_t n) {
    table t = {0};
    char name[8];
    double sum = 0;
    for (int i = 0; i < 15; i++) {
        snprintf(name, sizeof name, "v%d", i * i % 7);
        *slot(&t, name) += sin(x[(size_t)i % n] * (i + 1));
        *slot(&t, "sum") = *slot(&t, "sum") * 0.9 + *slot(&t, name);
    }
    for (size_t i = 0; i < t.size; i++)
        for (entry *e = t.buckets[i], *next; e; e = next) {
            next = e->next;
            sum += e->value * e->value * (double)strlen(e->name);
            free(e);
        }
    free(t.buckets);
    return sum;
}
