/* Plays a schedule against a clock and reports to a watcher that draws. */
#include "schedule/picture.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/kind.h"

#include <string.h>

/* ---- Held capsules: a hash table by tier and slot, because kinds may number slots as they like ---- */

typedef struct held_table {
    verso__kept *cells; /* a free cell has tier == FREE */
    size_t capacity;    /* a power of two, or 0 */
    size_t used;
} held_table;

#define FREE UINT32_MAX
enum { FIRST_CAPACITY = 64 };

static size_t home(const held_table *table, uint32_t tier, uint64_t slot) {
    uint64_t mixed = (slot * VERSO_TIERS_MAX + tier) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 32) & (table->capacity - 1);
}

/* Returns the cell of (tier, slot), or the free cell where it belongs. */
static verso__kept *find(const held_table *table, uint32_t tier, uint64_t slot) {
    size_t at = home(table, tier, slot);
    while (table->cells[at].tier != FREE && (table->cells[at].tier != tier || table->cells[at].slot != slot))
        at = (at + 1) & (table->capacity - 1);
    return &table->cells[at];
}

static bool grow(held_table *table) {
    held_table larger = {.capacity = table->capacity == 0 ? FIRST_CAPACITY : 2 * table->capacity, .used = table->used};
    larger.cells = verso__alloc(larger.capacity, sizeof *larger.cells);
    if (larger.cells == NULL)
        return false;
    for (size_t i = 0; i < larger.capacity; i++)
        larger.cells[i].tier = FREE;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->cells[i].tier != FREE)
            *find(&larger, table->cells[i].tier, table->cells[i].slot) = table->cells[i];
    verso__dealloc(table->cells);
    *table = larger;
    return true;
}

static bool hold(held_table *table, const verso__kept *held) {
    if (2 * (table->used + 1) > table->capacity && !grow(table))
        return false;
    *find(table, held->tier, held->slot) = *held;
    table->used++;
    return true;
}

/* Frees a cell and moves back those after it that could no longer be found. */
static void release(held_table *table, verso__kept *cell) {
    size_t mask = table->capacity - 1;
    size_t hole = (size_t)(cell - table->cells);
    for (size_t at = (hole + 1) & mask; table->cells[at].tier != FREE; at = (at + 1) & mask) {
        size_t wanted = home(table, table->cells[at].tier, table->cells[at].slot);
        if (((at - wanted) & mask) >= ((at - hole) & mask)) {
            table->cells[hole] = table->cells[at];
            hole = at;
        }
    }
    table->cells[hole].tier = FREE;
    table->used--;
}

/* ---- The clock ---- */

/* The durations of actions, which add up to the makespan. If all costs were 0 there would be nothing to see; then
 * every step counts 1. */
typedef struct prices {
    double forward;
    double backward;
    double write[VERSO_TIERS_MAX];
    double read[VERSO_TIERS_MAX];
} prices;

static prices prices_of(const verso_schedule *schedule) {
    const verso_schedule_spec *spec = verso_schedule_get_spec(schedule);
    prices price = {.forward = (double)spec->forward_cost, .backward = (double)spec->backward_cost};
    if (spec->forward_cost == 0 && spec->backward_cost == 0)
        price.forward = price.backward = 1;
    for (size_t tier = 0; tier < verso_schedule_tiers(schedule); tier++) {
        bool levels = spec->kind == VERSO_KIND_LEVELS, memory = !levels && tier == 0;
        price.write[tier] = memory ? 0 : (double)(levels ? spec->tiers[tier].write_cost : spec->write_cost);
        price.read[tier] = memory ? 0 : (double)(levels ? spec->tiers[tier].read_cost : spec->read_cost);
    }
    return price;
}

static double duration(const prices *price, const verso_action *action) {
    switch (action->kind) {
    case VERSO_ACTION_ADVANCE: return price->forward * (double)(action->to - action->from);
    case VERSO_ACTION_STORE: return price->write[action->tier];
    case VERSO_ACTION_RESTORE: return price->read[action->tier];
    case VERSO_ACTION_REVERSE: return price->backward * (double)(action->from - action->to);
    /* The backward cost covers both; each gets half. */
    case VERSO_ACTION_RECORD: return price->backward / 2 * (double)(action->to - action->from);
    case VERSO_ACTION_SWEEP: return price->backward / 2 * (double)(action->from - action->to);
    case VERSO_ACTION_DISCARD:
    case VERSO_ACTION_STORE_ADJOINT:
    case VERSO_ACTION_DONE: break;
    }
    return 0;
}

/* ---- The walk ---- */

