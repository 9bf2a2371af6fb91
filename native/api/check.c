/* verso_check: values, cuts and budgets; tests.h has the dot-product and Taylor tests. See verso/native.h for
 * what each test compares.
 *
 * Comparing values finds code that was compiled differently in one version than in another. Tangent and reverse
 * code are made by different passes from the same rules: dot products find errors of the passes, at rounding
 * precision, but not a rule that is wrong in both; the Taylor test finds that, at about half the digits. Cuts
 * find state that a capsule lacks and adjoints that a frame lacks; a budget, which is optional, is a cut of
 * another kind.
 *
 * Every run begins in the same state: a capsule of the program's memory, including the random number
 * generators, is put back before. Verso's own data is not in that memory, because Verso allocates from the C
 * library's heap. */
#include "native/api/check.h"

#include "base/alloc.h"
#include "base/sized.h"
#include "native/sweep/ranks.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ---- Numbers of three types ---- */

static long double load(const void *data, verso_scalar type) {
    float single;
    double usual;
    long double wide;
    switch (type) {
    case VERSO_SCALAR_FLOAT: return memcpy(&single, data, sizeof single), single;
    case VERSO_SCALAR_DOUBLE: return memcpy(&usual, data, sizeof usual), usual;
    case VERSO_SCALAR_LONG_DOUBLE: return memcpy(&wide, data, sizeof wide), wide;
    }
    return 0;
}

static long double store(void *data, verso_scalar type, long double value) {
    float single = (float)value;
    double usual = (double)value;
    switch (type) {
    case VERSO_SCALAR_FLOAT: memcpy(data, &single, sizeof single); break;
    case VERSO_SCALAR_DOUBLE: memcpy(data, &usual, sizeof usual); break;
    case VERSO_SCALAR_LONG_DOUBLE: memcpy(data, &value, sizeof value); break;
    }
    return load(data, type);
}

/* Returns the number with this index, counted through all arrays. */
static void *locate(const verso_array *region, size_t index, verso_scalar *type) {
    for (; index >= region->count; region++)
        index -= region->count;
    *type = region->type;
    return (char *)region->data + index * verso__native_scalar_size(region->type);
}

long double verso__native_check_store(const verso__native_check *check, size_t input, long double value) {
    verso_scalar type;
    void *data = locate(check->wrt, input, &type);
    return store(data, type, value);
}

static long double ulp(long double value, verso_scalar type) {
    long double epsilon = type == VERSO_SCALAR_FLOAT    ? FLT_EPSILON
                          : type == VERSO_SCALAR_DOUBLE ? DBL_EPSILON
                                                        : LDBL_EPSILON;
    return fabsl(value) * epsilon;
}

long double verso__native_check_input_ulp(const verso__native_check *check, size_t input) {
    verso_scalar type;
    (void)locate(check->wrt, input, &type);
    return ulp(check->x[input] != 0 ? check->x[input] : 1, type);
}

static bool has_floats(const verso_array *regions, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (regions[i].type == VERSO_SCALAR_FLOAT)
            return true;
    return false;
}

static bool computes_in_floats(const verso__native_check *check) {
    return (&verso__native_program_single != NULL && verso__native_program_single != 0) ||
           has_floats(check->wrt, check->job.wrt_count) || has_floats(check->of, check->job.of_count);
}

/* A double that a float program returns often holds a float. */
long double verso__native_check_output_ulp(const verso__native_check *check, size_t output) {
    verso_scalar type = VERSO_SCALAR_DOUBLE; /* the type of f's result */
    if (check->job.run != NULL || output + 1 < check->outputs)
        (void)locate(check->of, output, &type);
    if (computes_in_floats(check) && check->y[output] == (float)check->y[output])
        type = VERSO_SCALAR_FLOAT;
    return ulp(check->y[output], type);
}

static void load_all(const verso_array *regions, size_t count, long double *values) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < regions[i].count; j++)
            *values++ = load((char *)regions[i].data + j * verso__native_scalar_size(regions[i].type), regions[i].type);
}

void verso__native_check_outputs(const verso__native_check *check, long double *values) {
    load_all(check->of, check->job.of_count, values);
    if (check->job.run == NULL)
        values[check->outputs - 1] = check->job.value;
}

