/* The tests of `verso rev --check`, around the tables that it prints (rev/check_program.c): each function at random
 * points, in a process of its own.
 *
 * - round trip: f then f_inv, and f then f_adj, give back what was there: fixed and log numbers and integers to the
 *   bit, floating-point numbers within the tolerance of ancillas (1e-8, with a float among them 1e-3, times the greater
 *   of 1 and the largest number);
 * - dot product: bars by f_adj and tangents by f_jvp say the same of two random directions;
 * - Taylor: what f_jvp leaves of f(x + h d) - f(x) falls like h^2;
 * - Hessian: what f_hvp leaves of the difference of gradients by f_adj falls like h^2, and it is symmetric.
 *
 * Buffers end at a page that may not be touched: what is used behind their elements is told and not read. */
#ifndef VERSO_REV_CHECKER_H
#define VERSO_REV_CHECKER_H

#include <signal.h>
#include <stdarg.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <verso/rev/generated.h>

typedef enum rev_number {
    REV_NUMBER_INTEGER,
    REV_NUMBER_FLOAT,
    REV_NUMBER_DOUBLE,
    REV_NUMBER_LONG_DOUBLE,
    REV_NUMBER_FIXED,
    REV_NUMBER_ULOG
} rev_number;

/* So many numbers of one kind side by side in an element, and in its bar. */
typedef struct rev_checked_leaf {
    rev_number kind, shadow;
    size_t offset, count, size;
} rev_checked_leaf;

typedef struct rev_checked {
    const char *name;
    size_t size, shadow_size; /* of an element */
    long long count;          /* elements; -1: not known */
    const rev_checked_leaf *leaves;
    int leaf_count;
    int active, is_length;
    const double *said; /* by --set; NULL: nothing */
    int said_count, said_range;
    char *value, *start, *dot, *bar, *bar_dot;
} rev_checked;

enum { REV_RUN, REV_RUN_BACK, REV_RUN_ADJOINT, REV_RUN_TANGENT, REV_RUN_SECOND };

typedef struct rev_checked_function {
    const char *name, *skipped; /* why; NULL: it is not */
    rev_checked *parameters;
    int count;
    int no_derivatives; /* only the round trip */
    rev_number least;   /* precise kind of number that is used in it */
    void (*run)(rev_checked *p, int what);
    void (*lengths)(rev_checked *p);
} rev_checked_function;

enum {
    REV_CHECK_ROUNDS = 3,
    REV_CHECK_STEPS = 18,
    REV_CHECK_ROOM = 64,
    REV_CHECK_INTEGER = 4,
    REV_CHECK_SECONDS = 120
};

typedef struct rev_checker {
    const rev_checked_function *f;
    uint64_t seed, random;
    size_t numbers; /* that have derivatives */
    double eps, scale;
    int faults, failures, exact;
    double back, dot, taylor, hessian; /* worst of all rounds */
    int reasons;                       /* a file */
} rev_checker;

static rev_checker rev_checker_now;

__attribute__((format(printf, 1, 2))) static void rev_checker_say(const char *format, ...) {
    char text[600];
    va_list list;
    va_start(list, format);
    int length = snprintf(text, 200, "%.190s: ", rev_checker_now.f->name);
    vsnprintf(text + length, sizeof text - 1 - (size_t)length, format, list);
    va_end(list);
    strcat(text, "\n");
    /* Not by stdio: memory may be broken. */
    if (write(rev_checker_now.reasons, text, strlen(text)) < 0)
        rev_checker_now.failures++;
    rev_checker_now.failures++;
}

/* ---- Numbers ---- */

static double rev_checker_random(double low, double high) {
    uint64_t *seed = &rev_checker_now.random;
    *seed = *seed * 6364136223846793005u + 1442695040888963407u;
    uint64_t mixed = (*seed ^ *seed >> 33) * 0xff51afd7ed558ccdu;
    return low + (high - low) * ((double)(mixed >> 11) / 9007199254740992.0);
}

