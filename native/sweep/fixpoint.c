/* Fixed points, and their derivatives in two phases (Christianson). See verso/native.h.
 *
 * For the solution u of u = G(u, p) and an adjoint b of u, the adjoint of p is G_p^T d, where d = b + G_u^T d.
 * So the derivatives of one step at the solution suffice; those of the steps before are not needed.
 *
 *   recording   runs steps that are only advanced until the state has converged; then one step that is recorded. The
 *               recording is what the custom adjoint keeps:   | 16 zero bytes | records of the step | trailer |
 *   reversing   reverses that recording repeatedly. A sweep takes d from the cells of the state, leaves G_u^T d there,
 *               and adds G_p^T d to the cells of p: the sum over all sweeps is the adjoint of p. It ends when what the
 *               sweep leaves is small
 *   tangents    repeats the last step from the same state until the state's tangents have converged
 *
 * Such a sweep runs within another sweep, and its recording is needed again after it. So safepoints do not suspend the
 * step, and checkpointed calls in it are recorded above the recording, which they must not overwrite (callsites.c). */
#include "native/sweep/inside.h"

#include "base/alloc.h"
#include "base/sized.h"

#include <math.h>
#include <string.h>

/* Number of nested fixed points whose steps run, recording or advancing. */
static uint64_t fixed_depth;

/* Bytes of a step that are recorded before the machine's memory is checked for the first time. */
enum { FIRST_CHECK = 64 << 20 };

typedef struct fixed_point {
    const char *where;
    void (*step)(void *context);
    void *context;
    double *state;
    size_t count;
    verso_fixed_point_options options;
    double *solution; /* tangents: the state from which each step of the second phase starts */
} fixed_point;

/* On the tape, after the records of the step. */
typedef struct trailer {
    void (*reverse)(void);
    verso_fixed_point_options options; /* a copy, because the caller's may no longer exist when the call is reversed */
} trailer;

static verso_fixed_point_options settle(const verso_fixed_point_options *given) {
    static const char macro[] = "VERSO_FIXED_POINT_OPTIONS_INIT";
    verso_fixed_point_options options = VERSO_FIXED_POINT_OPTIONS_INIT;
    if (given != NULL && verso__sized_read(given, &options, sizeof options, macro, NULL) != VERSO_STATUS_OK)
        options = (verso_fixed_point_options){.tolerance = -1, .most = 1}; /* never converges: it returns 0 */
    if (options.tolerance == 0)
        options.tolerance = 1e-12;
    if (options.derivative_tolerance == 0)
        options.derivative_tolerance = options.tolerance;
    if (options.most == 0)
        options.most = 1000;
    return options;
}

/* ---- Converging ---- */

typedef struct progress {
    double change, size; /* largest change of a number, and largest absolute value */
} progress;

static double larger(double most, double value) {
    return isnan(most) || fabs(value) <= most ? most : fabs(value); /* a NaN counts as the largest */
}

static progress compare(const double *now, const double *before, size_t count) {
    progress p = {0, 0};
    for (size_t i = 0; i < count; i++) {
        p.size = larger(p.size, now[i]);
        p.change = larger(p.change, now[i] - before[i]);
    }
    return p;
}

static bool has_converged(progress p, double tolerance) {
    return p.change <= tolerance * p.size;
}

static void copy(double *to, const double *from, size_t count) {
    if (count > 0) /* `from` may be NULL */
        memcpy(to, from, count * sizeof *to);
}

/* Repeats `step` until `numbers` have converged. Returns the number of steps; 0 if they did not converge in
 * options.most steps. `before` must have room for the numbers. */
static uint64_t iterate(const fixed_point *f, void (*step)(const fixed_point *), const double *numbers, double *before,
                        double tolerance, progress *last) {
    for (uint64_t n = 1; n <= f->options.most; n++) {
        copy(before, numbers, f->count);
        step(f);
        *last = compare(numbers, before, f->count);
        if (has_converged(*last, tolerance))
            return n;
        if (!isfinite(last->change))
            return 0;
    }
    return 0;
}

/* ---- A plain run: uses no state of a differentiation, because there may be many threads ---- */

static void step_plainly(const fixed_point *f) {
    f->step(f->context);
}

uint64_t verso_fixed_point_at(const char *where, void (*step)(void *context), void *context, double *state,
                              size_t count, const verso_fixed_point_options *options) {
    const fixed_point f = {where, step, context, state, count, settle(options), NULL};
    double *before = verso__alloc(count + 1, sizeof *before);
    if (before == NULL)
        return 0;
    progress last = {0};
    uint64_t steps = iterate(&f, step_plainly, state, before, f.options.tolerance, &last);
    verso__dealloc(before);
    if (steps == 0)
        return 0;
    step(context);
    return steps + 1;
}

