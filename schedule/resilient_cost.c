/* What paper 5's kinds cost, and the distance that costs nothing, without a step a slot. Slots can be as many as
 * steps, but along the first sweep the advances come in few runs: all equal, or beta(c, s) of slots c that fall one by
 * one. A run is found by bisection, because what ends it stays true, and summed by the hockey-stick identity
 *
 *   beta(0, s) + … + beta(c, s) = beta(c, s + 1). */
#include "schedule/resilient.h"

#include "base/search.h"
#include "base/wide.h"

static uint64_t beta(uint64_t c, uint64_t r, uint64_t less) {
    return verso_beta((int64_t)c - (int64_t)less, (int64_t)r);
}

static verso_wide beta_sum(uint64_t low, uint64_t high, uint64_t r) {
    return verso_beta_sum((int64_t)low, (int64_t)high, (int64_t)r);
}

/* A stretch of the sweep: `length` steps on `slots`, of repetition number r. What follows after j advances is the same
 * stretch with j slots less. */
typedef struct stretch {
    uint64_t length, slots, r;
    uint64_t distance;
} stretch;

static uint64_t run_length(verso_predicate ends, const stretch *from) {
    return ends(from, 0) ? 1 : verso_least_above(0, ends, from);
}

/* ---- The first sweep under a distance ---- */

/* Whether the j-th advance is not the distance, though all before it were. That the time-optimal step is shorter, or
 * that the repetition number is another, is so for all later ones: beta falls with the slots, and is convex. */
static bool ends_clipped_run(const void *context, uint64_t j) {
    const stretch *s = context;
    uint64_t gone = verso_mul_u64(j, s->distance);
    if (j + 2 > s->slots || gone >= s->length)
        return true;
    if (s->length == verso_mul_u64(s->slots, s->distance)) /* nothing less would reach the end */
        return false;
    uint64_t n = s->length - gone;
    uint64_t c = s->slots - j;
    uint64_t below = beta(c, s->r - 1, 0);
    return n <= c + 1 || n <= below || n > beta(c, s->r, 0) || s->distance > below ||
           n < verso_add_u64(s->distance, beta(c, s->r - 1, 1));
}

/* Whether the j-th advance does not leave as much behind as r - 1 repetitions can reverse. What a full interval has
 * more than this one is the same for all that follow. */
static bool ends_full_run(const void *context, uint64_t j) {
    const stretch *s = context;
    verso_wide lacking = verso_beta_wide((int64_t)s->slots, (int64_t)s->r) - s->length;
    return j >= s->slots || lacking > verso_beta_wide((int64_t)(s->slots - j) - 2, (int64_t)s->r);
}

static void note_most(verso_cost *cost, uint64_t slots, uint64_t repetition) {
    cost->peak_slots[0] = verso_max_u64(cost->peak_slots[0], slots);
    cost->repetition = verso_max_u64(cost->repetition, repetition);
}

typedef struct crossing {
    uint64_t length, r, high;
} crossing;

/* Which of the two terms of verso_min_writes is the larger one; none is beyond the slots in question. */
static bool writes_are_flat(const void *context, uint64_t slots) {
    const crossing *at = context;
    return slots > at->high || verso_add_u64(beta(slots, at->r - 1, 1), beta(slots, at->r - 1, 0)) >= at->length;
}

/* Revolve on `length` steps, once for each number of slots from low to high, all of repetition number r. */
static void add_revolves(verso_cost *cost, uint64_t length, uint64_t low, uint64_t high, uint64_t r) {
    crossing at = {.length = length, .r = r, .high = high};
    uint64_t flat = verso_least_above(low - 1, writes_are_flat, &at);
    cost->forward_steps += (verso_wide)(high - low + 1) * length * r - beta_sum(low + 1, high + 1, r - 1);
    cost->writes[0] += (verso_wide)(flat - low) * length - beta_sum(low, flat - 1, r - 1);
    cost->writes[0] += beta_sum(flat - 1, high - 1, r - 1);
}

