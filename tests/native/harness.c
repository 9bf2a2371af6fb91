/* The main program of each test in this folder; tests/native/native.sh links it. It calls the program's f, then asks
 * Verso for its derivatives and compares them with each other. It uses only functions that users have, and not
 * verso_check, so that it and verso_check can find each other's mistakes.
 *
 *   value      the recording and the tangent run return the bits that a plain call of f returns; with --fast the two
 *              agree with each other, and with the plain call up to rounding
 *   dot        the gradient times a direction equals the derivative by tangent mode
 *   Taylor     f(x + h d) - f(x) - h f'(x) d falls like h squared (or is rounding from the start: f is linear)
 *   again      a second gradient has the bits of the first
 *   cuts       so does a gradient whose reverse sweep is cut at every safepoint, or at random ones
 *   schedules  so do gradients by each kind of schedule in little memory
 *   sites      so do gradients in which calls are checkpointed: all, each alone, random sets; their recordings have the
 *              bytes that a profile predicts
 *   durable    so does a gradient that several processes compute, one after the other
 *
 * PROGRAM --at V1,V2,...|random:COUNT:LOW:HIGH [--cuts all|COUNT] [--noise X] [--sites all|COUNT]
 *         [--plain VALUE] [--fast] [--against FILE] [--value | --gradient | --refused | --durable DIR]
 *   --noise     the greatest rounding error of f (floats, long runs), relative to f (1e-12)
 *   --sites     the number of calls that are checkpointed each alone, and left out each alone (6); all: also 50 random
 *               sets
 *   --plain     the value of f when a plain compiler has compiled it
 *   --fast      f was compiled with fast-math
 *   --value     only call f and print its bits; a build without Verso (-DPLAIN) can do nothing else
 *   --gradient  only print the gradient
 *   --against   a file with the gradient of the same function, compiled in another way
 *   --durable   only the durable gradient: this process computes a part of it. Exits with 3 until it is done
 *   --refused   the gradient must be refused, with a message that is printed, and f must work afterwards; no cuts
 *               unless --cuts is given
 *   --tangent   with --refused: tangent mode must refuse it, too, or return a NaN */
#include "point.h"

#include <inttypes.h>
#include <math.h>
#include <stdbool.h>
#ifndef PLAIN
#include "../support/cuts.h"
#include <sys/wait.h>
#include <unistd.h>
#include <verso/native.h>

static verso_error error; /* of the last call that failed */
#endif

double f(const double *x, size_t n);

typedef struct point {
    double *x;
    size_t n;
    double noise;
    double recorded; /* the value that f returns while it is recorded */
    uint64_t cuts;
    size_t sites;
    const char *plain, *against;
    bool value, only_gradient, refused, tangent, cuts_given, fast;
    const char *directory;
} point;

#ifndef PLAIN
static bool failed;

#define EXPECT(condition, ...) \
    do { \
        if (!(condition)) { \
            failed = true; \
            printf("\n    " __VA_ARGS__); \
        } \
    } while (0)

static bool same_bits(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}
#endif

static point read_arguments(int argc, char **argv) {
    point p = {.noise = 1e-12, .cuts = UINT64_MAX, .sites = 6};
    for (int i = 1; i < argc; i++) {
        const char *next = i + 1 < argc ? argv[i + 1] : NULL;
        if (strcmp(argv[i], "--value") == 0)
            p.value = true;
        else if (strcmp(argv[i], "--gradient") == 0)
            p.only_gradient = true;
        else if (strcmp(argv[i], "--refused") == 0)
            p.refused = true;
        else if (strcmp(argv[i], "--tangent") == 0)
            p.tangent = true;
        else if (strcmp(argv[i], "--fast") == 0)
            p.fast = true;
        else if (!next)
            usage(argv[i]);
        else if (strcmp(argv[i], "--plain") == 0)
            p.plain = argv[++i];
        else if (strcmp(argv[i], "--against") == 0)
            p.against = argv[++i];
        else if (strcmp(argv[i], "--at") == 0)
            p.x = read_point(argv[++i], &p.n);
        else if (strcmp(argv[i], "--durable") == 0)
            p.directory = argv[++i];
        else if (strcmp(argv[i], "--noise") == 0)
            p.noise = atof(argv[++i]);
        else if (strcmp(argv[i], "--sites") == 0)
            p.sites = strcmp(argv[++i], "all") == 0 ? SIZE_MAX : strtoull(argv[i], NULL, 10);
        else if (strcmp(argv[i], "--cuts") == 0)
            p.cuts_given = true, p.cuts = strcmp(argv[++i], "all") == 0 ? UINT64_MAX : strtoull(argv[i], NULL, 10);
        else
            usage(argv[i]);
    }
    if (!p.x)
        usage("--at is missing");
    return p;
}

