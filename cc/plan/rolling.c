/* Finds groups of loads whose cells get rolling sums: see rolling.h. */
#include "cc/plan/rolling.h"

#include "cc/plan/ranges.h"
#include "cc/plan/stencil.h"

/* WIDTH_MOST: steps between the lowest and the highest place of a group. */
enum { WIDTH_MOST = 12, LOADS_MOST = 256 };

/* A load that can be in a group. */
typedef struct candidate {
    int item;
    cc_place place;
    int64_t step;
    bool taken;
} candidate;

static bool is_innermost(const cc_body *body, int l) {
    for (int m = 0; m < body->loop_count; m++)
        if (body->loops[m].parent == l)
            return false;
    return true;
}

/* Returns whether a block runs in every iteration of a loop: also in the last one, unless the loop is left there. */
static bool runs_always(const cc_body *body, const cc_loop *loop, int block) {
    return cc_dominates(body, block, loop->latch);
}

/* Returns whether a block runs each time that its loop is entered. */
static bool runs_once(const cc_body *body, const cc_loop *loop, int block) {
    for (int b = 0; b < body->block_count; b++)
        for (int k = 0; loop->contains[b] && k < body->blocks[b].successor_count; k++)
            if (!loop->contains[body->blocks[b].successors[k]] && !cc_dominates(body, block, b))
                return false;
    return true;
}

static bool can_roll(const cc_body *body, int l, int x) {
    const cc_item *item = &body->items[x];
    LLVMTypeRef type = LLVMTypeOf(item->value);
    bool aligned = type == body->unit->f64   ? LLVMGetAlignment(item->value) % 8 == 0
                   : type == body->unit->f32 ? LLVMGetAlignment(item->value) % 4 == 0
                                             : false;
    return aligned && item->varied && item->useful && item->range >= 0 && item->deferred < 0 &&
           !cc_rewrites_in(body, item->range, l) && runs_always(body, &body->loops[l], item->block) &&
           runs_once(body, &body->loops[l], item->block);
}

static int find_candidates(const cc_body *body, int l, candidate *all) {
    int count = 0;
    for (int b = 0; b < body->block_count; b++)
        for (int x = body->blocks[b].first; body->loops[l].contains[b] && x <= body->blocks[b].last; x++) {
            if (body->items[x].opcode != LLVMLoad || count == LOADS_MOST || !can_roll(body, l, x))
                continue;
            candidate *at = &all[count];
            int nest = body->ranges->all[body->items[x].range].loop;
            *at = (candidate){.item = x, .place = cc_place_of(body, nest, body->items[x].value)};
            count += cc_steps_evenly(body, l, &at->place, &at->step);
        }
    return count;
}

/* Returns whether two loads could be in one group; sets *steps to the steps from a to b. */
static bool are_near(const cc_place *a, const cc_place *b, int64_t step, int64_t *steps) {
    if (!cc_differ_by_constant(a, b) || (b->constant - a->constant) % step != 0)
        return false;
    *steps = (b->constant - a->constant) / step;
    return *steps >= -WIDTH_MOST && *steps <= WIDTH_MOST;
}

/* Returns whether a candidate can join those of the same kind as the first one. */
static bool joins(const cc_body *body, const candidate *first, const candidate *other, int64_t *steps) {
    return !other->taken && other->step == first->step &&
           LLVMTypeOf(body->items[other->item].value) == LLVMTypeOf(body->items[first->item].value) &&
           are_near(&first->place, &other->place, first->step, steps);
}

/* Makes a group of the candidates from the lowest that is near the first one. */
static void make_roll(cc_body *body, int l, candidate *all, int count, int from) {
    int64_t steps, low = 0, high;
    for (int i = from; i < count; i++)
        if (joins(body, &all[from], &all[i], &steps) && steps < low)
            low = steps;
    high = low;
    cc_roll roll = {.loop = l,
                    .step = all[from].step,
                    .last = -1,
                    .lowest = low,
                    .type = LLVMTypeOf(body->items[all[from].item].value)};
    for (int i = from; i < count; i++) {
        if (!joins(body, &all[from], &all[i], &steps) || steps > low + WIDTH_MOST)
            continue;
        cc_item *item = &body->items[all[i].item];
        all[i].taken = i != from;
        item->roll = body->roll_count;
        item->steps = steps;
        high = steps > high ? steps : high;
        if (roll.last < 0 || body->blocks[item->block].order < body->blocks[body->items[roll.last].block].order ||
            (item->block == body->items[roll.last].block && all[i].item < roll.last)) {
            roll.last = all[i].item;
            roll.last_at = steps;
        }
    }
    all[from].taken = true;
    roll.highest = high;
    if (high > low)
        body->rolls[body->roll_count++] = roll;
    else
        for (int i = from; i < count; i++)
            if (body->items[all[i].item].roll == body->roll_count)
                body->items[all[i].item].roll = -1;
}

void cc_find_rolls(cc_body *body) {
    cc_unit *unit = body->unit;
    candidate *all = cc_alloc(unit, LOADS_MOST + 1, sizeof *all);
    size_t capacity = 0;
    for (int l = 0; l < body->loop_count; l++) {
        const cc_loop *loop = &body->loops[l];
        if (!loop->counted || !loop->left || body->blocks[loop->before].successor_count != 1 || !is_innermost(body, l))
            continue;
        int count = find_candidates(body, l, all);
        cc_reserve(unit, &body->rolls, &capacity, (size_t)(body->roll_count + count), sizeof *body->rolls);
        for (int i = 0; i < count; i++)
            if (!all[i].taken)
                make_roll(body, l, all, count, i);
    }
}

bool cc_could_roll(const cc_body *body, int nest, LLVMValueRef *loads, size_t count, LLVMValueRef *others,
                   size_t other_count) {
    if (count > LOADS_MOST || other_count > LOADS_MOST)
        return false;
    cc_place *places = cc_alloc(body->unit, other_count + 1, sizeof *places);
    for (size_t k = 0; k < other_count; k++)
        places[k] = cc_place_of(body, nest, others[k]);
    for (size_t i = 0; i < count; i++) {
        cc_place place = cc_place_of(body, nest, loads[i]);
        int64_t step, steps;
        int block = body->items[cc_item_find(body, loads[i])].block, l = body->blocks[block].loop;
        for (size_t k = 0; l >= 0 && cc_steps_evenly(body, l, &place, &step) && k < other_count; k++)
            if (body->blocks[body->items[cc_item_find(body, others[k])].block].loop == l && is_innermost(body, l) &&
                runs_always(body, &body->loops[l], block) && are_near(&place, &places[k], step, &steps) && steps != 0)
                return true;
    }
    return false;
}
