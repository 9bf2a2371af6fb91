/* The public calls: derivatives of compiled functions. See verso/native.h; sweep.c and cut.c do the work.
 *
 * A call checks its arguments, takes the one right to differentiate, runs, and leaves everything clean: cells zero,
 * mode primal, no guard and no handler in the program's way. Results are written to the caller's memory at the very
 * end, because that memory may be the program's heap, which a cut sweep copies and puts back. */
#include "native/native.h"

#include "base/system.h"

#include <string.h>

verso_native_state verso_native_now = {.inside = UINT64_MAX};
verso_native_machine verso_native_runtime = {.arena.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- Regions ---- */

size_t verso_native_scalar_size(verso_scalar type) {
    switch (type) {
    case VERSO_DOUBLE: return sizeof(double);
    case VERSO_FLOAT: return sizeof(float);
    case VERSO_LONG_DOUBLE: return sizeof(long double);
    }
    return 0;
}

/* Bytes that no function of the program takes for a float travel as parts of others. */
verso_native_kind verso_native_kind_of(verso_scalar type) {
    verso_native_kind kind = type == VERSO_FLOAT         ? VERSO_NATIVE_FLOAT
                             : type == VERSO_LONG_DOUBLE ? VERSO_NATIVE_LONG
                                                         : VERSO_NATIVE_DOUBLE;
    return verso_native_uses(kind) ? kind : VERSO_NATIVE_DOUBLE;
}

static verso_status check_region(const verso_array *region, const char *list, size_t index, verso_error *error) {
    size_t size = verso_native_scalar_size(region->type);
    if (size == 0)
        return verso_fail(error, VERSO_INVALID, "%s[%zu].type is %d: no verso_scalar.", list, index, (int)region->type);
    if (region->count == 0)
        return VERSO_OK;
    if (region->data == NULL || region->derivative == NULL)
        return verso_fail(error, VERSO_INVALID, "%s[%zu] has %zu numbers and no %s.", list, index, region->count,
                          region->data == NULL ? "data" : "derivative");
    if ((uintptr_t)region->data % 4 != 0)
        return verso_fail(error, VERSO_INVALID,
                          "%s[%zu].data is %p: an address that is no multiple of 4 has no derivative.", list, index,
                          region->data);
    if (region->count > PTRDIFF_MAX / size || !verso_native_covers(region->data, region->count * size))
        return verso_fail(error, VERSO_INVALID,
                          "%s[%zu].data is %p with %zu numbers: Verso has no shadow memory for all of that.", list,
                          index, region->data, region->count);
    return VERSO_OK;
}

static verso_status check_regions(const verso_array *regions, size_t count, const char *list, verso_error *error) {
    if (count > 0 && regions == NULL)
        return verso_fail(error, VERSO_INVALID, "%s is NULL and has %zu regions.", list, count);
    verso_status status = VERSO_OK;
    for (size_t i = 0; status == VERSO_OK && i < count; i++)
        status = check_region(&regions[i], list, i, error);
    return status;
}

/* Tangents of inputs: their cells are set, which for a region that is listed twice is done twice. Their bytes, taken
 * for numbers of another type, have none that could be told. */
static void scatter(const verso_array *regions, size_t count) {
    bool others = verso_native_uses(VERSO_NATIVE_FLOAT) || verso_native_uses(VERSO_NATIVE_LONG);
    for (size_t i = 0; i < count; i++) {
        size_t size = verso_native_scalar_size(regions[i].type);
        verso_native_kind kind = verso_native_kind_of(regions[i].type);
        for (size_t j = 0; j < regions[i].count; j++) {
            char *number = (char *)regions[i].data + j * size;
            verso_native_tangent_write(number, kind, regions[i].derivative[j], NULL);
            if (others && regions[i].derivative[j] != 0)
                verso_native_tangent_over(number, size, kind, regions[i].derivative[j]);
        }
    }
}

static void gather(const verso_array *regions, size_t count) {
    for (size_t i = 0; i < count; i++)
        for (size_t j = 0; j < regions[i].count; j++)
            regions[i].derivative[j] =
                verso_native_tangent_read((char *)regions[i].data + j * verso_native_scalar_size(regions[i].type),
                                          verso_native_kind_of(regions[i].type));
}

/* ---- Before and after ---- */

static verso_status check_job(const verso_native_job *job, verso_error *error) {
    if (job->run == NULL && job->f == NULL)
        return verso_fail(error, VERSO_INVALID, "there is no function to differentiate: it is NULL.");
    if (!verso_native_linked())
        return verso_fail(
            error, VERSO_INVALID,
            "this program was not linked by `verso cc`: its functions have no derivatives; compile and link "
            "it with `verso cc` in place of cc.");
    verso_status status = check_regions(job->wrt, job->wrt_count, "wrt", error);
    return status == VERSO_OK ? check_regions(job->of, job->of_count, "of", error) : status;
}

verso_status verso_native_enter(verso_native_job *job, verso_error *error) {
    if (atomic_exchange(&verso_native_runtime.busy, true))
        return verso_fail(
            error, VERSO_STATE,
            "a differentiation is running already, in another thread or around this call; there can be one "
            "at a time in a process.");
    verso_status status = verso_native_space_reserve(error);
    if (status == VERSO_OK)
        status = check_job(job, error);
    if (status == VERSO_OK)
        status = verso_native_faults_catch(error);
    if (status == VERSO_OK)
        verso_native_runtime.job = job;
    else
        atomic_store(&verso_native_runtime.busy, false);
    return status;
}

void verso_native_leave(void) {
    verso_native_faults_release();
    verso_native_runtime.job = NULL;
    atomic_store(&verso_native_runtime.busy, false);
}

/* Memory whose cells the next run is likely to use again. */
enum { NEARBY_REGIONS = 4, NEARBY = 4 + NEARBY_REGIONS, STACK_NEAR = 256 << 10 };

static void insert(verso_native_range *nearby, size_t *count, char *begin, char *end) {
    size_t at = *count;
    for (; at > 0 && nearby[at - 1].begin > begin; at--)
        nearby[at] = nearby[at - 1];
    nearby[at] = (verso_native_range){begin, end};
    ++*count;
}

static size_t list_nearby(const verso_native_job *job, verso_native_range nearby[NEARBY]) {
    size_t count = 0;
    char *here = (char *)__builtin_frame_address(0);
    verso_native_range heap = verso_native_arena_ever_used(), program = verso_native_program();
    insert(nearby, &count, heap.begin, heap.end);
    insert(nearby, &count, program.begin, program.end);
    insert(nearby, &count, verso_native_stack_top() - 4 * STACK_NEAR, verso_native_stack_top());
    insert(nearby, &count, here, here + STACK_NEAR);
    for (size_t i = 0; i < job->wrt_count && i < NEARBY_REGIONS; i++) {
        char *data = job->wrt[i].data;
        insert(nearby, &count, data, data + job->wrt[i].count * verso_native_scalar_size(job->wrt[i].type));
    }
    return count;
}

static verso_status run_begin(size_t tape_limit, verso_error *error) {
    memset(&verso_native_runtime.custom, 0, sizeof verso_native_runtime.custom);
    verso_native_shadow_begin();
    verso_native_parts_begin();
    return verso_native_tape_open(tape_limit, error);
}

static void run_end(const verso_native_job *job, verso_native_report *report) {
    verso_native_range nearby[NEARBY];
    if (verso_native_faults() != verso_native_runtime.shadow.faults)
        verso_native_stack_trim();
    report->peak_bytes += verso_native_offload_close(report) + verso_native_tape_close(report->tape_bytes);
    report->peak_bytes += verso_native_shadow_end(nearby, list_nearby(job, nearby));
    report->value = job->value;
}

/* ---- The three ways to run ---- */

verso_status verso_native_plain(verso_native_job *job, verso_error *error) {
    (void)job;
    verso_native_start(VERSO_NATIVE_PRIMAL);
    return verso_native_go(VERSO_NATIVE_PRIMAL) == VERSO_NATIVE_FAILED ? verso_native_failure(error) : VERSO_OK;
}

static bool lies_still(const void *data) {
    verso_native_range program = verso_native_program();
    uintptr_t at = (uintptr_t)data;
    return at - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE ||
           (at >= (uintptr_t)program.begin && at < (uintptr_t)program.end);
}

/* f must find x at the same address in every process of a durable run. In the caller's stack it may not: then it is
 * given a copy in the heap, where a run that goes on finds it. */
static verso_status hold_still(verso_native_job *job, const verso_native_options *options, verso_array *held,
                               verso_error *error) {
    *held = (verso_array){0};
    if (job->f == NULL || job->n == 0 || !verso_native_is_durable(options->run) || lies_still(job->x))
        return VERSO_OK;
    *held = job->wrt[0];
    held->data = verso_native_malloc(job->n * sizeof *job->x);
    if (held->data == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a copy of %zu inputs.", job->n);
    memcpy(held->data, job->x, job->n * sizeof *job->x);
    job->x = held->data;
    job->wrt = held;
    return VERSO_OK;
}

verso_status verso_native_reverse(verso_native_job *job, const verso_native_options *options,
                                  verso_native_report *report) {
    verso_native_job given = *job;
    verso_array held;
    verso_status status = run_begin(options->tape_limit, &report->error);
    if (status == VERSO_OK && options->offload.directory != NULL && options->cuts == 0 && options->run == NULL)
        status = verso_native_offload_open(&options->offload, &report->error);
    if (status == VERSO_OK)
        status = hold_still(job, options, &held, &report->error);
    double began = verso_thread_seconds();
    if (status == VERSO_OK)
        status = verso_native_sweep(job, options, report);
    report->seconds_processor = verso_thread_seconds() - began;
    if (status == VERSO_OK)
        status = verso_native_parts_check(job->wrt, job->wrt_count, &report->error);
    if (status == VERSO_OK)
        gather(job->wrt, job->wrt_count);
    if (job->wrt == &held) {
        verso_native_free(held.data);
        job->x = given.x;
        job->wrt = given.wrt;
    }
    run_end(job, report);
    if (status == VERSO_OK)
        verso_native_profile_settle(options, report);
    if (options->run_report != NULL)
        options->run_report->memory_peak = report->peak_bytes;
    return status;
}

/* A function of a library would run as it is and leave tangents of zero. Recording leaves a trace, this does not. */
static verso_status check_own(const verso_native_job *job, verso_error *error) {
    verso_native_range program = verso_native_program();
    uintptr_t at = job->run != NULL ? (uintptr_t)job->run : (uintptr_t)job->f;
    if (at >= (uintptr_t)program.begin && at < (uintptr_t)program.end)
        return VERSO_OK;
    return verso_fail(error, VERSO_INVALID,
                      "the function at 0x%llx belongs to a shared library, not to the program: it was not compiled by "
                      "`verso cc`; call it from a function of the program.",
                      (unsigned long long)at);
}

static verso_status run_tangent(verso_native_job *job, verso_native_report *report) {
    memset(verso_native_now.argument, 0, sizeof verso_native_now.argument);
    memset(verso_native_now.result, 0, sizeof verso_native_now.result);
    scatter(job->wrt, job->wrt_count);
    double began = verso_now();
    verso_native_start(VERSO_NATIVE_TANGENT);
    verso_native_outcome outcome = verso_native_go(VERSO_NATIVE_TANGENT);
    report->seconds_forward = verso_now() - began;
    if (outcome == VERSO_NATIVE_FAILED)
        return verso_native_failure(&report->error);
    job->tangent = verso_native_now.result[0];
    gather(job->of, job->of_count);
    return VERSO_OK;
}

verso_status verso_native_tangent(verso_native_job *job, verso_native_report *report) {
    verso_status status = check_own(job, &report->error);
    if (status != VERSO_OK)
        return status;
    status = run_begin(0, &report->error);
    if (status == VERSO_OK)
        status = run_tangent(job, report);
    run_end(job, report);
    return status;
}

/* ---- Public ---- */

/* The environment counts for gradients that are not cut. */
static verso_status reverse(verso_native_job *job, const verso_native_options *options, verso_native_report *report) {
    verso_native_settings settings = {0};
    verso_status status = VERSO_OK;
    if (options->cuts == 0)
        status = verso_native_settings_read(&settings, &report->error);
    return status == VERSO_OK ? verso_native_reverse_told(job, &settings, options, report) : status;
}

/* In reverse mode; without options in tangent mode. */
static verso_status differentiate(verso_native_job *job, const verso_native_options *options,
                                  verso_native_report *report) {
    verso_native_options chosen = options != NULL ? *options : (verso_native_options){0};
    verso_native_report made = {0};
    verso_status status = verso_native_enter(job, &made.error);
    if (status == VERSO_OK) {
        status = options != NULL ? reverse(job, &chosen, &made) : verso_native_tangent(job, &made);
        verso_native_leave();
    }
    if (report != NULL)
        *report = made;
    return status;
}

static const verso_native_options nothing_said;

verso_status verso_gradient(double (*f)(const double *x, size_t n), const double *x, size_t n, double *gradient,
                            const verso_native_options *options, verso_native_report *report) {
    verso_array wrt = {(void *)(uintptr_t)x, n, VERSO_DOUBLE, gradient};
    verso_native_job job = {.f = f, .x = x, .n = n, .wrt = &wrt, .wrt_count = 1, .weight = 1};
    return differentiate(&job, options != NULL ? options : &nothing_said, report);
}

verso_status verso_directional(double (*f)(const double *x, size_t n), const double *x, size_t n,
                               const double *direction, double *derivative, verso_native_report *report) {
    verso_array wrt = {(void *)(uintptr_t)x, n, VERSO_DOUBLE, (double *)(uintptr_t)direction};
    verso_native_job job = {.f = f, .x = x, .n = n, .wrt = &wrt, .wrt_count = 1};
    if (derivative == NULL) {
        verso_status status = VERSO_INVALID;
        if (report != NULL)
            status = verso_fail(&report->error, status, "there is no place for the derivative: it is NULL.");
        return status;
    }
    verso_status status = differentiate(&job, NULL, report);
    if (status == VERSO_OK)
        *derivative = job.tangent;
    return status;
}

verso_status verso_vjp(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                       const verso_array *of, size_t of_count, const verso_native_options *options,
                       verso_native_report *report) {
    verso_native_job job = {
        .run = run, .context = context, .wrt = wrt, .wrt_count = wrt_count, .of = of, .of_count = of_count};
    return differentiate(&job, options != NULL ? options : &nothing_said, report);
}

verso_status verso_jvp(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                       const verso_array *of, size_t of_count, verso_native_report *report) {
    verso_native_job job = {
        .run = run, .context = context, .wrt = wrt, .wrt_count = wrt_count, .of = of, .of_count = of_count};
    return differentiate(&job, NULL, report);
}
