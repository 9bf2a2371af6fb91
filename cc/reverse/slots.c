/* Slots of the reverse function: variables that outlive a segment. They are local variables, of which the live ones
 * are copied to the frame and back around calls and stops; in functions with very many slots, they are in the frame
 * permanently.
 *
 * A local variable with an adjoint is set to zero at the last use of its value in the program, because the reverse
 * function first adds to the adjoint there. So LLVM sees that the variable has no value before that point of the
 * reverse function. In the frame, all adjoints are zero from the beginning, and are set to zero again when they are
 * taken. */
#include "cc/ir/memory_scopes.h"
#include "cc/plan/plan.h"
#include "cc/reverse/inside.h"

void cc_sweep_store_slot(cc_sweep *sweep, int slot, LLVMValueRef value) {
    LLVMValueRef store = LLVMBuildStore(sweep->unit->builder, value, sweep->body->slots[slot].address);
    LLVMSetAlignment(store, cc_sweep_slot_alignment(sweep, slot));
}

/* ---- The frame ---- */

void cc_sweep_lay_out_frame(cc_sweep *sweep) {
    cc_body *body = sweep->body;
    sweep->frame_offset = cc_alloc(sweep->unit, body->slot_count + 1, sizeof *sweep->frame_offset);
    unsigned offset = 0;
    for (size_t i = 0; i < body->slot_count; i++) {
        uint64_t size = LLVMABISizeOfType(sweep->unit->layout, body->slots[i].type);
        if (size > 8)
            offset = (offset + 15) / 16 * 16;
        sweep->frame_offset[i] = offset;
        offset += (unsigned)(size + 7) / 8 * 8;
    }
    sweep->frame_size = (offset + 15) / 16 * 16;
}

LLVMValueRef cc_sweep_frame_end(cc_sweep *sweep) {
    return cc_sweep_load_state(sweep, sweep->unit->pointer, offsetof(verso__native_state, frame));
}

static LLVMValueRef frame_slot(cc_sweep *sweep, LLVMValueRef end, size_t slot) {
    return cc_offset(sweep->unit, end, (int64_t)sweep->frame_offset[slot] - (int64_t)sweep->frame_size);
}

void cc_sweep_save_slots(cc_sweep *sweep, const bool *live) {
    if (sweep->in_memory)
        return;
    LLVMValueRef end = cc_sweep_frame_end(sweep);
    for (size_t i = 0; i < sweep->body->slot_count; i++) {
        if (!live[i])
            continue;
        const cc_slot *slot = &sweep->body->slots[i];
        LLVMValueRef value = LLVMBuildLoad2(sweep->unit->builder, slot->type, slot->address, "");
        LLVMValueRef store = LLVMBuildStore(sweep->unit->builder, value, frame_slot(sweep, end, i));
        LLVMSetAlignment(store, 8);
        cc_in_scope(sweep->unit, store, CC_SCOPE_STATE);
    }
}

void cc_sweep_restore_slots(cc_sweep *sweep, const bool *live) {
    if (sweep->in_memory)
        return;
    LLVMValueRef end = cc_sweep_frame_end(sweep);
    for (size_t i = 0; i < sweep->body->slot_count; i++) {
        const cc_slot *slot = &sweep->body->slots[i];
        if (!live[i])
            continue;
        LLVMValueRef load = LLVMBuildLoad2(sweep->unit->builder, slot->type, frame_slot(sweep, end, i), "");
        LLVMSetAlignment(load, 8);
        LLVMBuildStore(sweep->unit->builder, cc_in_scope(sweep->unit, load, CC_SCOPE_STATE), slot->address);
    }
}

/* ---- Where adjoints begin ---- */

static void begin(cc_sweep *sweep, const int *slots, size_t count) {
    for (size_t i = 0; i < count && !sweep->in_memory; i++)
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

void cc_sweep_place_slots(cc_sweep *sweep, LLVMValueRef entry) {
    cc_body *body = sweep->body;
    LLVMBuilderRef build = sweep->unit->builder;
    if (!sweep->in_memory) {
        for (size_t i = 0; i < body->slot_count; i++)
            body->slots[i].address = LLVMBuildAlloca(build, body->slots[i].type, "slot");
        return;
    }
    LLVMValueRef fresh = LLVMBuildICmp(build, LLVMIntEQ, entry, cc_i64(sweep->unit, 0), "");
    LLVMValueRef end = cc_sweep_frame_end(sweep);
    end = LLVMBuildSelect(build, fresh, cc_offset(sweep->unit, end, sweep->frame_size), end, "");
    for (size_t i = 0; i < body->slot_count; i++)
        body->slots[i].address = frame_slot(sweep, end, i);
}
