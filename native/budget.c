/* How a memory budget is divided: the length of a step, and what is not the schedule's. See native.h.
 *
 * Long steps mean few capsules in the same memory and long recordings; short ones mean that capsules are copied often.
 * The number of steps is not known, so a length is chosen that is good for short and for long runs: the sum, over a few
 * lengths of the whole, of what a byte of tape costs. */
#include "native/native.h"

#include "base/wide.h"
#include "drive/drive.h"
#include "profile/plan.h"

#include <verso/schedule.h>

enum { GRID = 4, TOTALS = 3 };

/* What the driver and stores need for themselves. */
enum { TABLES = 256 << 10 };

uint64_t verso_native_beside(const verso_native_division *division) {
    return division->start + division->cells + division->capsule + division->longer + TABLES;
}

uint64_t verso_native_step_tape(const verso_native_division *division) {
    return division->tape != 0 ? division->tape : division->leaf;
}

uint64_t verso_native_divided(uint64_t start, uint64_t largest, uint64_t inputs) {
    verso_native_division division = {
        .start = start, .capsule = verso_plan_capsule(largest), .longer = VERSO_NATIVE_LONGER};
    division.cells = division.capsule + inputs + start;
    return verso_native_beside(&division);
}

/* Bytes that taking a capsule touches: what it leaves out is compared. */
static uint64_t touched(const verso_native_division *division) {
    return division->capsule + division->start;
}

/* Steps that are much shorter than that are mostly copying: nobody is told that they would do. */
static uint64_t least_leaf(const verso_native_division *division) {
    return verso_max_u64(VERSO_NATIVE_LEAST_LEAF, touched(division) / 4);
}

uint64_t verso_native_room(const verso_native_division *division) {
    uint64_t buffers = verso_buffers_for(division->memory, division->in_files);
    uint64_t taken = verso_add_u64(verso_native_beside(division), buffers);
    return division->memory > taken ? division->memory - taken : 0;
}

uint64_t verso_native_least_memory(const verso_native_division *division, uint64_t slots, uint64_t tape) {
    uint64_t needed =
        verso_add_u64(verso_add_u64(verso_native_beside(division), tape != 0 ? tape : least_leaf(division)),
                      verso_mul_u64(slots, division->capsule));
    return verso_memory_for(needed, division->in_files);
}

/* Times of a byte, in nanoseconds, as measured on one machine; only their ratios matter. */
static const double advance_time = 0.5, copy_time = 0.15, cache_time = 0.15, disk_time = 1;
static const double cache_bytes = 2 << 20; /* recordings up to this length stay in a cache */

double verso_native_price(double steps, double copies, const verso_native_division *division, uint64_t leaf) {
    return advance_time * steps * (double)leaf + copy_time * copies * (double)touched(division);
}

static uint64_t whole(double number) {
    return number < 1 ? 1 : (uint64_t)number;
}

void verso_native_price_disk(const verso_native_division *division, verso_schedule_spec *spec) {
    bool disk = spec->kind == VERSO_KIND_DISK || spec->kind == VERSO_KIND_PERIODIC ||
                spec->kind == VERSO_KIND_TWO_LEVEL || (spec->kind == VERSO_KIND_ONLINE && spec->with_disk);
    if (!disk || spec->write_cost != 0 || spec->read_cost != 0)
        return;
    spec->forward_cost = whole(advance_time * (double)division->leaf);
    spec->backward_cost = verso_mul_u64(2, spec->forward_cost);
    spec->write_cost = spec->read_cost = whole(disk_time * (double)division->capsule);
}

/* Forward steps for each step, of binomial checkpointing. */
static double forward_factor(uint64_t steps, uint64_t slots) {
    verso_schedule_spec spec;
    verso_schedule *schedule = NULL;
    verso_cost cost = {0};
    verso_schedule_spec_init(&spec, VERSO_KIND_REVOLVE);
    spec.steps = steps;
    spec.slots = slots;
    double factor = (double)steps;
    if (verso_schedule_new(&spec, &schedule, NULL) == VERSO_OK &&
        verso_schedule_cost(schedule, &cost, NULL) == VERSO_OK)
        factor = (double)cost.forward_steps / (double)steps;
    verso_schedule_free(schedule);
    return factor;
}

static double price(const verso_native_division *division, uint64_t room, uint64_t slots, uint64_t leaf) {
    double sum = 0, total = (double)room * 8;
    if (slots == 0)
        slots = (room - leaf) / division->capsule;
    for (int i = 0; i < TOTALS; i++, total *= 8) {
        double steps = total / (double)leaf, copies = forward_factor((uint64_t)steps + 1, slots);
        sum += advance_time * copies + copy_time * (1 + copies) * (double)touched(division) / (double)leaf;
    }
    double length = (double)leaf;
    return sum / TOTALS + cache_time * (length > cache_bytes ? 1 - cache_bytes / length : 0);
}

uint64_t verso_native_choose_leaf(const verso_native_division *division, uint64_t slots) {
    uint64_t best = VERSO_NATIVE_LEAST_LEAF, room = verso_native_room(division);
    uint64_t most = room - verso_mul_u64(slots > 0 ? slots : 1, division->capsule);
    double least = price(division, room, slots, best);
    for (double length = VERSO_NATIVE_LEAST_LEAF; length <= (double)most; length *= 1 + 1.0 / GRID) {
        double cost = price(division, room, slots, (uint64_t)length);
        if (cost < least) {
            least = cost;
            best = (uint64_t)length;
        }
    }
    return best;
}
