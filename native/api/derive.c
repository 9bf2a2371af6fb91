/* Derivatives of compiled functions: the public functions. See verso/native.h; sweep.c and cut.c do the work.
 *
 * A call checks its arguments, takes the lock of differentiations, runs, and leaves everything clean: cells
 * zero, mode primal, no guard and no signal handler. Results are written to the caller's memory at the very
 * end, because that memory may be in the program's heap, which a cut sweep copies and puts back. */
#include "native/api/api.h"

#include "base/sized.h"
#include "native/sweep/ranks.h"

#include "base/system.h"

#include <string.h>

/* ---- Regions ---- */

static verso_status check_region(const verso_array *region, const char *list, size_t index, verso_error *error) {
    size_t size = verso__native_scalar_size(region->type);
    if (size == 0)
        return verso__fail(error, VERSO_STATUS_INVALID, "%s[%zu].type is %d: no verso_scalar", list, index,
                           (int)region->type);
    if (region->count == 0)
        return VERSO_STATUS_OK;
    if (region->data == NULL || region->derivative == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "%s[%zu] has %zu numbers and no %s", list, index, region->count,
                           region->data == NULL ? "data" : "derivative");
    if ((uintptr_t)region->data % 4 != 0)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "%s[%zu].data is %p: an address that is not a multiple of 4 has no derivative", list, index,
                           region->data);
    if (region->count > PTRDIFF_MAX / size || !verso__native_covers(region->data, region->count * size))
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "%s[%zu].data is %p with %zu numbers: Verso has no shadow memory for all of that; link the "
                           "program with -pie, or pass memory that a function compiled by `verso cc` has allocated",
                           list, index, region->data, region->count);
    return VERSO_STATUS_OK;
}

static verso_status check_regions(const verso_array *regions, size_t count, const char *list, verso_error *error) {
    if (count > 0 && regions == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "%s is NULL and has %zu regions", list, count);
    verso_status status = VERSO_STATUS_OK;
    for (size_t i = 0; status == VERSO_STATUS_OK && i < count; i++)
        status = check_region(&regions[i], list, i, error);
    return status;
}

/* The tangents of numbers of other types in the bytes of numbers that have a tangent are unknown. */
static void spoil_others(const verso_array *region) {
    size_t size = verso__native_scalar_size(region->type);
    for (size_t first = 0, end; first < region->count; first = end) {
        bool some = region->derivative[first] != 0;
        for (end = first + 1; end < region->count && (region->derivative[end] != 0) == some;)
            end++;
        if (some)
            verso__native_tangent_over((char *)region->data + first * size, (end - first) * size,
                                       verso__native_kind_of(region->type), region->derivative[first]);
    }
}

/* Sets the tangents of inputs. (If an array is listed twice, the last one counts.) */
static void scatter(const verso_array *regions, size_t count) {
    bool others = verso__native_uses(VERSO_NATIVE_FLOAT) || verso__native_uses(VERSO_NATIVE_LONG) ||
                  verso__native_uses(VERSO_NATIVE_DOUBTED);
    for (size_t i = 0; i < count; i++) {
        verso__native_cells_write(regions[i].data, regions[i].type, regions[i].count, regions[i].derivative);
        if (others)
            spoil_others(&regions[i]);
    }
}

/* Returns the message of a tangent that was lost; NULL: none was. */
static const char *find_blame(const verso__native_job *job) {
    const char *message = verso__native_blame_message(job->tangent);
    for (size_t i = 0; i < job->of_count; i++)
        for (size_t j = 0; j < job->of[i].count && message == NULL; j++)
            message = verso__native_blame_message(job->of[i].derivative[j]);
    return message;
}

static void gather(const verso_array *regions, size_t count) {
    for (size_t i = 0; i < count; i++)
        verso__native_cells_read(regions[i].data, regions[i].type, regions[i].count, regions[i].derivative);
}

/* ---- Before and after ---- */

static verso_status check_job(const verso__native_job *job, verso_error *error) {
    if (job->run == NULL && job->f == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "there is no function to differentiate: it is NULL");
    if (!verso__native_is_linked())
        return verso__fail(
            error, VERSO_STATUS_INVALID,
            "this program was not linked by `verso cc`: its functions have no derivatives; compile and link "
            "it with `verso cc` in place of cc");
    verso_status status = check_regions(job->wrt, job->wrt_count, "wrt", error);
    return status == VERSO_STATUS_OK ? check_regions(job->of, job->of_count, "of", error) : status;
}

bool verso__native_is_busy(void) {
    return verso__native_turn_is_taken();
}

