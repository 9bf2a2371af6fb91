/* The tests of `verso rev --check`. The program that rev/check_program.c prints includes this header, describes
 * each reversible function in a table, and calls rev_checker_main, which tests each function at random points,
 * each function in its own process:
 *
 * - round trip: f then f_inv, and f then f_adj, restore the inputs: integers, `fixed` and `ulog` to the bit,
 *   floating-point numbers within the tolerance of ancillas (1e-8, or 1e-3 if a float takes part, times the greater
 *   of 1 and the largest number);
 * - dot product: bars computed by f_adj and tangents computed by f_jvp agree for two random directions;
 * - Taylor: the remainder f(x + h d) - f(x) - h f_jvp(d) falls like h^2;
 * - Hessian: the same remainder for gradients by f_adj and their derivative by f_hvp falls like h^2, and the Hessian is
 *   symmetric.
 *
 * checker_points.h has the types of the table, and the buffers with random values that the tests run on.
 *
 * Thread safety: none; the program has one thread. Errors: rev_checker_main prints them and returns 1. */
#ifndef VERSO_REV_CHECKER_H
#define VERSO_REV_CHECKER_H

#include <signal.h>
#include <stdarg.h>
#include <sys/wait.h>
#include <verso/rev/checker_points.h>

__attribute__((format(printf, 1, 2))) static void rev_checker_fail(const char *format, ...) {
    char text[600];
    va_list list;
    va_start(list, format);
    int length = snprintf(text, 200, "%.190s: ", rev_checker_now.f->name);
    vsnprintf(text + length, sizeof text - 1 - (size_t)length, format, list);
    va_end(list);
    strcat(text, "\n");
    /* Not with stdio: the function under test may have damaged its buffers. */
    if (write(rev_checker_now.reasons, text, strlen(text)) < 0)
        rev_checker_now.failures++;
    rev_checker_now.failures++;
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
            rev_checker_fail("round trip: %s, element %zu: found %.17g, expected %.17g%s", p->name, value / p->size,
                             found, expected, floating ? "" : ", to the bit");
        else
            rev_checker_now.failures++;
    }
}

/* Runs f and f_inv, then f and f_adj, and compares the inputs. Sets y to the result of f. */
static void rev_checker_round_trip(double *y) {
    rev_checker_reset();
    rev_checker_run(REV_RUN);
    rev_checker_get(REV_OF_VALUE, y);
    rev_checker_now.scale = rev_checker_largest(y);
    if (!isfinite(rev_checker_now.scale)) {
        rev_checker_fail(
            "its results at random inputs are not finite; give the range of its inputs: --set NAME=LOW:HIGH");
        return;
    }
    rev_checker_run(REV_RUN_BACK);
    rev_checker_each(rev_checker_compare, &rev_checker_now.back);
    if (rev_checker_now.numbers == 0)
        return;
    rev_checker_reset();
    rev_checker_run(REV_RUN);
    rev_checker_run(REV_RUN_ADJOINT);
    rev_checker_each(rev_checker_compare, &rev_checker_now.back);
}

/* ---- Derivatives ---- */

static void rev_checker_value(const double *x, const double *bars, double *out) {
    (void)bars;
    rev_checker_reset();
    rev_checker_put(REV_OF_VALUE, x);
    rev_checker_run(REV_RUN);
    rev_checker_get(REV_OF_VALUE, out);
}

