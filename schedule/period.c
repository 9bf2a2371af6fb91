/* See period.h. Let S(t) = beta(c + 1, t - 1) be the saving of a piece whose cheapest step is t levels below the
 * fill level:
 *
 *   places up to level t:   beta(c, t) of the residual, beta(c, t - k) of each k-th piece
 *   cost of filling n:      t n - (sum of the places below t), at the level t that n reaches
 *
 * For a fixed number of periods the cost is convex in the number of pieces; with real numbers of both it is convex
 * in both. The best partition is therefore found by descent in the pieces, and by moving outward from the balanced
 * number of periods until the convex bound exceeds the best cost. This is exact, and quick because the balanced
 * number has a closed form. */
#include "schedule/period.h"

#include "base/search.h"
#include "base/status.h"
#include "base/wide.h"
#include "schedule/binomial.h"
#include "schedule/kind.h"

static const uint64_t periods_tried_max = 4096; /* in each direction */

/* The places up to level t in one period of j pieces: beta(c, t-1) + ... + beta(c, t-j). */
static verso__wide period_places(uint64_t c, uint64_t j, int64_t t) {
    verso__wide all = verso__beta_wide((int64_t)c + 1, t - 1);
    return all == VERSO_WIDE_MAX ? all : all - verso__beta_wide((int64_t)c + 1, t - 1 - (int64_t)j);
}

/* The same, summed over all levels below t. */
static verso__wide period_places_below(uint64_t c, uint64_t j, int64_t t) {
    verso__wide all = verso__beta_wide((int64_t)c + 2, t - 2);
    return all == VERSO_WIDE_MAX ? all : all - verso__beta_wide((int64_t)c + 2, t - 2 - (int64_t)j);
}

uint64_t verso__period_steps(uint64_t slots, uint64_t pieces, uint64_t level) {
    return verso__narrow(period_places(slots, pieces, (int64_t)level));
}

/* q periods of j = P / q pieces, of which `more` have one more. */
typedef struct shape {
    uint64_t c, q, j, more;
} shape;

static shape shape_of(uint64_t slots, uint64_t periods, uint64_t pieces) {
    if (periods == 0)
        return (shape){.c = slots};
    return (shape){.c = slots, .q = periods, .j = pieces / periods, .more = pieces % periods};
}

static verso__wide places(const shape *s, int64_t t) {
    verso__wide sum = verso__beta_wide((int64_t)s->c, t);
    if (s->q > 0)
        sum = verso__add_wide(sum, verso__mul_wide(s->q, period_places(s->c, s->j, t)));
    if (s->more > 0)
        sum = verso__add_wide(sum, verso__mul_wide(s->more, verso__beta_wide((int64_t)s->c, t - 1 - (int64_t)s->j)));
    return sum;
}

static verso__wide places_below(const shape *s, int64_t t) {
    verso__wide sum = verso__beta_wide((int64_t)s->c + 1, t - 1);
    if (s->q > 0)
        sum = verso__add_wide(sum, verso__mul_wide(s->q, period_places_below(s->c, s->j, t)));
    if (s->more > 0)
        sum =
            verso__add_wide(sum, verso__mul_wide(s->more, verso__beta_wide((int64_t)s->c + 1, t - 2 - (int64_t)s->j)));
    return sum;
}

typedef struct filling {
    shape shape;
    uint64_t steps;
} filling;

static bool level_suffices(const void *context, uint64_t level) {
    const filling *f = context;
    return places(&f->shape, (int64_t)level) >= f->steps;
}

verso__partition verso__partition_of(const verso_platform *p, uint64_t steps, uint64_t periods, uint64_t pieces) {
    verso__partition result = {.periods = periods, .pieces = pieces, .cost = VERSO_WIDE_MAX};
    if (steps == 0) {
        result.cost = 0;
        return result;
    }
    if (p->slots == 0 && 1 + pieces < steps)
        return result;
    /* Without memory slots the room is limited, but then it suffices: every piece has its step. */
    filling f = {.shape = shape_of(p->slots, periods, pieces), .steps = steps};
    result.level = level_suffices(&f, 0) ? 0 : verso__least_above(0, level_suffices, &f);
    verso__wide forward = (verso__wide)result.level * steps - places_below(&f.shape, (int64_t)result.level);
    result.cost = (verso__wide)p->write_cost * periods + (verso__wide)p->read_cost * pieces + p->forward_cost * forward;
    return result;
}

/* ---- The best period ---- */

static bool read_is_paid(const void *context, uint64_t i) {
    const verso_platform *p = context;
    return verso__mul_wide(p->forward_cost, verso__beta_wide((int64_t)p->slots + 1, (int64_t)i)) >= p->read_cost;
}

/* Returns the least i with u beta(c + 1, i) >= r: a piece pays if its cheapest place is more than i levels below
 * the fill. */
static uint64_t levels_to_pay_read(const verso_platform *p) {
    return read_is_paid(p, 0) ? 0 : verso__least_above(0, read_is_paid, p);
}

static uint64_t pieces_at(uint64_t to_pay, uint64_t level) {
    return level > to_pay + 2 ? level - 1 - to_pay : 1;
}

