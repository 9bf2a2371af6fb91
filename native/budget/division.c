/* The arithmetic of dividing a memory budget: the length of a step, and memory beside the schedule. See
 * budget.h.
 *
 * Long steps mean few capsules in the same memory, and long recordings; short steps mean that capsules are
 * copied often. The number of steps is not known, so a length is chosen that is good for short and for long
 * runs: it minimises the average cost of a byte of tape over a few lengths of the run. */
#include "native/budget/budget.h"

#include "base/wide.h"
#include "drive/directory.h"
#include "profile/plan.h"
#include "schedule/cost.h"

#include <verso/schedule.h>

enum { GRID = 4, TOTALS = 3 };

/* Bytes that the driver and the stores need for their own tables. */
enum { TABLES = 64 << 10 };

uint64_t verso__native_cells_factor(void) {
    uint64_t planes = 0;
    for (unsigned kind = 0; kind < VERSO_NATIVE_KINDS; kind++)
        planes += verso__native_uses(kind) ? kind == VERSO_NATIVE_FLOAT ? 1 : 2 : 0;
    return planes > 2 || verso__native_packs() ? planes : 1;
}

uint64_t verso__native_count_slot_bytes(const verso__native_division *division, uint64_t slots) {
    if (division->first == 0 || slots == 0)
        return verso__mul_u64(slots, division->capsule);
    return verso__add_u64(division->first, verso__mul_u64(slots - 1, division->capsule));
}

uint64_t verso__native_slots_within(const verso__native_division *division, uint64_t bytes) {
    if (division->first == 0)
        return bytes / division->capsule;
    return bytes < division->first ? 0 : 1 + (bytes - division->first) / division->capsule;
}

uint64_t verso__native_count_other_bytes(const verso__native_division *division) {
    return division->start + division->recorded + division->log + division->cells + division->end + division->longer +
           TABLES;
}

static double growth_of(const verso__native_division *division) {
    return division->growth > 1 ? division->growth : 1;
}

uint64_t verso__native_step_tape(const verso__native_division *division, uint64_t leaf) {
    if (division->tape != 0)
        return division->tape;
    return division->growth > 1 ? (uint64_t)((double)leaf * division->growth) : leaf;
}

uint64_t verso__native_estimate_other_bytes(uint64_t start, uint64_t largest, uint64_t inputs) {
    verso__native_division division = {
        .start = start, .end = verso__plan_capsule(largest), .longer = VERSO_NATIVE_LONGER};
    division.cells = verso__native_cells_factor() * (division.end + inputs + start);
    return verso__native_count_other_bytes(&division);
}

/* Returns the bytes that taking a capsule touches: memory that it leaves out is compared. */
static uint64_t touched(const verso__native_division *division) {
    return division->capsule + division->start;
}

/* Steps that are much shorter than that spend most of their time copying. */
static uint64_t least_leaf(const verso__native_division *division) {
    return verso__max_u64(VERSO_NATIVE_LEAST_LEAF, touched(division) / 8);
}

uint64_t verso__native_room(const verso__native_division *division) {
    uint64_t buffers = verso__buffers_for(division->memory, division->in_files);
    uint64_t taken = verso__add_u64(verso__native_count_other_bytes(division), buffers);
    return division->memory > taken ? division->memory - taken : 0;
}

uint64_t verso__native_least_memory(const verso__native_division *division, uint64_t slots, uint64_t tape) {
    uint64_t needed =
        verso__add_u64(verso__add_u64(verso__native_count_other_bytes(division),
                                      tape != 0 ? tape : verso__native_step_tape(division, least_leaf(division))),
                       verso__native_count_slot_bytes(division, slots));
    return verso__memory_for(needed, division->in_files);
}

/* Times per byte in nanoseconds, as measured on one machine; only their ratios matter. */
static const double advance_time = 0.5, copy_time = 0.15, cache_time = 0.15, disk_time = 1;
static const double cache_bytes = 2 << 20; /* recordings up to this length stay in a cache */

double verso__native_price(double steps, double copies, const verso__native_division *division, uint64_t leaf) {
    return advance_time * steps * (double)leaf + copy_time * copies * (double)touched(division);
}

static uint64_t whole(double number) {
    return number < 1 ? 1 : (uint64_t)number;
}

void verso__native_price_disk(const verso__native_division *division, verso_schedule_spec *spec) {
    bool disk = spec->kind == VERSO_KIND_DISK || spec->kind == VERSO_KIND_PERIODIC ||
                spec->kind == VERSO_KIND_TWO_LEVEL || (spec->kind == VERSO_KIND_ONLINE && spec->with_disk);
    if (!disk || spec->write_cost != 0 || spec->read_cost != 0)
        return;
    spec->forward_cost = whole(advance_time * (double)division->leaf);
    spec->backward_cost = verso__mul_u64(2, spec->forward_cost);
    spec->write_cost = spec->read_cost = whole(disk_time * (double)division->capsule);
}

/* Returns the number of forward steps per step in binomial checkpointing. */
static double forward_factor(uint64_t steps, uint64_t slots) {
    verso_schedule_spec spec;
    verso_schedule *schedule = NULL;
    verso__cost cost = {0};
    verso_schedule_spec_init(&spec, VERSO_KIND_REVOLVE);
    spec.steps = steps;
    spec.slots = slots;
    double factor = (double)steps;
    if (verso_schedule_new(&spec, &schedule, NULL) == VERSO_STATUS_OK &&
        verso__schedule_cost(schedule, &cost, NULL) == VERSO_STATUS_OK)
        factor = (double)cost.forward_steps / (double)steps;
    verso_schedule_free(schedule);
    return factor;
}

/* Returns the price of steps whose recordings take `tape` bytes. */
static double price(const verso__native_division *division, uint64_t room, uint64_t slots, uint64_t tape) {
    double sum = 0, total = (double)room * 8, leaf = (double)tape / growth_of(division);
    if (slots == 0)
        slots = verso__native_slots_within(division, room - tape);
    for (int i = 0; i < TOTALS; i++, total *= 8) {
        double steps = total / leaf, copies = forward_factor((uint64_t)steps + 1, slots);
        sum += advance_time * copies + copy_time * (1 + copies) * (double)touched(division) / leaf;
    }
    double length = (double)tape;
    return sum / TOTALS + cache_time * (length > cache_bytes ? 1 - cache_bytes / length : 0);
}

/* Lengthens recordings by the memory that is left over when the capsules are placed. */
static uint64_t stretch(const verso__native_division *division, uint64_t room, uint64_t slots, uint64_t tape) {
    uint64_t states =
        verso__native_count_slot_bytes(division, slots > 0 ? slots : verso__native_slots_within(division, room - tape));
    return room - states;
}

uint64_t verso__native_choose_leaf(const verso__native_division *division, uint64_t slots) {
    double shortest = VERSO_NATIVE_LEAST_LEAF * growth_of(division);
    uint64_t best = (uint64_t)shortest, room = verso__native_room(division);
    uint64_t most = room - verso__native_count_slot_bytes(division, slots > 0 ? slots : 1);
    double least = price(division, room, slots, best);
    for (double length = shortest; length <= (double)most; length *= 1 + 1.0 / GRID) {
        uint64_t tape = stretch(division, room, slots, (uint64_t)length);
        double cost = price(division, room, slots, tape);
        if (cost < least) {
            least = cost;
            best = tape;
        }
    }
    return verso__max_u64((uint64_t)((double)best / growth_of(division)), VERSO_NATIVE_LEAST_LEAF);
}
