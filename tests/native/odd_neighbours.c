/* at: 0.7,-1.1,0.25
 * noise: 2e-6
 * flags: -fno-inline -fno-strict-aliasing
 * Doubles at odd multiples of 4 and what is written beside them meanwhile: integers that are counted up, floats, bytes,
 * fills; buffers that are moved as a whole, in words, and by a distance that brings them to even places and back;
 * numbers that were never written but filled with zeros. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

static void copy(void *to, const void *from, size_t size) {
    memmove(to, from, size);
}

static void fill(void *to, int byte, size_t size) {
    memset(to, byte, size);
}

static int up(void *at) {
    return ++*(int *)at;
}

static float put(void *at, double number) {
    return *(float *)at = (float)number;
}

typedef struct record {
    int tag, number[2];
} record;

static void move_record(record *to, const record *from) {
    *to = *from;
}

static double beside(const double *x, size_t n) {
    _Alignas(8) char room[24] = {0};
    double a = x[0] * x[1], b;
    copy(room + 4, &a, n * 2 + 2);
    fill(room, 0, n + 1);
    int count = up(room) + up(room);
    float other = put(room + 12, x[2]);
    fill(room + 16, 7, n);
    room[1] = 3;
    put(room, 1);
    copy(&b, room + 4, n * 2 + 2);
    return b * b * count + (double)other;
}

static double records(const double *x, size_t n) {
    record *list = malloc(8 * sizeof *list), one;
    double sum = 0;
    for (size_t i = 0; i < 8; i++) {
        double product = x[i % n] * x[(i + 1) % n];
        list[i].tag = (int)i;
        copy(list[i].number, &product, n * 2 + 2);
    }
    for (size_t i = 0; i + 1 < 8; i++) {
        move_record(&one, &list[i]);
        move_record(&list[i], &list[i + 1]);
        move_record(&list[i + 1], &one);
        list[i].tag += list[i + 1].tag;
    }
    copy(list + 1, list, 5 * n * sizeof *list / 3);
    for (size_t i = 0; i < 8; i++) {
        double product;
        copy(&product, list[i].number, n * 2 + 2);
        sum += product * product * list[i].tag;
    }
    free(list);
    return sum;
}

static double zeros(const double *x, size_t n) {
    _Alignas(8) char room[32];
    double a[3], sum = 0;
    fill(room, 0, n * 10);
    copy(room + 12, &x[1], n * 2 + 2);
    copy(a, room + 4, n * 8);
    for (size_t i = 0; i < n; i++)
        sum += a[i] * x[i] + a[i] * a[i];
    return sum;
}

static void set(double *to, double number) {
    *to = number;
}

/* Aligned doubles where an odd one was, copied as a whole. */
static double after(const double *x, size_t n) {
    double room[4], other[4], odd = x[0] * x[2], sum = 0;
    copy((char *)room + 4, &odd, n * 2 + 2);
    copy(&odd, (char *)room + 4, n * 2 + 2);
    for (size_t i = 0; i < 4; i++)
        set(&room[i], x[i % n] * x[0]);
    copy(other, room, 10 * n + 2);
    for (size_t i = 0; i < 4; i++)
        sum += other[i] * other[i];
    return sum + odd;
}

double f(const double *x, size_t n) {
    return beside(x, n) + records(x, n) + zeros(x, n) + after(x, n);
}