#ifndef PLAIN

/* Returns whether two calls of f agree. With fast-math they may differ by rounding, because one may be inlined and the
 * other not. */
static bool same_value(const point *p, double a, double b) {
    return same_bits(a, b) || (p->fast && fabs(a - b) <= 1000 * p->noise * fmax(1, fabs(a)));
}

static double *direction_of(const point *p) {
    uint64_t state = 42;
    double *d = numbers(p->n);
    for (size_t i = 0; i < p->n; i++)
        d[i] = copysign(0.25 + 0.75 * fabs(chance(&state)), chance(&state)) * fmax(fabs(p->x[i]), 0.125);
    return d;
}

static double *gradient_of(const point *p, const verso_native_options *options, verso_native_report *report) {
    double *gradient = numbers(p->n);
    verso_status status = verso_gradient(f, p->x, p->n, gradient, options, report, &error);
    EXPECT(status == VERSO_STATUS_OK, "verso_gradient: %s: %s", verso_status_name(status), error.message);
    for (size_t i = 0; i < p->n && status == VERSO_STATUS_OK; i++)
        EXPECT(isfinite(gradient[i]), "the derivative by x[%zu] is %g", i, gradient[i]);
    return gradient;
}

/* Returns the relative rounding error of derivatives: cells of floats are floats. */
static double rounding_of_cells(void) {
    extern const uint64_t verso__native_program_single __attribute__((weak)); /* verso cc defines it */
    return &verso__native_program_single != NULL && verso__native_program_single != 0 ? 1e-5 : 1e-10;
}

static void expect_dot(const point *p, const double *gradient, const double *direction, double tangent) {
    double dot = 0, size = 0;
    for (size_t i = 0; i < p->n; i++) {
        dot += gradient[i] * direction[i];
        size += fabs(gradient[i] * direction[i]);
    }
    EXPECT(fabs(dot - tangent) <= rounding_of_cells() * size,
           "gradient times direction is %.17g, tangent mode says %.17g", dot, tangent);
    printf(" dot %.0e", size > 0 ? fabs(dot - tangent) / size : 0.0);
}

static double remainder_at(const point *p, const double *direction, double y, double tangent, double h) {
    double *moved = numbers(p->n);
    for (size_t i = 0; i < p->n; i++)
        moved[i] = p->x[i] + h * direction[i];
    double remainder = fabs(f(moved, p->n) - y - h * tangent);
    free(moved);
    return remainder;
}

/* Until rounding is all that is left, the last halvings of h leave a quarter of the remainder or less, each. A
 * derivative that is wrong by one part in a million shows as halvings that leave a half. */
static void expect_order_two(const point *p, const double *direction, double y, double tangent) {
    enum { HALVINGS = 30, ENOUGH = 3 };
    double floor = p->noise * fmax(1, fabs(y)), h = 0.0625, order = 0, worst = INFINITY;
    double last = remainder_at(p, direction, y, tangent, h);
    int in_a_row = 0, halvings = 0;
    for (; halvings < HALVINGS && last > floor; halvings++) {
        h /= 2;
        double now = remainder_at(p, direction, y, tangent, h);
        order = log2(last / now);
        in_a_row = order >= 1.7 ? in_a_row + 1 : 0;
        worst = in_a_row > 1 ? fmin(worst, order) : order;
        last = now;
    }
    EXPECT(in_a_row >= ENOUGH || in_a_row == halvings,
           "Taylor: the remainder does not fall with the square of h (order %.2f)", order);
    if (halvings == 0)
        printf(" linear");
    else
        printf(" order %.2f", worst);
}