/* `count` advances of `length` steps, the first with `slots`, and the reversal of what each leaves behind. The capsule
 * of the sweep is the first of that reversal. */
static void add_equal_parts(verso_cost *cost, uint64_t stored, uint64_t length, uint64_t slots, uint64_t count) {
    uint64_t last = slots - (count - 1);
    cost->forward_steps += (verso_wide)count * length;
    cost->reads[0] += (verso_wide)count * length;
    note_most(cost, stored + (count - 1) + verso_max_u64(verso_min_u64(last, length - 1), 1),
              1 + verso_repetition(length, last));
    if (length == 1)
        cost->writes[0] += count;
    while (length > 1 && slots >= last) {
        uint64_t r = verso_repetition(length, slots);
        /* beta is symmetric: the fewest slots that do with r are the "repetition number" on r. */
        uint64_t low = verso_max_u64(last, verso_repetition(length, r));
        add_revolves(cost, length, low, slots, r);
        slots = low - 1;
    }
}

/* The same for `count` advances of beta(c, r) steps, c from `slots` downwards: each leaves a full interval behind. */
static uint64_t add_full_parts(verso_cost *cost, uint64_t stored, uint64_t slots, uint64_t count, uint64_t r) {
    uint64_t low = slots - (count - 1);
    verso_wide steps = beta_sum(low, slots, r);
    cost->forward_steps += steps * (r + 1) - beta_sum(low + 1, slots + 1, r - 1);
    cost->writes[0] += beta_sum(low - 1, slots - 1, r);
    cost->reads[0] += steps;
    note_most(cost, stored + slots, r + 1);
    return (uint64_t)steps;
}

void verso_clipped_cost(const verso_revolve *rule, uint64_t slots, verso_cost *cost) {
    verso_node node = {.length = cost->steps, .slots = slots, .b = 1};
    uint64_t stored = 0;
    while (node.length > 1) {
        if (node.slots >= node.length - 1) { /* all the rest is stored, step by step */
            add_equal_parts(cost, stored, 1, node.slots, node.length - 1);
            return;
        }
        uint64_t advance = verso_revolve_advance(rule, &node);
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
        node = (verso_node){.length = node.length - gone, .slots = node.slots - count, .a = node.a, .b = 1};
        stored += count;
    }
}

/* ---- Recovery capsules ---- */

/* The sum of floor((factor i + start) / divisor) over i from 0 to count - 1, by Euclid's algorithm. */
static verso_wide floor_sum(verso_wide count, verso_wide divisor, verso_wide factor, verso_wide start) {
    verso_wide sum = 0;
    while (count > 0) {
        sum += (factor / divisor) * (count * (count - 1) / 2) + (start / divisor) * count;
        factor %= divisor;
        start %= divisor;
        verso_wide end = factor * count + start;
        count = end / divisor;
        start = end % divisor;
        verso_wide swap = divisor;
        divisor = factor;
        factor = swap;
    }
    return sum;
}

/* Advances of beta(c, s), or of beta(c, s) + beta(c - 1, s), for falling c: the three ways in which revolve's own rule
 * goes on as it began. `steps` is the sum of `count` advances. */
typedef struct sweep_run {
    uint64_t s;
    bool pair;
    uint64_t count;
    uint64_t steps;
} sweep_run;

/* n exceeds beta(c, r - 1) by as much after every advance of beta(c, r - 2). */
static bool ends_low_run(const void *context, uint64_t j) {
    const stretch *s = context;
    return j + 2 > s->slots || s->length - beta(s->slots, s->r - 1, 0) > beta(s->slots, s->r - 1, j + 2);
}

/* n lacks as much of beta(c, r) after every advance of beta(c, r - 1). */
static bool ends_high_run(const void *context, uint64_t j) {
    const stretch *s = context;
    verso_wide lacking = verso_beta_wide((int64_t)s->slots, (int64_t)s->r) - s->length;
    return j + 2 > s->slots || lacking > verso_beta_wide((int64_t)(s->slots - j) - 3, (int64_t)s->r);
}

