/* at: 0.7,-1.1,0.25,1.9
 * noise: 2e-6
 * flags: -fno-inline
 * Unions of float and double by value in all company: two in a structure, beside doubles and floats, in an array, of
 * two floats. */
#include <stddef.h>

typedef union fd {
    float f;
    double d;
} fd;
typedef union pair {
    float f[2];
    double d;
} pair;
typedef struct two {
    fd a, b;
} two;
typedef struct beside {
    double first;
    fd second;
} beside;
typedef struct narrow {
    fd first;
    float second;
} narrow;
typedef struct many {
    fd all[2];
} many;

static two make_two(double a, double b, int turn) {
    two r;
    if (turn) {
        r.a.f = (float)a;
        r.b.d = b;
    } else {
        r.a.d = a;
        r.b.f = (float)b;
    }
    return r;
}

static two swapped(two t) {
    two r = {t.b, t.a};
    return r;
}

static double value_two(two t, int turn) {
    return turn ? (double)t.a.f * t.b.d : t.a.d - (double)t.b.f;
}

static beside make_beside(double a, fd b) {
    beside r = {a * a, b};
    return r;
}

static double value_beside(beside t) {
    return t.first * (double)t.second.f;
}

static narrow make_narrow(fd a, double b) {
    narrow r = {a, (float)b};
    return r;
}

static double value_narrow(narrow t, int wide) {
    return (double)t.second * (wide ? t.first.d : (double)t.first.f);
}

static many make_many(fd a, fd b) {
    many r = {{b, a}};
    return r;
}

static fd chosen(many all, size_t which) {
    return all.all[which];
}

static pair make_pair(double a, double b) {
    pair r;
    r.f[0] = (float)a;
    r.f[1] = (float)(a * b);
    return r;
}

static pair whole_pair(double a) {
    pair r = {.d = a};
    return r;
}

static pair either(int which, pair a, pair b) {
    return which ? a : b;
}

static double value_pair(pair p) {
    return (double)(p.f[0] + p.f[1] * p.f[1]);
}

static double value_whole(pair p) {
    return p.d * p.d;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        int odd = (int)i & 1;
        double a = x[i] * x[0], b = x[(i + 1) % n];
        fd small, large;
        small.f = (float)a;
        large.d = b * x[2];
        sum += value_two(swapped(make_two(a, b, odd)), !odd);
        sum += value_beside(make_beside(b, small)) * x[1];
        sum += value_narrow(make_narrow(small, b), 0) + x[3] * value_narrow(make_narrow(large, a), 1);
        sum += chosen(make_many(small, large), 0).d * a + (double)chosen(make_many(small, large), 1).f;
        pair both = make_pair(a, b), whole = whole_pair(b * x[0]);
        sum += value_pair(either(odd, both, make_pair(b, x[1]))) + value_whole(either(!odd, whole_pair(a), whole));
        sum += odd ? value_pair(either(1, both, whole)) : value_whole(either(0, both, whole));
    }
    return sum;
}