static double rev_number_get(rev_number kind, const char *at, size_t size) {
    switch (kind) {
    case REV_NUMBER_FLOAT: return (double)*(const float *)(const void *)at;
    case REV_NUMBER_LONG_DOUBLE: return (double)*(const long double *)(const void *)at;
    case REV_NUMBER_FIXED: return rev_fixed_value(*(const fixed *)(const void *)at);
    case REV_NUMBER_ULOG: return rev_fixed_value(((const ulog *)(const void *)at)->log); /* bars are by the logarithm */
    case REV_NUMBER_INTEGER: {
        long long value = 0;
        memcpy(&value, at, size < sizeof value ? size : sizeof value);
        return (double)value;
    }
    case REV_NUMBER_DOUBLE: break;
    }
    return *(const double *)(const void *)at;
}

static void rev_number_set(rev_number kind, char *at, size_t size, double value) {
    long long whole = (long long)value;
    switch (kind) {
    case REV_NUMBER_FLOAT: *(float *)(void *)at = (float)value; break;
    case REV_NUMBER_LONG_DOUBLE: *(long double *)(void *)at = value; break;
    case REV_NUMBER_FIXED: *(fixed *)(void *)at = rev_fixed(value); break;
    case REV_NUMBER_ULOG: ((ulog *)(void *)at)->log = rev_fixed(value); break;
    case REV_NUMBER_INTEGER: memcpy(at, &whole, size < sizeof whole ? size : sizeof whole); break;
    case REV_NUMBER_DOUBLE: *(double *)(void *)at = value; break;
    }
}

static double rev_number_eps(rev_number kind) {
    return kind == REV_NUMBER_FLOAT ? 0x1p-23 : kind == REV_NUMBER_FIXED || kind == REV_NUMBER_ULOG ? 0x1p-42 : 0x1p-52;
}

/* What is done with each number of a function. */
typedef void (*rev_checker_visit)(rev_checked *p, const rev_checked_leaf *leaf, size_t value, size_t shadow,
                                  void *context);

static void rev_checker_each(rev_checker_visit visit, void *context) {
    for (int i = 0; i < rev_checker_now.f->count; i++) {
        rev_checked *p = &rev_checker_now.f->parameters[i];
        for (size_t e = 0; e < (size_t)p->count; e++)
            for (int k = 0; k < p->leaf_count; k++)
                for (size_t j = 0; j < p->leaves[k].count; j++) {
                    const rev_checked_leaf *leaf = &p->leaves[k];
                    size_t shadow = leaf->shadow == leaf->kind ? leaf->size : sizeof(double);
                    visit(p, leaf, e * p->size + leaf->offset + j * leaf->size,
                          e * p->shadow_size + leaf->offset + j * shadow, context);
                }
    }
}

/* ---- Vectors of all numbers that have derivatives ---- */

typedef enum rev_checker_which { REV_OF_VALUE, REV_OF_DOT, REV_OF_BAR, REV_OF_BAR_DOT } rev_checker_which;

typedef struct rev_checker_transfer {
    double *vector;
    rev_checker_which which;
    int into;
} rev_checker_transfer;

static void rev_checker_move(rev_checked *p, const rev_checked_leaf *leaf, size_t value, size_t shadow, void *context) {
    rev_checker_transfer *t = (rev_checker_transfer *)context;
    if (!p->active || leaf->kind == REV_NUMBER_INTEGER)
        return;
    char *const bases[] = {p->value, p->dot, p->bar, p->bar_dot};
    char *at = bases[t->which] + (t->which == REV_OF_VALUE ? value : shadow);
    rev_number kind = t->which == REV_OF_VALUE ? leaf->kind : leaf->shadow;
    if (t->into)
        rev_number_set(kind, at, leaf->size, *t->vector++);
    else
        *t->vector++ = rev_number_get(kind, at, leaf->size);
}

static void rev_checker_put(rev_checker_which which, const double *from) {
    rev_checker_transfer t = {(double *)(uintptr_t)from, which, 1};
    rev_checker_each(rev_checker_move, &t);
}

