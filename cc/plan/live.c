/* Liveness of the slots of the reverse function. The adjoint of a value can only differ from zero where the value
 * is live in the program; the slots of a loop are live inside it. */
#include "cc/plan/plan.h"
#include "cc/types/bits.h"

#include <string.h>

typedef struct liveness {
    cc_body *body;
    size_t words;  /* 64-bit words of one set of items */
    uint64_t *out; /* for each block, the set of items that are live at its end */
} liveness;

static uint64_t *set_at(const liveness *live, int block) {
    return live->out + (size_t)block * live->words;
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

/* Updates the set from after item x to before it. The operands of a phi are used on the edges, not here. */
static void step_back(const liveness *live, uint64_t *set, int x) {
    const cc_body *body = live->body;
    const cc_item *item = &body->items[x];
    if (has_slot(body, x))
        set_remove(set, x);
    if (item->opcode == LLVMPHI)
        return;
    for (unsigned k = 0; k < cc_operand_count(item->value); k++) {
        int used = cc_item_find(body, LLVMGetOperand(item->value, k));
        if (has_slot(body, used))
            set_add(set, used);
    }
    for (unsigned i = 0; item->bits && i < item->leaves; i++) {
        int root = item->bits[i].root ? cc_item_find(body, item->bits[i].root) : -1;
        if (has_slot(body, root))
            set_add(set, root);
    }
}

/* Adds to `set` what is live at the start of block `to` if it is entered from `from`. */
static void add_entry(const liveness *live, uint64_t *set, uint64_t *scratch, int from, int to) {
    const cc_body *body = live->body;
    memcpy(scratch, set_at(live, to), live->words * sizeof *scratch);
    for (int x = body->blocks[to].last; x >= body->blocks[to].first; x--)
        step_back(live, scratch, x);
    for (int x = body->blocks[to].first; x <= body->blocks[to].last && body->items[x].opcode == LLVMPHI; x++) {
        int used = cc_item_find(body, cc_incoming(body->items[x].value, body->blocks[from].block));
        if (has_slot(body, used))
            set_add(scratch, used);
    }
    for (size_t i = 0; i < live->words; i++)
        set[i] |= scratch[i];
}

static const liveness *find_live(cc_body *body) {
    if (body->live)
        return body->live;
    liveness *live = cc_alloc(body->unit, 1, sizeof *live);
    live->body = body;
    live->words = (size_t)(body->item_count + 63) / 64;
    live->out = cc_alloc(body->unit, live->words * (size_t)body->block_count, sizeof *live->out);
    uint64_t *scratch = cc_alloc(body->unit, live->words, sizeof *scratch);
    uint64_t *now = cc_alloc(body->unit, live->words, sizeof *now);
    for (bool changed = true; changed;) {
        changed = false;
        for (int b = body->block_count - 1; b >= 0; b--) {
            memset(now, 0, live->words * sizeof *now);
            for (int k = 0; k < body->blocks[b].successor_count; k++)
                add_entry(live, now, scratch, b, body->blocks[b].successors[k]);
            if (memcmp(now, set_at(live, b), live->words * sizeof *now) != 0) {
                memcpy(set_at(live, b), now, live->words * sizeof *now);
                changed = true;
            }
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

/* Returns the slots that are live after item x of its block. */
static bool *live_after(cc_body *body, int block, int x) {
    const liveness *live = find_live(body);
    uint64_t *set = cc_alloc(body->unit, live->words, sizeof *set);
    memcpy(set, set_at(live, block), live->words * sizeof *set);
    for (int y = body->blocks[block].last; y > x; y--)
        step_back(live, set, y);
    bool *slots = cc_alloc(body->unit, body->slot_count + 1, sizeof *slots);
    for (int y = 0; y < body->item_count; y++)
        if (has_slot(body, y) && set[y / 64] >> (y % 64) & 1)
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
