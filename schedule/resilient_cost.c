/* The cost of paper 5's kinds, and the distance that costs nothing, without a loop over slots. There can be as many
 * slots as steps, but the advances of the first sweep form few runs: all equal, or beta(c, s) with c decreasing by
 * 1. The end of a run is found by bisection, because the condition that ends it stays true, and the run is summed
 * by the hockey-stick identity
 *
 *   beta(0, s) + ... + beta(c, s) = beta(c, s + 1). */
#include "schedule/resilient.h"

#include "base/search.h"
#include "base/wide.h"
#include "schedule/cost.h"

static uint64_t beta(uint64_t c, uint64_t r, uint64_t less) {
    return verso__beta((int64_t)c - (int64_t)less, (int64_t)r);
}

static verso__wide beta_sum(uint64_t low, uint64_t high, uint64_t r) {
    return verso__beta_sum((int64_t)low, (int64_t)high, (int64_t)r);
}

/* A stretch of the first sweep: `length` steps on `slots` slots with repetition number r. After j advances, the
 * rest is such a stretch with j slots less. */
typedef struct stretch {
    uint64_t length, slots, r;
    uint64_t distance;
} stretch;

static uint64_t run_length(verso__predicate ends, const stretch *from) {
    return ends(from, 0) ? 1 : verso__least_above(0, ends, from);
}

/* ---- The first sweep under a distance ---- */

/* Returns whether the j-th advance is not the distance, though all before it were. If the time-optimal step is
 * shorter, or the repetition number differs, this holds for all later ones: beta decreases with the slots and is
 * convex. */
static bool ends_clipped_run(const void *context, uint64_t j) {
    const stretch *s = context;
    uint64_t gone = verso__mul_u64(j, s->distance);
    if (j + 2 > s->slots || gone >= s->length)
        return true;
    if (s->length == verso__mul_u64(s->slots, s->distance)) /* a shorter advance would not reach the end */
        return false;
    uint64_t n = s->length - gone;
    uint64_t c = s->slots - j;
    uint64_t below = beta(c, s->r - 1, 0);
    return n <= c + 1 || n <= below || n > beta(c, s->r, 0) || s->distance > below ||
           n < verso__add_u64(s->distance, beta(c, s->r - 1, 1));
}

/* Returns whether the j-th advance does not leave a full interval of r - 1 repetitions. What this interval lacks of a
 * full one is the same for all that follow. */
static bool ends_full_run(const void *context, uint64_t j) {
    const stretch *s = context;
    verso__wide lacking = verso__beta_wide((int64_t)s->slots, (int64_t)s->r) - s->length;
    return j >= s->slots || lacking > verso__beta_wide((int64_t)(s->slots - j) - 2, (int64_t)s->r);
}

static void note_most(verso__cost *cost, uint64_t slots, uint64_t repetition) {
    cost->peak_slots[0] = verso__max_u64(cost->peak_slots[0], slots);
    cost->repetition = verso__max_u64(cost->repetition, repetition);
}

typedef struct crossing {
    uint64_t length, r, high;
} crossing;

/* Returns whether the term of verso__min_writes that does not depend on the length is the larger one; true beyond the
 * slots in question. */
static bool writes_are_flat(const void *context, uint64_t slots) {
    const crossing *at = context;
    return slots > at->high || verso__add_u64(beta(slots, at->r - 1, 1), beta(slots, at->r - 1, 0)) >= at->length;
}

/* Adds revolve on `length` steps, once for each number of slots from low to high, all with repetition number r. */
static void add_revolves(verso__cost *cost, uint64_t length, uint64_t low, uint64_t high, uint64_t r) {
    crossing at = {.length = length, .r = r, .high = high};
    uint64_t flat = verso__least_above(low - 1, writes_are_flat, &at);
    cost->forward_steps += (verso__wide)(high - low + 1) * length * r - beta_sum(low + 1, high + 1, r - 1);
    cost->writes[0] += (verso__wide)(flat - low) * length - beta_sum(low, flat - 1, r - 1);
    cost->writes[0] += beta_sum(flat - 1, high - 1, r - 1);
}

/* Adds `count` advances of `length` steps, the first with `slots` slots, and the reversal of what each leaves. The
 * capsule of the sweep is the first one of that reversal. */
