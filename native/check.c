/* verso_check: cuts and budgets; tests.h has dot products and Taylor. See verso/native.h for what each of them
 * compares.
 *
 * Why these three. Tangent and reverse code are made by different passes from the same rules: dot products find what
 * the passes do wrong, at rounding precision, but not a rule that is wrong in both; that is what the Taylor test finds,
 * at about half the digits. Cuts find state that a capsule misses and adjoints that a frame misses;
 * a budget, which is optional, is a cut of another kind.
 *
 * Every run begins in the same state: a capsule of the program's memory is put back before, with the random number
 * generators. Nothing of ours is in that memory: our allocations are the C library's. */
#include "native/check.h"

#include "base/alloc.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Numbers of three types ---- */

static long double load(const void *data, verso_scalar type) {
    float single;
    double usual;
    long double wide;
    switch (type) {
    case VERSO_FLOAT: return memcpy(&single, data, sizeof single), single;
    case VERSO_DOUBLE: return memcpy(&usual, data, sizeof usual), usual;
    case VERSO_LONG_DOUBLE: return memcpy(&wide, data, sizeof wide), wide;
    }
    return 0;
}

static long double store(void *data, verso_scalar type, long double value) {
    float single = (float)value;
    double usual = (double)value;
    switch (type) {
    case VERSO_FLOAT: memcpy(data, &single, sizeof single); break;
    case VERSO_DOUBLE: memcpy(data, &usual, sizeof usual); break;
    case VERSO_LONG_DOUBLE: memcpy(data, &value, sizeof value); break;
    }
    return load(data, type);
}

/* The number with this index, counted through all regions. */
static void *locate(const verso_array *region, size_t index, verso_scalar *type) {
    for (; index >= region->count; region++)
        index -= region->count;
    *type = region->type;
    return (char *)region->data + index * verso_native_scalar_size(region->type);
}

long double verso_native_check_store(const verso_native_check *check, size_t input, long double value) {
    verso_scalar type;
    void *data = locate(check->wrt, input, &type);
    return store(data, type, value);
}

static long double ulp(long double value, verso_scalar type) {
    long double epsilon = type == VERSO_FLOAT ? FLT_EPSILON : type == VERSO_DOUBLE ? DBL_EPSILON : LDBL_EPSILON;
    return fabsl(value) * epsilon;
}

long double verso_native_check_input_ulp(const verso_native_check *check, size_t input) {
    verso_scalar type;
    (void)locate(check->wrt, input, &type);
    return ulp(check->x[input] != 0 ? check->x[input] : 1, type);
}

long double verso_native_check_output_ulp(const verso_native_check *check, size_t output) {
    verso_scalar type = VERSO_DOUBLE; /* f's result */
    if (check->job.run != NULL || output + 1 < check->outputs)
        (void)locate(check->of, output, &type);
    return ulp(check->y[output], type);
}

static void load_all(const verso_array *regions, size_t count, long double *values) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < regions[i].count; j++)
            *values++ = load((char *)regions[i].data + j * verso_native_scalar_size(regions[i].type), regions[i].type);
}

void verso_native_check_outputs(const verso_native_check *check, long double *values) {
    load_all(check->of, check->job.of_count, values);
    if (check->job.run == NULL)
        values[check->outputs - 1] = check->job.value;
}

void verso_native_check_restore(verso_native_check *check) {
    verso_native_capsule_restore(&check->start);
    for (size_t i = 0; i < check->inputs; i++)
        verso_native_check_store(check, i, check->x[i]);
}

/* ---- The two modes, from the same state ---- */

static void aim(verso_array *regions, size_t count, double *numbers) {
    for (size_t i = 0; i < count; numbers += regions[i].count, i++)
        regions[i].derivative = numbers;
}

static void scale(double *to, const double *from, size_t count, double divisor) {
    for (size_t i = 0; i < count; i++)
        to[i] = from[i] / divisor;
}

/* result = v J, with v / divisor in place of v. */
static void prepare_reverse(verso_native_check *check, double divisor, double *result) {
    scale(check->scaled, check->weights, check->outputs, divisor);
    aim(check->of, check->job.of_count, check->scaled);
    aim(check->wrt, check->job.wrt_count, result);
    check->job.weight = check->scaled[check->outputs - 1];
    verso_native_check_restore(check);
}

static verso_status reverse(verso_native_check *check, double divisor, double *result, verso_native_report *report) {
    prepare_reverse(check, divisor, result);
    verso_status status = verso_native_reverse(&check->job, &check->sweep, report);
    check->report->error = report->error;
    return status;
}

/* result = J u, with u / divisor in place of u. */
static verso_status tangent(void *self, double divisor, double *result) {
    verso_native_check *check = self;
    verso_native_report report = {0};
    scale(check->scaled, check->direction, check->inputs, divisor);
    aim(check->of, check->job.of_count, result);
    aim(check->wrt, check->job.wrt_count, check->scaled);
    verso_native_check_restore(check);
    verso_status status = verso_native_tangent(&check->job, &report);
    check->report->error = report.error;
    if (check->job.run == NULL)
        result[check->outputs - 1] = check->job.tangent;
    return status;
}