static void rev_checker_get(rev_checker_which which, double *to) {
    rev_checker_transfer t = {to, which, 0};
    rev_checker_each(rev_checker_move, &t);
}

static void *rev_checker_memory(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size ? size : 1);
    if (!memory) {
        fprintf(stderr, "no memory for %zu numbers\n", count);
        _exit(1);
    }
    return memory;
}

static double *rev_checker_vector(void) {
    return (double *)rev_checker_memory(rev_checker_now.numbers, sizeof(double));
}

static double *rev_checker_direction(void) {
    double *d = rev_checker_vector();
    for (size_t i = 0; i < rev_checker_now.numbers; i++)
        d[i] = rev_checker_random(-1, 1);
    return d;
}

static double rev_checker_largest(const double *a) {
    double most = 0;
    for (size_t i = 0; i < rev_checker_now.numbers; i++)
        most = isfinite(a[i]) ? fmax(most, fabs(a[i])) : INFINITY;
    return most;
}

/* ---- Points ---- */

static void rev_checker_start(void) {
    for (int i = 0; i < rev_checker_now.f->count; i++) {
        rev_checked *p = &rev_checker_now.f->parameters[i];
        memcpy(p->value, p->start, (size_t)p->count * p->size);
        memset(p->dot, 0, (size_t)p->count * p->shadow_size);
        memset(p->bar, 0, (size_t)p->count * p->shadow_size);
        memset(p->bar_dot, 0, (size_t)p->count * p->shadow_size);
    }
}

/* Integers count for the length of what has none. */
static void rev_checker_draw(rev_checked *p, const rev_checked_leaf *leaf, size_t value, size_t shadow, void *context) {
    size_t *drawn = (size_t *)context;
    (void)shadow;
    double low = p->said_range ? p->said[0] : 0.1, high = p->said_range ? p->said[1] : 0.9;
    double x = p->said && !p->said_range ? p->said[*drawn % (size_t)p->said_count] : rev_checker_random(low, high);
    if (leaf->kind == REV_NUMBER_INTEGER && !p->said)
        x = p->is_length ? REV_CHECK_INTEGER : 0;
    if (leaf->kind == REV_NUMBER_ULOG)
        x = log(x);
    rev_number_set(leaf->kind, p->value + value, leaf->size, x);
    rev_checker_now.eps = fmax(rev_checker_now.eps, rev_number_eps(leaf->kind));
    *drawn = value / p->size == (size_t)p->count - 1 ? 0 : *drawn + 1;
}

static char *rev_checker_guarded(size_t bytes) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE), whole = (bytes + page - 1) / page * page;
    char *base = (char *)mmap(NULL, whole + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (base == (char *)MAP_FAILED || mprotect(base + whole, page, PROT_NONE) != 0) {
        fprintf(stderr, "no memory for %zu bytes\n", bytes);
        _exit(1);
    }
    return base + whole - bytes;
}

static void rev_checker_allocate(rev_checked *p) {
    size_t count = p->count > 0 ? (size_t)p->count : 0;
    p->value = rev_checker_guarded(count * p->size);
    p->start = (char *)rev_checker_memory(count, p->size);
    p->dot = rev_checker_guarded(count * p->shadow_size);
    p->bar = rev_checker_guarded(count * p->shadow_size);
    p->bar_dot = rev_checker_guarded(count * p->shadow_size);
}

static void rev_checker_count(rev_checked *p, const rev_checked_leaf *leaf, size_t value, size_t shadow,
                              void *context) {
    (void)value, (void)shadow;
    *(size_t *)context += p->active && leaf->kind != REV_NUMBER_INTEGER;
}