static void add_equal_parts(verso__cost *cost, uint64_t stored, uint64_t length, uint64_t slots, uint64_t count) {
    uint64_t last = slots - (count - 1);
    cost->forward_steps += (verso__wide)count * length;
    cost->reads[0] += (verso__wide)count * length;
    note_most(cost, stored + (count - 1) + verso__max_u64(verso__min_u64(last, length - 1), 1),
              1 + verso__repetition(length, last));
    if (length == 1)
        cost->writes[0] += count;
    while (length > 1 && slots >= last) {
        uint64_t r = verso__repetition(length, slots);
        /* beta is symmetric: the fewest slots that suffice with r repetitions are the "repetition number" on r
         * slots */
        uint64_t low = verso__max_u64(last, verso__repetition(length, r));
        add_revolves(cost, length, low, slots, r);
        slots = low - 1;
    }
}

/* The same for `count` advances of beta(c, r) steps, c from `slots` downwards: each leaves a full interval. */
static uint64_t add_full_parts(verso__cost *cost, uint64_t stored, uint64_t slots, uint64_t count, uint64_t r) {
    uint64_t low = slots - (count - 1);
    verso__wide steps = beta_sum(low, slots, r);
    cost->forward_steps += steps * (r + 1) - beta_sum(low + 1, slots + 1, r - 1);
    cost->writes[0] += beta_sum(low - 1, slots - 1, r);
    cost->reads[0] += steps;
    note_most(cost, stored + slots, r + 1);
    return (uint64_t)steps;
}

void verso__clipped_cost(const verso__revolve *rule, uint64_t slots, verso__cost *cost) {
    verso__node node = {.length = cost->steps, .slots = slots, .b = 1};
    uint64_t stored = 0;
    while (node.length > 1) {
        if (node.slots >= node.length - 1) { /* the rest is stored step by step */
            add_equal_parts(cost, stored, 1, node.slots, node.length - 1);
            return;
        }
        uint64_t advance = verso__revolve_advance(rule, &node);
        stretch from = {.length = node.length, .slots = node.slots, .r = node.a, .distance = rule->distance};
        uint64_t count = 1;
        uint64_t gone;
        if (node.slots > 1 && advance == beta(node.slots, node.a - 1, 0) && !ends_full_run(&from, 0)) {
            count = run_length(ends_full_run, &from);
            gone = add_full_parts(cost, stored, node.slots, count, node.a - 1);
        } else {
            if (advance == rule->distance)
                count = run_length(ends_clipped_run, &from);
            add_equal_parts(cost, stored, advance, node.slots, count);
            gone = advance * count;
        }
        node = (verso__node){.length = node.length - gone, .slots = node.slots - count, .a = node.a, .b = 1};
        stored += count;
    }
}

/* ---- Recovery capsules ---- */

/* Returns the sum of floor((factor i + start) / divisor) over i from 0 to count - 1, by Euclid's algorithm. */
static verso__wide floor_sum(verso__wide count, verso__wide divisor, verso__wide factor, verso__wide start) {
    verso__wide sum = 0;
    while (count > 0) {
        sum += (factor / divisor) * (count * (count - 1) / 2) + (start / divisor) * count;
        factor %= divisor;
        start %= divisor;
        verso__wide end = factor * count + start;
        count = end / divisor;
        start = end % divisor;
        verso__wide swap = divisor;
        divisor = factor;
        factor = swap;
    }
    return sum;
}

/* A run of advances of beta(c, s), or of beta(c, s) + beta(c - 1, s), for decreasing c: the three ways in which
 * revolve's own rule continues as it began. `steps` is the sum of `count` advances. */
typedef struct sweep_run {
    uint64_t s;
    bool pair;
    uint64_t count;
    uint64_t steps;
} sweep_run;

/* In a low run, n exceeds beta(c, r - 1) by the same number after every advance of beta(c, r - 2). */
static bool ends_low_run(const void *context, uint64_t j) {
    const stretch *s = context;
    return j + 2 > s->slots || s->length - beta(s->slots, s->r - 1, 0) > beta(s->slots, s->r - 1, j + 2);
}

/* In a high run, n lacks the same number of beta(c, r) after every advance of beta(c, r - 1). */
static bool ends_high_run(const void *context, uint64_t j) {
    const stretch *s = context;
    verso__wide lacking = verso__beta_wide((int64_t)s->slots, (int64_t)s->r) - s->length;
    return j + 2 > s->slots || lacking > verso__beta_wide((int64_t)(s->slots - j) - 3, (int64_t)s->r);
}

