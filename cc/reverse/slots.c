/* Slots of the reverse function: variables that outlive a segment. They are local variables, of which the live ones
 * are copied to the frame and back around calls and stops. Adjoints that would be copied more often than they are used
 * are in the frame permanently, except those of loops without calls, which should be in registers. So is everything in
 * functions with very many slots, and in quick functions without such loops: copies would be most of their code. The
 * adjoints of integers and pointers of quick functions always are (words.h).
 *
 * A local variable with an adjoint is set to zero at the last use of its value in the program, because the reverse
 * function first adds to the adjoint there. So LLVM sees that the variable has no value before that point of the
 * reverse function. In the frame, all adjoints are zero from the beginning, and are set to zero again when they are
 * taken. */
#include "cc/ir/memory_scopes.h"
#include "cc/plan/plan.h"
#include "cc/reverse/inside.h"
#include "cc/reverse/single.h"
#include "cc/reverse/words.h"
#include "cc/types/bits.h"

/* The number of slots times resume points above which copying slots would make the function too large. */
enum { MOVES_MOST = 60000 };

/* Frames are aligned to 8 bytes, so vectors in them are, too. */
static LLVMValueRef mark_access(cc_sweep *sweep, int slot, LLVMValueRef access) {
    unsigned natural = LLVMABIAlignmentOfType(sweep->unit->layout, sweep->body->slots[slot].type);
    LLVMSetAlignment(access, sweep->stays[slot] && natural > 8 ? 8 : natural);
    return sweep->stays[slot] ? cc_in_scope(sweep->unit, access, CC_SCOPE_STATE) : access;
}

void cc_sweep_store_slot(cc_sweep *sweep, int slot, LLVMValueRef value) {
    mark_access(sweep, slot, LLVMBuildStore(sweep->unit->builder, value, cc_sweep_slot_address(sweep, slot)));
}

LLVMValueRef cc_sweep_load_slot(cc_sweep *sweep, int slot) {
    const cc_slot *from = &sweep->body->slots[slot];
    return mark_access(sweep, slot,
                       LLVMBuildLoad2(sweep->unit->builder, from->type, cc_sweep_slot_address(sweep, slot), ""));
}

/* ---- Which slots are in the frame permanently ---- */

typedef struct census {
    const cc_body *body;
    const bool *plain; /* for each loop, whether it contains no call that is followed */
    size_t *copies;    /* for each slot, the number of resume points at which it is live */
    size_t *uses;      /* for each slot, about the number of places that add to it or take it */
    bool *looped;      /* for each slot, whether some of these are in a plain loop */
    size_t points;
} census;

static void count_point(census *c, const bool *live) {
    for (size_t i = 0; i < c->body->slot_count; i++)
        c->copies[i] += live[i];
    c->points++;
}

static void count_points(census *c, cc_body *body) {
    for (int s = 0; s < body->segment_count; s++)
        if (body->segments[s].call >= 0 && body->items[body->segments[s].call].call == CC_CALL_FOLLOWED)
            count_point(c, cc_live_after_call(body, s));
    for (int b = 0; b < body->block_count; b++)
        if (body->blocks[b].safepoint)
            count_point(c, cc_live_at_block(body, b));
}

static void count_use(census *c, int x, int block) {
    if (x < 0 || c->body->items[x].slot < 0)
        return;
    int loop = block < 0 ? -1 : c->body->blocks[block].loop;
    for (unsigned i = 0; i < c->body->items[x].leaves; i++) {
        c->uses[(unsigned)c->body->items[x].slot + i]++;
        c->looped[(unsigned)c->body->items[x].slot + i] |= loop >= 0 && c->plain[loop];
    }
}

