/* Rolling sums in the reverse function: see plan/rolling.h. A loop with them has no safepoint, so their variables are
 * not in the frame. */
#include "cc/plan/rolling.h"

#include "cc/ir/cells.h"
#include "cc/ir/leaves.h"
#include "cc/ir/surgery.h"
#include "cc/reverse/inside.h"

static size_t width(const cc_roll *roll) {
    return (size_t)(roll->highest - roll->lowest) + 1;
}

static verso__native_kind kind_of(const cc_sweep *sweep, const cc_roll *roll) {
    return roll->type == sweep->unit->f32 ? VERSO_NATIVE_FLOAT : VERSO_NATIVE_DOUBLE;
}

void cc_sweep_make_rolls(cc_sweep *sweep) {
    LLVMBuilderRef build = sweep->unit->builder;
    for (int i = 0; i < sweep->body->roll_count; i++) {
        cc_roll *roll = &sweep->body->rolls[i];
        roll->sums = cc_alloc(sweep->unit, width(roll), sizeof *roll->sums);
        for (size_t k = 0; k < width(roll); k++)
            roll->sums[k] = LLVMBuildAlloca(build, roll->type, "sum");
        roll->cell = LLVMBuildAlloca(build, sweep->unit->pointer, "sum.cell");
    }
}

void cc_sweep_begin_rolls(cc_sweep *sweep, int loop) {
    for (int i = 0; i < sweep->body->roll_count; i++) {
        const cc_roll *roll = &sweep->body->rolls[i];
        for (size_t k = 0; roll->loop == loop && k < width(roll); k++)
            LLVMBuildStore(sweep->unit->builder, LLVMConstNull(roll->type), roll->sums[k]);
    }
}

static LLVMValueRef load_sum(cc_sweep *sweep, const cc_roll *roll, size_t k) {
    return LLVMBuildLoad2(sweep->unit->builder, roll->type, roll->sums[k], "");
}

static void add_to_cell(cc_sweep *sweep, const cc_roll *roll, LLVMValueRef cell, LLVMValueRef amount) {
    LLVMValueRef load = sweep->body->items[roll->last].value;
    LLVMValueRef before = cc_sweep_load_cell(sweep, load, cell, kind_of(sweep, roll));
    cc_sweep_store_cell(sweep, load, cc_sweep_sum(sweep, before, amount), cell, kind_of(sweep, roll));
}

/* No further iteration adds to the highest place of this one. The next one is a step lower. */
static void hand_on(cc_sweep *sweep, const cc_roll *roll) {
    cc_unit *unit = sweep->unit;
    LLVMValueRef load = sweep->body->items[roll->last].value;
    LLVMValueRef at = cc_sweep_value(sweep, LLVMGetOperand(load, 0));
    at = cc_offset(unit, at, (roll->highest - roll->last_at) * roll->step);
    LLVMValueRef cell = cc_sweep_cell(sweep, at, LLVMGetAlignment(load), kind_of(sweep, roll));
    size_t top = width(roll) - 1;
    add_to_cell(sweep, roll, cell, load_sum(sweep, roll, top));
    LLVMBuildStore(unit->builder, cell, roll->cell);
    for (size_t k = top; k > 0; k--)
        LLVMBuildStore(unit->builder, load_sum(sweep, roll, k - 1), roll->sums[k]);
    LLVMBuildStore(unit->builder, LLVMConstNull(roll->type), roll->sums[0]);
}

void cc_sweep_roll(cc_sweep *sweep, int x) {
    cc_unit *unit = sweep->unit;
    const cc_item *item = &sweep->body->items[x];
    const cc_roll *roll = &sweep->body->rolls[item->roll];
    size_t k = (size_t)(item->steps - roll->lowest);
    LLVMValueRef adjoint = cc_sweep_take(sweep, x, 0);
    if (adjoint) {
        adjoint = cc_number_as(unit, adjoint, roll->type);
        LLVMBuildStore(unit->builder, cc_sweep_sum(sweep, load_sum(sweep, roll, k), adjoint), roll->sums[k]);
    }
    if (x == roll->last)
        hand_on(sweep, roll);
}

void cc_sweep_end_rolls(cc_sweep *sweep, int segment) {
    const cc_body *body = sweep->body;
    for (int i = 0; i < body->roll_count; i++) {
        const cc_roll *roll = &body->rolls[i];
        if (body->blocks[body->loops[roll->loop].before].last_segment != segment)
            continue;
        LLVMValueRef cell = LLVMBuildLoad2(sweep->unit->builder, sweep->unit->pointer, roll->cell, "");
        for (size_t k = width(roll) - 1; k > 0; k--) {
            int64_t steps = (int64_t)k - (int64_t)width(roll);
            add_to_cell(sweep, roll, cc_offset(sweep->unit, cell, steps * roll->step), load_sum(sweep, roll, k));
        }
    }
}
