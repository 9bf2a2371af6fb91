/* at: 0.7,1.1,0.25,2.0
 * A buffer that grows by realloc, from nothing, and shrinks; numbers and floats in it. */
#include <math.h>
#include <stddef.h>
#include <stdlib.h>

typedef struct buffer {
    double *items;
    size_t count, capacity;
} buffer;

static void push(buffer *b, double item) {
    if (b->count == b->capacity) {
        b->capacity = b->capacity ? 2 * b->capacity : 2;
        b->items = realloc(b->items, b->capacity * sizeof *b->items);
    }
    b->items[b->count++] = item;
}

static double pop(buffer *b) {
    double item = b->items[--b->count];
    if (b->count == 5)
        b->items = realloc(b->items, (b->capacity = 5) * sizeof *b->items);
    return item;
}

double f(const double *x, size_t n) {
    buffer b = {0}, other = {0};
    float *floats = NULL;
    double sum = 0;
    for (size_t i = 0; i < 20; i++) {
        push(&b, sin(x[i % n] * (double)i));
        push(&other, b.items[b.count / 2] + sum);
        if (i % 3 == 2)
            sum += pop(&b) * pop(&other);
        floats = realloc(floats, (i + 1) * sizeof *floats);
        floats[i] = 0.25f;
    }
    while (b.count > 2)
        sum += pop(&b) * x[0] + floats[b.count];
    sum += b.items[0] + b.items[1] * other.items[3];
    free(b.items);
    free(other.items);
    free(floats);
    return sum;
}
