/* at: 0.7,1.1
 * refused: run
 * tangent: none
 * flags: -fno-inline -fno-strict-aliasing
 * message: a derivative is lost: copying 8 bytes
 * As odd_words.c, but half of the double is overwritten before it is moved. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct pair {
    int64_t first, second;
} pair;

static void copy(void *to, const void *from, size_t size) {
    memcpy(to, from, size);
}

static void put(double *to, double number) {
    *to = number;
}

static void move(pair *to, const pair *from) {
    to->first = from->first;
    to->second = from->second;
}

double f(const double *x, size_t n) {
    pair room = {0}, other = {0};
    double a = x[0] * x[1], b;
    copy((char *)&room + 4, &a, n * 4);
    put((double *)(void *)&room.second, 2);
    move(&other, &room);
    copy(&b, (char *)&other + 4, n * 4);
    return b * x[0];
}
