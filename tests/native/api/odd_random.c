/* flags: -fno-inline -fno-strict-aliasing
 * Random courses of writing and reading in a few bytes: aligned doubles with and without a derivative, integers that
 * are set or counted up, fills, copies and words by any multiple of 4; doubles are read from wherever they are. A model
 * knows of each byte which number it is a copy of. What is read whole has that number's derivative, what is no number's
 * has none, to the bit; what is put together of several must be refused, in tangent mode a NaN will do. `odd_random
 * COURSES [FIRST]`; prints what fails. */
#include "expect.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

enum { UNITS = 12, NUMBERS = 3, STEPS = 9, UNIT = 4, BROKEN = 99 };

typedef enum kind { PUT, PUT_PASSIVE, PUT_INTEGER, COUNT, FILL, COPY, MOVE, READ, READ_ALIGNED, KINDS } kind;

typedef struct step {
    kind kind;
    unsigned to, from, count; /* in units */
    unsigned number;
    double weight;
} step;

typedef struct course {
    step steps[STEPS];
    _Alignas(8) char room[UNITS * UNIT];
} course;

/* ---- What is differentiated ---- */

typedef struct words {
    int low, high;
} words;

static void put(double *to, double number) {
    *to = number;
}

static void put_integer(int *to, int integer) {
    *to = integer;
}

static void count_up(int *at) {
    ++*at;
}

static void fill(void *to, size_t size) {
    memset(to, 0, size);
}

static void copy(void *to, const void *from, size_t size) {
    memmove(to, from, size);
}

static void move(words *to, const words *from) {
    *to = *from;
}

static double read_aligned(const double *from) {
    return *from;
}

static double run_step(const step *s, char *room, const double *x) {
    void *to = room + s->to * UNIT, *from = room + s->from * UNIT;
    double number;
    switch (s->kind) {
    case PUT: put(to, 2 * x[s->number]); return 0;
    case PUT_PASSIVE: put(to, 3); return 0;
    case PUT_INTEGER: put_integer(to, 7); return 0;
    case COUNT: count_up(to); return 0;
    case FILL: fill(to, s->count * UNIT); return 0;
    case COPY: copy(to, from, s->count * UNIT); return 0;
    case MOVE: move(to, from); return 0;
    case READ: copy(&number, from, s->count * UNIT); return number * s->weight;
    default: return read_aligned(from) * s->weight;
    }
}

static course now;

/* With a number that is made of integers the program has doubts (cc/plan/doubts.h). */
#ifdef WITH_DOUBTS
static double power_of_two(int exponent) {
    union {
        int64_t bits;
        double number;
    } made = {(exponent + INT64_C(1023)) << 52};
    return made.number;
}
#else
static double power_of_two(int exponent) {
    return exponent * 2;
}
#endif

static double run(const double *x, size_t n) {
    double sum = 0 * power_of_two((int)n);
    memset(now.room, 0, sizeof now.room);
    for (size_t i = 0; i < STEPS; i++)
        sum += run_step(&now.steps[i], now.room, x);
    return sum;
}

/* ---- The model ---- */

typedef struct byte {
    unsigned store; /* 0: no number's */
    unsigned number, index;
    unsigned distance; /* from where it was copied last */
} byte;

typedef struct model {
    byte bytes[UNITS * UNIT];
    unsigned stores;
    double gradient[NUMBERS];
    bool broken; /* something was read that is no number */
    bool alike;  /* all of that was copied by the same distance: reverse mode may take it for one (cells/parts.c) */
} model;

static void model_write(model *m, const step *s, unsigned size, bool active) {
    m->stores += active;
    for (unsigned i = 0; i < size; i++)
        m->bytes[s->to * UNIT + i] = active ? (byte){m->stores, s->number, i, 0} : (byte){0, 0, 0, 0};
}

static bool is_whole(const byte *bytes) {
    bool whole = bytes[0].store != 0;
    for (unsigned i = 0; i < sizeof(double); i++)
        whole = whole && bytes[i].store == bytes[0].store && bytes[i].index == i;
    return whole;
}

static void model_read(model *m, const step *s) {
    const byte *bytes = &m->bytes[s->from * UNIT];
    bool none = true, alike = bytes[0].distance != 0;
    for (unsigned i = 0; i < sizeof(double); i++) {
        none = none && bytes[i].store == 0;
        alike = alike && bytes[i].distance == bytes[0].distance;
    }
    if (is_whole(bytes))
        m->gradient[bytes[0].number] += 2 * s->weight;
    else if (!none)
        m->broken = true, m->alike = m->alike || alike;
}

static void model_copy(model *m, const step *s) {
    byte *to = &m->bytes[s->to * UNIT];
    memmove(to, &m->bytes[s->from * UNIT], s->count * UNIT * sizeof(byte));
    for (unsigned i = 0; i < s->count * UNIT; i++)
        to[i].distance = s->to - s->from;
}