/* First what is passed by value: lengths are made of it. */
static void rev_checker_open(const rev_checked_function *f) {
    long long room = REV_CHECK_ROOM;
    for (int i = 0; i < f->count; i++)
        for (int k = 0; f->parameters[i].is_length && k < f->parameters[i].said_count; k++)
            room = (long long)fmax((double)room, 16 * f->parameters[i].said[k]);
    f->lengths(f->parameters);
    for (int i = 0; i < f->count; i++) {
        if (f->parameters[i].count < 0)
            f->parameters[i].count = room;
        rev_checker_allocate(&f->parameters[i]);
    }
    rev_checker_each(rev_checker_count, &rev_checker_now.numbers);
}

static void rev_checker_point(void) {
    size_t drawn = 0;
    rev_checker_each(rev_checker_draw, &drawn);
    for (int i = 0; i < rev_checker_now.f->count; i++) {
        rev_checked *p = &rev_checker_now.f->parameters[i];
        memcpy(p->start, p->value, (size_t)p->count * p->size);
    }
}

static void rev_checker_run(int what) {
    rev_checker_now.f->run(rev_checker_now.f->parameters, what);
}

/* ---- Round trip ---- */

static void rev_checker_compare(rev_checked *p, const rev_checked_leaf *leaf, size_t value, size_t shadow,
                                void *context) {
    double *most = (double *)context;
    (void)shadow;
    const char *now = p->value + value, *before = p->start + value;
    double found = rev_number_get(leaf->kind, now, leaf->size),
           expected = rev_number_get(leaf->kind, before, leaf->size);
    int floating = leaf->kind != REV_NUMBER_INTEGER && leaf->kind != REV_NUMBER_FIXED && leaf->kind != REV_NUMBER_ULOG;
    if (floating ? found == expected : memcmp(now, before, leaf->size) == 0)
        return;
    rev_checker_now.exact = 0;
    double scale = fmax(1, rev_checker_now.scale), off = fabs(found - expected) / scale;
    *most = fmax(*most, isfinite(off) ? off : INFINITY);
    if (!floating || !(off <= (rev_checker_now.eps > 1e-10 ? REV_TOLERANCE_FLOAT : REV_TOLERANCE_DOUBLE))) {
        if (rev_checker_now.failures == 0)
            rev_checker_say("round trip: %s, element %zu: found %.17g, expected %.17g%s", p->name, value / p->size,
                            found, expected, floating ? "" : ", to the bit");
        else
            rev_checker_now.failures++;
    }
}

/* Leaves the vector of what f makes of the point. */
static void rev_checker_round_trip(double *y) {
    rev_checker_start();
    rev_checker_run(REV_RUN);
    rev_checker_get(REV_OF_VALUE, y);
    rev_checker_now.scale = rev_checker_largest(y);
    if (!isfinite(rev_checker_now.scale)) {
        rev_checker_say(
            "what it makes of random numbers is not finite; say where its numbers are: --set NAME=LOW:HIGH");
        return;
    }
    rev_checker_run(REV_RUN_BACK);
    rev_checker_each(rev_checker_compare, &rev_checker_now.back);
    if (rev_checker_now.numbers == 0)
        return;
    rev_checker_start();
    rev_checker_run(REV_RUN);
    rev_checker_run(REV_RUN_ADJOINT);
    rev_checker_each(rev_checker_compare, &rev_checker_now.back);
}

/* ---- Derivatives ---- */

static void rev_checker_value(const double *x, const double *bars, double *out) {
    (void)bars;
    rev_checker_start();
    rev_checker_put(REV_OF_VALUE, x);
    rev_checker_run(REV_RUN);
    rev_checker_get(REV_OF_VALUE, out);
}

static void rev_checker_gradient(const double *x, const double *bars, double *out) {
    rev_checker_start();
    rev_checker_put(REV_OF_VALUE, x);
    rev_checker_run(REV_RUN);
    rev_checker_put(REV_OF_BAR, bars);
    rev_checker_run(REV_RUN_ADJOINT);
    rev_checker_get(REV_OF_BAR, out);
}

typedef void (*rev_checker_map)(const double *x, const double *bars, double *out);