typedef struct paying {
    const verso_platform *platform;
    uint64_t to_pay;
} paying;

/* Returns whether a period filled to this level saves at least its cost. */
static bool period_pays(const void *context, uint64_t level) {
    const verso_platform *p = ((const paying *)context)->platform;
    uint64_t j = pieces_at(((const paying *)context)->to_pay, level);
    verso__wide saved = verso__mul_wide(p->forward_cost, period_places_below(p->slots, j, (int64_t)level));
    return saved >= (verso__wide)p->write_cost + (verso__wide)j * p->read_cost;
}

static verso__best_period candidate_of(const verso_platform *p, uint64_t pieces, uint64_t level) {
    verso__wide steps = period_places(p->slots, pieces, (int64_t)level);
    verso__wide forward = level * steps - period_places_below(p->slots, pieces, (int64_t)level);
    return (verso__best_period){.steps = verso__narrow(steps),
                                .pieces = pieces,
                                .level = level,
                                .cost = p->write_cost + (verso__wide)pieces * p->read_cost + p->forward_cost * forward};
}

/* Returns whether a has the lower cost per step; if equal, whether it is longer. */
static bool is_better(const verso__best_period *a, const verso__best_period *b) {
    if (b->steps == 0)
        return true;
    verso__wide left = verso__mul_wide(a->cost, b->steps);
    verso__wide right = verso__mul_wide(b->cost, a->steps);
    return left != right ? left < right : a->steps > b->steps;
}

bool verso__period_best(const verso_platform *p, verso__best_period *best) {
    if (p->forward_cost == 0)
        return false;
    uint64_t to_pay = levels_to_pay_read(p);
    paying context = {.platform = p, .to_pay = to_pay};
    uint64_t high = verso__least_above(0, period_pays, &context);
    /* The cost per step is least at the level that begins to pay, or just below it. */
    *best = (verso__best_period){0};
    for (uint64_t level = high > 1 ? high - 1 : 1; level <= high; level++) {
        uint64_t least = pieces_at(to_pay, level);
        for (uint64_t j = least > 1 ? least - 1 : 1; j <= least + 2 && j <= level; j++) {
            verso__best_period tried = candidate_of(p, j, level);
            if (is_better(&tried, best))
                *best = tried;
        }
    }
    return true;
}

/* ---- The best partition ---- */

/* Returns whether one more piece would not be cheaper. Because the cost is convex, this is false below the best number
 * of pieces and true from there on. */
static bool are_pieces_enough(const verso_platform *p, uint64_t steps, uint64_t periods, uint64_t pieces) {
    return verso__partition_of(p, steps, periods, pieces).cost <=
           verso__partition_of(p, steps, periods, pieces + 1).cost;
}

/* Finds the fewest pieces that are enough for a given number of periods: by doubling strides from a guess, then by
 * bisection. */
static verso__partition best_pieces(const verso_platform *p, uint64_t steps, uint64_t periods, uint64_t guess) {
    if (periods == 0)
        return verso__partition_of(p, steps, 0, 0);
    if (p->slots == 0) /* every piece is one step */
        return verso__partition_of(p, steps, periods, steps - 1);
    uint64_t low = periods; /* the best number is in [low, high] */
    uint64_t high = verso__max_u64(periods, steps - 1);
    uint64_t at = verso__min_u64(verso__max_u64(guess, low), high);
    if (at == high || are_pieces_enough(p, steps, periods, at)) {
        high = at;
        for (uint64_t stride = 1; high - low > stride; stride *= 2) {
            if (!are_pieces_enough(p, steps, periods, high - stride)) {
                low = high - stride + 1;
                break;
            }
            high -= stride;
        }
    } else {
        low = at + 1;
        for (uint64_t stride = 1; high - low > stride; stride *= 2) {
            if (are_pieces_enough(p, steps, periods, low + stride)) {
                high = low + stride;
                break;
            }
            low += stride + 1;
        }
    }
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if (are_pieces_enough(p, steps, periods, middle))
            high = middle;
        else
            low = middle + 1;
    }
    return verso__partition_of(p, steps, periods, low);
}

static verso__wide cost_with(const verso_platform *p, uint64_t steps, const verso__partition *best, uint64_t pieces) {
    return verso__partition_of(p, steps, best->periods, pieces).cost;
}

static verso__wide min_wide(verso__wide a, verso__wide b) {
    return a < b ? a : b;
}

/* Returns a lower bound of the cost for all real numbers of pieces: because the cost is convex, between two
 * integers it is above the lines through the neighbours on either side. */
