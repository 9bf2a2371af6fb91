/* A chain of reversible steps as a time loop, so that the driver can reverse it with any schedule.
 *
 * It uses two states and two bars (adjoints): a step computes one from the other, then they are swapped. */
#include "base/alloc.h"
#include "base/sized.h"
#include "base/status.h"

#include <string.h>
#include <verso/reversible.h>

typedef struct travel {
    const verso_reversible *chain;
    int (*start)(void *context, const void *last, void *last_bar);
    unsigned char *state, *next, *bar, *other_bar; /* `state` and `bar` are the current ones */
} travel;

static void exchange(unsigned char **a, unsigned char **b) {
    unsigned char *kept = *a;
    *a = *b;
    *b = kept;
}

static int make_next(travel *t, uint64_t step) {
    memset(t->next, 0, t->chain->state_size);
    return t->chain->step(t->chain->context, step, t->next, t->state);
}

static int advance(void *context, uint64_t step) {
    travel *t = context;
    int code = make_next(t, step);
    exchange(&t->state, &t->next);
    return code;
}

static int adjoint(void *context, uint64_t step) {
    travel *t = context;
    int code = make_next(t, step);
    memset(t->other_bar, 0, t->chain->bar_size);
    if (code == 0)
        code = t->chain->adjoint(t->chain->context, step, t->next, t->bar, t->state, t->other_bar);
    exchange(&t->bar, &t->other_bar);
    return code;
}

static int start_bars(void *context, uint64_t steps) {
    travel *t = context;
    (void)steps;
    memset(t->bar, 0, t->chain->bar_size);
    if (t->chain->gradient.bytes)
        memset(t->chain->gradient.bytes, 0, t->chain->gradient.size);
    return t->start(t->chain->context, t->state, t->bar);
}

static int save(void *context, void *bytes) {
    travel *t = context;
    memcpy(bytes, t->state, t->chain->state_size);
    return 0;
}

static int load(void *context, const void *bytes) {
    travel *t = context;
    memcpy(t->state, bytes, t->chain->state_size);
    return 0;
}

static int save_bar(void *context, void *bytes) {
    travel *t = context;
    memcpy(bytes, t->bar, t->chain->bar_size);
    if (t->chain->gradient.bytes)
        memcpy((unsigned char *)bytes + t->chain->bar_size, t->chain->gradient.bytes, t->chain->gradient.size);
    return 0;
}

static int load_bar(void *context, const void *bytes) {
    travel *t = context;
    memcpy(t->bar, bytes, t->chain->bar_size);
    if (t->chain->gradient.bytes)
        memcpy(t->chain->gradient.bytes, (const unsigned char *)bytes + t->chain->bar_size, t->chain->gradient.size);
    return 0;
}

static verso_status run(travel *t, const verso_run_options *options, verso_run_report *report, verso_error *error) {
    const verso_reversible *chain = t->chain;
    size_t gradient = chain->gradient.bytes ? chain->gradient.size : 0;
    verso_loop loop = {.size = sizeof loop,
                       .context = t,
                       .name = chain->name,
                       .steps = chain->steps,
                       .advance = advance,
                       .adjoint = adjoint,
                       .start = start_bars,
                       .state_size = chain->state_size,
                       .save = save,
                       .load = load,
                       .adjoint_size = chain->bar_size + gradient,
                       .save_adjoint = save_bar,
                       .load_adjoint = load_bar};
    verso_program program;
    verso_status status = verso_loop_program(&loop, &program, error);
    if (status == VERSO_STATUS_OK)
        status = verso_run(&program, options, report, error);
    verso_loop_close(&loop);
    return status;
}

verso_status verso_reversible_run(const verso_reversible *chain, const verso_run_options *options, void *state,
                                  void *bar, int (*start)(void *context, const void *last, void *last_bar),
                                  verso_run_report *report, verso_error *error) {
    verso_reversible own;
    verso_status status = verso__sized_read(chain, &own, sizeof own, "VERSO_REVERSIBLE_INIT", error);
    if (status != VERSO_STATUS_OK)
        return status;
    chain = &own;
    if (!chain->step || !chain->adjoint || !start)
        return verso__fail(error, VERSO_STATUS_INVALID, "the callback '%s' of a reversible step is missing",
                           !chain->step      ? "step"
                           : !chain->adjoint ? "adjoint"
                                             : "start");
    travel t = {.chain = chain, .start = start, .state = state, .bar = bar};
    unsigned char *next = verso__alloc(1, chain->state_size), *other_bar = verso__alloc(1, chain->bar_size);
    t.next = next;
    t.other_bar = other_bar;
    if (!next || !other_bar)
        status =
            verso__fail(error, VERSO_STATUS_NO_MEMORY, "out of memory for a state of %zu bytes", chain->state_size);
    else
        status = run(&t, options, report, error);
    if (status == VERSO_STATUS_OK && t.bar != bar)
        memcpy(bar, t.bar, chain->bar_size);
    verso__dealloc(next);
    verso__dealloc(other_bar);
    return status;
}