typedef struct rev_checker_line {
    rev_checker_map map;
    const double *x, *d, *bars, *base, *slope;
    double *moved, *out; /* room */
} rev_checker_line;

static double rev_checker_remainder(const rev_checker_line *l, double h) {
    double most = 0;
    for (size_t i = 0; i < rev_checker_now.numbers; i++)
        l->moved[i] = l->x[i] + h * l->d[i];
    l->map(l->moved, l->bars, l->out);
    for (size_t i = 0; i < rev_checker_now.numbers; i++) {
        double rest = fabs(l->out[i] - l->base[i] - h * l->slope[i]);
        most = isfinite(rest) ? fmax(most, rest) : INFINITY;
    }
    return most;
}

/* The order in which remainders fall where they are last seen above round-off, which is looked at 16 to 96 units in the
 * last place away, and above what the way back has lost; 0: never seen. What is gone from one step to the next was
 * behind a condition that changes on the way, and is not seen from here. */
static double rev_checker_order(const rev_checker_line *l) {
    double noise = 4 * rev_checker_now.eps * fmax(1, fmax(rev_checker_largest(l->base), rev_checker_largest(l->x)));
    double order = 0, last = INFINITY;
    noise = fmax(noise, rev_checker_now.back * fmax(1, rev_checker_now.scale) * rev_checker_largest(l->slope));
    for (int k = 1; k <= 6; k++)
        noise = fmax(noise, rev_checker_remainder(l, 16 * k * rev_checker_now.eps));
    for (int k = 0; k < REV_CHECK_STEPS; k++) {
        double rest = rev_checker_remainder(l, ldexp(1, -3 - k));
        if (rest <= 32 * noise && last > 16 * 32 * noise && isfinite(last))
            order = 0;
        if (rest <= 32 * noise)
            break;
        if (isfinite(rest) && isfinite(last))
            order = log2(last / rest);
        last = rest;
    }
    return order;
}

static double rev_checker_product(const double *a, const double *b, double *terms) {
    double sum = 0;
    for (size_t i = 0; i < rev_checker_now.numbers; i++) {
        sum += a[i] * b[i];
        *terms += fabs(a[i] * b[i]);
    }
    return sum;
}

/* How far two sums that must be the same are apart, in their terms. */
static double rev_checker_apart(const double *a, const double *b, const double *c, const double *d, double units,
                                const char *what) {
    double terms = 1e-300, left = rev_checker_product(a, b, &terms), right = rev_checker_product(c, d, &terms);
    double off = fabs(left - right) / terms;
    if (!(off <= units * rev_checker_now.eps * fmax(1, rev_checker_now.scale)))
        rev_checker_say("%s: %.17g and %.17g", what, left, right);
    return isfinite(off) ? off : INFINITY;
}

/* Of all rounds the worst. With float the best: its few digits can be lost at one point, and not at all. */
static double rev_checker_judge(double so_far, double order) {
    if (order == 0 || so_far == 0)
        return order + so_far;
    return rev_checker_now.eps > 1e-10 ? fmax(so_far, order) : fmin(so_far, order);
}

static int rev_checker_is_wrong(double order) {
    return order != 0 && !(order > 1.7);
}

static void rev_checker_first(rev_checker_line *l, const double *d, const double *bars, double *gradient) {
    double *jd = rev_checker_vector();
    rev_checker_start();
    rev_checker_put(REV_OF_DOT, d);
    rev_checker_run(REV_RUN_TANGENT);
    rev_checker_get(REV_OF_DOT, jd);
    rev_checker_gradient(l->x, bars, gradient);
    rev_checker_now.dot =
        fmax(rev_checker_now.dot, rev_checker_apart(bars, jd, gradient, d, 1e4, "dot product by f_jvp and by f_adj"));
    l->map = rev_checker_value;
    l->slope = jd;
    rev_checker_now.taylor = rev_checker_judge(rev_checker_now.taylor, rev_checker_order(l));
    free(jd);
}

