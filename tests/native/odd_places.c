/* at: 0.7,-1.1,0.25
 * flags: -fno-inline -fno-strict-aliasing
 * Doubles at odd multiples of 4, where copies of any size have brought them: beside integers, one after the other,
 * moved on by words and as a whole; and aligned ones where such were. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static void copy(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

static void copy_words(void *to, const void *from, size_t count) {
    volatile uint32_t *a = to;
    const volatile uint32_t *b = from;
    for (size_t i = count; i-- > 0;)
        a[i] = b[i];
}

static void put(void *to, int32_t integer) {
    *(int32_t *)to = integer;
}

static int32_t up(void *at) {
    return ++*(int32_t *)at;
}

static double message(const double *x, size_t n) {
    _Alignas(8) char room[32], other[32];
    double from[2] = {x[0] * x[1], x[2] * x[2]}, to[3];
    put(room, 2);
    put(room + 20, 5);
    copy(room + 4, from, n * 5 + 1);
    put(room + 20, 3);
    copy_words(other, room, n * 2);
    int32_t sum = up(other) + up(other + 20);
    copy(to, other + 4, 5 * n + 1);
    return to[0] * to[1] * sum;
}

static void set(double *to, double number) {
    *to = number;
}

static double reused(const double *x, size_t n) {
    _Alignas(8) char room[32];
    double sum = 0, a = x[0], b;
    for (size_t i = 0; i < 4; i++) {
        set((double *)(void *)(room + 8), a * x[1]);
        set((double *)(void *)room, 2 * a);
        sum += *(double *)(void *)room * *(double *)(void *)(room + 8);
        a += x[2] * x[i % n];
        copy(room + 4, &a, n * 2 + 2);
        copy(&b, room + 4, n * 2 + 2);
        sum += b * b;
    }
    return sum;
}

double f(const double *x, size_t n) {
    return message(x, n) + reused(x, n);
}
