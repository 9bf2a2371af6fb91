/* Liveness of the slots of the reverse function. The adjoint of a value can only differ from zero where the value
 * is live in the program; the slots of a loop are live inside it. The adjoint of a load that is added to its cell where
 * a loop is entered (item->deferred) lives as long as the loop. */
#include "cc/plan/plan.h"
#include "cc/types/bits.h"

#include <string.h>

typedef struct liveness {
    cc_body *body;
    size_t words;  /* 64-bit words of one set of items */
    uint64_t *out; /* for each block, the set of items that are live at its end */
    uint64_t *in;  /* the same for its beginning, without the operands of its phis */
    uint64_t *scratch, *now;
    int *deferred; /* items with `deferred` */
    size_t deferred_count, deferred_capacity;
    int *born; /* result of cc_born_in_segment and cc_born_on_edge */
} liveness;

static uint64_t *set_at(const liveness *live, int block) {
    return live->out + (size_t)block * live->words;
}

static uint64_t *set_before(const liveness *live, int block) {
    return live->in + (size_t)block * live->words;
}

static void set_add(uint64_t *set, int x) {
    set[x / 64] |= UINT64_C(1) << (x % 64);
}

static void set_remove(uint64_t *set, int x) {
    set[x / 64] &= ~(UINT64_C(1) << (x % 64));
}

static bool has_slot(const cc_body *body, int x) {
    return x >= 0 && body->items[x].slot >= 0;
}

static bool contains(const uint64_t *set, int x) {
    return set[x / 64] >> (x % 64) & 1;
}

static void add_value(const cc_body *body, uint64_t *set, LLVMValueRef value) {
    int x = cc_item_find(body, value);
    if (has_slot(body, x))
        set_add(set, x);
}

/* Adds what item x uses: the values to whose adjoints its reversal adds. The operands of a phi are used on the edges,
 * not here. */
static void add_used(const cc_body *body, uint64_t *set, int x) {
    const cc_item *item = &body->items[x];
    if (item->opcode == LLVMPHI)
        return;
    for (unsigned k = 0; k < cc_operand_count(item->value); k++)
        add_value(body, set, LLVMGetOperand(item->value, k));
    for (unsigned i = 0; item->bits && i < item->leaves; i++)
        if (item->bits[i].root)
            add_value(body, set, item->bits[i].root);
    for (size_t i = 0; i < item->root_count; i++)
        add_value(body, set, item->roots[i]);
}

/* Returns whether the adjoint of item x is added to its cell at the end of this block. */
static bool is_deferred_to(const cc_body *body, int x, int block) {
    return body->items[x].deferred >= 0 && body->loops[body->items[x].deferred].before == block;
}

/* Updates the set from after item x to before it. */
static void step_back(const liveness *live, uint64_t *set, int x) {
    const cc_body *body = live->body;
    int block = body->items[x].block;
    if (has_slot(body, x) && body->items[x].deferred < 0)
        set_remove(set, x);
    for (size_t i = 0; x == body->blocks[block].last && i < live->deferred_count; i++)
        if (is_deferred_to(body, live->deferred[i], block))
            set_remove(set, live->deferred[i]);
    add_used(body, set, x);
}

static void find_before(const liveness *live, int block) {
    const cc_body *body = live->body;
    uint64_t *set = set_before(live, block);
    memcpy(set, set_at(live, block), live->words * sizeof *set);
    for (int x = body->blocks[block].last; x >= body->blocks[block].first; x--)
        step_back(live, set, x);
}

/* Adds to `set` what is live at the end of block `from` if control goes to `to`. */
static void add_entry(const liveness *live, uint64_t *set, int from, int to) {
    const cc_body *body = live->body;
    for (size_t i = 0; i < live->words; i++)
        set[i] |= set_before(live, to)[i];
    for (int x = body->blocks[to].first; x <= body->blocks[to].last && body->items[x].opcode == LLVMPHI; x++)
        add_value(body, set, cc_incoming(body->items[x].value, body->blocks[from].block));
}