/* ---- Refusals ---- */

_Noreturn static void refuse(const fixed_point *f, const char *what, const char *how, double left, double wanted) {
    verso__native_give_up(
        VERSO_STATUS_INVALID,
        "%s: the %s does not converge in %llu %s: it still changes by %.1e, and the tolerance is "
        "%.1e; check that the step contracts and writes every number of the state, or raise `most` or the tolerance",
        f->where, what, (unsigned long long)f->options.most, how, left, wanted);
}

/* Allocates in the program's heap, so that a run that fails leaks nothing. */
static double *allocate(const fixed_point *f) {
    double *numbers = verso__native_calloc(f->count + 1, sizeof *numbers);
    if (numbers == NULL)
        verso__native_give_up(VERSO_STATUS_NO_MEMORY,
                              "%s: there is no memory for the state of a fixed point of %zu numbers", f->where,
                              f->count);
    return numbers;
}

static double *cells_of(const fixed_point *f) {
    if ((uintptr_t)f->state % 4 != 0 || !verso__native_covers(f->state, f->count * sizeof(double)))
        verso__native_give_up(VERSO_STATUS_INVALID,
                              "%s: the state of a fixed point is at %p, for which Verso has no cells", f->where,
                              (void *)f->state);
    return verso__native_cell(f->state);
}

/* ---- Steps that are differentiated, or advanced ---- */

/* Runs one step in this mode. */
static void step_in_mode(const fixed_point *f, verso__native_mode mode) {
    verso__native_set_mode(mode);
    verso__native_now.last = NULL;
    f->step(f->context);
    verso__native_now.mode = VERSO_NATIVE_PRIMAL;
    if (verso__native_now.jump != 0) {
        verso__native_now.jump = 0; /* the jump ends here */
        verso__native_give_up(VERSO_STATUS_INVALID,
                              "%s: a long jump leaves the step of a fixed point; let the step return", f->where);
    }
    if (verso__native_now.last == NULL)
        verso__native_give_up(VERSO_STATUS_INVALID,
                              "%s: the step of a fixed point was not compiled by `verso cc`; compile it with "
                              "`verso cc`, or pass a function of the program that calls it",
                              f->where);
}

static void step_advancing(const fixed_point *f) {
    char *tape = verso__native_now.tape;
    step_in_mode(f, VERSO_NATIVE_ADVANCE);
    verso__native_now.tape = tape;
}

static void step_tangent(const fixed_point *f) {
    step_in_mode(f, VERSO_NATIVE_TANGENT);
}

/* The first phase: repeats the step until the state has converged. */
static uint64_t converge(const fixed_point *f, void (*step)(const fixed_point *)) {
    double *before = allocate(f);
    progress last = {0};
    uint64_t steps = iterate(f, step, f->state, before, f->options.tolerance, &last);
    verso__native_free(before);
    if (steps == 0)
        refuse(f, "fixed point", "steps", last.change / last.size, f->options.tolerance);
    return steps;
}

/* ---- Entering and leaving steps ---- */

void verso__native_fixed_abandon(void) {
    fixed_depth = 0;
    verso__native_calls_now.protected = NULL;
}

bool verso__native_fixed_is_recorded(void) {
    return fixed_depth > 0;
}

char *verso__native_fixed_pass(char *tape) {
    verso__native_now.tape_limit =
        verso__native_now.mode == VERSO_NATIVE_RECORD ? verso__native_tape_check_machine(tape) : (char *)UINTPTR_MAX;
    return tape;
}

/* ---- Recording ---- */

/* Records the step in the mode of the call: recording, or advancing, in which the tape moves by the same amount if no
 * call is checkpointed. */
static void record_step(const fixed_point *f, verso_call *call, verso__native_mode mode) {
    char *tape = (char *)call->kept + call->kept_bytes;
    verso__native_now.tape = tape;
    verso__native_now.tape_limit = mode == VERSO_NATIVE_RECORD ? tape + FIRST_CHECK : (char *)UINTPTR_MAX;
    step_in_mode(f, mode);
    call->kept_bytes = (size_t)(verso__native_now.tape - (char *)call->kept);
}

static void keep_trailer(const fixed_point *f, verso_call *call) {
    verso_keep(call, &(trailer){verso__native_now.last, f->options}, sizeof(trailer));
    verso__native_now.tape = (char *)call->kept + call->kept_bytes;
}