static void rev_checker_times_hessian(const double *d, const double *bars, double *hd) {
    rev_checker_start();
    rev_checker_put(REV_OF_DOT, d);
    rev_checker_run(REV_RUN_TANGENT);
    rev_checker_put(REV_OF_BAR, bars);
    rev_checker_run(REV_RUN_SECOND);
    rev_checker_get(REV_OF_BAR_DOT, hd);
}

static void rev_checker_second(rev_checker_line *l, const double *gradient) {
    double *e = rev_checker_direction(), *hd = rev_checker_vector(), *he = rev_checker_vector();
    rev_checker_times_hessian(e, l->bars, he);
    rev_checker_times_hessian(l->d, l->bars, hd);
    rev_checker_apart(hd, e, he, l->d, 1e6, "f_hvp is not symmetric");
    l->map = rev_checker_gradient;
    l->base = gradient;
    l->slope = hd;
    rev_checker_now.hessian = rev_checker_judge(rev_checker_now.hessian, rev_checker_order(l));
    free(e);
    free(hd);
    free(he);
}

static void rev_checker_round(void) {
    double *x = rev_checker_vector(), *y = rev_checker_vector(), *gradient = rev_checker_vector();
    rev_checker_point();
    rev_checker_start();
    rev_checker_get(REV_OF_VALUE, x);
    rev_checker_round_trip(y);
    if (rev_checker_now.numbers > 0 && isfinite(rev_checker_now.scale) && rev_checker_now.faults == 0) {
        double *d = rev_checker_direction(), *bars = rev_checker_direction();
        rev_checker_line l = {
            .x = x, .d = d, .bars = bars, .base = y, .moved = rev_checker_vector(), .out = rev_checker_vector()};
        rev_checker_first(&l, d, bars, gradient);
        rev_checker_second(&l, gradient);
        free(d);
        free(bars);
        free(l.moved);
        free(l.out);
    }
    free(x);
    free(y);
    free(gradient);
}

/* ---- What goes wrong ---- */

static void rev_checker_fault(const rev_fault *fault, void *context) {
    (void)context;
    if (rev_checker_now.faults++ == 0)
        rev_checker_say("%s:%d: %s: %s: found %.17g, expected %.17g", fault->file, fault->line,
                        rev_fault_text(fault->kind), fault->check, fault->found, fault->expected);
}

/* Which buffer's end was passed. The process ends here, so that nothing is wrong with printing. */
static void rev_checker_broken(int signal, siginfo_t *about, void *context) {
    (void)context;
    const char *at = (const char *)about->si_addr;
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    for (int i = 0; i < rev_checker_now.f->count; i++) {
        rev_checked *p = &rev_checker_now.f->parameters[i];
        const char *ends[] = {p->value + (size_t)p->count * p->size, p->dot + (size_t)p->count * p->shadow_size,
                              p->bar + (size_t)p->count * p->shadow_size,
                              p->bar_dot + (size_t)p->count * p->shadow_size};
        for (int k = 0; k < 4; k++)
            if (at >= ends[k] && at < ends[k] + page) {
                rev_checker_say("it uses more than the %lld elements of %s; say how many there are: --length %s=NUMBER",
                                p->count, p->name, p->name);
                _exit(2);
            }
    }
    rev_checker_say("ended by signal %d", signal);
    _exit(2);
}

static void rev_checker_catch(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = rev_checker_broken;
    action.sa_flags = SA_SIGINFO | (int)SA_RESETHAND;
    for (size_t i = 0; i < sizeof signals / sizeof *signals; i++)
        sigaction(signals[i], &action, NULL);
    alarm(REV_CHECK_SECONDS);
    rev_handler_set(rev_checker_fault, NULL);
}

/* ---- The table ---- */

static void rev_checker_row(const char *name, const char *back, const char *dot, const char *taylor,
                            const char *hessian, const char *verdict) {
    printf("%-28s %10s  %11s  %7s  %7s  %s\n", name, back, dot, taylor, hessian, verdict);
}