void verso__native_check_restore(verso__native_check *check) {
    verso__native_capsule_restore(&check->start);
    for (size_t i = 0; i < check->inputs; i++)
        verso__native_check_store(check, i, check->x[i]);
}

/* ---- Values ---- */

/* With fast-math, LLVM computes the plain program's outputs in another order: they may differ by VALUE_UNITS
 * units in the last place, and by VALUE_NOISES times the noise. */
#define VALUE_UNITS 4096
#define VALUE_NOISES 64

static double value_bound(const verso__native_check *check, size_t output) {
    double epsilon = computes_in_floats(check) ? FLT_EPSILON : DBL_EPSILON;
    return VALUE_UNITS * epsilon * (double)fabsl(check->y[output]) +
           VALUE_NOISES * check->report->taylor_noise / fabs(check->weights[output]);
}

static bool are_same(long double a, long double b) {
    return a == b || (isnan(a) && isnan(b));
}

/* Compares outputs: recording, cut and tangent runs must compute the same bits. */
static void note_outputs(verso__native_check *check) {
    bool first = !check->has_recorded;
    verso__native_check_outputs(check, first ? check->recorded : check->moved);
    check->has_recorded = true;
    for (size_t i = 0; i < check->outputs && !first; i++)
        check->report->value_other += !are_same(check->moved[i], check->recorded[i]);
}

/* Reports an output that differs between plain runs by more than rounding. */
static void note_races(verso__native_check *check) {
    double bound = verso__native_check_repeat_bound(check);
    for (size_t i = 0; i < check->outputs && check->report->value_holds; i++) {
        if (fabsl((check->again[i] - check->y[i]) * check->weights[i]) <= bound)
            continue;
        check->report->value_holds = false;
        check->report->value_plain = (double)check->again[i];
        check->report->value_recorded = (double)check->recorded[i];
        check->report->value_bound = bound / fabs(check->weights[i]);
    }
}

/* Reports the first output that does not hold or, if all hold, the one that differs most. */
static void test_value(verso__native_check *check) {
    verso_check_report *report = check->report;
    double largest = -1;
    report->value_fast = &verso__native_program_fast != NULL && verso__native_program_fast != 0;
    report->value_holds = report->value_other == 0;
    for (size_t i = 0; i < check->outputs; i++) {
        long double plain = check->y[i], recorded = check->recorded[i];
        double apart = are_same(plain, recorded) ? 0 : (double)fabsl(plain - recorded);
        double bound = report->value_fast ? value_bound(check, i) : 0;
        bool holds = apart <= bound;
        if ((holds ? apart : INFINITY) > largest) {
            largest = holds ? apart : INFINITY;
            report->value_plain = (double)plain;
            report->value_recorded = (double)recorded;
            report->value_bound = bound;
        }
        report->value_holds = report->value_holds && holds;
    }
    note_races(check);
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

/* Prepares for computing result = (v / divisor) J. */
static void prepare_reverse(verso__native_check *check, double divisor, double *result) {
    scale(check->scaled, check->weights, check->outputs, divisor);
    aim(check->of, check->job.of_count, check->scaled);
    aim(check->wrt, check->job.wrt_count, result);
    check->job.weight = check->scaled[check->outputs - 1];
    verso__native_check_restore(check);
}

static verso_status reverse(verso__native_check *check, double divisor, double *result, verso_native_report *report) {
    prepare_reverse(check, divisor, result);
    verso_status status = verso__native_reverse(&check->job, &check->sweep, report, check->error);
    if (status == VERSO_STATUS_OK)
        note_outputs(check);
    return status;
}

verso_status verso__native_check_tangent(verso__native_check *check, double divisor, double *result) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    scale(check->scaled, check->direction, check->inputs, divisor);
    aim(check->of, check->job.of_count, result);
    aim(check->wrt, check->job.wrt_count, check->scaled);
    verso_status status = verso__native_tangent(&check->job, &report, check->error);
    if (check->job.run == NULL)
        result[check->outputs - 1] = check->job.tangent;
    return status;
}

static verso_status tangent(void *self, double divisor, double *result) {
    verso__native_check_restore(self);
    verso_status status = verso__native_check_tangent(self, divisor, result);
    if (status == VERSO_STATUS_OK)
        note_outputs(self);
    return status;
}