/* The gradient equals the one in the file, up to rounding. */
static void expect_gradient(const point *p, const double *gradient) {
    FILE *file = fopen(p->against, "r");
    double most = 0;
    for (size_t i = 0; i < p->n; i++)
        most = fmax(most, fabs(gradient[i]));
    for (size_t i = 0; i < p->n; i++) {
        char word[64] = "nothing";
        double other = file != NULL && fscanf(file, "%63s", word) == 1 ? strtod(word, NULL) : (double)NAN;
        EXPECT(fabs(gradient[i] - other) <= 10 * rounding_of_cells() * fmax(most, 1),
               "the derivative by x[%zu] is %.17g, compiled in another way %.17g", i, gradient[i], other);
    }
    if (file != NULL)
        fclose(file);
}

static verso_native_report expect_same(const point *p, const double *expected, const verso_native_options *options,
                                       const char *what) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    double *again = gradient_of(p, options, &report);
    size_t different = 0;
    for (size_t i = 0; i < p->n; i++)
        different += !same_bits(expected[i], again[i]);
    EXPECT(different == 0, "%s: %zu of %zu derivatives have other bits", what, different, p->n);
    EXPECT(same_bits(p->recorded, report.value), "%s: f returns %.17g instead of %.17g", what, report.value,
           p->recorded);
    free(again);
    return report;
}

static void expect_cut(const point *p, const double *expected, uint64_t cuts, uint64_t seed, const char *what) {
    verso_native_report report = expect_same(p, expected, cut_at(cuts, seed), what);
    if (cuts > 0 && report.safepoints > 1)
        EXPECT(report.recordings > 1, "%s: %" PRIu64 " safepoints, but the sweep was not cut", what, report.safepoints);
    if (cuts > 0)
        printf(" %" PRIu64 "/%" PRIu64, report.recordings, report.safepoints);
}

static void expect_cuts(const point *p, const double *gradient) {
    printf(" cut");
    if (p->cuts == UINT64_MAX)
        expect_cut(p, gradient, UINT64_MAX, 0, "cut at every safepoint");
    for (uint64_t seed = 1; seed <= 2; seed++) {
        uint64_t cuts = p->cuts == UINT64_MAX ? 3 * seed : p->cuts;
        expect_cut(p, gradient, cuts, seed, "cut at random safepoints");
    }
}

static void expect_scheduled(const point *p, const double *gradient, int kind, uint64_t leaf) {
    static const uint64_t slots[] = {1, 2, 3, 10, 50};
    verso_run_options run;
    verso_run_options_init(&run);
    verso_schedule_spec_init(&run.spec, (verso_schedule_kind)kind);
    run.spec.slots = slots[(size_t)kind % (sizeof slots / sizeof *slots)];
    if (kind == VERSO_KIND_TWO_LEVEL && run.spec.slots < 3)
        run.spec.slots = 3;
    run.spec.distance = kind == VERSO_KIND_EVERY_K ? 3 : 64;
    run.spec.tier_count = 1;
    run.spec.tiers[0].capacity = 4;
    run.spec.write_cost = run.spec.read_cost = 2;
    run.places[0] = run.places[1] = VERSO_PLACE_MEMORY;
    verso_native_options options = {.size = sizeof(verso_native_options), .run = &run, .leaf = leaf};
    expect_same(p, gradient, &options, verso_kind_word((verso_schedule_kind)kind));
}

/* Tests every kind of schedule, on few and many slots, with steps that are a small part of the tape. */
static void expect_schedules(const point *p, const double *gradient, size_t tape) {
    uint64_t parts = 3;
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++, parts = parts % 29 + 5)
        expect_scheduled(p, gradient, kind, tape / parts + 1);
}

static void switch_sites(uint64_t *state, unsigned percent) {
    for (size_t i = 0; i < verso_site_count(); i++)
        verso_site_set(i, 50 + 50 * chance(state) < percent);
}

