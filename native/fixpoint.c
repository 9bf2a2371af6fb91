/* Fixed points, and their derivatives in two phases (Christianson). See verso/native.h.
 *
 * For the solution u of u = G(u, p) and an adjoint b of it, the adjoint of p is G_p^T d, where d = b + G_u^T d. So it
 * takes the derivatives of one step at the solution, and none of the way there.
 *
 *   recording   steps that are only advanced, until the state has converged; then one that is recorded. It is what a
 *               custom adjoint keeps:    | nobody to hand over to | records of the step | how it ends |
 *   reversing   that recording is reversed again and again. A sweep takes d from the cells of the state, leaves G_u^T d
 *               there, and adds G_p^T d to those of p: the sum over all sweeps is the answer. It ends when what it
 *               leaves is small
 *   tangents    the last step again and again from the same state, until the state's tangents have converged
 *
 * A sweep here runs within a sweep, and the recording is needed again after it. So nothing in it can be cut, put in
 * another place or recorded later: safepoints do not suspend the step, and its calls are not checkpointed. */
#include "native/native.h"

#include "base/alloc.h"

#include <math.h>
#include <string.h>

/* Bytes of a step that are recorded before somebody looks at the machine's memory. */
enum { LOOK_FIRST = 64 << 20 };

typedef struct fixed_point {
    const char *where;
    void (*step)(void *context);
    void *context;
    double *state;
    size_t count;
    verso_fixed_point_options options;
    double *solution; /* tangents: what the second phase begins with each time */
} fixed_point;

/* On the tape, behind the records of the step. */
typedef struct trailer {
    void (*reverse)(void);
    verso_fixed_point_options options; /* those of the call may be gone when it is reversed */
} trailer;

static verso_fixed_point_options settle(const verso_fixed_point_options *given) {
    verso_fixed_point_options options = given != NULL ? *given : (verso_fixed_point_options){0};
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
    double change, size; /* the largest of each */
} progress;