/* What is made of a part of a number by counting is no number's. */
static void model_count(model *m, const step *s) {
    byte *bytes = &m->bytes[s->to * UNIT];
    bool any = false;
    for (unsigned i = 0; i < UNIT; i++)
        any = any || bytes[i].store != 0;
    m->stores += any;
    for (unsigned i = 0; i < UNIT; i++)
        bytes[i] = any ? (byte){m->stores, 0, BROKEN, 0} : (byte){0, 0, 0, 0};
}

static void model_step(model *m, const step *s) {
    switch (s->kind) {
    case PUT: model_write(m, s, sizeof(double), true); break;
    case PUT_PASSIVE: model_write(m, s, sizeof(double), false); break;
    case PUT_INTEGER: model_write(m, s, UNIT, false); break;
    case COUNT: model_count(m, s); break;
    case FILL: model_write(m, s, s->count * UNIT, false); break;
    case COPY:
    case MOVE: model_copy(m, s); break;
    default: model_read(m, s);
    }
}

/* ---- Random courses ---- */

static uint64_t state;

static unsigned below(unsigned most) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (unsigned)(state >> 33) % most;
}

/* Half of all readings look for a number. */
static unsigned random_place(const model *m, const step *s) {
    unsigned place = below(UNITS - s->count + 1);
    for (unsigned tries = s->kind >= READ && below(2) == 0 ? 2 * UNITS : 0; tries > 0; tries--)
        if (!is_whole(&m->bytes[place * UNIT]))
            place = below(UNITS - s->count + 1);
    return place;
}

static step random_step(const model *m, bool last) {
    step s = {.kind = (kind)(last ? READ + (int)below(2) : (int)below(KINDS)), .number = below(NUMBERS)};
    s.weight = 1 + below(7);
    s.count = s.kind == COPY || s.kind == FILL ? 1 + below(5) : 2;
    s.to = below(UNITS - s.count + 1);
    s.from = random_place(m, &s);
    if (s.kind == PUT || s.kind == PUT_PASSIVE)
        s.to &= ~1u;
    if (s.kind == READ_ALIGNED)
        s.from &= ~1u;
    if (s.kind == MOVE && s.to + 3 > s.from && s.from + 3 > s.to) /* tangent mode looks when it is overwritten */
        s.kind = COPY;
    return s;
}

static const char *const names[KINDS] = {"put",  "put passive", "put integer", "count",       "fill",
                                         "copy", "move",        "read",        "read aligned"};

static void print_course(unsigned long seed, const course *c) {
    fprintf(stderr, "course %lu\n", seed);
    for (size_t i = 0; i < STEPS; i++)
        fprintf(stderr, "    %-12s to %2u from %2u count %u number %u weight %g\n", names[c->steps[i].kind],
                c->steps[i].to, c->steps[i].from, c->steps[i].count, c->steps[i].number, c->steps[i].weight);
}

/* ---- Comparing ---- */

typedef struct tally {
    unsigned right, refused, needless, wrong;
} tally;

static const double point[NUMBERS] = {0.7, -1.25, 0.5}, direction[NUMBERS] = {1, 16, 256};

/* Returns what is wrong with a result; NULL if it is right, or was refused without need, which is only counted. */
static const char *judge(verso_status status, double found, double expected, const model *m, tally *t) {
    bool refused = status != VERSO_STATUS_OK || isnan(found);
    if (refused)
        *(m->broken ? &t->refused : &t->needless) += 1;
    else if (!m->broken && found == expected)
        t->right++;
    else if (!m->alike)
        return t->wrong++, m->broken ? "is not refused" : "is wrong";
    return NULL;
}

static void run_course(unsigned long seed, tally *t) {
    model m = {.stores = 0};
    state = seed * 2 + 1;
    below(2);
    for (size_t i = 0; i < STEPS; i++) {
        now.steps[i] = random_step(&m, i + 1 == STEPS);
        model_step(&m, &now.steps[i]);
    }
    double tangent = 0, expected = 0, gradient[NUMBERS] = {0}, found = 0;
    verso_status status = verso_gradient(run, point, NUMBERS, gradient, NULL, NULL, NULL);
    for (size_t i = 0; i < NUMBERS; i++) {
        found += gradient[i] * direction[i];
        expected += m.gradient[i] * direction[i];
    }
    const char *reverse = judge(status, found, expected, &m, t);
    status = verso_directional(run, point, NUMBERS, direction, &tangent, NULL, NULL);
    const char *forward = judge(status, tangent, expected, &m, t);
    if (reverse != NULL || forward != NULL) {
        print_course(seed, &now);
        fprintf(stderr, "  expected %g; reverse %g %s; tangent %g %s\n", expected, found, reverse ? reverse : "",
                tangent, forward ? forward : "");
    }
}

int main(int count, char **arguments) {
    unsigned long courses = count > 1 ? strtoul(arguments[1], NULL, 10) : 20000;
    unsigned long first = count > 2 ? strtoul(arguments[2], NULL, 10) : 1;
    tally t = {0};
    for (unsigned long seed = first; seed < first + courses; seed++)
        run_course(seed, &t);
    printf("%u right, %u refused, %u refused without need, %u wrong\n", t.right, t.refused, t.needless, t.wrong);
    return t.wrong > 0 || t.right == 0 || t.refused == 0;
}
