/* at: 0.7,1.1,0.25,2.0,1.7
 * flags: -fno-inline
 * Swapping and sorting things of any size through buffers of characters, as generic containers do. */
#include <math.h>
#include <stddef.h>
#include <string.h>

static void swap(void *a, void *b, size_t size) {
    char keep[64];
    memcpy(keep, a, size);
    memcpy(a, b, size);
    memcpy(b, keep, size);
}

static void insertion_sort(void *base, size_t count, size_t size, int (*compare)(const void *, const void *)) {
    char *items = base;
    for (size_t i = 1; i < count; i++)
        for (size_t j = i; j > 0 && compare(items + j * size, items + (j - 1) * size) < 0; j--)
            swap(items + j * size, items + (j - 1) * size, size);
}

typedef struct entry {
    double key, value;
    short rank;
    float weight;
} entry;

static int by_key(const void *a, const void *b) {
    double left = ((const entry *)a)->key, right = ((const entry *)b)->key;
    return left < right ? -1 : left > right;
}

static int descending(const void *a, const void *b) {
    float left = *(const float *)a, right = *(const float *)b;
    return left > right ? -1 : left < right;
}

double f(const double *x, size_t n) {
    entry entries[5];
    float floats[5] = {0.5f, 2, 0.25f, 8, 1};
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        entries[i] = (entry){cos(3 * x[i]), x[i] * x[i], (short)i, 0.5f};
    insertion_sort(entries, n, sizeof *entries, by_key);
    insertion_sort(floats, n, sizeof *floats, descending);
    swap(&entries[0].key, &entries[n - 1].value, sizeof(double));
    for (size_t i = 0; i < n; i++)
        sum += entries[i].key * entries[i].value * floats[i] * (entries[i].rank + 1);
    return sum;
}
