/* What every program of tests/rev does with its functions, each of which changes a state of doubles in place. In plain
 * mode it prints what they do; of what `verso rev` has made it also checks, from random states:
 *   f then f_inv, f_adj after f and f_inv_adj before it restore the state; f_jvp and f_inv_jvp undo each other;
 *   f_jvp is the derivative: the remainder of Taylor's formula is of order 2;
 *   f_adj is its transpose, and f_inv_adj the inverse of that;
 *   f_hvp and f_inv_hvp are differences of f_adj and f_inv_adj, and symmetric.
 * The seed is printed with every failure; the argument of a program is another. */
#ifndef TESTS_REV_HARNESS_H
#define TESTS_REV_HARNESS_H

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <verso/rev.h>

enum { HARNESS_MOST = 64, HARNESS_ROUNDS = 5 };

typedef struct harness_case {
    const char *name;
    int n;
    double low, high; /* where states are */
    double tolerance; /* of values; 0: that of double */
    void (*f)(double *s);
#ifdef VERSO_REV_GENERATED
    void (*inv)(double *s);
    void (*adj)(double *s, double *bar);
    void (*inv_adj)(double *s, double *bar);
    void (*jvp)(double *s, double *dot);
    void (*inv_jvp)(double *s, double *dot);
    void (*hvp)(double *s, double *dot, double *bar, double *bar_dot);
    void (*inv_hvp)(double *s, double *dot, double *bar, double *bar_dot);
#endif
} harness_case;