static sweep_run run_of(const stretch *from, uint64_t most) {
    uint64_t c = from->slots;
    sweep_run run = {.s = from->r - 2, .count = 0};
    if (!ends_low_run(from, 0)) {
        run.count = run_length(ends_low_run, from);
    } else if (!ends_high_run(from, 0)) {
        run.s = from->r - 1;
        run.count = run_length(ends_high_run, from);
    } else if (c >= 2 && from->length == verso_add_u64(beta(c, from->r - 1, 0), beta(c, from->r - 1, 1))) {
        run.pair = true; /* what an advance that fits neither leaves, and leaves again */
        run.count = c - 1;
    }
    run.count = verso_min_u64(run.count, most);
    if (run.count > 0) {
        uint64_t low = c - (run.count - 1);
        verso_wide steps = beta_sum(low, c, run.s) + (run.pair ? beta_sum(low - 1, c - 1, run.s) : 0);
        run.steps = (uint64_t)steps;
    }
    return run;
}

/* How many states at multiples of the distance lie inside the run's advances. */
static uint64_t recoveries_of(const sweep_run *run, uint64_t slots, uint64_t distance) {
    uint64_t factor = run->pair ? 2 : 1;
    if (run->s == 0)
        return run->count * ((factor - 1) / distance);
    if (run->s == 1)
        return (uint64_t)floor_sum(run->count, distance, factor, (verso_wide)factor * (slots - (run->count - 1)));
    uint64_t sum = 0; /* such advances are long: there are few */
    for (uint64_t j = 0; j < run->count; j++) {
        uint64_t inside = beta(slots, run->s, j) + (run->pair ? beta(slots, run->s, j + 1) : 0) - 1;
        if (inside < distance)
            break;
        sum += inside / distance;
    }
    return sum;
}

void verso_recovery_cost(const verso_revolve *rule, uint64_t slots, uint64_t all_slots, uint64_t distance,
                         verso_cost *cost) {
    verso_node node = {.length = cost->steps, .slots = slots};
    uint64_t recoveries = 0;
    uint64_t stored = 1;
    while (node.length > 1 && stored < all_slots) {
        if (node.slots >= node.length - 1) { /* step by step: nothing lies between */
            if (recoveries > 0)
                note_most(cost, verso_min_u64(all_slots, stored + node.length - 1), 0);
            break;
        }
        uint64_t advance = verso_revolve_advance(rule, &node);
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

/* Whether, after j advances by the distance, the next needs no clipping. Advances decrease (Theorem 4.2), so that no
 * later one does. */
static bool ends_clipping(const void *context, uint64_t j) {
    const stretch *s = context;
    uint64_t reached = verso_mul_u64(j + 1, s->distance);
    return j >= s->slots || beta(s->slots, s->r - 1, j) <= s->distance || reached >= s->length ||
           s->length - reached <= beta(s->slots, s->r - 1, j + 1);
}

/* Whether a time-optimal first sweep can keep every advance within the distance. The largest that fits leaves the least
 * behind. As long as they are clipped, the repetition number must stay r, and the room for that only shrinks: it is
 * enough to look at the end. */
static bool distance_is_free(const void *context, uint64_t distance) {
    stretch s = *(const stretch *)context;
    s.distance = distance;
    if (s.r <= 1 || ends_clipping(&s, 0))
        return true;
    if (beta(s.slots, s.r - 2, 0) > distance)
        return false;
    uint64_t clipped = verso_least_above(0, ends_clipping, &s);
    return s.length - clipped * distance <= beta(s.slots, s.r, clipped);
}

uint64_t verso_free_distance(uint64_t steps, uint64_t slots) {
    if (steps <= 1)
        return 0;
    stretch whole = {.length = steps, .slots = verso_min_u64(slots, steps)};
    whole.r = verso_repetition(steps, whole.slots);
    return verso_least_above((steps - 1) / slots, distance_is_free, &whole);
}