/* Adds what is live where a loop in strips is left from the block before its latch: the reversal then begins at the
 * latch, too (reverse/reverse.c). */
static void add_strip_exits(const liveness *live, uint64_t *set, int latch) {
    const cc_body *body = live->body;
    const cc_loop *loop = body->blocks[latch].loop >= 0 ? &body->loops[body->blocks[latch].loop] : NULL;
    if (!loop || loop->around < 0 || loop->latch != latch || body->blocks[latch].predecessor_count == 0)
        return;
    int from = body->blocks[latch].predecessors[0];
    for (int k = 0; k < body->blocks[from].successor_count; k++)
        if (!loop->contains[body->blocks[from].successors[k]])
            add_entry(live, set, from, body->blocks[from].successors[k]);
}

static void add_deferred(const liveness *live, uint64_t *set, int block) {
    for (size_t i = 0; i < live->deferred_count; i++) {
        int x = live->deferred[i];
        if (live->body->loops[live->body->items[x].deferred].contains[block])
            set_add(set, x);
    }
}

static void list_deferred(liveness *live) {
    const cc_body *body = live->body;
    for (int x = 0; x < body->item_count; x++)
        if (body->items[x].deferred >= 0 && has_slot(body, x)) {
            cc_reserve(body->unit, &live->deferred, &live->deferred_capacity, live->deferred_count + 1,
                       sizeof *live->deferred);
            live->deferred[live->deferred_count++] = x;
        }
}

static uint64_t *new_sets(cc_body *body, size_t words, int count) {
    return cc_alloc(body->unit, words * (size_t)count, sizeof(uint64_t));
}

static const liveness *find_live(cc_body *body) {
    if (body->live)
        return body->live;
    liveness *live = cc_alloc(body->unit, 1, sizeof *live);
    live->body = body;
    live->words = (size_t)(body->item_count + 63) / 64;
    live->out = new_sets(body, live->words, body->block_count);
    live->in = new_sets(body, live->words, body->block_count);
    live->scratch = new_sets(body, live->words, 1);
    live->now = new_sets(body, live->words, 1);
    live->born = cc_alloc(body->unit, body->slot_count + 1, sizeof *live->born);
    list_deferred(live);
    for (int b = 0; b < body->block_count; b++)
        find_before(live, b);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = body->block_count - 1; b >= 0; b--) {
            memset(live->now, 0, live->words * sizeof *live->now);
            for (int k = 0; k < body->blocks[b].successor_count; k++)
                add_entry(live, live->now, b, body->blocks[b].successors[k]);
            add_strip_exits(live, live->now, b);
            add_deferred(live, live->now, b);
            if (memcmp(live->now, set_at(live, b), live->words * sizeof *live->now) != 0) {
                memcpy(set_at(live, b), live->now, live->words * sizeof *live->now);
                changed = true;
            }
            find_before(live, b);
        }
    }
    return body->live = live;
}

static void add_loop_slots(const cc_body *body, int block, bool *slots) {
    for (int l = body->blocks[block].loop; l >= 0; l = body->loops[l].parent) {
        const cc_loop *loop = &body->loops[l];
        if (loop->count_slot >= 0)
            slots[loop->count_slot] = true;
        for (int i = 0; i < loop->induction_count; i++)
            slots[body->items[loop->inductions[i]].induction_slot] = true;
        for (int i = 0; i < loop->invariant_count; i++)
            slots[body->items[loop->invariants[i]].invariant_slot] = true;
    }
}

/* Sets `set` to what is live after item x of its block. */
static void find_after(const liveness *live, uint64_t *set, int block, int x) {
    memcpy(set, set_at(live, block), live->words * sizeof *set);
    for (int y = live->body->blocks[block].last; y > x; y--)
        step_back(live, set, y);
}