/* In a process of its own: tests the gradient with the current sites, its bits and the bytes of its recording, which
 * the profile in the file predicts. Snapshots leave out what has not changed since the run began, and copies of rows
 * include what lies between them; so these bytes depend on what was in memory before, and all processes must begin
 * alike. `makes`: all calls are checkpointed, and the file gets the profile. */
static void check_apart(const point *p, const double *gradient, const char *path, bool makes, const char *what) {
    verso_profile *profile = NULL;
    verso_native_options options = {.size = sizeof options, .profile = makes ? &profile : NULL};
    size_t recorded = (size_t)expect_same(p, gradient, &options, what).tape_bytes;
    if (makes) {
        EXPECT(profile && verso_profile_write(profile, path, &error) == VERSO_STATUS_OK, "%s", error.message);
        return;
    }
    bool *on = calloc(verso_site_count() + 1, sizeof *on);
    for (size_t i = 0; i < verso_site_count(); i++)
        on[i] = verso_site_get(i).on;
    EXPECT(verso_profile_read(path, &profile, &error) == VERSO_STATUS_OK, "%s", error.message);
    size_t predicted = profile ? (size_t)verso_profile_predict(profile, on).peak_bytes : 0;
    EXPECT(recorded == predicted, "%s: %zu bytes, and not %zu as predicted", what, recorded, predicted);
}

static void expect_predicted(const point *p, const double *gradient, const char *path, bool makes, const char *what) {
    int status = 1;
    fflush(stdout);
    pid_t child = fork();
    if (child == 0) {
        failed = false;
        check_apart(p, gradient, path, makes, what);
        fflush(stdout);
        _exit(failed);
    }
    EXPECT(waitpid(child, &status, 0) == child && status == 0, "%s: status %d", what, status);
}

static void expect_sizes(const point *p, const double *gradient) {
    enum { RANDOM = 4, MORE = 50 };
    char path[] = "profile-XXXXXX";
    size_t count = verso_site_count();
    uint64_t state = 7;
    int file = mkstemp(path);
    EXPECT(file >= 0, "no file for a profile");
    expect_predicted(p, gradient, path, true, "profiled");
    for (size_t i = 0; i < count && i < p->sites; i++) {
        switch_sites(&state, 0);
        verso_site_set(i, true);
        expect_predicted(p, gradient, path, false, "one call checkpointed");
        switch_sites(&state, 101);
        verso_site_set(i, false);
        expect_predicted(p, gradient, path, false, "all calls but one checkpointed");
    }
    for (unsigned i = 0; i < RANDOM; i++) {
        switch_sites(&state, i == 0 ? 101 : 20 * i);
        expect_predicted(p, gradient, path, false, i == 0 ? "all calls checkpointed" : "some calls checkpointed");
    }
    for (unsigned i = 0; i < MORE && p->sites == SIZE_MAX; i++) {
        switch_sites(&state, 2 * i);
        expect_predicted(p, gradient, path, false, "more calls checkpointed");
    }
    switch_sites(&state, 0);
    expect_predicted(p, gradient, path, false, "no call checkpointed");
    close(file);
    unlink(path);
}

static void expect_sites(const point *p, const double *gradient, size_t tape) {
    enum { RANDOM = 4 };
    uint64_t state = 7;
    printf(" sites %zu", verso_site_count());
    if (verso_site_count() == 0)
        return;
    expect_sizes(p, gradient);
    for (unsigned i = 0; i < RANDOM; i++) {
        switch_sites(&state, i == 0 ? 101 : 20 * i);
        expect_cut(p, gradient, i == 0 ? p->cuts : 5, i, "calls checkpointed within a cut sweep");
        expect_scheduled(p, gradient, (int)(i * 5 + 3) % VERSO_KIND_COUNT, tape / (3 * i + 2) + 1);
    }
    switch_sites(&state, 0);
}

