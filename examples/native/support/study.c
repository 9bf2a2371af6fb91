/* See study.h. The tasks use the public interface only: verso_gradient, verso_check_gradient, sites and profiles. */
#include "study.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <verso/native.h>

void *study_allocate(size_t count, size_t size) {
    void *memory = calloc(count, size);
    if (memory == NULL)
        abort();
    return memory;
}

double study_random(unsigned long long *state) {
    *state = *state * 6364136223846793005ULL + 1442695040888963407ULL;
    return (double)(*state >> 11) * 0x1p-53;
}

double study_seconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* ---- The command line ---- */

static const study_option *find(const char *word, const study_option *options, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (strcmp(word, options[i].name) == 0)
            return &options[i];
    return NULL;
}

static void usage(const char *program, const study_option *options, size_t count) {
    fprintf(stderr, "usage: %s [--check | --choose]", program);
    for (size_t i = 0; i < count; i++)
        fprintf(stderr, " [%s %g]", options[i].name, *options[i].value);
    fprintf(stderr, "\n");
    exit(2);
}

study_task study_read(int argc, char **argv, const study_option *options, size_t count) {
    study_task task = STUDY_GRADIENT;
    for (int i = 1; i < argc; i++) {
        const study_option *option = find(argv[i], options, count);
        char *end = NULL;
        if (strcmp(argv[i], "--check") == 0)
            task = STUDY_CHECK;
        else if (strcmp(argv[i], "--choose") == 0)
            task = STUDY_CHOOSE;
        else if (option == NULL || i + 1 == argc)
            usage(argv[0], options, count);
        else
            *option->value = strtod(argv[++i], &end);
        if (end != NULL && *end != '\0')
            usage(argv[0], options, count);
    }
    return task;
}

/* ---- Gradients ---- */

typedef struct subject {
    const double *x;
    size_t n, sites;
    double *gradient; /* the first gradient */
    double *again;    /* a gradient to be compared with it */
    bool *on;         /* for each site, whether it is checkpointed */
    verso_native_report report;
    verso_error error;
    double seconds;
    verso_profile *profile;
} subject;

static void switch_sites(const subject *s) {
    for (size_t i = 0; i < s->sites; i++)
        verso_site_set(i, s->on[i]);
}

static void switch_all(subject *s, bool on) {
    for (size_t i = 0; i < s->sites; i++)
        s->on[i] = on;
}

/* Computes the gradient of f with the current choice of sites. */
static void differentiate(subject *s, double (*f)(const double *x, size_t n), double *gradient,
                          const verso_native_options *options) {
    const double begin = study_seconds();
    verso_error error;
    s->report = (verso_native_report)VERSO_NATIVE_REPORT_INIT;
    if (verso_gradient(f, s->x, s->n, gradient, options, &s->report, &error) != VERSO_STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        exit(1);
    }
    s->seconds = study_seconds() - begin;
}