static void rev_checker_gradient(const double *x, const double *bars, double *out) {
    rev_checker_reset();
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
    double *moved, *out; /* scratch vectors */
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

/* Returns the order p with which the remainders fall like h^p, measured at the smallest steps h whose remainder is
 * still above the noise; 0 if no remainder is above it. The noise is estimated from the remainders at 16 to 96
 * units in the last place, and from the error of the round trip. If a remainder disappears from one step to the
 * next, a condition of the function changes between them; then the order says nothing about the derivative at x,
 * and 0 is returned. */
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

/* Compares the dot products a.b and c.d, which must be equal. Returns their difference divided by the sum of the
 * absolute values of all terms. Reports a failure unless that is at most `units` roundings or the difference is at
 * most `noise`. */
static double rev_checker_apart(const double *a, const double *b, const double *c, const double *d, double units,
                                double noise, const char *what) {
    double terms = 1e-300, left = rev_checker_product(a, b, &terms), right = rev_checker_product(c, d, &terms);
    double off = fabs(left - right) / terms;
    if (!(off <= units * rev_checker_now.eps * fmax(1, rev_checker_now.scale)) && !(fabs(left - right) <= noise))
        rev_checker_fail("%s: %.17g and %.17g", what, left, right);
    return isfinite(off) ? off : INFINITY;
}

/* Combines the orders of all rounds: the worst, but with float the best, because a float has so few digits that a
 * single point may lose all of them. An order of 0 (linear) does not count. */
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
    rev_checker_reset();
    rev_checker_put(REV_OF_DOT, d);
    rev_checker_run(REV_RUN_TANGENT);
    rev_checker_get(REV_OF_DOT, jd);
    rev_checker_gradient(l->x, bars, gradient);
    rev_checker_now.dot = fmax(rev_checker_now.dot,
                               rev_checker_apart(bars, jd, gradient, d, 1e4, 0, "dot product by f_jvp and by f_adj"));
    l->map = rev_checker_value;
    l->slope = jd;
    rev_checker_now.taylor = rev_checker_judge(rev_checker_now.taylor, rev_checker_order(l));
    free(jd);
}

static void rev_checker_times_hessian(const double *d, const double *bars, double *hd) {
    rev_checker_reset();
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
    /* Where second derivatives cancel, only the round-off of their terms is left. The terms are not known here, so
     * their size is estimated from the numbers. */
    double noise = 1e3 * rev_checker_now.eps * fmax(1, rev_checker_now.scale) * rev_checker_largest(l->d) *
                   rev_checker_largest(e) * rev_checker_largest(l->bars);
    rev_checker_apart(hd, e, he, l->d, 1e6, noise, "f_hvp is not symmetric");
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
    rev_checker_reset();
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

/* ---- Failures ---- */

static void rev_checker_fault(const rev_fault *fault, void *context) {
    (void)context;
    if (rev_checker_now.faults++ == 0)
        rev_checker_fail("%s:%d: %s: %s: found %.17g, expected %.17g", fault->file, fault->line,
                         rev_fault_text(fault->kind), fault->check, fault->found, fault->expected);
}

/* Handles a signal: reports the buffer whose end was passed, if one was. Printing is safe here, because the
 * process ends afterwards. */
static void rev_checker_on_signal(int signal, siginfo_t *about, void *context) {
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
                rev_checker_fail("it accesses more than the %lld elements of %s; give their number: --length %s=NUMBER",
                                 p->count, p->name, p->name);
                _exit(2);
            }
    }
    rev_checker_fail("ended by signal %d", signal);
    _exit(2);
}

static void rev_checker_catch(void) {
    static const int signals[] = {SIGSEGV, SIGBUS, SIGFPE, SIGABRT, SIGALRM};
    struct sigaction action;
    memset(&action, 0, sizeof action);
    action.sa_sigaction = rev_checker_on_signal;
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
        rev_checker_fail("Taylor: the remainder f(x + h d) - f(x) - h f_jvp(d) falls like h^%.2f instead of h^2",
                         rev_checker_now.taylor);
    if (rev_checker_is_wrong(rev_checker_now.hessian))
        rev_checker_fail("Hessian: the remainder of f_hvp to differences of f_adj falls like h^%.2f instead of h^2",
                         rev_checker_now.hessian);
    rev_checker_result();
    fflush(stdout);
    return rev_checker_now.failures > 0;
}

/* Tests one function in a child process. Returns 0 if it passed. */
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
    printf("%s: %d functions passed, %d failed, %d skipped (seed %llu)\n", file, count - failed - skipped, failed,
           skipped, (unsigned long long)seed);
    if (skipped == count)
        printf("%s: nothing was tested\n", file);
    return failed > 0 || skipped == count || fflush(stdout) != 0;
}

#endif