typedef struct walk {
    const verso__watcher *watcher; /* may be NULL */
    verso__walked *walked;
    held_table table;
    uint64_t held[VERSO_SERIES];
    uint64_t held_total;
} walk;

/* Counts a capsule or record that an action has stored. */
static void count_kept(walk *walk, size_t series) {
    verso__walked *walked = walk->walked;
    walked->stored++;
    if (++walk->held[series] > walked->peak[series])
        walked->peak[series] = walk->held[series];
    if (++walk->held_total > walked->peak_total)
        walked->peak_total = walk->held_total;
}

static void count_freed(walk *walk, size_t series) {
    walk->held[series]--;
    walk->held_total--;
}

/* Records the capsule, which only a watcher needs. */
static verso_status keep(walk *walk, const verso_action *action, double start, verso_error *error) {
    if (walk->watcher == NULL)
        return VERSO_STATUS_OK;
    verso__kept held = {action->tier, action->slot, action->from, action->from, start};
    if (action->kind == VERSO_ACTION_RECORD)
        held.last = action->to;
    if (!hold(&walk->table, &held))
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to draw a schedule that holds %zu capsules",
                           walk->table.used);
    return VERSO_STATUS_OK;
}

static void release_slot(walk *walk, const verso_action *action) {
    if (walk->table.used == 0)
        return;
    verso__kept *cell = find(&walk->table, action->tier, action->slot);
    if (cell->tier == FREE)
        return; /* checking the schedule is the simulator's task */
    walk->watcher->saw_kept(walk->watcher->context, cell, walk->walked->time);
    release(&walk->table, cell);
}

static verso_status take(walk *walk, const verso_action *action, double start, verso_error *error) {
    switch (action->kind) {
    case VERSO_ACTION_STORE: count_kept(walk, action->tier); return keep(walk, action, start, error);
    case VERSO_ACTION_RECORD: count_kept(walk, VERSO_SERIES_RECORDS); return keep(walk, action, start, error);
    case VERSO_ACTION_DISCARD:
        count_freed(walk, action->tier);
        release_slot(walk, action);
        break;
    case VERSO_ACTION_SWEEP:
        count_freed(walk, VERSO_SERIES_RECORDS);
        release_slot(walk, action);
        walk->walked->reversed_to = action->to;
        break;
    case VERSO_ACTION_REVERSE: walk->walked->reversed_to = action->to; break;
    default: break;
    }
    return VERSO_STATUS_OK;
}

static verso_status walk_schedule(walk *walk, verso_schedule *schedule, verso_error *error) {
    const prices price = prices_of(schedule);
    verso__walked *walked = walk->walked;
    while (walked->actions < VERSO_PICTURE_ACTIONS && walk->held_total < VERSO_PICTURE_HELD) {
        verso_action action;
        verso_status status = verso_schedule_next(schedule, &action, error);
        if (status != VERSO_STATUS_OK)
            return status;
        if (action.kind == VERSO_ACTION_DONE) {
            walked->whole = true;
            break;
        }
        double start = walked->time;
        walked->time += duration(&price, &action);
        walked->actions++;
        walked->reached = verso__max_u64(walked->reached, verso__max_u64(action.from, action.to));
        status = take(walk, &action, start, error);
        if (status != VERSO_STATUS_OK)
            return status;
        if (walk->watcher != NULL)
            walk->watcher->saw_action(walk->watcher->context, &action, start, walked->time, walk->held);
    }
    for (size_t i = 0; i < walk->table.capacity; i++)
        if (walk->table.cells[i].tier != FREE)
            walk->watcher->saw_kept(walk->watcher->context, &walk->table.cells[i], walked->time);
    return VERSO_STATUS_OK;
}

/* The copy has its own stack and shares the plan, which does not change (kind.h). */
verso_status verso__picture_walk(const verso_schedule *schedule, const verso__watcher *watcher, verso__walked *walked,
                                 verso_error *error) {
    verso_schedule walking = *schedule;
    walking.stack = NULL;
    walking.stack_capacity = walking.walk.used = 0;
    *walked = (verso__walked){.reversed_to = schedule->spec.steps};
    walk walk = {.watcher = watcher, .walked = walked};
    verso_status status = verso__stack_reserve(&walking, schedule->walk.used, error);
    if (status == VERSO_STATUS_OK && schedule->walk.used > 0)
        memcpy(walking.stack, schedule->stack, schedule->walk.used * sizeof *walking.stack);
    walking.walk.used = schedule->walk.used;
    if (status == VERSO_STATUS_OK)
        status = walk_schedule(&walk, &walking, error);
    verso__dealloc(walk.table.cells);
    verso__dealloc(walking.stack);
    return status;
}