static int check(point *p) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    double y = f(p->x, p->n), tangent = 0;
    EXPECT(isfinite(y), "f is %g", y);
    EXPECT(same_value(p, y, f(p->x, p->n)), "f returns another value when it is called again: not a function of x");
    double *gradient = gradient_of(p, NULL, &report), *direction = direction_of(p);
    p->recorded = report.value;
    EXPECT(failed || same_value(p, p->recorded, y), "recorded, f returns %.17g instead of %.17g", p->recorded, y);
    if (p->plain)
        EXPECT(same_value(p, y, strtod(p->plain, NULL)), "f is %a; a plain compiler computes %s", y, p->plain);
    size_t tape = report.tape_bytes;
    printf(" f %.6g tape %zu", y, tape);
    if (!failed) {
        verso_status status = verso_directional(f, p->x, p->n, direction, &tangent, &report, &error);
        EXPECT(status == VERSO_STATUS_OK, "verso_directional: %s: %s", verso_status_name(status), error.message);
        EXPECT(same_bits(report.value, p->recorded), "in tangent mode f returns %.17g instead of %.17g", report.value,
               p->recorded);
        expect_dot(p, gradient, direction, tangent);
        expect_order_two(p, direction, y, tangent);
        if (p->against != NULL)
            expect_gradient(p, gradient);
        expect_same(p, gradient, NULL, "the second time");
        expect_cuts(p, gradient);
        expect_schedules(p, gradient, tape);
        expect_sites(p, gradient, tape);
        EXPECT(same_value(p, y, f(p->x, p->n)), "afterwards f returns another value");
    }
    free(gradient);
    free(direction);
    return failed;
}

/* Computes the gradient in PARTS processes: each runs a part of the steps, then suspends the run. */
static int check_durable(const point *p) {
    enum { PARTS = 5 };
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    double *expected = gradient_of(p, NULL, &report), *gradient = numbers(p->n);
    verso_run_options run;
    verso_run_options_init(&run);
    verso_schedule_spec_init(&run.spec, VERSO_KIND_ONLINE);
    run.spec.slots = 2;
    run.directory = p->directory;
    run.step_limit = PARTS + 1;
    verso_native_options options = {
        .size = sizeof(verso_native_options), .run = &run, .leaf = report.tape_bytes / PARTS + 1};
    verso_status status = verso_gradient(f, p->x, p->n, gradient, &options, &report, &error);
    EXPECT(status == VERSO_STATUS_OK || status == VERSO_STATUS_SUSPENDED, "durable: %s", error.message);
    EXPECT(status != VERSO_STATUS_OK || memcmp(gradient, expected, p->n * sizeof *expected) == 0,
           "durable: the gradient has other bits");
    free(expected);
    free(gradient);
    return failed ? 1 : status == VERSO_STATUS_SUSPENDED ? 3 : 0;
}

static int print_gradient(const point *p) {
    double *gradient = gradient_of(p, NULL, NULL);
    for (size_t i = 0; i < p->n; i++)
        printf("%a\n", gradient[i]);
    free(gradient);
    return failed;
}

static void expect_no_tangent(const point *p) {
    double tangent = 0, *direction = direction_of(p);
    verso_status status = verso_directional(f, p->x, p->n, direction, &tangent, NULL, NULL);
    EXPECT(status == VERSO_STATUS_INVALID || (status == VERSO_STATUS_OK && isnan(tangent)), "verso_directional: %s, %g",
           verso_status_name(status), tangent);
    free(direction);
}

static int check_refusal(const point *p) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    double y = f(p->x, p->n), *gradient = numbers(p->n);
    verso_status status =
        verso_gradient(f, p->x, p->n, gradient, cut_at(p->cuts_given ? p->cuts : 0, 1), &report, &error);
    EXPECT(status == VERSO_STATUS_INVALID, "verso_gradient: %s instead of a refusal", verso_status_name(status));
    if (p->tangent)
        expect_no_tangent(p);
    EXPECT(same_bits(y, f(p->x, p->n)), "after the refusal f returns another value");
    printf("%s", error.message);
    free(gradient);
    return failed;
}

#endif

int main(int argc, char **argv) {
    point p = read_arguments(argc, argv);
    int status = 0;
    if (p.value)
        printf("%a", f(p.x, p.n));
#ifndef PLAIN
    else
        status = p.refused             ? check_refusal(&p)
                 : p.only_gradient     ? print_gradient(&p)
                 : p.directory != NULL ? check_durable(&p)
                                       : check(&p);
#endif
    printf("\n");
    free(p.x);
    return status;
}