#ifdef VERSO_REV_GENERATED
#define CASE_WITHIN(name, n, low, high, tolerance) \
    {#name,          n,          low,           high,           tolerance, \
     name,           name##_inv, name##_adj,    name##_inv_adj, name##_jvp, \
     name##_inv_jvp, name##_hvp, name##_inv_hvp}
#else
#define CASE_WITHIN(name, n, low, high, tolerance) {#name, n, low, high, tolerance, name}
#endif
#define CASE(name, n) CASE_WITHIN(name, n, 0.4, 1.4, 0)

typedef struct harness {
    const harness_case *c;
    uint64_t seed;
    int failures;
    int faults;
} harness;

static double harness_random(uint64_t *seed) {
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    return (double)(*seed >> 11) / 9007199254740992.0;
}

static void harness_state(harness *h, uint64_t *seed, double *s) {
    for (int i = 0; i < h->c->n; i++)
        s[i] = h->c->low + (h->c->high - h->c->low) * harness_random(seed);
}

#ifdef VERSO_REV_GENERATED

typedef double harness_vector[HARNESS_MOST];

static void harness_fail(harness *h, const char *what, double found, double expected) {
    h->failures++;
    printf("FAILED %s: %s: found %.17g, expected %.17g (seed %llu)\n", h->c->name, what, found, expected,
           (unsigned long long)h->seed);
}

static double harness_most(const harness *h, const double *a) {
    double most = 1;
    for (int i = 0; i < h->c->n; i++)
        most = fmax(most, fabs(a[i]));
    return most;
}

static void harness_near(harness *h, const char *what, const double *found, const double *expected, double tolerance) {
    double scale = harness_most(h, expected);
    for (int i = 0; i < h->c->n; i++)
        if (!(fabs(found[i] - expected[i]) <= tolerance * scale)) {
            harness_fail(h, what, found[i], expected[i]);
            return;
        }
}

static double harness_dot(const harness *h, const double *a, const double *b) {
    double sum = 0;
    for (int i = 0; i < h->c->n; i++)
        sum += a[i] * b[i];
    return sum;
}

static void harness_copy(double *to, const double *from) {
    memcpy(to, from, sizeof(harness_vector));
}

static void harness_step(double *to, const double *from, const double *direction, double by) {
    for (int i = 0; i < HARNESS_MOST; i++)
        to[i] = from[i] + by * direction[i];
}

static void harness_directions(harness *h, uint64_t *seed, double *d) {
    for (int i = 0; i < h->c->n; i++)
        d[i] = 2 * harness_random(seed) - 1;
}

/* Central differences of g at s0 in direction d; g(s, work) leaves its result in work. */
typedef void (*harness_map)(const harness *h, const double *s, const double *bars, double *out);

static void harness_differences(const harness *h, harness_map g, const double *s0, const double *d, const double *bars,
                                double by, double *out) {
    harness_vector s = {0}, up = {0}, down = {0};
    harness_step(s, s0, d, by);
    g(h, s, bars, up);
    harness_step(s, s0, d, -by);
    g(h, s, bars, down);
    for (int i = 0; i < h->c->n; i++)
        out[i] = (up[i] - down[i]) / (2 * by);
}

static void harness_value(const harness *h, const double *s, const double *bars, double *out) {
    (void)bars;
    harness_copy(out, s);
    h->c->f(out);
}

static void harness_gradient(const harness *h, const double *s, const double *bars, double *out) {
    harness_vector work;
    harness_copy(work, s);
    harness_copy(out, bars);
    h->c->f(work);
    h->c->adj(work, out);
}

static void harness_inverse_gradient(const harness *h, const double *s, const double *bars, double *out) {
    harness_vector work;
    harness_copy(work, s);
    harness_copy(out, bars);
    h->c->inv_adj(work, out);
}

static double harness_remainder(const harness *h, const double *s0, const double *d, const double *s1, const double *jd,
                                double by) {
    harness_vector s, out;
    double most = 0;
    harness_step(s, s0, d, by);
    harness_value(h, s, NULL, out);
    for (int i = 0; i < h->c->n; i++)
        most = fmax(most, fabs(out[i] - s1[i] - by * jd[i]));
    return most;
}

/* Of order 2: halving the step quarters the remainder, where it is last seen above round-off. Terms of higher order may
 * hide that at one step, not at two. Where it is never seen there is nothing to say. */
static void harness_taylor(harness *h, const double *s0, const double *d, const double *s1, const double *jd,
                           double eps) {
    double last = 0, falls[2] = {4, 4};
    for (int k = 0; k < 16; k++) {
        double rest = harness_remainder(h, s0, d, s1, jd, ldexp(1, -10 - k));
        if (rest <= 1e4 * eps)
            break;
        if (k > 0) {
            falls[1] = k > 1 ? falls[0] : 0;
            falls[0] = last / rest;
        }
        last = rest;
    }
    if (!(fmax(falls[0], falls[1]) > 3.3))
        harness_fail(h, "order of Taylor's remainder", falls[0], 4);
}

static void harness_first(harness *h, const double *s0, const double *d, const double *bars, double eps) {
    const harness_case *c = h->c;
    harness_vector s1 = {0}, s = {0}, jd = {0}, back = {0}, fd = {0};
    harness_copy(s1, s0);
    c->f(s1);
    eps *= harness_most(h, s1); /* large numbers have taken digits from small ones */
    harness_copy(s, s1);
    c->inv(s);
    harness_near(h, "f_inv after f", s, s0, 1e3 * eps);
    harness_copy(s, s0);
    harness_copy(jd, d);
    c->jvp(s, jd);
    harness_near(h, "value of f_jvp", s, s1, 1e2 * eps);
    harness_differences(h, harness_value, s0, d, NULL, cbrt(eps), fd);
    harness_near(h, "f_jvp by differences", jd, fd, 3e3 * cbrt(eps * eps));
    harness_taylor(h, s0, d, s1, jd, eps);
    harness_copy(back, jd);
    c->inv_jvp(s, back);
    harness_near(h, "f_inv_jvp after f_jvp", back, d, 1e4 * eps * harness_most(h, jd));
    harness_vector bar;
    harness_copy(s, s1);
    harness_copy(bar, bars);
    c->adj(s, bar);
    harness_near(h, "value of f_adj", s, s0, 1e3 * eps);
    double left = harness_dot(h, bar, d), right = harness_dot(h, bars, jd);
    if (!(fabs(left - right) <= 1e5 * eps * (1 + fabs(left))))
        harness_fail(h, "f_adj against f_jvp", left, right);
    double most = harness_most(h, bar);
    c->inv_adj(s, bar);
    harness_near(h, "value of f_inv_adj", s, s1, 1e3 * eps);
    harness_near(h, "f_inv_adj after f_adj", bar, bars, 1e4 * eps * most);
}

static void harness_hessian(const harness *h, const double *s0, const double *d, const double *bars, double *hd,
                            double *s, double *dot, double *bar) {
    harness_copy(s, s0);
    harness_copy(dot, d);
    h->c->jvp(s, dot);
    harness_copy(bar, bars);
    memset(hd, 0, sizeof(harness_vector));
    h->c->hvp(s, dot, bar, hd);
}

static void harness_second(harness *h, const double *s0, const double *d, const double *e, const double *bars,
                           double eps) {
    harness_vector s, dot, bar, hd = {0}, he = {0}, fd = {0}, gradient = {0};
    harness_copy(s, s0);
    h->c->f(s);
    eps *= harness_most(h, s);
    harness_hessian(h, s0, e, bars, he, s, dot, bar);
    harness_hessian(h, s0, d, bars, hd, s, dot, bar);
    harness_near(h, "value of f_hvp", s, s0, 1e4 * eps);
    harness_near(h, "tangent of f_hvp", dot, d, 1e7 * eps);
    harness_gradient(h, s0, bars, gradient);
    harness_near(h, "gradient of f_hvp", bar, gradient, 1e3 * eps);
    harness_differences(h, harness_gradient, s0, d, bars, cbrt(eps), fd);
    harness_near(h, "f_hvp by differences", hd, fd, 1e4 * cbrt(eps * eps));
    double left = harness_dot(h, hd, e), right = harness_dot(h, he, d);
    if (!(fabs(left - right) <= 1e5 * eps * (1 + fabs(left))))
        harness_fail(h, "symmetry of f_hvp", left, right);
    harness_copy(s, s0);
    harness_copy(dot, d);
    harness_copy(bar, bars);
    memset(hd, 0, sizeof hd);
    h->c->inv_hvp(s, dot, bar, hd);
    harness_differences(h, harness_inverse_gradient, s0, d, bars, cbrt(eps), fd);
    harness_near(h, "f_inv_hvp by differences", hd, fd, 3e4 * cbrt(eps * eps));
}

static void harness_fault(const rev_fault *fault, void *context) {
    harness *h = (harness *)context;
    if (h->faults++ == 0)
        printf("FAILED %s: fault at %s:%d: %s: found %.17g, expected %.17g (seed %llu)\n", h->c->name, fault->file,
               fault->line, fault->check, fault->found, fault->expected, (unsigned long long)h->seed);
}

static void harness_check(harness *h) {
    uint64_t seed = h->seed;
    harness_vector s0 = {0}, d = {0}, e = {0}, bars = {0};
    double eps = h->c->tolerance ? h->c->tolerance : 2e-15;
    harness_state(h, &seed, s0);
    harness_directions(h, &seed, d);
    harness_directions(h, &seed, e);
    harness_directions(h, &seed, bars);
    harness_first(h, s0, d, bars, eps);
    harness_second(h, s0, d, e, bars, eps);
}

#endif

__attribute__((unused)) static int harness_run(const harness_case *cases, size_t count, int argc, char **argv) {
    uint64_t first = argc > 1 ? strtoull(argv[1], NULL, 10) : 1;
    harness h = {.failures = 0};
#ifdef VERSO_REV_GENERATED
    rev_handler_set(harness_fault, &h);
#endif
    for (size_t i = 0; i < count; i++) {
        double s[HARNESS_MOST] = {0};
        uint64_t seed = first;
        h.c = &cases[i];
        harness_state(&h, &seed, s);
        h.c->f(s);
        printf("%s:", h.c->name);
        for (int k = 0; k < h.c->n; k++)
            printf(" %.9g", s[k] + 0.0);
        printf("\n");
#ifdef VERSO_REV_GENERATED
        for (h.seed = first; h.seed < first + HARNESS_ROUNDS; h.seed++)
            harness_check(&h);
#endif
    }
    return h.failures + h.faults > 0;
}

#endif