static double larger(double most, double value) {
    return isnan(most) || fabs(value) <= most ? most : fabs(value); /* a NaN is the largest */
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

/* Lets all of `numbers` change until it does not: steps that takes; 0: too many. `before` has room for them. */
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

/* ---- A plain run: nothing of a differentiation is touched, there may be many threads ---- */

static void step_plainly(const fixed_point *f) {
    f->step(f->context);
}

uint64_t verso_fixed_point_at(const char *where, void (*step)(void *context), void *context, double *state,
                              size_t count, const verso_fixed_point_options *options) {
    const fixed_point f = {where, step, context, state, count, settle(options), NULL};
    double *before = verso_alloc(count + 1, sizeof *before);
    if (before == NULL)
        return 0;
    progress last = {0};
    uint64_t steps = iterate(&f, step_plainly, state, before, f.options.tolerance, &last);
    verso_dealloc(before);
    if (steps == 0)
        return 0;
    step(context);
    return steps + 1;
}

/* ---- Refusals ---- */

_Noreturn static void refuse(const fixed_point *f, const char *what, const char *how, double left, double wanted) {
    verso_native_give_up(VERSO_INVALID,
                         "%s: the %s does not converge in %llu %s: %.1e of it is left, and %.1e was asked for; does "
                         "the step contract, and write every number of the state? Else raise `most`, or the tolerance.",
                         f->where, what, (unsigned long long)f->options.most, how, left, wanted);
}

/* In the program's heap: a run that fails leaves nothing behind elsewhere. */
static double *allocate(const fixed_point *f) {
    double *numbers = verso_native_calloc(f->count + 1, sizeof *numbers);
    if (numbers == NULL)
        verso_native_give_up(VERSO_NO_MEMORY, "%s: there is no memory for the state of a fixed point of %zu numbers.",
                             f->where, f->count);
    return numbers;
}

static double *cells_of(const fixed_point *f) {
    if ((uintptr_t)f->state % 4 != 0 || !verso_native_covers(f->state, f->count * sizeof(double)))
        verso_native_give_up(VERSO_INVALID, "%s: the state of a fixed point is at %p, for which Verso has no cells.",
                             f->where, (void *)f->state);
    return verso_native_cell(f->state);
}

/* ---- Steps that are differentiated, or advanced ---- */

/* They begin at the same place of the tape, each. */
static void step_in_mode(const fixed_point *f, verso_native_mode mode) {
    verso_native_now.mode = mode;
    verso_native_now.last = NULL;
    f->step(f->context);
    verso_native_now.mode = VERSO_NATIVE_PRIMAL;
    if (verso_native_now.jump != 0) {
        verso_native_now.jump = 0; /* it ends here */
        verso_native_give_up(VERSO_INVALID, "%s: a long jump leaves the step of a fixed point; let the step return.",
                             f->where);
    }
    if (verso_native_now.last == NULL)
        verso_native_give_up(VERSO_INVALID,
                             "%s: the step of a fixed point was not compiled by `verso cc`; compile it with "
                             "`verso cc`, or hand over a function of the program that calls it.",
                             f->where);
}

static void step_advancing(const fixed_point *f) {
    char *tape = verso_native_now.tape;
    step_in_mode(f, VERSO_NATIVE_ADVANCE);
    verso_native_now.tape = tape;
}

static void step_tangent(const fixed_point *f) {
    step_in_mode(f, VERSO_NATIVE_TANGENT);
}

/* The first phase. */
static uint64_t converge(const fixed_point *f, void (*step)(const fixed_point *)) {
    double *before = allocate(f);
    progress last = {0};
    uint64_t steps = iterate(f, step, f->state, before, f->options.tolerance, &last);
    verso_native_free(before);
    if (steps == 0)
        refuse(f, "fixed point", "steps", last.change / last.size, f->options.tolerance);
    return steps;
}

/* ---- In one piece ---- */

static void enter_step(const fixed_point *f) {
    if (verso_native_runtime.fixed.depth++ > 0)
        return;
    verso_native_runtime.fixed.where = f->where;
    verso_native_calls_hold();
}

static void leave_step(void) {
    if (--verso_native_runtime.fixed.depth == 0)
        verso_native_calls_release();
}

void verso_native_fixed_abandon(void) {
    verso_native_runtime.fixed.depth = 0;
    verso_native_calls_release();
}

char *verso_native_fixed_pass(char *tape) {
    verso_native_now.tape_limit =
        verso_native_now.mode == VERSO_NATIVE_RECORD ? verso_native_tape_ask(tape) : (char *)UINTPTR_MAX;
    return tape;
}

/* ---- Recording ---- */

/* In the mode that there was: the tape moves alike in both. */
static void record_step(const fixed_point *f, verso_call *call, verso_native_mode mode) {
    char *tape = (char *)call->kept + call->kept_bytes;
    verso_native_now.tape = tape;
    verso_native_now.tape_limit = mode == VERSO_NATIVE_RECORD ? tape + LOOK_FIRST : (char *)UINTPTR_MAX;
    step_in_mode(f, mode);
    call->kept_bytes = (size_t)(verso_native_now.tape - (char *)call->kept);
}

uint64_t verso_native_fixed_record(verso_call *call, const char *where, void (*step)(void *), void *context,
                                   double *state, size_t count, const verso_fixed_point_options *options) {
    const fixed_point f = {where, step, context, state, count, settle(options), NULL};
    const verso_native_custom custom = verso_native_runtime.custom;
    static const uint64_t nobody[2];
    char *limit = verso_native_now.tape_limit;
    verso_keep(call, nobody, sizeof nobody);
    enter_step(&f);
    verso_native_now.tape = call->kept;
    verso_native_now.tape_limit = (char *)UINTPTR_MAX;
    uint64_t steps = converge(&f, step_advancing);
    record_step(&f, call, (verso_native_mode)custom.mode);
    leave_step();
    verso_native_now.tape_limit = limit;
    verso_native_runtime.custom = custom;
    verso_keep(call, &(trailer){verso_native_now.last, f.options}, sizeof(trailer));
    return steps + 1;
}

/* ---- Reversing ---- */

static void sweep_once(const trailer *end) {
    verso_native_now.tape = (char *)end;
    verso_native_now.next = end->reverse;
    verso_native_now.entry = 0;
    while (verso_native_now.next != NULL)
        verso_native_now.next();
}

static double largest(const double *numbers, size_t count) {
    double most = 0;
    for (size_t i = 0; i < count; i++)
        most = larger(most, numbers[i]);
    return most;
}

/* Everything else that the step wrote counts in the first sweep: then its cells are zero. */
static void sweep_until_small(const fixed_point *f, const trailer *end, double *cells) {
    const double tolerance = f->options.derivative_tolerance;
    double most = largest(cells, f->count), left = most;
    for (uint64_t n = 1; n <= f->options.most; n++) {
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

void verso_native_fixed_sweep(verso_call *call, const char *where, void (*step)(void *), void *context, double *state,
                              size_t count, const verso_fixed_point_options *options) {
    (void)options;
    const trailer *end = (const trailer *)((char *)call->kept + call->kept_bytes) - 1;
    const fixed_point f = {where, step, context, state, count, end->options, NULL};
    double *cells = cells_of(&f);
    char *stop = verso_native_now.tape_stop;
    verso_native_now.tape_stop = NULL; /* nothing begins within the step */
    enter_step(&f);
    sweep_until_small(&f, end, cells);
    leave_step();
    verso_native_now.tape_stop = stop;
    if (verso_native_now.tape != call->kept)
        verso_native_give_up(VERSO_CORRUPT, "%s: the sweep of a fixed point left %lld bytes: Verso has a bug.", where,
                             (long long)(verso_native_now.tape - (char *)call->kept));
    verso_native_sweep_clear(state, count * sizeof *state); /* where the steps began does not count */
}

/* ---- Tangents ---- */

static void step_from_solution(const fixed_point *f) {
    copy(f->state, f->solution, f->count);
    step_in_mode(f, VERSO_NATIVE_TANGENT);
}

uint64_t verso_native_fixed_tangent(verso_call *call, const char *where, void (*step)(void *), void *context,
                                    double *state, size_t count, const verso_fixed_point_options *options) {
    (void)call;
    fixed_point f = {where, step, context, state, count, settle(options), NULL};
    const verso_native_custom custom = verso_native_runtime.custom;
    double *cells = cells_of(&f), *before = allocate(&f);
    progress last = {0};
    f.solution = allocate(&f);
    verso_native_tangent_clear(state, count * sizeof *state);
    uint64_t steps = converge(&f, step_tangent);
    copy(f.solution, state, count);
    verso_native_tangent_clear(state, count * sizeof *state);
    if (iterate(&f, step_from_solution, cells, before, f.options.derivative_tolerance, &last) == 0)
        refuse(&f, "tangent of the fixed point", "steps", last.change / last.size, f.options.derivative_tolerance);
    verso_native_free(before);
    verso_native_free(f.solution);
    verso_native_runtime.custom = custom;
    return steps + 1;
}
