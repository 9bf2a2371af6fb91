/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Unions of float and double by value through pointers to functions that only store or load them. */
#include <stddef.h>
typedef union v {
    float f;
    double d;
} v;
typedef void sink(v, void *);
typedef v source(const void *);
typedef double plain(double);
static void keep(v a, void *to) {
    *(v *)to = a;
}
static void keeptwice(v a, void *to) {
    ((v *)to)[0] = a;
    ((v *)to)[1] = a;
}
static v fetch(const void *p) {
    return *(const v *)p;
}
static v fetch2(const void *p) {
    return ((const v *)p)[1];
}
static double sq(double a) {
    return a * a;
}
static double id(double a) {
    return a;
}
static sink *sinks[] = {keep, keeptwice};
static source *sources[] = {fetch, fetch2};
static plain *plains[] = {sq, id};
double f(const double *x, size_t n) {
    double s = 0;
    v box[4];
    for (size_t i = 0; i < 8; i++) {
        v a = {.d = 0};
        if (i & 2)
            a.f = (float)(x[i % n] * x[0]);
        else
            a.d = x[i % n];
        sinks[1](a, box);
        sinks[i % 2](a, box + 2);
        v b = sources[i & 1](box), c = sources[0](box + 2);
        s += i & 2 ? (double)(b.f * c.f) : b.d + c.d * x[1];
        s += plains[i % 2](i & 2 ? (double)b.f : b.d) * x[2];
    }
    return s;
}