/* In a process that was forked during a differentiation of another thread: forgets that differentiation. */
static void forget_abandoned(void) {
    verso__native_range none = {NULL, NULL};
    (void)verso__native_shadow_end(&none, 0);
    verso__native_caller_forget();
    verso__native_notes_forget();
    verso__native_files_forget();
    verso__native_foreign_forget();
}

verso_status verso__native_enter(verso__native_job *job, verso_error *error) {
    bool others, dirty;
    (void)verso__native_arena_ready(); /* finds what the run times of this process share */
    verso_status status = verso__native_turn_take(&others, &dirty, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = verso__native_space_reserve(error);
    if (status == VERSO_STATUS_OK && others) {
        verso__native_shadow_forget();
        verso__native_tape_forget();
    }
    if (status == VERSO_STATUS_OK && dirty)
        forget_abandoned();
    if (status == VERSO_STATUS_OK)
        status = check_job(job, error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_faults_catch(verso__native_tape_explain, error);
    if (status == VERSO_STATUS_OK)
        verso__native_job_set(job);
    else
        verso__native_turn_end();
    return status;
}

void verso__native_leave(void) {
    verso__native_faults_release();
    verso__native_job_set(NULL);
    verso__native_caller_forget();
    verso__native_turn_end();
}

/* Maximum numbers of ranges whose cells the next run is likely to use again. */
enum { NEARBY_REGIONS = 4, NEARBY = 4 + NEARBY_REGIONS, STACK_NEAR = 256 << 10 };

static void insert(verso__native_range *nearby, size_t *count, char *begin, char *end) {
    size_t at = *count;
    for (; at > 0 && nearby[at - 1].begin > begin; at--)
        nearby[at] = nearby[at - 1];
    nearby[at] = (verso__native_range){begin, end};
    ++*count;
}

static size_t list_nearby(const verso__native_job *job, verso__native_range nearby[NEARBY]) {
    size_t count = 0;
    char *here = (char *)__builtin_frame_address(0);
    verso__native_range heap = verso__native_arena_ever_used(), program = verso__native_program();
    insert(nearby, &count, heap.begin, heap.end);
    insert(nearby, &count, program.begin, program.end);
    insert(nearby, &count, verso__native_stack_top() - 4 * STACK_NEAR, verso__native_stack_top());
    insert(nearby, &count, here, here + STACK_NEAR);
    for (size_t i = 0; i < job->wrt_count && i < NEARBY_REGIONS; i++) {
        char *data = job->wrt[i].data;
        insert(nearby, &count, data, data + job->wrt[i].count * verso__native_scalar_size(job->wrt[i].type));
    }
    return count;
}

/* Returns how many bytes lasting copies may take. Later processes of a durable run would not have them. */
static uint64_t lasting_limit(const verso_native_options *options) {
    uint64_t memory = options->run != NULL ? options->run->memory : options->offload_memory;
    if (options->run != NULL && options->run->directory != NULL)
        return 0;
    return memory == 0 ? VERSO_NATIVE_LASTING_SIZE : memory / VERSO_NATIVE_LASTING_SHARE;
}

static verso_status run_begin(size_t tape_limit, bool divided, verso_ranks ranks, verso_error *error) {
    verso__native_custom_restore((verso__native_custom){0});
    verso__native_shadow_begin();
    verso__native_parts_begin();
    verso__native_team_begin();
    verso__native_ranks_begin(ranks);
    return verso__native_tape_open(tape_limit, divided, error);
}

static void run_end(const verso__native_job *job, verso_status status, verso_native_report *report,
                    const verso_error *error) {
    verso__native_range nearby[NEARBY];
    verso__native_ranks_end(status, error);
    verso__native_handles_use(false);
    if (verso__native_shadow_touched())
        verso__native_stack_trim();
    verso__native_team_end();
    report->peak_bytes += verso__native_offload_close(report) + verso__native_tape_close(report->tape_bytes);
    report->peak_bytes += verso__native_shadow_end(nearby, list_nearby(job, nearby));
    report->peak_bytes += verso__native_world_forget();
    verso__native_notes_forget();
    verso__native_files_forget();
    verso__native_foreign_forget();
    report->value = job->value;
}

/* ---- The three ways to run ---- */

verso_status verso__native_plain(verso__native_job *job, verso_error *error) {
    (void)job;
    verso__native_start(VERSO_NATIVE_PRIMAL);
    return verso__native_go(VERSO_NATIVE_PRIMAL) == VERSO_NATIVE_FAILED ? verso__native_failure(error)
                                                                        : VERSO_STATUS_OK;
}

static bool lies_still(const void *data) {
    verso__native_range program = verso__native_program();
    uintptr_t at = (uintptr_t)data;
    return at - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE ||
           (at >= (uintptr_t)program.begin && at < (uintptr_t)program.end);
}

/* In a durable run, f must find x at the same address in every process. If x is on the caller's stack, f gets a
 * copy in the heap. */
static verso_status hold_still(verso__native_job *job, const verso_native_options *options, verso_array *held,
                               verso_error *error) {
    *held = (verso_array){0};
    if (job->f == NULL || job->n == 0 || !verso__native_is_durable(options->run) || lies_still(job->x))
        return VERSO_STATUS_OK;
    *held = job->wrt[0];
    held->data = verso__native_malloc(job->n * sizeof *job->x);
    if (held->data == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a copy of %zu inputs", job->n);
    memcpy(held->data, job->x, job->n * sizeof *job->x);
    job->x = held->data;
    job->wrt = held;
    return VERSO_STATUS_OK;
}

verso_status verso__native_reverse(verso__native_job *job, const verso_native_options *options,
                                   verso_native_report *report, verso_error *error) {
    verso__native_job given = *job;
    verso_array held;
    bool divided = options->run != NULL && options->run->memory != 0 && options->tape_limit == 0;
    verso__native_lasting_begin(lasting_limit(options));
    verso__native_handles_use(verso__native_is_durable(options->run));
    verso_status status = run_begin(options->tape_limit, divided, options->ranks, error);
    if (status == VERSO_STATUS_OK && options->offload_directory != NULL && job->cuts == 0 && options->run == NULL)
        status = verso__native_offload_open(options, error);
    if (status == VERSO_STATUS_OK)
        status = hold_still(job, options, &held, error);
    double began = verso__thread_seconds();
    if (status == VERSO_STATUS_OK)
        status = verso__native_sweep(job, options, report, error);
    report->seconds_processor = verso__thread_seconds() - began;
    if (status == VERSO_STATUS_OK)
        status = verso__native_parts_check(job->wrt, job->wrt_count, error);
    if (status == VERSO_STATUS_OK)
        gather(job->wrt, job->wrt_count);
    if (job->wrt == &held) {
        verso__native_free(held.data);
        job->x = given.x;
        job->wrt = given.wrt;
    }
    run_end(job, status, report, error);
    report->lasting_bytes = verso__native_lasting_bytes();
    report->peak_bytes += report->lasting_bytes;
    if (status == VERSO_STATUS_OK || status == VERSO_STATUS_SUSPENDED)
        verso__native_profile_settle(options, report);
    if (options->run_report != NULL)
        options->run_report->memory_peak = report->peak_bytes;
    return status;
}

/* A function of a library would run without tangents, and its results would have tangents of zero. A recording
 * run detects that afterwards, a tangent run does not; so this checks it before. */
static verso_status check_own(const verso__native_job *job, verso_error *error) {
    verso__native_range program = verso__native_program();
    uintptr_t at = job->run != NULL ? (uintptr_t)job->run : (uintptr_t)job->f;
    if (at >= (uintptr_t)program.begin && at < (uintptr_t)program.end)
        return VERSO_STATUS_OK;
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "the function at 0x%llx belongs to a shared library, not to the program: it was not compiled by "
                       "`verso cc`; call it from a function of the program",
                       (unsigned long long)at);
}

static verso_status run_tangent(verso__native_job *job, verso_native_report *report, verso_error *error) {
    memset(verso__native_now.argument, 0, sizeof verso__native_now.argument);
    memset(verso__native_now.result, 0, sizeof verso__native_now.result);
    scatter(job->wrt, job->wrt_count);
    verso__native_team_set_parallel(true);
    double began = verso__now();
    verso__native_start(VERSO_NATIVE_TANGENT);
    verso__native_outcome outcome = verso__native_go(VERSO_NATIVE_TANGENT);
    report->seconds_forward = verso__now() - began;
    if (outcome == VERSO_NATIVE_FAILED)
        return verso__native_failure(error);
    job->tangent = verso__native_now.result[0];
    gather(job->of, job->of_count);
    const char *blame = find_blame(job);
    return blame == NULL ? VERSO_STATUS_OK : verso__fail(error, VERSO_STATUS_INVALID, "%s", blame);
}

verso_status verso__native_tangent(verso__native_job *job, verso_native_report *report, verso_error *error) {
    verso_status status = check_own(job, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = run_begin(0, false, VERSO_RANKS_SUM, error);
    if (status == VERSO_STATUS_OK)
        status = run_tangent(job, report, error);
    run_end(job, status, report, error);
    return status;
}

/* ---- Public ---- */

/* Environment variables apply to gradients that are not cut. */
static verso_status reverse(verso__native_job *job, const verso_native_options *options, verso_native_report *report,
                            verso_error *error) {
    verso__native_settings settings = {0};
    verso_status status = VERSO_STATUS_OK;
    if (job->cuts == 0)
        status = verso__native_settings_read(&settings, error);
    return status == VERSO_STATUS_OK ? verso__native_reverse_with_settings(job, &settings, options, report, error)
                                     : status;
}

static struct {
    uint64_t cuts, seed;
} next_cuts;

void verso__native_cut_next(uint64_t cuts, uint64_t seed) {
    next_cuts.cuts = cuts;
    next_cuts.seed = seed;
}

/* `error` is not NULL. */
static verso_status differentiate_own(verso__native_job *job, bool tangent, const verso_native_options *options,
                                      verso_native_report *report, verso_error *error) {
    verso_native_options own;
    verso_run_options run;
    verso_native_report made = VERSO_NATIVE_REPORT_INIT;
    verso_status status = verso__native_options_read(options, &own, &run, error);
    if (status == VERSO_STATUS_OK && report != NULL)
        status = verso__sized_check(report, "VERSO_NATIVE_REPORT_INIT", error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = verso__native_enter(job, error);
    if (status == VERSO_STATUS_OK) {
        status = tangent ? verso__native_tangent(job, &made, error) : reverse(job, &own, &made, error);
        verso__native_leave();
    }
    if (report != NULL)
        verso__sized_write(report, &made, sizeof made);
    return status;
}

/* The error is written at the end: it may be part of the memory that the sweep restores. */
static verso_status differentiate(verso__native_job *job, bool tangent, const verso_native_options *options,
                                  verso_native_report *report, verso_error *error) {
    verso_error why = {0};
    job->cuts = tangent ? 0 : next_cuts.cuts;
    job->seed = next_cuts.seed;
    verso__native_cut_next(0, 0);
    verso_status status = differentiate_own(job, tangent, options, report, &why);
    if (status != VERSO_STATUS_OK && error != NULL)
        *error = why;
    return status;
}

/* Sets *near to x, or to a copy of it in the heap if x lies where there is no shadow memory: the heap of a host that is
 * not position-independent and has loaded this code as a shared library. The caller frees *copy. */
static verso_status bring_near(const double *x, size_t n, const double **near, double **copy, verso_error *error) {
    *near = x;
    *copy = NULL;
    if (!verso__native_is_library() || x == NULL || n == 0 || n > PTRDIFF_MAX / sizeof *x ||
        verso__native_covers(x, n * sizeof *x) || !verso__native_arena_ready())
        return VERSO_STATUS_OK;
    *copy = verso__native_malloc(n * sizeof *x);
    if (*copy == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a copy of %zu inputs", n);
    *near = memcpy(*copy, x, n * sizeof *x);
    return VERSO_STATUS_OK;
}

verso_status verso_gradient(double (*f)(const double *x, size_t n), const double *x, size_t n, double *gradient,
                            const verso_native_options *options, verso_native_report *report, verso_error *error) {
    double *copy;
    verso_status status = bring_near(x, n, &x, &copy, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso_array wrt = {(void *)(uintptr_t)x, n, VERSO_SCALAR_DOUBLE, gradient};
    verso__native_job job = {
        .f = f, .x = x, .n = n, .wrt = &wrt, .wrt_count = 1, .weight = 1, .caller = VERSO_NATIVE_CALLER(1)};
    status = differentiate(&job, false, options, report, error);
    verso__native_free(copy);
    return status;
}

verso_status verso_directional(double (*f)(const double *x, size_t n), const double *x, size_t n,
                               const double *direction, double *derivative, verso_native_report *report,
                               verso_error *error) {
    double *copy;
    if (derivative == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "the argument `derivative` is NULL");
    verso_status status = bring_near(x, n, &x, &copy, error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso_array wrt = {(void *)(uintptr_t)x, n, VERSO_SCALAR_DOUBLE, (double *)(uintptr_t)direction};
    verso__native_job job = {.f = f, .x = x, .n = n, .wrt = &wrt, .wrt_count = 1, .caller = VERSO_NATIVE_CALLER(1)};
    status = differentiate(&job, true, NULL, report, error);
    verso__native_free(copy);
    if (status == VERSO_STATUS_OK)
        *derivative = job.tangent;
    return status;
}

verso_status verso_vjp(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                       const verso_array *of, size_t of_count, const verso_native_options *options,
                       verso_native_report *report, verso_error *error) {
    verso__native_job job = verso__native_job_of(run, context, wrt, wrt_count, of, of_count, VERSO_NATIVE_CALLER(3));
    return differentiate(&job, false, options, report, error);
}

verso_status verso_jvp(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                       const verso_array *of, size_t of_count, verso_native_report *report, verso_error *error) {
    verso__native_job job = verso__native_job_of(run, context, wrt, wrt_count, of, of_count, VERSO_NATIVE_CALLER(2));
    return differentiate(&job, true, NULL, report, error);
}