uint64_t verso__native_fixed_record(verso_call *call, const char *where, void (*step)(void *), void *context,
                                    double *state, size_t count, const verso_fixed_point_options *options) {
    const fixed_point f = {where, step, context, state, count, settle(options), NULL};
    const verso__native_custom custom = verso__native_custom_save();
    bool records = custom.mode == VERSO_NATIVE_RECORD;
    static const uint64_t no_caller[2]; /* ends the sweep of the step: there is no reverse function to hand over to */
    char *limit = verso__native_now.tape_limit;
    verso_keep(call, no_caller, sizeof no_caller);
    verso__native_walk_move(0);
    fixed_depth++;
    verso__native_now.tape = call->kept;
    verso__native_now.tape_limit = (char *)UINTPTR_MAX;
    uint64_t steps = converge(&f, step_advancing);
    verso__native_now.tape = call->kept;
    if (records)
        verso__native_profile_fixed_begin();
    record_step(&f, call, (verso__native_mode)custom.mode);
    verso__native_custom_restore(custom);
    keep_trailer(&f, call);
    if (records)
        verso__native_profile_fixed_end();
    verso__native_now.tape_limit = limit;
    if (--fixed_depth == 0)
        verso__native_walk_reset_limit(); /* calls may have moved the end of the schedule's step */
    return steps + 1;
}

/* ---- Reversing ---- */

static void sweep_once(const trailer *end) {
    verso__native_now.tape = (char *)end;
    verso__native_now.next = end->reverse;
    verso__native_now.entry = 0;
    while (verso__native_now.next != NULL)
        verso__native_now.next();
}

static double largest(const double *numbers, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = larger(most, numbers[i]);
    return most;
}

/* Repeats the sweep until the adjoints of the state are small. The cells of everything else that the step wrote
 * are zero after the first sweep. */
static void sweep_until_small(const fixed_point *f, const trailer *end, double *cells) {
    const double tolerance = f->options.derivative_tolerance;
    double most = largest(cells, f->count), left = most;
    for (uint64_t n = 1; n <= f->options.most; n++) {
        verso__native_profile_fixed_sweep(n);
        sweep_once(end);
        left = largest(cells, f->count);
        most = larger(most, left);
        if (left <= tolerance * most)
            return;
        if (!isfinite(left))
            break;
    }
    refuse(f, "adjoint of the fixed point", "sweeps", left / most, tolerance);
}

void verso__native_fixed_sweep(verso_call *call, const char *where, void (*step)(void *), void *context, double *state,
                               size_t count, const verso_fixed_point_options *options) {
    (void)options;
    const trailer *end = (const trailer *)((char *)call->kept + call->kept_bytes) - 1;
    const fixed_point f = {where, step, context, state, count, end->options, NULL};
    double *cells = cells_of(&f);
    char *stop = verso__native_now.tape_stop, *before = verso__native_calls_now.protected;
    verso__native_now.tape_stop = NULL; /* no stretch begins within the step */
    if (before < (char *)(uintptr_t)(end + 1))
        verso__native_calls_now.protected = (char *)(uintptr_t)(end + 1);
    sweep_until_small(&f, end, cells);
    verso__native_profile_fixed_swept();
    verso__native_calls_now.protected = before;
    verso__native_now.tape_stop = stop;
    if (verso__native_now.tape != call->kept)
        verso__native_give_up(VERSO_STATUS_CORRUPT,
                              "%s: the sweep of a fixed point left %lld bytes: internal error (please report it)",
                              where, (long long)(verso__native_now.tape - (char *)call->kept));
    /* the result does not depend on where the iteration began */
    verso__native_sweep_clear(state, count * sizeof *state);
}

/* ---- Tangents ---- */

static void step_from_solution(const fixed_point *f) {
    copy(f->state, f->solution, f->count);
    step_in_mode(f, VERSO_NATIVE_TANGENT);
}

uint64_t verso__native_fixed_tangent(verso_call *call, const char *where, void (*step)(void *), void *context,
                                     double *state, size_t count, const verso_fixed_point_options *options) {
    (void)call;
    fixed_point f = {where, step, context, state, count, settle(options), NULL};
    const verso__native_custom custom = verso__native_custom_save();
    double *cells = cells_of(&f), *before = allocate(&f);
    progress last = {0};
    f.solution = allocate(&f);
    verso__native_tangent_clear(state, count * sizeof *state);
    uint64_t steps = converge(&f, step_tangent);
    copy(f.solution, state, count);
    verso__native_tangent_clear(state, count * sizeof *state);
    if (iterate(&f, step_from_solution, cells, before, f.options.derivative_tolerance, &last) == 0)
        refuse(&f, "tangent of the fixed point", "steps", last.change / last.size, f.options.derivative_tolerance);
    verso__native_free(before);
    verso__native_free(f.solution);
    verso__native_custom_restore(custom);
    return steps + 1;
}
