/* Dense Jacobians, and what they share with sparse ones: see jacobian.h. */
#include "native/api/jacobian.h"

#include "base/alloc.h"
#include "base/sized.h"

#include <string.h>

typedef verso__jacobian jacobian;

/* ---- Regions ---- */

static size_t count_numbers(const verso_array *regions, size_t count) {
    size_t numbers = 0;
    for (size_t i = 0; regions != NULL && i < count; i++)
        numbers += regions[i].count;
    return numbers;
}

/* Returns a copy of the regions whose derivatives are at `numbers`; NULL if there is no memory. */
static verso_array *copy_regions(const verso_array *regions, size_t count, double *numbers) {
    verso_array *made = verso__alloc(count + 1, sizeof *made);
    for (size_t i = 0; made != NULL && i < count; i++) {
        made[i] = regions[i];
        made[i].derivative = numbers;
        numbers += regions[i].count;
    }
    return made;
}

/* Returns the bytes of a region that capsules do not hold: 0 for the heap and global variables. */
static size_t bytes_of(const verso_array *region) {
    size_t bytes = region->count * verso__native_scalar_size(region->type);
    verso__native_range program = verso__native_program();
    uintptr_t at = (uintptr_t)region->data, begin = (uintptr_t)program.begin, end = (uintptr_t)program.end;
    bool held = at - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE || (at >= begin && at < end);
    return held ? 0 : bytes;
}

/* Copies the bytes of regions elsewhere to j->data, or back. */
static void copy_data(jacobian *j, bool back) {
    char *at = j->data;
    for (size_t i = 0; i < j->job.wrt_count + j->job.of_count; i++) {
        const verso_array *region = i < j->job.wrt_count ? &j->wrt[i] : &j->of[i - j->job.wrt_count];
        size_t bytes = bytes_of(region);
        if (bytes > 0)
            memcpy(back ? (char *)region->data : at, back ? at : (char *)region->data, bytes);
        at += bytes;
    }
}

/* ---- Runs ---- */

static void restore(jacobian *j) {
    if (j->report->passes + j->report->pattern_passes == 0)
        return;
    verso__native_capsule_restore(&j->start);
    copy_data(j, true);
}

verso_status verso__jacobian_tangent(jacobian *j) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    restore(j);
    return verso__native_tangent(&j->job, &report, j->error);
}

verso_status verso__jacobian_reverse(jacobian *j) {
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso__native_settings settings = {0};
    verso_native_options own;
    verso_run_options run;
    verso_status status = verso__native_options_read(j->options.native, &own, &run, j->error);
    if (status == VERSO_STATUS_OK)
        status = verso__native_settings_read(&settings, j->error);
    restore(j);
    return status == VERSO_STATUS_OK ? verso__native_reverse_with_settings(&j->job, &settings, &own, &report, j->error)
                                     : status;
}

verso_jacobian_mode verso__jacobian_mode(const jacobian *j, size_t columns, size_t rows) {
    if (j->options.mode != VERSO_JACOBIAN_AUTO)
        return j->options.mode;
    return columns <= 2 * rows ? VERSO_JACOBIAN_COLUMNS : VERSO_JACOBIAN_ROWS;
}

/* ---- Before and after ---- */

static verso_status no_memory(const jacobian *j) {
    return verso__fail(j->error, VERSO_STATUS_NO_MEMORY, "no memory for a Jacobian of %zu rows and %zu columns",
                       j->rows, j->columns);
}

static verso_status open(jacobian *j) {
    const verso_array *wrt = j->job.wrt, *of = j->job.of;
    if ((wrt == NULL && j->job.wrt_count > 0) || (of == NULL && j->job.of_count > 0))
        return verso__fail(j->error, VERSO_STATUS_INVALID, "%s is NULL and has %zu regions", wrt == NULL ? "wrt" : "of",
                           wrt == NULL ? j->job.wrt_count : j->job.of_count);
    j->columns = count_numbers(wrt, j->job.wrt_count);
    j->rows = count_numbers(of, j->job.of_count);
    j->across = verso__alloc(j->columns + 1, sizeof *j->across);
    j->down = verso__alloc(j->rows + 1, sizeof *j->down);
    if (j->across == NULL || j->down == NULL)
        return no_memory(j);
    j->wrt = copy_regions(wrt, j->job.wrt_count, j->across);
    j->of = copy_regions(of, j->job.of_count, j->down);
    if (j->wrt == NULL || j->of == NULL)
        return no_memory(j);
    j->job.wrt = j->wrt;
    j->job.of = j->of;
    return VERSO_STATUS_OK;
}

static void close(jacobian *j) {
    verso__dealloc(j->wrt);
    verso__dealloc(j->of);
    verso__dealloc(j->across);
    verso__dealloc(j->down);
    verso__dealloc(j->data);
    verso__native_capsule_free(&j->start);
}