/* The operands of a phi are used where control enters its block. */
static void count_uses(census *c) {
    const cc_body *body = c->body;
    for (int y = 0; y < body->item_count; y++) {
        const cc_item *item = &body->items[y];
        count_use(c, y, item->block);
        for (unsigned k = 0; item->block >= 0 && k < cc_operand_count(item->value); k++)
            count_use(c, cc_item_find(body, LLVMGetOperand(item->value, k)),
                      item->opcode == LLVMPHI ? (int)cc_map_get(&body->block_of, LLVMGetIncomingBlock(item->value, k))
                                              : item->block);
        for (unsigned i = 0; item->bits && i < item->leaves; i++)
            if (item->bits[i].root)
                count_use(c, cc_item_find(body, item->bits[i].root), item->block);
        for (size_t i = 0; i < item->root_count; i++)
            count_use(c, cc_item_find(body, item->roots[i]), item->block);
    }
}

/* Marks the slots of integers and pointers. */
static void keep_words(cc_sweep *sweep) {
    const cc_body *body = sweep->body;
    for (int x = 0; x < body->item_count; x++)
        for (unsigned i = 0; cc_words_together(body, x) && i < body->items[x].leaves; i++)
            sweep->stays[(unsigned)body->items[x].slot + i] = true;
}

static bool any(const bool *set, int count) {
    for (int i = 0; i < count; i++)
        if (set[i])
            return true;
    return false;
}

static void choose_slots(cc_sweep *sweep) {
    cc_body *body = sweep->body;
    size_t count = body->slot_count + 1;
    census c = {.body = body, .plain = cc_find_plain_loops(body)};
    c.copies = cc_alloc(sweep->unit, count, sizeof *c.copies);
    c.uses = cc_alloc(sweep->unit, count, sizeof *c.uses);
    c.looped = cc_alloc(sweep->unit, count, sizeof *c.looped);
    count_points(&c, body);
    count_uses(&c);
    sweep->stays = cc_alloc(sweep->unit, count, sizeof *sweep->stays);
    bool all = c.points * body->slot_count > MOVES_MOST || (body->quick && !any(c.plain, body->loop_count));
    for (size_t i = 0; i < body->slot_count; i++)
        sweep->stays[i] = all || (body->slots[i].adjoint && !c.looped[i] && c.copies[i] * 2 > c.uses[i]);
    keep_words(sweep);
    sweep->framed = c.points > 0 || any(sweep->stays, (int)body->slot_count);
}

/* ---- The frame ---- */

/* Gives a place in the frame to each adjoint that stays, to each other slot that does, or to each that does not.
 * Returns the end of the frame. */
static unsigned place(cc_sweep *sweep, bool stays, bool adjoint, unsigned offset) {
    cc_body *body = sweep->body;
    for (size_t i = 0; i < body->slot_count; i++) {
        if (sweep->stays[i] != stays || (stays && body->slots[i].adjoint != adjoint))
            continue;
        uint64_t size = LLVMABISizeOfType(sweep->unit->layout, body->slots[i].type);
        if (size > 8)
            offset = (offset + 15) / 16 * 16;
        sweep->frame_offset[i] = offset;
        offset += (unsigned)(size + 7) / 8 * 8;
    }
    return offset;
}

void cc_sweep_lay_out_frame(cc_sweep *sweep) {
    choose_slots(sweep);
    sweep->frame_offset = cc_alloc(sweep->unit, sweep->body->slot_count + 1, sizeof *sweep->frame_offset);
    sweep->frame_zero = place(sweep, true, true, 0);
    sweep->frame_stays = place(sweep, true, false, sweep->frame_zero);
    sweep->frame_size = (place(sweep, false, false, sweep->frame_stays) + 15) / 16 * 16;
}

LLVMValueRef cc_sweep_frame_end(cc_sweep *sweep) {
    return cc_sweep_load_state(sweep, sweep->unit->pointer, offsetof(verso__native_state, frame));
}

static LLVMValueRef frame_slot(cc_sweep *sweep, LLVMValueRef end, size_t slot) {
    return cc_offset(sweep->unit, end, (int64_t)sweep->frame_offset[slot] - (int64_t)sweep->frame_size);
}

void cc_sweep_open_frame(cc_sweep *sweep) {
    if (!sweep->framed)
        return;
    LLVMValueRef end = cc_sweep_frame_end(sweep);
    if (sweep->frame_zero > 0)
        LLVMBuildMemSet(sweep->unit->builder, end, LLVMConstInt(sweep->unit->i8, 0, false),
                        cc_i64(sweep->unit, sweep->frame_zero), 8);
    cc_sweep_store_state(sweep, cc_offset(sweep->unit, end, sweep->frame_size), offsetof(verso__native_state, frame));
}

