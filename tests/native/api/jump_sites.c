/* Checkpointed calls that end by long jumps: out of one call and out of several, through recursion, in loops, through
 * pointers, with handlers on the way that pass the jump on, and with memory that was allocated in between. Whichever
 * sites are on, the gradient has the same bits, and the profile predicts recordings and snapshots to the byte. */
#include "expect.h"

#include <setjmp.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

#define APART __attribute__((noinline)) static

enum { SIZE = 4, ROUNDS = 12, DEPTH = 5, SITES_MOST = 64 };

static const double x[SIZE] = {0.7, 1.1, 0.25, 0.6};

typedef struct handler {
    jmp_buf back;
    struct handler *outer;
} handler;

typedef struct machine {
    handler *top;
    double *stack, thrown;
    int used, room;
} machine;

APART void throw(machine * m, double value) {
    m->thrown = value;
    longjmp(m->top->back, 1 + (m->used & 3));
}

APART void push(machine *m, double value) {
    if (m->used == m->room) {
        m->room = 2 * m->room + 4;
        m->stack = realloc(m->stack, (size_t)m->room * sizeof *m->stack);
    }
    m->stack[m->used++] = value;
}

APART double pop(machine *m) {
    if (m->used == 0)
        throw(m, 0.01);
    return m->stack[--m->used];
}

/* Works for a while, and then throws if the number is large. */
APART void work(machine *m, double a) {
    double s = a;
    for (int i = 0; i < 20; i++)
        s = sin(s) + 0.1 * a * s;
    push(m, s);
    if (s > 0.5)
        throw(m, s * a);
    push(m, s * s);
}

static double descend(machine *m, double a, int depth);

APART double call(machine *m, double a, int depth) {
    handler h = {.outer = m->top};
    m->top = &h;
    double result;
    int came = setjmp(h.back);
    if (came == 0) {
        result = descend(m, a, depth);
    } else {
        result = m->thrown * came;
        if (depth % 3 == 1) { /* passes it on */
            m->top = h.outer;
            throw(m, 0.9 * result);
        }
    }
    m->top = h.outer;
    return result;
}

APART double descend(machine *m, double a, int depth) {
    static void (*const works[])(machine *, double) = {work, push};
    if (depth == 0) {
        works[m->used % 5 == 0](m, a);
        return pop(m) + pop(m);
    }
    double s = call(m, 0.9 * a, depth - 1);
    push(m, s);
    if (depth == 2)
        s += call(m, 0.3 * a + 0.1 * s, depth - 2);
    return s + 0.5 * pop(m);
}

APART double round_of(machine *m, double a) {
    handler h = {.outer = NULL};
    m->top = &h;
    if (setjmp(h.back) != 0)
        return 0.2 * m->thrown;
    return call(m, a, DEPTH);
}

static double f(const double *p, size_t n) {
    machine m = {0};
    double sum = 0;
    for (int i = 0; i < ROUNDS; i++) {
        sum += round_of(&m, p[(size_t)i % n] * (1 + 0.1 * i));
        if (m.used > 10)
            m.used = 3;
    }
    for (int i = 0; i < m.used; i++)
        sum += 0.1 * m.stack[i];
    free(m.stack);
    return sum;
}

static double expected[SIZE], value;
static bool on[SITES_MOST];

static void predicted(const verso_profile *profile, const char *how, size_t number) {
    const verso_profile_cost cost = verso_profile_predict(profile, on);
    double gradient[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (size_t i = 0; i < verso_site_count(); i++)
        verso_site_set(i, on[i]);
    EXPECT_OK(verso_gradient(f, x, SIZE, gradient, NULL, &report, &error));
    EXPECT(report.value == value && memcmp(gradient, expected, sizeof gradient) == 0, "%s %zu: other bits", how,
           number);
    EXPECT(cost.peak_bytes == report.tape_bytes && cost.turn_bytes == report.turn_bytes,
           "%s %zu: %llu bytes, at the turn %llu; predicted %llu, %llu", how, number,
           (unsigned long long)report.tape_bytes, (unsigned long long)report.turn_bytes,
           (unsigned long long)cost.peak_bytes, (unsigned long long)cost.turn_bytes);
}

int main(void) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_check_report check = VERSO_CHECK_REPORT_INIT;
    verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
    verso_profile *profile = NULL;
    double gradient[SIZE];
    uint64_t random = 1;
    EXPECT_OK(verso_gradient(f, x, SIZE, expected, NULL, &report, &error));
    value = report.value;
    EXPECT_OK(verso_check_gradient(f, x, SIZE, NULL, &check, &error));
    EXPECT(check.holds && value == f(x, SIZE), "wrong without sites");
    options.profile = &profile;
    EXPECT_OK(verso_gradient(f, x, SIZE, gradient, &options, NULL, &error));
    EXPECT(verso_site_count() > 8 && verso_site_count() <= SITES_MOST, "%zu sites", verso_site_count());
    if (profile == NULL)
        return 1;
    for (int all = 0; all < 2; all++) {
        memset(on, all, sizeof on);
        predicted(profile, all ? "all" : "none", 0);
        for (size_t i = 0; i < verso_site_count(); i++) {
            on[i] = !on[i];
            predicted(profile, all ? "all but" : "only", i);
            on[i] = !on[i];
        }
    }
    for (size_t n = 0; n < 24; n++) {
        for (size_t i = 0; i < verso_site_count(); i++) {
            random = random * UINT64_C(6364136223846793005) + 1442695040888963407;
            on[i] = random >> 63;
        }
        predicted(profile, "random", n);
    }
    verso_profile_free(profile);
    return failed;
}