static const char *rev_checker_text(char *room, double value, int is_order, const char *when_zero) {
    if (value == 0)
        return when_zero;
    snprintf(room, 24, is_order ? "%.2f" : "%.1e", value);
    return room;
}

static void rev_checker_result(void) {
    const rev_checker *c = &rev_checker_now;
    char back[24], dot[24], taylor[24], hessian[24];
    int derived = c->numbers > 0 && !c->f->no_derivatives && c->faults == 0 && isfinite(c->scale);
    rev_checker_row(c->f->name,
                    c->faults             ? "fault"
                    : !isfinite(c->scale) ? "-"
                    : c->exact            ? "exact"
                                          : rev_checker_text(back, c->back, 0, "-"),
                    derived ? rev_checker_text(dot, c->dot, 0, "exact") : "-",
                    derived ? rev_checker_text(taylor, c->taylor, 1, "linear") : "-",
                    derived ? rev_checker_text(hessian, c->hessian, 1, "linear") : "-", c->failures ? "FAILED" : "ok");
}

static int rev_checker_child(const rev_checked_function *f) {
    rev_checker_catch();
    rev_checker_now.exact = 1;
    rev_checker_now.eps = rev_number_eps(f->least);
    for (int i = 0; f->no_derivatives && i < f->count; i++)
        f->parameters[i].active = 0;
    rev_checker_open(f);
    for (int round = 0; round < REV_CHECK_ROUNDS && rev_checker_now.failures == 0; round++) {
        rev_checker_now.random = rev_checker_now.seed + (uint64_t)round;
        rev_checker_round();
    }
    if (rev_checker_is_wrong(rev_checker_now.taylor))
        rev_checker_say("Taylor: what f_jvp leaves of f(x + h d) - f(x) falls like h^%.2f, not h^2",
                        rev_checker_now.taylor);
    if (rev_checker_is_wrong(rev_checker_now.hessian))
        rev_checker_say("Hessian: what f_hvp leaves of differences of f_adj falls like h^%.2f, not h^2",
                        rev_checker_now.hessian);
    rev_checker_result();
    fflush(stdout);
    return rev_checker_now.failures > 0;
}

/* 0: it holds. */
static int rev_checker_test(const rev_checked_function *f) {
    int ending = 0;
    rev_checker_now.f = f;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0)
        _exit(rev_checker_child(f));
    if (child < 0 || waitpid(child, &ending, 0) < 0) {
        perror("verso rev --check");
        return 1;
    }
    if (!WIFEXITED(ending) || WEXITSTATUS(ending) > 1)
        rev_checker_row(f->name, "crashed", "-", "-", "-", "FAILED");
    return !WIFEXITED(ending) || WEXITSTATUS(ending) != 0;
}

static int rev_checker_main(const rev_checked_function *functions, int count, const char *file, uint64_t seed) {
    int failed = 0, skipped = 0;
    rev_checker_now.seed = seed;
    FILE *reasons = tmpfile();
    if (!reasons) {
        perror("verso rev --check");
        return 1;
    }
    rev_checker_now.reasons = fileno(reasons);
    rev_checker_row("function", "round trip", "dot product", "Taylor", "Hessian", "");
    for (int i = 0; i < count; i++) {
        if (functions[i].skipped)
            rev_checker_row(functions[i].name, "-", "-", "-", "-", "skipped");
        else
            failed += rev_checker_test(&functions[i]);
        skipped += functions[i].skipped != NULL;
    }
    rewind(reasons);
    for (int c; (c = fgetc(reasons)) != EOF;)
        putchar(c);
    for (int i = 0; i < count; i++)
        if (functions[i].skipped)
            printf("%s: skipped: %s\n", functions[i].name, functions[i].skipped);
    printf("%s: %d functions hold, %d do not, %d skipped (seed %llu)\n", file, count - failed - skipped, failed,
           skipped, (unsigned long long)seed);
    if (skipped == count)
        printf("%s: nothing was tested\n", file);
    return failed > 0 || skipped == count || fflush(stdout) != 0;
}

#endif