void cc_sweep_save_slots(cc_sweep *sweep, const bool *live) {
    LLVMValueRef end = NULL;
    for (size_t i = 0; i < sweep->body->slot_count; i++) {
        if (!live[i] || sweep->stays[i])
            continue;
        end = end == NULL ? cc_sweep_frame_end(sweep) : end;
        LLVMValueRef value = cc_sweep_load_slot(sweep, (int)i);
        LLVMValueRef store = LLVMBuildStore(sweep->unit->builder, value, frame_slot(sweep, end, i));
        LLVMSetAlignment(store, 8);
        cc_in_scope(sweep->unit, store, CC_SCOPE_STATE);
    }
}

void cc_sweep_restore_slots(cc_sweep *sweep, const bool *live) {
    LLVMValueRef end = NULL;
    for (size_t i = 0; i < sweep->body->slot_count; i++) {
        if (!live[i] || sweep->stays[i])
            continue;
        end = end == NULL ? cc_sweep_frame_end(sweep) : end;
        const cc_slot *slot = &sweep->body->slots[i];
        LLVMValueRef load = LLVMBuildLoad2(sweep->unit->builder, slot->type, frame_slot(sweep, end, i), "");
        LLVMSetAlignment(load, 8);
        cc_sweep_store_slot(sweep, (int)i, cc_in_scope(sweep->unit, load, CC_SCOPE_STATE));
    }
}

/* ---- Where adjoints begin ---- */

static void begin(cc_sweep *sweep, const int *slots, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (!sweep->stays[slots[i]])
            cc_sweep_store_slot(sweep, slots[i], LLVMConstNull(sweep->body->slots[slots[i]].type));
}

void cc_sweep_begin_in_segment(cc_sweep *sweep, int segment) {
    size_t count;
    const int *slots = cc_born_in_segment(sweep->body, segment, &count);
    begin(sweep, slots, count);
}

void cc_sweep_begin_on_edge(cc_sweep *sweep, int from, int to) {
    size_t count;
    const int *slots = cc_born_on_edge(sweep->body, from, to, &count);
    begin(sweep, slots, count);
}

void cc_sweep_begin_on_shortcut(cc_sweep *sweep, int from, int to) {
    size_t count;
    const int *slots = cc_born_on_shortcut(sweep->body, from, to, &count);
    begin(sweep, slots, count);
}

/* Returns the end of the frame; when it is entered from the function's return, there is none yet. */
static LLVMValueRef find_frame(cc_sweep *sweep, LLVMValueRef entry) {
    LLVMBuilderRef build = sweep->unit->builder;
    LLVMValueRef fresh = LLVMBuildICmp(build, LLVMIntEQ, entry, cc_i64(sweep->unit, 0), "");
    LLVMValueRef end = cc_sweep_frame_end(sweep);
    return LLVMBuildSelect(build, fresh, cc_offset(sweep->unit, end, sweep->frame_size), end, "");
}

void cc_sweep_place_slots(cc_sweep *sweep, LLVMValueRef entry) {
    cc_body *body = sweep->body;
    sweep->frame = sweep->frame_stays > 0 ? find_frame(sweep, entry) : NULL;
    for (size_t i = 0; i < body->slot_count; i++)
        if (!sweep->stays[i])
            body->slots[i].address = LLVMBuildAlloca(sweep->unit->builder, body->slots[i].type, "slot");
        else if (!body->quick)
            body->slots[i].address = frame_slot(sweep, sweep->frame, i);
}

/* In quick functions, an address is computed where it is used: the code generator would keep it in a register. */
LLVMValueRef cc_sweep_slot_address(cc_sweep *sweep, int slot) {
    LLVMValueRef address = sweep->body->slots[slot].address;
    return address == NULL ? frame_slot(sweep, sweep->frame, (size_t)slot) : address;
}