/* FNV-1a of the gradient's bits. */
static uint64_t checksum(const subject *s, const double *gradient) {
    uint64_t sum = 14695981039346656037ULL;
    for (size_t i = 0; i < s->n; i++) {
        uint64_t bits;
        memcpy(&bits, &gradient[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211ULL;
    }
    return sum;
}

static double norm(const subject *s) {
    double sum = 0;
    for (size_t i = 0; i < s->n; i++)
        sum += s->gradient[i] * s->gradient[i];
    return sqrt(sum);
}

static int show_gradient(subject *s, double (*f)(const double *x, size_t n)) {
    const double begin = study_seconds(), value = f(s->x, s->n), plain = study_seconds() - begin;
    differentiate(s, f, s->gradient, NULL);
    printf("value          %.17g\n", s->report.value);
    printf("gradient       %zu numbers, norm %.15g, checksum %016" PRIx64 "\n", s->n, norm(s),
           checksum(s, s->gradient));
    printf("plain call     %.3f s\n", plain);
    printf("gradient       %.3f s, %.2f times that\n", s->seconds, s->seconds / plain);
    printf("tape_bytes     %zu\n", s->report.tape_bytes);
    printf("sites          %zu\n", s->sites);
    if (s->report.value != value)
        return fprintf(stderr, "the differentiated run returned %.17g instead of %.17g\n", s->report.value, value), 1;
    return 0;
}

/* ---- Checking ---- */

static bool is_gradient_right(double (*f)(const double *x, size_t n), const subject *s) {
    verso_check_report report = VERSO_CHECK_REPORT_INIT;
    verso_error error;
    if (verso_check_gradient(f, s->x, s->n, NULL, &report, &error) != VERSO_STATUS_OK) {
        fprintf(stderr, "%s\n", error.message);
        return false;
    }
    printf("dot product    %.17g in tangent mode, %.17g in reverse mode: %s\n", report.dot_tangent, report.dot_reverse,
           report.dot_holds ? "the same" : "NOT the same");
    printf("Taylor         order %.3f: %s\n", report.taylor_order, report.taylor_holds ? "second order" : "NOT");
    printf("cuts           %" PRIu64 " stretches, %" PRIu64 " numbers differ\n", report.stretches,
           report.cut_difference);
    return report.holds;
}

/* Returns whether the gradient with this choice has the bits of the first, and takes the predicted memory. */
static bool is_as_predicted(subject *s, double (*f)(const double *x, size_t n), const char *what, size_t which) {
    const verso_profile_cost cost = verso_profile_predict(s->profile, s->on);
    switch_sites(s);
    differentiate(s, f, s->again, NULL);
    const bool same = memcmp(s->gradient, s->again, s->n * sizeof *s->again) == 0;
    if (!same)
        fprintf(stderr, "%s %zu: the gradient has other bits\n", what, which);
    if (cost.peak_bytes != s->report.tape_bytes)
        fprintf(stderr, "%s %zu: %zu bytes of tape instead of the %" PRIu64 " that were predicted\n", what, which,
                s->report.tape_bytes, cost.peak_bytes);
    return same && cost.peak_bytes == s->report.tape_bytes;
}

static int check(subject *s, double (*f)(const double *x, size_t n)) {
    enum { RANDOM = 50, LEAST_SITES = 20 };
    unsigned long long seed = 1;
    size_t tried = 0, wrong = !is_gradient_right(f, s);
    differentiate(s, f, s->gradient, NULL);
    differentiate(s, f, s->again,
                  &(verso_native_options){.size = sizeof(verso_native_options), .profile = &s->profile});
    wrong += memcmp(s->gradient, s->again, s->n * sizeof *s->again) != 0;
    for (int all = 0; all <= 1; all++) {
        switch_all(s, all);
        wrong += !is_as_predicted(s, f, all ? "all on" : "all off", 0), tried++;
        for (size_t i = 0; i < s->sites; i++, tried++) {
            s->on[i] = !all;
            wrong += !is_as_predicted(s, f, all ? "all on but site" : "only site", i);
            s->on[i] = all;
        }
    }
    for (size_t i = 0; i < RANDOM; i++, tried++) {
        const double part = study_random(&seed);
        for (size_t j = 0; j < s->sites; j++)
            s->on[j] = study_random(&seed) < part;
        wrong += !is_as_predicted(s, f, "random choice of seed 1, number", i);
    }
    printf("sites          %zu\nchoices        %zu, %zu wrong in bits or bytes\n", s->sites, tried, wrong);
    if (s->sites < LEAST_SITES)
        return fprintf(stderr, "only %zu sites\n", s->sites), 1;
    return wrong != 0;
}

/* ---- Choosing ---- */

/* Returns the predicted time of the current choice; INFINITY if it does not fit into the budget. */
static double price(const subject *s, uint64_t budget) {
    const verso_profile_cost cost = verso_profile_predict(s->profile, s->on);
    return cost.peak_bytes <= budget ? cost.seconds : INFINITY;
}

/* Switches two sites, or one if they are the same, if that is faster. */
static bool improve(subject *s, uint64_t budget, size_t one, size_t other, double *best) {
    s->on[one] = !s->on[one];
    if (other != one)
        s->on[other] = !s->on[other];
    const double now = price(s, budget);
    if (now < *best) {
        *best = now;
        return true;
    }
    s->on[one] = !s->on[one];
    if (other != one)
        s->on[other] = !s->on[other];
    return false;
}

/* Improves the current choice, which fits, until no switch of one or two sites makes it faster. */
static void choose(subject *s, uint64_t budget) {
    double best = price(s, budget);
    for (bool better = true; better;) {
        better = false;
        for (size_t i = 0; i < s->sites; i++)
            better |= improve(s, budget, i, i, &best);
        for (size_t i = 0; i < s->sites && !better; i++)
            for (size_t j = i + 1; j < s->sites; j++)
                better |= improve(s, budget, i, j, &best);
    }
}

/* Prints a row for the current choice, with the least time of several gradients. */
static void show_choice(subject *s, double (*f)(const double *x, size_t n), const char *what, double reference) {
    enum { TIMINGS = 3 };
    double least = INFINITY;
    size_t on = 0;
    const verso_profile_cost cost = verso_profile_predict(s->profile, s->on);
    for (size_t i = 0; i < s->sites; i++)
        on += s->on[i];
    switch_sites(s);
    for (int i = 0; i < TIMINGS; i++) {
        differentiate(s, f, s->again, NULL);
        least = fmin(least, s->seconds);
    }
    s->seconds = least;
    printf("%-28s %3zu of %zu %9.3f s %9.3f s %8.2f %14zu %s\n", what, on, s->sites, s->seconds, cost.seconds,
           reference > 0 ? reference / s->seconds : 1.0, s->report.tape_bytes,
           cost.peak_bytes == s->report.tape_bytes ? "" : "NOT as predicted");
}

/* Prints the sites in the format of verso_sites_read. */
static void list_sites(const subject *s) {
    for (size_t i = 0; i < s->sites; i++) {
        const verso_site site = verso_site_get(i);
        printf("    %-3s %s %s %s\n", s->on[i] ? "on" : "off", site.caller, site.callee, site.where);
    }
}

static int compare(subject *s, double (*f)(const double *x, size_t n)) {
    differentiate(s, f, s->gradient,
                  &(verso_native_options){.size = sizeof(verso_native_options), .profile = &s->profile});
    printf("%-28s %9s %11s %11s %8s %14s\n", "", "on", "time", "predicted", "faster", "bytes");
    switch_all(s, true);
    show_choice(s, f, "all", 0);
    const double slow = s->seconds;
    const uint64_t bytes = s->report.tape_bytes;
    choose(s, bytes);
    show_choice(s, f, "best in no more memory", slow);
    list_sites(s);
    choose(s, bytes + bytes / 2);
    show_choice(s, f, "best in 1.5 times the memory", slow);
    switch_all(s, false);
    show_choice(s, f, "none", slow);
    return 0;
}

int study(study_task task, double (*f)(const double *x, size_t n), const double *x, size_t n) {
    subject s = {.x = x, .n = n, .sites = verso_site_count()};
    s.gradient = study_allocate(n, sizeof(double));
    s.again = study_allocate(n, sizeof(double));
    s.on = study_allocate(s.sites + 1, sizeof(bool));
    const int status = task == STUDY_CHECK    ? check(&s, f)
                       : task == STUDY_CHOOSE ? compare(&s, f)
                                              : show_gradient(&s, f);
    verso_profile_free(s.profile);
    free(s.gradient);
    free(s.again);
    free(s.on);
    return status;
}