/* Returns the slots that are live after item x of its block. */
static bool *live_after(cc_body *body, int block, int x) {
    const liveness *live = find_live(body);
    find_after(live, live->scratch, block, x);
    bool *slots = cc_alloc(body->unit, body->slot_count + 1, sizeof *slots);
    for (int y = 0; y < body->item_count; y++)
        if (has_slot(body, y) && contains(live->scratch, y))
            for (unsigned i = 0; i < body->items[y].leaves; i++)
                slots[(unsigned)body->items[y].slot + i] = true;
    add_loop_slots(body, block, slots);
    return slots;
}

bool *cc_live_after_call(cc_body *body, int segment) {
    int call = body->segments[segment].call;
    bool *slots = live_after(body, body->segments[segment].block, call);
    /* The adjoint of the result has been passed to the callee. */
    for (unsigned i = 0; body->items[call].slot >= 0 && i < body->items[call].leaves; i++)
        slots[(unsigned)body->items[call].slot + i] = false;
    return slots;
}

bool *cc_live_at_block(cc_body *body, int block) {
    int x = body->blocks[block].first - 1;
    while (body->items[x + 1].opcode == LLVMPHI)
        x++;
    bool *slots = live_after(body, block, x);
    if (body->blocks[block].predecessor_slot >= 0)
        slots[body->blocks[block].predecessor_slot] = true;
    return slots;
}

/* ---- Births ---- */

/* Lists the slots of items that are in `now` but not in `before`. */
static const int *list_born(const liveness *live, const uint64_t *now, const uint64_t *before, size_t *count) {
    const cc_body *body = live->body;
    *count = 0;
    for (size_t w = 0; w < live->words; w++)
        for (uint64_t rest = now[w] & ~before[w]; rest != 0; rest &= rest - 1) {
            int x = (int)(w * 64) + __builtin_ctzll(rest);
            for (unsigned i = 0; i < body->items[x].leaves; i++)
                live->born[(*count)++] = body->items[x].slot + (int)i;
        }
    return live->born;
}

static void add_item(const cc_body *body, uint64_t *set, int x) {
    if (has_slot(body, x))
        set_add(set, x);
}

/* Adds the items whose adjoints the reversal of a segment adds to or takes. The adjoint of a call's result is taken by
 * the segment that follows. */
static void add_touched(const liveness *live, uint64_t *set, int s) {
    const cc_body *body = live->body;
    const cc_segment *segment = &body->segments[s];
    bool first = body->blocks[segment->block].first_segment == s;
    for (int x = segment->first; x <= segment->last; x++) {
        add_item(body, set, x);
        add_used(body, set, x);
    }
    if (segment->call >= 0)
        add_used(body, set, segment->call);
    if (!first)
        add_item(body, set, body->segments[s - 1].call);
    for (int x = 0; segment->block == 0 && first && x < body->parameter_count; x++)
        add_item(body, set, x);
    for (size_t i = 0; i < live->deferred_count; i++)
        if (is_deferred_to(body, live->deferred[i], segment->block))
            set_add(set, live->deferred[i]);
}

const int *cc_born_in_segment(cc_body *body, int s, size_t *count) {
    const liveness *live = find_live(body);
    const cc_segment *segment = &body->segments[s];
    find_after(live, live->scratch, segment->block,
               segment->call >= 0 ? segment->call : body->blocks[segment->block].last);
    if (segment->call >= 0)
        set_remove(live->scratch, segment->call);
    memset(live->now, 0, live->words * sizeof *live->now);
    add_touched(live, live->now, s);
    return list_born(live, live->now, live->scratch, count);
}

const int *cc_born_on_edge(cc_body *body, int from, int to, size_t *count) {
    const liveness *live = find_live(body);
    return list_born(live, set_at(live, from), set_before(live, to), count);
}

const int *cc_born_on_shortcut(cc_body *body, int from, int to, size_t *count) {
    const liveness *live = find_live(body);
    return list_born(live, set_at(live, from), set_at(live, to), count);
}