static sweep_run run_of(const stretch *from, uint64_t most) {
    uint64_t c = from->slots;
    sweep_run run = {.s = from->r - 2, .count = 0};
    if (!ends_low_run(from, 0)) {
        run.count = run_length(ends_low_run, from);
    } else if (!ends_high_run(from, 0)) {
        run.s = from->r - 1;
        run.count = run_length(ends_high_run, from);
    } else if (c >= 2 && from->length == verso__add_u64(beta(c, from->r - 1, 0), beta(c, from->r - 1, 1))) {
        run.pair = true; /* left by an advance of neither type, and again by each further one */
        run.count = c - 1;
    }
    run.count = verso__min_u64(run.count, most);
    if (run.count > 0) {
        uint64_t low = c - (run.count - 1);
        verso__wide steps = beta_sum(low, c, run.s) + (run.pair ? beta_sum(low - 1, c - 1, run.s) : 0);
        run.steps = (uint64_t)steps;
    }
    return run;
}

/* Returns how many states at multiples of the distance are inside the run's advances. */
static uint64_t recoveries_of(const sweep_run *run, uint64_t slots, uint64_t distance) {
    uint64_t factor = run->pair ? 2 : 1;
    if (run->s == 0)
        return run->count * ((factor - 1) / distance);
    if (run->s == 1)
        return (uint64_t)floor_sum(run->count, distance, factor, (verso__wide)factor * (slots - (run->count - 1)));
    uint64_t sum = 0; /* such advances are long, so there are few */
    for (uint64_t j = 0; j < run->count; j++) {
        uint64_t inside = beta(slots, run->s, j) + (run->pair ? beta(slots, run->s, j + 1) : 0) - 1;
        if (inside < distance)
            break;
        sum += inside / distance;
    }
    return sum;
}

void verso__recovery_cost(const verso__revolve *rule, uint64_t slots, uint64_t all_slots, uint64_t distance,
                          verso__cost *cost) {
    verso__node node = {.length = cost->steps, .slots = slots};
    uint64_t recoveries = 0;
    uint64_t stored = 1;
    while (node.length > 1 && stored < all_slots) {
        if (node.slots >= node.length - 1) { /* step by step: no state is in between */
            if (recoveries > 0)
                note_most(cost, verso__min_u64(all_slots, stored + node.length - 1), 0);
            break;
        }
        uint64_t advance = verso__revolve_advance(rule, &node);
        stretch from = {.length = node.length, .slots = node.slots, .r = node.a};
        sweep_run run = node.slots > 1 ? run_of(&from, all_slots - stored) : (sweep_run){0};
        recoveries += run.count > 0 ? recoveries_of(&run, node.slots, distance) : (advance - 1) / distance;
        if (run.count == 0)
            run = (sweep_run){.count = 1, .steps = advance};
        stored += run.count;
        if (recoveries > 0)
            note_most(cost, stored, 0);
        node.slots -= run.count;
        node.length -= run.steps;
    }
    cost->writes[0] += recoveries;
}

/* ---- The distance that costs nothing ---- */

/* Returns whether, after j advances by the distance, the next one needs no clipping. Advances decrease (Theorem 4.2),
 * so no later one does, either. */
static bool ends_clipping(const void *context, uint64_t j) {
    const stretch *s = context;
    uint64_t reached = verso__mul_u64(j + 1, s->distance);
    return j >= s->slots || beta(s->slots, s->r - 1, j) <= s->distance || reached >= s->length ||
           s->length - reached <= beta(s->slots, s->r - 1, j + 1);
}

/* Returns whether a time-optimal first sweep can keep every advance within the distance. The largest permitted advance
 * leaves the least. As long as advances are clipped, the repetition number must stay r, and the room for that only
 * shrinks, so it suffices to check the end. */
static bool is_distance_free(const void *context, uint64_t distance) {
    stretch s = *(const stretch *)context;
    s.distance = distance;
    if (s.r <= 1 || ends_clipping(&s, 0))
        return true;
    if (beta(s.slots, s.r - 2, 0) > distance)
        return false;
    uint64_t clipped = verso__least_above(0, ends_clipping, &s);
    return s.length - clipped * distance <= beta(s.slots, s.r, clipped);
}

uint64_t verso__free_distance(uint64_t steps, uint64_t slots) {
    if (steps <= 1)
        return 0;
    stretch whole = {.length = steps, .slots = verso__min_u64(slots, steps)};
    whole.r = verso__repetition(steps, whole.slots);
    return verso__least_above((steps - 1) / slots, is_distance_free, &whole);
}