/* ---- Dot products, Taylor ---- */

static verso_status reverse_at_one_go(void *self, double divisor, double *result) {
    verso_native_report made = {0};
    return reverse(self, divisor, result, &made);
}

static verso_tested tested_of(verso_native_check *check) {
    return (verso_tested){.self = check,
                          .inputs = check->inputs,
                          .outputs = check->outputs,
                          .direction = check->direction,
                          .weights = check->weights,
                          .gradient = check->gradient,
                          .tangent = check->tangent,
                          .other = check->other,
                          .noise = verso_native_check_noise(check),
                          .reverse = reverse_at_one_go,
                          .forward = tangent,
                          .remainder = verso_native_check_remainder};
}

/* ---- Cuts ---- */

#define COPIED_MOST (UINT64_C(16) << 30)

/* Between the gradient at one go and another one. */
static uint64_t count_differences(const verso_native_check *check) {
    uint64_t count = 0;
    for (size_t i = 0; i < check->inputs; i++)
        count += memcmp(&check->other[i], &check->gradient[i], sizeof(double)) != 0;
    return count;
}

static verso_status cut_sweep(verso_native_check *check, uint64_t cuts) {
    verso_native_report made = {0};
    check->sweep.cuts = cuts;
    verso_status status = reverse(check, 1, check->other, &made);
    check->sweep.cuts = 0;
    if (status != VERSO_OK)
        return status;
    check->report->safepoints = made.safepoints;
    check->report->stretches += made.recordings;
    check->report->cut_sweeps++;
    check->report->cut_difference += count_differences(check);
    return VERSO_OK;
}

/* Each stretch puts a capsule back, so many stretches of a large program take long. */
static bool every_is_affordable(const verso_native_check *check, uint64_t most) {
    uint64_t safepoints = check->report->safepoints;
    return safepoints <= most && safepoints < COPIED_MOST / (check->start.room + 1);
}

static verso_status test_cuts(verso_native_check *check, const verso_check_options *options) {
    verso_status status = cut_sweep(check, options->cuts);
    if (status == VERSO_OK && every_is_affordable(check, options->every) &&
        check->report->stretches <= check->report->safepoints)
        status = cut_sweep(check, UINT64_MAX);
    check->report->cuts_hold = status == VERSO_OK && check->report->cut_difference == 0;
    return status;
}

/* ---- Budgets and schedules ---- */

/* Whether options or environment ask for any; *asked is what they ask for. */
static verso_status read_within(const verso_check_options *options, verso_native_settings *settings,
                                verso_native_options *asked, bool *any, verso_error *error) {
    verso_native_options chosen;
    verso_run_options run;
    *asked = options->within != NULL ? *options->within : (verso_native_options){0};
    asked->cuts = 0;
    asked->run_report = NULL;
    verso_status status = verso_native_settings_read(settings, error);
    if (status == VERSO_OK)
        status = verso_native_settings_apply(settings, asked, &chosen, &run, error);
    *any = status == VERSO_OK && (chosen.run != NULL || chosen.offload.directory != NULL);
    return status;
}

static verso_status test_within(verso_native_check *check, const verso_check_options *options) {
    verso_check_report *report = check->report;
    verso_native_settings settings;
    verso_native_options asked;
    verso_status status = read_within(options, &settings, &asked, &report->within, &report->error);
    if (status != VERSO_OK || !report->within)
        return status;
    prepare_reverse(check, 1, check->other);
    status = verso_native_reverse_told(&check->job, &settings, &asked, &report->within_run);
    report->error = report->within_run.error;
    report->within_difference = count_differences(check);
    report->within_holds = status == VERSO_OK && report->within_difference == 0;
    return status;
}

/* ---- Before and after ---- */

/* Inputs are moved in proportion to what they are; those that are zero, in proportion to 1. */
static void choose_directions(verso_native_check *check) {
    for (size_t i = 0; i < check->inputs; i++)
        check->direction[i] = verso_test_distance(&check->random, (double)check->x[i]);
    for (size_t i = 0; i < check->outputs; i++)
        check->weights[i] = verso_test_number(&check->random);
}

static size_t numbers_in(const verso_array *regions, size_t count) {
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++)
        numbers += regions[i].count;
    return numbers;
}

static void close_check(verso_native_check *check) {
    void *blocks[] = {check->wrt,     check->of,       check->x,       check->y,     check->moved, check->direction,
                      check->weights, check->gradient, check->tangent, check->other, check->scaled};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        verso_dealloc(blocks[i]);
    verso_native_capsule_free(&check->start);
}

static verso_status no_memory(verso_error *error) {
    return verso_fail(error, VERSO_NO_MEMORY, "no memory to check a run.");
}

