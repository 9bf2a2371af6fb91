/* The cost of a breakdown (paper 5, section 5). The schedule is walked once; at each place in question this file
 * knows what has been run so far, which capsules are held, and which adjoint is durable. From these follows the
 * cost of the rest:
 *
 *   in the first sweep     the run continues from the last capsule as planned
 *   in the adjoint sweep   everything left of the last durable adjoint is reversed from the held capsules (held.c)
 *
 * The initial state x_0 is the program's input and is always available. */
#include <stdlib.h>
#include <verso/failures.h>

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/cost.h"
#include "schedule/dominant.h"
#include "schedule/held.h"

/* A breakdown, with its index in the caller's list. */
typedef struct place {
    verso_breakdown breakdown;
    size_t number;
} place;

typedef struct follow {
    verso_schedule *schedule;
    uint64_t slots;      /* for binomial checkpointing */
    bool outer_only;     /* two-level: only the disk survives */
    verso__wide planned; /* forward steps of an undisturbed run */
    verso__wide forward; /* forward steps so far */
    uint64_t end;
    uint64_t durable; /* the adjoint of x_durable is durable; `steps`: only the seed of the adjoint */
    uint64_t *held;   /* entries as in held.h, x_0 first */
    uint64_t count, room;
    uint64_t outer;            /* two-level: the last outer state that is kept */
    verso__wide outer_forward; /* forward steps when it was restored or, in the first sweep, stored */
} follow;

/* The order of the walk: the first sweep, then the adjoint sweep. */
static int by_time(const void *left, const void *right) {
    const verso_breakdown *a = &((const place *)left)->breakdown;
    const verso_breakdown *b = &((const place *)right)->breakdown;
    if (a->adjoint != b->adjoint)
        return a->adjoint ? 1 : -1;
    if (a->step == b->step)
        return 0;
    return (a->step < b->step) == !a->adjoint ? -1 : 1;
}

static verso_status hold(follow *f, uint64_t position, verso_error *error) {
    if (f->count == f->room) {
        uint64_t room = f->room < 16 ? 32 : 2 * f->room;
        uint64_t *held = verso__realloc(f->held, room * VERSO_HELD_WORDS, sizeof *held);
        if (held == NULL)
            return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to follow %llu capsules",
                               (unsigned long long)room);
        f->held = held;
        f->room = room;
    }
    uint64_t *entry = f->held + f->count++ * VERSO_HELD_WORDS;
    entry[VERSO_HELD_POSITION] = position;
    entry[VERSO_HELD_TARGET] = entry[VERSO_HELD_SLOT] = 0;
    return VERSO_STATUS_OK;
}

static void release(follow *f, uint64_t position) {
    uint64_t i = f->count - 1;
    while (i > 0 && f->held[i * VERSO_HELD_WORDS] != position)
        i--;
    if (i == 0)
        return; /* x_0 is always available */
    f->count--;
    for (uint64_t w = i * VERSO_HELD_WORDS; w < f->count * VERSO_HELD_WORDS; w++)
        f->held[w] = f->held[w + VERSO_HELD_WORDS];
}

static verso_status note(follow *f, const verso_action *action, verso_error *error) {
    switch (action->kind) {
    case VERSO_ACTION_ADVANCE: f->forward += action->to - action->from; break;
    case VERSO_ACTION_REVERSE: f->end = action->to; break;
    case VERSO_ACTION_STORE_ADJOINT: f->durable = action->from; break;
    case VERSO_ACTION_STORE:
        if (f->outer_only && action->tier == 1) {
            f->outer = action->from;
            f->outer_forward = f->forward;
        }
        return action->from > 0 && !f->outer_only ? hold(f, action->from, error) : VERSO_STATUS_OK;
    case VERSO_ACTION_RESTORE:
        if (f->outer_only && action->tier == 1) {
            f->outer = action->from;
            f->outer_forward = f->forward;
        }
        break;
    case VERSO_ACTION_DISCARD:
        if (!f->outer_only)
            release(f, action->from);
        break;
    default: break;
    }
    return VERSO_STATUS_OK;
}

/* Two-level: from the last outer state that is kept, everything is as planned. */
static verso__wide cost_from_outer(const follow *f) {
    return f->forward + (f->planned - f->outer_forward);
}