/* ---- Dot products, Taylor ---- */

static verso_status reverse_in_single_pass(void *self, double divisor, double *result) {
    verso_native_report made = VERSO_NATIVE_REPORT_INIT;
    return reverse(self, divisor, result, &made);
}

/* With the coarse rounding of floats, a direction in which the gradient's terms nearly cancel shows little. So
 * this chooses signs with which the terms add up. */
static void aim_along_gradient(void *self) {
    verso__native_check *check = self;
    for (size_t i = 0; i < check->inputs; i++)
        if (check->gradient[i] != 0)
            check->direction[i] = copysign(check->direction[i], check->gradient[i]);
}

static void sum_over_ranks(double *numbers, int count) {
    verso__native_ranks_reduce(numbers, count, VERSO_NATIVE_SUM_OF);
}

static verso__tested tested_of(verso__native_check *check) {
    return (verso__tested){.self = check,
                           .inputs = check->inputs,
                           .outputs = check->outputs,
                           .direction = check->direction,
                           .weights = check->weights,
                           .gradient = check->gradient,
                           .tangent = check->tangent,
                           .other = check->other,
                           .reverse = reverse_in_single_pass,
                           .forward = tangent,
                           .forward_near = verso__native_check_near,
                           .single = computes_in_floats(check),
                           .aim = computes_in_floats(check) ? aim_along_gradient : NULL,
                           .move = verso__native_check_move,
                           .join = sum_over_ranks};
}

/* ---- Cuts ---- */

#define COPIED_MOST (UINT64_C(16) << 30)

/* Counts the differences between the gradient in a single pass and another one. */
static uint64_t count_differences(const verso__native_check *check) {
    uint64_t count = 0;
    for (size_t i = 0; i < check->inputs; i++)
        count += memcmp(&check->other[i], &check->gradient[i], sizeof(double)) != 0;
    return count;
}

static verso_status cut_sweep(verso__native_check *check, uint64_t cuts) {
    verso_native_report made = VERSO_NATIVE_REPORT_INIT;
    check->job.cuts = cuts;
    verso_status status = reverse(check, 1, check->other, &made);
    check->job.cuts = 0;
    if (status != VERSO_STATUS_OK)
        return status;
    check->report->safepoints = made.safepoints;
    check->report->stretches += made.recordings;
    check->report->cut_sweeps++;
    check->report->cut_difference += count_differences(check);
    return VERSO_STATUS_OK;
}

/* Each stretch puts a capsule back, so that many stretches of a large program take long. */
static bool every_is_affordable(const verso__native_check *check, uint64_t most) {
    uint64_t safepoints = check->report->safepoints;
    return safepoints <= most && safepoints < COPIED_MOST / (check->start.room + 1);
}

/* Returns whether all ranks agree: each sweep takes them all. */
static bool all_agree(bool here) {
    double agree = here;
    verso__native_ranks_reduce(&agree, 1, VERSO_NATIVE_LEAST_OF);
    return agree != 0;
}

static verso_status test_cuts(verso__native_check *check, const verso_check_options *options) {
    verso_status status = cut_sweep(check, options->cuts);
    if (status == VERSO_STATUS_OK &&
        all_agree(every_is_affordable(check, options->every) && check->report->stretches <= check->report->safepoints))
        status = cut_sweep(check, UINT64_MAX);
    check->report->cuts_hold = status == VERSO_STATUS_OK && check->report->cut_difference == 0;
    return status;
}

/* ---- Budgets and schedules ---- */

