/* Playing a schedule against a clock, for a watcher that draws. */
#include "schedule/picture.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"

#include <string.h>

/* ---- What is held: a hash table of (tier, slot), because slots may be numbered as a kind likes ---- */

typedef struct held_table {
    verso_kept *cells; /* a free cell has tier == FREE */
    size_t capacity;   /* a power of two, or 0 */
    size_t used;
} held_table;

#define FREE UINT32_MAX
enum { FIRST_CAPACITY = 64 };

static size_t home(const held_table *table, uint32_t tier, uint64_t slot) {
    uint64_t mixed = (slot * VERSO_TIERS_MAX + tier) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 32) & (table->capacity - 1);
}

/* The cell of (tier, slot), or the free one where it would go. */
static verso_kept *find(const held_table *table, uint32_t tier, uint64_t slot) {
    size_t at = home(table, tier, slot);
    while (table->cells[at].tier != FREE && (table->cells[at].tier != tier || table->cells[at].slot != slot))
        at = (at + 1) & (table->capacity - 1);
    return &table->cells[at];
}

static bool grow(held_table *table) {
    held_table larger = {.capacity = table->capacity == 0 ? FIRST_CAPACITY : 2 * table->capacity, .used = table->used};
    larger.cells = verso_alloc(larger.capacity, sizeof *larger.cells);
    if (larger.cells == NULL)
        return false;
    for (size_t i = 0; i < larger.capacity; i++)
        larger.cells[i].tier = FREE;
    for (size_t i = 0; i < table->capacity; i++)
        if (table->cells[i].tier != FREE)
            *find(&larger, table->cells[i].tier, table->cells[i].slot) = table->cells[i];
    verso_dealloc(table->cells);
    *table = larger;
    return true;
}

static bool hold(held_table *table, const verso_kept *held) {
    if (2 * (table->used + 1) > table->capacity && !grow(table))
        return false;
    *find(table, held->tier, held->slot) = *held;
    table->used++;
    return true;
}

/* Frees a cell and moves back those after it that would no longer be found. */
static void release(held_table *table, verso_kept *cell) {
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

/* What an action costs, so that the costs add up to the makespan. All costs zero would leave nothing to look at: then
 * every step counts one. */
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
    case VERSO_ADVANCE: return price->forward * (double)(action->to - action->from);
    case VERSO_STORE: return price->write[action->tier];
    case VERSO_RESTORE: return price->read[action->tier];
    case VERSO_REVERSE: return price->backward * (double)(action->from - action->to);
    /* The backward cost covers both; each is given half. */
    case VERSO_RECORD: return price->backward / 2 * (double)(action->to - action->from);
    case VERSO_SWEEP: return price->backward / 2 * (double)(action->from - action->to);
    case VERSO_DISCARD:
    case VERSO_STORE_ADJOINT:
    case VERSO_DONE: break;
    }
    return 0;
}

/* ---- The walk ---- */

typedef struct walk {
    const verso_watcher *watcher; /* may be NULL */
    verso_walked *walked;
    held_table table;
    uint64_t held[VERSO_SERIES];
    uint64_t held_total;
} walk;

/* What the action leaves in a slot, counted in its series. */
static void count_kept(walk *walk, size_t series) {
    verso_walked *walked = walk->walked;
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

/* Only a watcher wants to know which capsules they are. */
static verso_status keep(walk *walk, const verso_action *action, double start, verso_error *error) {
    if (walk->watcher == NULL)
        return VERSO_OK;
    verso_kept held = {action->tier, action->slot, action->from, action->from, start};
    if (action->kind == VERSO_RECORD)
        held.last = action->to;
    if (!hold(&walk->table, &held))
        return verso_fail(error, VERSO_NO_MEMORY, "no memory to draw a schedule that holds %zu capsules",
                          walk->table.used);
    return VERSO_OK;
}

static void release_slot(walk *walk, const verso_action *action) {
    if (walk->table.used == 0)
        return;
    verso_kept *cell = find(&walk->table, action->tier, action->slot);
    if (cell->tier == FREE)
        return; /* the simulator, not the picture, is the judge of a schedule */
    walk->watcher->saw_kept(walk->watcher->context, cell, walk->walked->time);
    release(&walk->table, cell);
}

static verso_status take(walk *walk, const verso_action *action, double start, verso_error *error) {
    switch (action->kind) {
    case VERSO_STORE: count_kept(walk, action->tier); return keep(walk, action, start, error);
    case VERSO_RECORD: count_kept(walk, VERSO_SERIES_RECORDS); return keep(walk, action, start, error);
    case VERSO_DISCARD:
        count_freed(walk, action->tier);
        release_slot(walk, action);
        break;
    case VERSO_SWEEP:
        count_freed(walk, VERSO_SERIES_RECORDS);
        release_slot(walk, action);
        walk->walked->reversed_to = action->to;
        break;
    case VERSO_REVERSE: walk->walked->reversed_to = action->to; break;
    default: break;
    }
    return VERSO_OK;
}

static verso_status walk_schedule(walk *walk, verso_schedule *schedule, verso_error *error) {
    const prices price = prices_of(schedule);
    verso_walked *walked = walk->walked;
    while (walked->actions < VERSO_PICTURE_ACTIONS && walk->held_total < VERSO_PICTURE_HELD) {
        verso_action action;
        verso_status status = verso_schedule_next(schedule, &action, error);
        if (status != VERSO_OK)
            return status;
        if (action.kind == VERSO_DONE) {
            walked->whole = true;
            break;
        }
        double start = walked->time;
        walked->time += duration(&price, &action);
        walked->actions++;
        walked->reached = verso_max_u64(walked->reached, verso_max_u64(action.from, action.to));
        status = take(walk, &action, start, error);
        if (status != VERSO_OK)
            return status;
        if (walk->watcher != NULL)
            walk->watcher->saw_action(walk->watcher->context, &action, start, walked->time, walk->held);
    }
    for (size_t i = 0; i < walk->table.capacity; i++)
        if (walk->table.cells[i].tier != FREE)
            walk->watcher->saw_kept(walk->watcher->context, &walk->table.cells[i], walked->time);
    return VERSO_OK;
}

verso_status verso_picture_walk(const verso_schedule_spec *spec, const verso_watcher *watcher, verso_walked *walked,
                                verso_error *error) {
    verso_schedule *schedule;
    verso_status status = verso_schedule_new(spec, &schedule, error);
    if (status != VERSO_OK)
        return status;
    *walked = (verso_walked){.reversed_to = spec->steps};
    walk walk = {.watcher = watcher, .walked = walked};
    status = walk_schedule(&walk, schedule, error);
    verso_dealloc(walk.table.cells);
    verso_schedule_free(schedule);
    return status;
}
