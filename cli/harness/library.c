/* What every library of `verso library` has besides its functions, for callers in other languages, which cannot read
 * <verso/native.h>: memory, options, and reports as JSON. This text is embedded in the `verso` executable. */
#include <stdio.h>
#include <stdlib.h>
#include <verso/native.h>

/* Returns memory of the library's heap, of which copies are taken and which has derivatives; NULL: there is none. */
VERSO_API void *verso__library_allocate(size_t size);
VERSO_API void verso__library_free(void *block);

/* Options and reports of calls. */
typedef struct verso__library_calls {
    verso_native_options options;
    verso_run_options run;
    verso_native_report report;
    verso_check_options check_options;
    verso_check_report check;
    char text[4096];
} verso__library_calls;

/* `progress` may be NULL. on_signal: SIGINT and SIGTERM end the run. */
VERSO_API verso__library_calls *verso__library_open(void);
VERSO_API void verso__library_close(verso__library_calls *calls);
VERSO_API const verso_native_options *verso__library_options(verso__library_calls *calls, uint64_t memory,
                                                             void (*progress)(void *, const verso_progress *),
                                                             bool on_signal);
VERSO_API verso_native_report *verso__library_report(verso__library_calls *calls);
VERSO_API const verso_check_options *verso__library_check_options(verso__library_calls *calls, uint64_t seed,
                                                                  uint64_t cuts, uint64_t memory);
VERSO_API verso_check_report *verso__library_check(verso__library_calls *calls);
/* What the reports say, as JSON; valid until the next call. */
VERSO_API const char *verso__library_report_text(verso__library_calls *calls);
VERSO_API const char *verso__library_check_text(verso__library_calls *calls);

void *verso__library_allocate(size_t size) {
    return calloc(1, size);
}

void verso__library_free(void *block) {
    free(block);
}

verso__library_calls *verso__library_open(void) {
    verso__library_calls *calls = calloc(1, sizeof *calls);
    if (calls) {
        calls->options = (verso_native_options)VERSO_NATIVE_OPTIONS_INIT;
        calls->report = (verso_native_report)VERSO_NATIVE_REPORT_INIT;
        calls->check_options = (verso_check_options)VERSO_CHECK_OPTIONS_INIT;
        calls->check = (verso_check_report)VERSO_CHECK_REPORT_INIT;
    }
    return calls;
}

void verso__library_close(verso__library_calls *calls) {
    free(calls);
}

const verso_native_options *verso__library_options(verso__library_calls *calls, uint64_t memory,
                                                   void (*progress)(void *, const verso_progress *), bool on_signal) {
    calls->options.memory = memory;
    calls->options.run = NULL;
    if (progress || on_signal) {
        verso_run_options_init(&calls->run);
        calls->run.automatic = true;
        calls->run.progress = progress;
        calls->run.on_signal = on_signal;
        calls->options.run = &calls->run;
    }
    return &calls->options;
}

verso_native_report *verso__library_report(verso__library_calls *calls) {
    return &calls->report;
}

const verso_check_options *verso__library_check_options(verso__library_calls *calls, uint64_t seed, uint64_t cuts,
                                                        uint64_t memory) {
    calls->check_options.seed = seed;
    calls->check_options.cuts = cuts;
    calls->check_options.within = memory ? verso__library_options(calls, memory, NULL, false) : NULL;
    return &calls->check_options;
}

verso_check_report *verso__library_check(verso__library_calls *calls) {
    return &calls->check;
}

/* JSON has no infinities; Python's module json reads these words. */
static const char *number(double x, char text[32]) {
    if (x != x)
        return "NaN";
    if (x - x != 0)
        return x > 0 ? "Infinity" : "-Infinity";
    snprintf(text, 32, "%.17g", x);
    return text;
}

static const char *truth(bool holds) {
    return holds ? "true" : "false";
}

const char *verso__library_report_text(verso__library_calls *calls) {
    const verso_native_report *r = &calls->report;
    char forward[32], reverse[32];
    snprintf(calls->text, sizeof calls->text,
             "{\"steps\": %llu, \"forward_steps\": %llu, \"recordings\": %llu, \"capsules\": %llu, "
             "\"leaf_bytes\": %llu, \"budget_bytes\": %llu, \"tape_bytes\": %llu, \"peak_bytes\": %llu, "
             "\"seconds_forward\": %s, \"seconds_reverse\": %s, \"schedule\": \"%s\", \"signal\": %d}",
             (unsigned long long)r->steps, (unsigned long long)r->forward_steps, (unsigned long long)r->recordings,
             (unsigned long long)r->capsules, (unsigned long long)r->leaf_bytes, (unsigned long long)r->budget_bytes,
             (unsigned long long)r->tape_bytes, (unsigned long long)r->peak_bytes, number(r->seconds_forward, forward),
             number(r->seconds_reverse, reverse), r->schedule, r->signal);
    return calls->text;
}

const char *verso__library_check_text(verso__library_calls *calls) {
    const verso_check_report *r = &calls->check;
    char a[32], b[32], c[32], d[32], e[32], f[32], g[32], h[32];
    snprintf(calls->text, sizeof calls->text,
             "{\"holds\": %s, \"value\": {\"holds\": %s, \"plain\": %s, \"recorded\": %s}, "
             "\"dot_product\": {\"holds\": %s, \"tangent\": %s, \"reverse\": %s, \"bound\": %s}, "
             "\"taylor\": {\"holds\": %s, \"order\": %s, \"linear\": %s, \"difference\": %s, \"doubt\": %s, "
             "\"ill_conditioned\": %s}, \"cuts\": {\"holds\": %s, \"sweeps\": %llu, \"stretches\": %llu, "
             "\"differences\": %llu}, \"within\": {\"tested\": %s, \"holds\": %s, \"differences\": %llu}}",
             truth(r->holds), truth(r->value_holds), number(r->value_plain, a), number(r->value_recorded, b),
             truth(r->dot_holds), number(r->dot_tangent, c), number(r->dot_reverse, d), number(r->dot_bound, e),
             truth(r->taylor_holds), number(r->taylor_order, f), truth(r->taylor_linear), number(r->difference, g),
             number(r->difference_doubt, h), truth(r->ill_conditioned), truth(r->cuts_hold),
             (unsigned long long)r->cut_sweeps, (unsigned long long)r->stretches, (unsigned long long)r->cut_difference,
             truth(r->within), truth(r->within_holds), (unsigned long long)r->within_difference);
    return calls->text;
}