/* Sets *asked to the budget or schedule that options or environment ask for, and *any if there is one. */
static verso_status read_within(const verso_check_options *options, verso__native_settings *settings,
                                verso_native_options *asked, verso_run_options *asked_run, bool *any,
                                verso_error *error) {
    verso_native_options chosen;
    verso_run_options run;
    verso_status status = verso__native_options_read(options->within, asked, asked_run, error);
    asked->run_report = NULL;
    asked->ranks = VERSO_RANKS_SUM;
    if (status == VERSO_STATUS_OK)
        status = verso__native_settings_read(settings, error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_settings_apply(settings, asked, &chosen, &run, error);
    *any = status == VERSO_STATUS_OK && (chosen.run != NULL || chosen.offload_directory != NULL);
    return status;
}

static verso_status test_within(verso__native_check *check, const verso_check_options *options) {
    verso_check_report *report = check->report;
    verso_native_report made = VERSO_NATIVE_REPORT_INIT;
    verso__native_settings settings;
    verso_native_options asked;
    verso_run_options run;
    verso_status status = read_within(options, &settings, &asked, &run, &report->within, check->error);
    if (status != VERSO_STATUS_OK || !report->within)
        return status;
    prepare_reverse(check, 1, check->other);
    status = verso__native_reverse_with_settings(&check->job, &settings, &asked, &made, check->error);
    if (options->within_report != NULL)
        verso__sized_write(options->within_report, &made, sizeof made);
    report->within_difference = count_differences(check);
    report->within_holds = status == VERSO_STATUS_OK && report->within_difference == 0;
    return status;
}

/* ---- Before and after ---- */

/* Inputs are moved in proportion to their size, or to 1 if they are zero. */
static void choose_directions(verso__native_check *check) {
    for (size_t i = 0; i < check->inputs; i++)
        check->direction[i] = verso__test_distance(&check->random, (double)check->x[i]);
    for (size_t i = 0; i < check->outputs; i++)
        check->weights[i] = verso__test_number(&check->random);
}

static size_t numbers_in(const verso_array *regions, size_t count) {
    size_t numbers = 0;
    for (size_t i = 0; i < count; i++)
        numbers += regions[i].count;
    return numbers;
}

static void close_check(verso__native_check *check) {
    void *blocks[] = {check->wrt,       check->of,       check->x,        check->y,       check->moved,
                      check->direction, check->weights,  check->gradient, check->tangent, check->other,
                      check->scaled,    check->recorded, check->again};
    for (size_t i = 0; i < sizeof blocks / sizeof *blocks; i++)
        verso__dealloc(blocks[i]);
    verso__native_capsule_free(&check->start);
}

static verso_status no_memory(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to check a run");
}

/* verso__native_enter refuses arrays with impossible counts; here they must only not overflow. */
static verso_status open_check(verso__native_check *check, verso_error *error) {
    const verso_array *wrt = check->job.wrt, *of = check->job.of;
    size_t wrt_count = wrt != NULL ? check->job.wrt_count : 0, of_count = of != NULL ? check->job.of_count : 0;
    check->inputs = numbers_in(wrt, wrt_count);
    check->outputs = numbers_in(of, of_count) + (check->job.run == NULL);
    size_t most = (check->inputs > check->outputs ? check->inputs : check->outputs) + 1;
    check->wrt = verso__alloc(wrt_count + 1, sizeof *check->wrt);
    check->of = verso__alloc(of_count + 1, sizeof *check->of);
    check->x = verso__alloc(check->inputs + 1, sizeof *check->x);
    check->y = verso__alloc(check->outputs + 1, sizeof *check->y);
    check->moved = verso__alloc(check->outputs + 1, sizeof *check->moved);
    check->recorded = verso__alloc(check->outputs + 1, sizeof *check->recorded);
    check->again = verso__alloc(check->outputs + 1, sizeof *check->again);
    double **arrays[] = {&check->direction, &check->weights, &check->gradient,
                         &check->tangent,   &check->other,   &check->scaled};
    bool all = check->wrt && check->of && check->x && check->y && check->moved && check->recorded && check->again;
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        all = (*arrays[i] = verso__alloc(most, sizeof(double))) != NULL && all;
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
    return VERSO_STATUS_OK;
}

static verso_status test(verso__native_check *check, const verso_check_options *options) {
    verso_error *error = check->error;
    verso__native_world_random();
    verso_status status = verso__native_capsule_take(&check->start, error);
    if (status != VERSO_STATUS_OK)
        return status;
    load_all(check->wrt, check->job.wrt_count, check->x);
    choose_directions(check);
    status = verso__native_plain(&check->job, error);
    if (status == VERSO_STATUS_OK) {
        verso__native_check_outputs(check, check->y);
        status = verso__native_check_repeat(check);
        verso__tested tested = tested_of(check);
        if (status == VERSO_STATUS_OK)
            status = verso__test_dot(&tested, check->report);
        tested.noise = verso__native_check_noise(check); /* known for all ranks after the first run */
        if (status == VERSO_STATUS_OK)
            status = verso__test_taylor(&tested, check->report);
    }
    if (status == VERSO_STATUS_OK)
        status = test_cuts(check, options);
    if (status == VERSO_STATUS_OK)
        test_value(check);
    if (status == VERSO_STATUS_OK)
        status = test_within(check, options);
    verso__native_check_restore(check);
    verso__native_generators_forget();
    return status;
}

static verso_status check_options(const verso_check_options *options, const verso_check_report *report,
                                  verso_check_options *own, verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    *own = (verso_check_options)VERSO_CHECK_OPTIONS_INIT;
    if (report == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "the argument `report` is NULL: it receives the verdict");
    if (options != NULL)
        status = verso__sized_read(options, own, sizeof *own, "VERSO_CHECK_OPTIONS_INIT", error);
    if (status == VERSO_STATUS_OK && own->within_report != NULL)
        status = verso__sized_check(own->within_report, "VERSO_NATIVE_REPORT_INIT", error);
    if (status == VERSO_STATUS_OK)
        status = verso__sized_check(report, "VERSO_CHECK_REPORT_INIT", error);
    own->seed = own->seed != 0 ? own->seed : 1;
    own->cuts = own->cuts != 0 ? own->cuts : 16;
    own->every = own->every != 0 ? own->every : 2000;
    return status;
}

static verso_status check_entered(const verso__native_job *job, const verso_check_options *options,
                                  verso_check_report *made, verso_error *error) {
    verso__native_check check = {
        .job = *job,
        .sweep = {.size = sizeof check.sweep, .tape_limit = options->tape_limit, .ranks = VERSO_RANKS_SUM},
        .report = made,
        .error = error};
    check.random = check.job.seed = options->seed + (uint64_t)verso__native_rank() * UINT64_C(0x9e3779b97f4a7c15);
    verso_status status = open_check(&check, error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_enter(&check.job, error);
    if (status == VERSO_STATUS_OK) {
        verso__native_caller_open(); /* all runs begin with the same words on the caller's stack */
        status = test(&check, options);
        verso__native_leave();
    }
    made->holds = status == VERSO_STATUS_OK && made->value_holds && made->dot_holds && made->taylor_holds &&
                  made->cuts_hold && (!made->within || made->within_holds);
    made->holds = all_agree(made->holds);
    close_check(&check);
    return status;
}

/* Report and error are written at the end: they may be part of the memory that is restored. */
static verso_status check_job(const verso__native_job *job, const verso_check_options *options,
                              verso_check_report *report, verso_error *error) {
    verso_check_options own;
    verso_status status = check_options(options, report, &own, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso_check_report made = {.size = sizeof made, .seed = own.seed};
    verso_error why = {0};
    status = check_entered(job, &own, &made, &why);
    verso__sized_write(report, &made, sizeof made);
    if (status != VERSO_STATUS_OK && error != NULL)
        *error = why;
    return status;
}

verso_status verso_check(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                         const verso_array *of, size_t of_count, const verso_check_options *options,
                         verso_check_report *report, verso_error *error) {
    verso__native_job job = verso__native_job_of(run, context, wrt, wrt_count, of, of_count, VERSO_NATIVE_CALLER(3));
    return check_job(&job, options, report, error);
}

/* Uses a copy of x, which may be constant. */
verso_status verso_check_gradient(double (*f)(const double *x, size_t n), const double *x, size_t n,
                                  const verso_check_options *options, verso_check_report *report, verso_error *error) {
    double *copy = x != NULL ? verso__alloc(n + 1, sizeof *copy) : NULL;
    if (x != NULL && copy == NULL)
        return no_memory(error);
    if (copy != NULL)
        memcpy(copy, x, n * sizeof *x);
    verso_array wrt = {copy, n, VERSO_SCALAR_DOUBLE, NULL};
    verso__native_job job = {.f = f, .x = copy, .n = n, .wrt = &wrt, .wrt_count = 1, .caller = VERSO_NATIVE_CALLER(0)};
    verso_status status = check_job(&job, options, report, error);
    verso__dealloc(copy);
    return status;
}