/* A caller's regions whose counts are wild are refused by enter; here they must only not overflow. */
static verso_status open_check(verso_native_check *check, verso_error *error) {
    const verso_array *wrt = check->job.wrt, *of = check->job.of;
    size_t wrt_count = wrt != NULL ? check->job.wrt_count : 0, of_count = of != NULL ? check->job.of_count : 0;
    check->inputs = numbers_in(wrt, wrt_count);
    check->outputs = numbers_in(of, of_count) + (check->job.run == NULL);
    size_t most = (check->inputs > check->outputs ? check->inputs : check->outputs) + 1;
    check->wrt = verso_alloc(wrt_count + 1, sizeof *check->wrt);
    check->of = verso_alloc(of_count + 1, sizeof *check->of);
    check->x = verso_alloc(check->inputs + 1, sizeof *check->x);
    check->y = verso_alloc(check->outputs + 1, sizeof *check->y);
    check->moved = verso_alloc(check->outputs + 1, sizeof *check->moved);
    double **arrays[] = {&check->direction, &check->weights, &check->gradient,
                         &check->tangent,   &check->other,   &check->scaled};
    bool all = check->wrt && check->of && check->x && check->y && check->moved;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        all = (*arrays[i] = verso_alloc(most, sizeof(double))) != NULL && all;
    if (!all)
        return no_memory(error);
    if (wrt_count > 0)
        memcpy(check->wrt, wrt, wrt_count * sizeof *wrt);
    if (of_count > 0)
        memcpy(check->of, of, of_count * sizeof *of);
    aim(check->wrt, wrt_count, check->gradient);
    aim(check->of, of_count, check->tangent);
    check->job.wrt = wrt != NULL ? check->wrt : NULL;
    check->job.of = of != NULL ? check->of : NULL;
    return VERSO_OK;
}

static verso_status test(verso_native_check *check, const verso_check_options *options) {
    verso_error *error = &check->report->error;
    verso_native_world_random();
    verso_status status = verso_native_capsule_take(&check->start, error);
    if (status != VERSO_OK)
        return status;
    load_all(check->wrt, check->job.wrt_count, check->x);
    choose_directions(check);
    status = verso_native_plain(&check->job, error);
    if (status == VERSO_OK) {
        verso_native_check_outputs(check, check->y);
        verso_tested tested = tested_of(check);
        status = verso_test_dot(&tested, check->report);
        if (status == VERSO_OK)
            status = verso_test_taylor(&tested, check->report);
    }
    if (status == VERSO_OK)
        status = test_cuts(check, options);
    if (status == VERSO_OK)
        status = test_within(check, options);
    verso_native_check_restore(check);
    verso_native_generators_forget();
    return status;
}

/* The report is written at the end: it may be part of the memory that is restored. */
static verso_status check_job(const verso_native_job *job, const verso_check_options *options,
                              verso_check_report *report) {
    verso_check_options chosen = options != NULL ? *options : (verso_check_options){0};
    chosen.seed = chosen.seed != 0 ? chosen.seed : 1;
    chosen.cuts = chosen.cuts != 0 ? chosen.cuts : 16;
    chosen.every = chosen.every != 0 ? chosen.every : 2000;
    if (report == NULL)
        return VERSO_INVALID;
    verso_check_report made = {.seed = chosen.seed};
    verso_native_check check = {.job = *job,
                                .random = chosen.seed,
                                .sweep = {.seed = chosen.seed, .tape_limit = chosen.tape_limit},
                                .report = &made};
    verso_status status = open_check(&check, &made.error);
    if (status == VERSO_OK)
        status = verso_native_enter(&check.job, &made.error);
    if (status == VERSO_OK) {
        status = test(&check, &chosen);
        verso_native_leave();
    }
    made.holds = status == VERSO_OK && made.dot_holds && made.taylor_holds && made.cuts_hold &&
                 (!made.within || made.within_holds);
    close_check(&check);
    *report = made;
    return status;
}

verso_status verso_check(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                         const verso_array *of, size_t of_count, const verso_check_options *options,
                         verso_check_report *report) {
    verso_native_job job = {
        .run = run, .context = context, .wrt = wrt, .wrt_count = wrt_count, .of = of, .of_count = of_count};
    return check_job(&job, options, report);
}

/* On a copy of x, which may be constant. */
verso_status verso_check_gradient(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                  const verso_check_options *options, verso_check_report *report) {
    if (report == NULL)
        return VERSO_INVALID;
    double *copy = x != NULL ? verso_alloc(n + 1, sizeof *copy) : NULL;
    if (x != NULL && copy == NULL) {
        memset(report, 0, sizeof *report);
        return no_memory(&report->error);
    }
    if (copy != NULL)
        memcpy(copy, x, n * sizeof *x);
    verso_array wrt = {copy, n, VERSO_DOUBLE, NULL};
    verso_native_job job = {.f = f, .x = copy, .n = n, .wrt = &wrt, .wrt_count = 1};
    verso_status status = check_job(&job, options, report);
    verso_dealloc(copy);
    return status;
}