static verso_status cost_from_adjoint(const follow *f, verso__wide *total, verso_error *error) {
    uint64_t *held = verso__alloc(f->count * VERSO_HELD_WORDS, sizeof *held);
    verso__wide rest = 0;
    if (held == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to plan a restart");
    for (uint64_t i = 0; i < f->count * VERSO_HELD_WORDS; i++)
        held[i] = f->held[i];
    uint64_t slots =
        verso__max_u64(f->slots, f->count); /* right after the first sweep the recovery capsule is still held */
    bool planned = verso__held_plan(held, f->count, slots, f->durable, &rest);
    verso__dealloc(held);
    if (!planned)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to plan a restart");
    *total = f->forward + rest;
    return VERSO_STATUS_OK;
}

static verso__wide cost_in_sweep(const follow *f, uint64_t step) {
    uint64_t last = f->outer_only ? f->outer : f->held[(f->count - 1) * VERSO_HELD_WORDS];
    return f->planned + (step - last);
}

/* Computes the cost of all breakdowns before the end of the next action. */
static verso_status compute_passed(follow *f, const verso_action *next, place **at, const place *last,
                                   verso__wide *answers, verso_error *error) {
    bool sweeping = f->end == f->schedule->spec.steps;
    for (; *at < last; ++*at) {
        const verso_breakdown *b = &(*at)->breakdown;
        verso_status status = VERSO_STATUS_OK;
        if (!b->adjoint) {
            bool passed =
                next->kind == VERSO_ACTION_REVERSE || (next->kind == VERSO_ACTION_ADVANCE && b->step < next->to);
            if (sweeping && !passed)
                return VERSO_STATUS_OK;
            answers[(*at)->number] = cost_in_sweep(f, b->step);
        } else if (f->end > b->step || sweeping) {
            return VERSO_STATUS_OK;
        } else if (f->outer_only) {
            answers[(*at)->number] = cost_from_outer(f);
        } else {
            status = cost_from_adjoint(f, &answers[(*at)->number], error);
        }
        if (status != VERSO_STATUS_OK)
            return status;
    }
    return VERSO_STATUS_OK;
}

static verso_status follow_schedule(follow *f, place *places, size_t count, verso__wide *answers, verso_error *error) {
    verso_action action = {0};
    place *at = places;
    verso_status status = hold(f, 0, error);
    while (status == VERSO_STATUS_OK && at < places + count) {
        status = verso_schedule_next(f->schedule, &action, error);
        /* A breakdown comes right after its step, so an adjoint that the next action stores is not yet durable. */
        if (status == VERSO_STATUS_OK)
            status = compute_passed(f, &action, &at, places + count, answers, error);
        if (status == VERSO_STATUS_OK)
            status = note(f, &action, error);
        if (action.kind == VERSO_ACTION_DONE)
            break;
    }
    return status;
}

static verso_status check(const verso_schedule_spec *spec, const verso_breakdown *breakdowns, size_t count,
                          verso_error *error) {
    switch (spec->kind) {
    case VERSO_KIND_RESILIENT:
    case VERSO_KIND_CONTINUOUS:
    case VERSO_KIND_SINGLE_RECOVERY:
    case VERSO_KIND_TWO_LEVEL:
    case VERSO_KIND_REVOLVE: break;
    default:
        return verso__fail(error, VERSO_STATUS_INVALID, "breakdowns are not simulated for schedules of kind %s",
                           verso_kind_word(spec->kind));
    }
    for (size_t i = 0; i < count; i++)
        if (breakdowns[i].step >= spec->steps)
            return verso__fail(error, VERSO_STATUS_INVALID, "a breakdown at step %llu is not within %llu steps",
                               (unsigned long long)breakdowns[i].step, (unsigned long long)spec->steps);
    return VERSO_STATUS_OK;
}

verso_status verso__breakdown_cost(const verso_schedule_spec *spec, const verso_breakdown *breakdowns, size_t count,
                                   verso__wide *forward_steps, verso_error *error) {
    verso_schedule *schedule;
    verso__cost cost;
    verso_status status = check(spec, breakdowns, count, error);
    if (status == VERSO_STATUS_OK)
        status = verso_schedule_new(spec, &schedule, error);
    if (status != VERSO_STATUS_OK)
        return status;
    follow f = {.schedule = schedule,
                .slots = spec->kind == VERSO_KIND_SINGLE_RECOVERY ? spec->slots - 1 : verso__max_u64(spec->slots, 1),
                .outer_only = spec->kind == VERSO_KIND_TWO_LEVEL,
                .end = spec->steps,
                .durable = spec->steps};
    place *places = verso__alloc(count, sizeof *places);
    if (places == NULL)
        status = verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for %zu breakdowns", count);
    for (size_t i = 0; status == VERSO_STATUS_OK && i < count; i++)
        places[i] = (place){.breakdown = breakdowns[i], .number = i};
    if (status == VERSO_STATUS_OK)
        status = verso__schedule_cost(schedule, &cost, error);
    if (status == VERSO_STATUS_OK) {
        f.planned = cost.forward_steps;
        qsort(places, count, sizeof *places, by_time);
        status = follow_schedule(&f, places, count, forward_steps, error);
    }
    verso__dealloc(places);
    verso__dealloc(f.held);
    verso_schedule_free(schedule);
    return status;
}
