/* at: 0.7,-1.1,0.25
 * flags: -fno-inline -fno-strict-aliasing
 * Copies of nothing from nowhere; of bytes, by 4, from and to places that are not multiples of 4, beside numbers; of a
 * record of many numbers with one of them at an odd multiple of 4, which is also read where it came from. */
#include <stddef.h>
#include <string.h>

static void copy(void *to, const void *from, size_t size) {
    memmove(to, from, size);
}

static double nothing(const double *x, size_t n) {
    double room[2] = {x[0] * x[1], x[2]};
    copy((char *)room + 4, NULL, n - 3);
    return room[0] * room[1];
}

static double bytes(const double *x, size_t n) {
    struct {
        double before;
        char text[40];
        double after;
    } s = {x[0] * x[0], "bytes that are moved by four", x[1] * x[2]};
    copy(s.text + 5, s.text + 1, n * 5 + 2);
    copy(s.text + 1, s.text + 5, n * 5 + 2);
    return s.before * s.after * s.text[7];
}

/* The numbers are whole, and at multiples of 4 before and after; the copy's ends are not. */
static double among_bytes(const double *x, size_t n) {
    _Alignas(8) char room[64] = {0};
    double two[2] = {x[0] * x[1], x[2] * x[2]}, moved[2];
    copy(room + 8, two, n * 5 + 1);
    copy(room + 5, room + 1, n * 10);
    copy(moved, room + 12, n * 5 + 1);
    return moved[0] * moved[1] + moved[1];
}

static double record(const double *x, size_t n) {
    double room[12], other[12], odd = x[0] * x[1], a, b, sum = 0;
    for (size_t i = 0; i < 12; i++)
        room[i] = x[i % n] * x[(i + 1) % n];
    copy((char *)room + 12, &odd, n * 2 + 2);
    copy(other, room, 32 * n);
    copy(&a, (char *)other + 12, n * 2 + 2);
    copy(&b, (char *)room + 12, n * 2 + 2);
    for (size_t i = 3; i < 12; i++)
        sum += other[i] * room[i];
    return sum + a * b + a * a;
}

double f(const double *x, size_t n) {
    return nothing(x, n) + bytes(x, n) + among_bytes(x, n) + record(x, n);
}