static verso_status begin(jacobian *j) {
    size_t bytes = 1;
    for (size_t i = 0; i < j->job.wrt_count + j->job.of_count; i++)
        bytes += bytes_of(i < j->job.wrt_count ? &j->wrt[i] : &j->of[i - j->job.wrt_count]);
    j->data = verso__alloc(bytes, 1);
    if (j->data == NULL)
        return no_memory(j);
    copy_data(j, false);
    verso__native_world_random();
    return verso__native_capsule_take(&j->start, j->error);
}

static verso_status run_task(jacobian *j, const verso__jacobian_task *task) {
    verso_status status = verso__native_enter(&j->job, j->error);
    if (status != VERSO_STATUS_OK)
        return status;
    verso__native_caller_open(); /* all runs begin with the same words on the caller's stack */
    status = begin(j);
    if (status == VERSO_STATUS_OK)
        status = task->work(j, task->context);
    if (status != VERSO_STATUS_OK && j->report->passes + j->report->pattern_passes > 0)
        restore(j);
    verso__native_generators_forget();
    verso__native_leave();
    return status;
}

verso_status verso__jacobian_do(const verso__native_job *job, const verso_jacobian_options *options,
                                verso_jacobian_report *report, const verso__jacobian_task *task, verso_error *error) {
    verso_error why = {0};
    verso_jacobian_report made = VERSO_JACOBIAN_REPORT_INIT;
    jacobian j = {.job = *job, .options = VERSO_JACOBIAN_OPTIONS_INIT, .report = &made, .error = &why};
    verso_status status = VERSO_STATUS_OK;
    if (options != NULL)
        status = verso__sized_read(options, &j.options, sizeof j.options, "VERSO_JACOBIAN_OPTIONS_INIT", &why);
    if (status == VERSO_STATUS_OK && report != NULL)
        status = verso__sized_check(report, "VERSO_JACOBIAN_REPORT_INIT", &why);
    if (status == VERSO_STATUS_OK)
        status = open(&j);
    if (status == VERSO_STATUS_OK)
        status = run_task(&j, task);
    if (status == VERSO_STATUS_OK) {
        task->end(&j, task->context);
        if (report != NULL)
            verso__sized_write(report, &made, sizeof made);
    } else if (error != NULL)
        *error = why;
    close(&j);
    return status;
}

/* ---- Dense ---- */

typedef struct dense {
    double *made, *given;
} dense;

static verso_status work_columns(jacobian *j, double *made) {
    verso_status status = VERSO_STATUS_OK;
    for (size_t column = 0; status == VERSO_STATUS_OK && column < j->columns; column++) {
        memset(j->across, 0, j->columns * sizeof *j->across);
        j->across[column] = 1;
        status = verso__jacobian_tangent(j);
        j->report->passes++;
        for (size_t row = 0; row < j->rows; row++)
            made[row * j->columns + column] = j->down[row];
    }
    return status;
}

static verso_status work_rows(jacobian *j, double *made) {
    verso_status status = VERSO_STATUS_OK;
    for (size_t row = 0; status == VERSO_STATUS_OK && row < j->rows; row++) {
        memset(j->down, 0, j->rows * sizeof *j->down);
        j->down[row] = 1;
        status = verso__jacobian_reverse(j);
        j->report->passes++;
        memcpy(made + row * j->columns, j->across, j->columns * sizeof *made);
    }
    return status;
}

static verso_status work(jacobian *j, void *context) {
    dense *d = context;
    d->made = verso__alloc(j->rows * j->columns + 1, sizeof *d->made);
    if (d->made == NULL)
        return no_memory(j);
    j->report->mode = verso__jacobian_mode(j, j->columns, j->rows);
    return j->report->mode == VERSO_JACOBIAN_COLUMNS ? work_columns(j, d->made) : work_rows(j, d->made);
}

static void end(jacobian *j, void *context) {
    dense *d = context;
    memcpy(d->given, d->made, j->rows * j->columns * sizeof *d->given);
}

verso_status verso_jacobian(void (*run)(void *context), void *context, const verso_array *wrt, size_t wrt_count,
                            const verso_array *of, size_t of_count, double *matrix,
                            const verso_jacobian_options *options, verso_jacobian_report *report, verso_error *error) {
    verso__native_job job = verso__native_job_of(run, context, wrt, wrt_count, of, of_count, VERSO_NATIVE_CALLER(4));
    dense d = {.given = matrix};
    verso__jacobian_task task = {work, end, &d};
    if (matrix == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID, "the argument `jacobian` is NULL: it receives the derivatives");
    verso_status status = verso__jacobian_do(&job, options, report, &task, error);
    verso__dealloc(d.made);
    return status;
}