static verso__wide bound(const verso_platform *p, uint64_t steps, const verso__partition *best) {
    if (p->slots == 0 || best->periods == 0 || best->cost == VERSO_WIDE_MAX || best->pieces <= best->periods)
        return best->cost;
    uint64_t pieces = best->pieces;
    verso__wide left = cost_with(p, steps, best, pieces - 1) - best->cost;
    verso__wide more = cost_with(p, steps, best, pieces + 1);
    verso__wide right = more > best->cost ? more - best->cost : 0;
    verso__wide steeper_left = VERSO_WIDE_MAX; /* by how much the slope one piece further exceeds `left` */
    if (pieces - 1 > best->periods)
        steeper_left = cost_with(p, steps, best, pieces - 2) - best->cost - 2 * left;
    verso__wide steeper_right = cost_with(p, steps, best, pieces + 2) - best->cost - 2 * right;
    verso__wide fall_left = min_wide(right, steeper_left);
    verso__wide fall_right = min_wide(left, steeper_right);
    verso__wide fall = fall_left > fall_right ? fall_left : fall_right;
    return best->cost > fall ? best->cost - fall : 0;
}

static uint64_t scaled_guess(const verso__partition *from, uint64_t periods) {
    if (from->periods == 0)
        return periods;
    return verso__narrow((verso__wide)from->pieces * periods / from->periods);
}

static bool scan(const verso_platform *p, uint64_t steps, const verso__partition *start, bool upward,
                 verso__partition *best) {
    verso__partition at = *start;
    for (uint64_t tried = 0; tried < periods_tried_max; tried++) {
        if (upward ? at.periods + 1 >= steps : at.periods == 0)
            return true;
        uint64_t periods = upward ? at.periods + 1 : at.periods - 1;
        at = best_pieces(p, steps, periods, scaled_guess(&at, periods));
        if (at.cost < best->cost || (at.cost == best->cost && at.periods < best->periods))
            *best = at;
        else if (bound(p, steps, &at) >= best->cost)
            return true;
    }
    return false;
}

verso__partition verso__partition_best(const verso_platform *p, uint64_t steps, bool *proven) {
    verso__best_period period;
    *proven = true;
    if (steps <= 1)
        return verso__partition_of(p, steps, 0, 0);
    if (!verso__period_best(p, &period)) /* forward steps are free: at most one disk capsule */
        return p->slots > 0 ? verso__partition_of(p, steps, 0, 0) : verso__partition_of(p, steps, 1, steps - 1);
    uint64_t residual = verso__beta((int64_t)p->slots, (int64_t)period.level);
    uint64_t periods = steps > residual ? (steps - residual) / period.steps : 0;
    verso__partition start = best_pieces(p, steps, periods, verso__mul_u64(periods, period.pieces));
    verso__partition best = start;
    bool up = scan(p, steps, &start, true, &best);
    bool down = scan(p, steps, &start, false, &best);
    *proven = up && down;
    return best;
}

/* ---- The public facts ---- */

typedef struct threshold {
    const verso_platform *platform;
    verso__wide cost;
    bool strictly;
} threshold;

static bool exceeds(const void *context, uint64_t t) {
    const threshold *wanted = context;
    verso__wide value =
        verso__mul_wide(wanted->platform->forward_cost, verso__beta_wide((int64_t)wanted->platform->slots, (int64_t)t));
    return wanted->strictly ? value > wanted->cost : value >= wanted->cost;
}

static uint64_t least_level(const threshold *wanted) {
    return exceeds(wanted, 0) ? 0 : verso__least_above(0, exceeds, wanted);
}

/* Lemma 8. It does not apply without memory slots. */
static uint64_t longest_period(const verso_platform *p) {
    threshold both = {.platform = p, .cost = (verso__wide)p->write_cost + p->read_cost, .strictly = true};
    threshold write = {.platform = p, .cost = p->write_cost};
    int64_t c = (int64_t)p->slots;
    if (c == 0)
        return VERSO_UNKNOWN;
    return verso__max_u64(verso__beta(c, (int64_t)least_level(&both) + 1),
                          verso__add_u64(verso__mul_u64(2, verso__beta(c, (int64_t)least_level(&write))), 1));
}

typedef struct usefulness {
    const verso_platform *platform;
    uint64_t pieces; /* of the best period */
} usefulness;

/* Returns whether a disk capsule costs nothing extra: at least one period is not worse than none. */
static bool disk_is_useful(const void *context, uint64_t steps) {
    const usefulness *u = context;
    bool proven;
    verso__partition best = verso__partition_best(u->platform, steps, &proven);
    if (best.periods > 0)
        return true;
    verso__wide without = verso__partition_of(u->platform, steps, 0, 0).cost;
    return best_pieces(u->platform, steps, 1, u->pieces).cost <= without;
}

verso_status verso_period_find(const verso_platform *platform, verso_period *period, verso_error *error) {
    verso__best_period best;
    uint64_t most = VERSO_STEPS_MAX;
    if (platform->slots > most || platform->write_cost > most || platform->read_cost > most ||
        platform->forward_cost > most)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "slots or costs are more than the %llu that can be planned with", (unsigned long long)most);
    *period = (verso_period){.period = VERSO_UNKNOWN, .longest = VERSO_UNKNOWN, .first_useful = VERSO_UNKNOWN};
    if (!verso__period_best(platform, &best))
        return VERSO_STATUS_OK;
    usefulness context = {.platform = platform, .pieces = best.pieces};
    period->period = best.steps;
    period->longest = longest_period(platform);
    period->first_useful = verso__least_above(1, disk_is_useful, &context) - 1; /* one step is reversed directly */
    return VERSO_STATUS_OK;
}
