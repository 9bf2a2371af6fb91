/* How a memory budget is divided: the length of a step, and what is not the schedule's. See native.h.
 *
 * Long steps mean few capsules in the same memory and long recordings; short ones mean that capsules are copied often.
 * The number of steps is not known, so a length is chosen that is good for short and for long runs: the sum, over a few
 * lengths of the whole, of what a byte of tape costs. */
#include "native/native.h"

#include <verso/schedule.h>

enum { LEAST_LEAF = 4096, GRID = 4, TOTALS = 3 };

enum { TABLES = 256 << 10 };

uint64_t verso_native_beside(uint64_t fixed, uint64_t capsule) {
    return fixed + 2 * capsule + TABLES;
}

uint64_t verso_native_least_memory(uint64_t fixed, uint64_t capsule, uint64_t leaf) {
    return verso_native_beside(fixed, capsule) + capsule + (leaf != 0 ? leaf : LEAST_LEAF);
}

/* Times of a byte, in nanoseconds, as measured on one machine; only their ratios matter. */
static const double advance_time = 0.5, copy_time = 0.15, cache_time = 0.15;
static const double cache_bytes = 2 << 20; /* recordings up to this length stay in a cache */

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

static double price(uint64_t room, uint64_t capsule, uint64_t leaf) {
    double sum = 0, total = (double)room * 8;
    for (int i = 0; i < TOTALS; i++, total *= 8) {
        double steps = total / (double)leaf, copies = forward_factor((uint64_t)steps + 1, (room - leaf) / capsule);
        sum += advance_time * copies + copy_time * (1 + copies) * (double)capsule / (double)leaf;
    }
    double length = (double)leaf;
    return sum / TOTALS + cache_time * (length > cache_bytes ? 1 - cache_bytes / length : 0);
}

uint64_t verso_native_choose_leaf(uint64_t room, uint64_t capsule) {
    uint64_t best = LEAST_LEAF;
    double least = price(room, capsule, best);
    for (double length = LEAST_LEAF; length <= (double)(room - capsule); length *= 1 + 1.0 / GRID) {
        double cost = price(room, capsule, (uint64_t)length);
        if (cost < least) {
            least = cost;
            best = (uint64_t)length;
        }
    }
    return best;
}
