/* Ranges of a planned function: which items and loops they concern, and what iterations of their nests cost. Whether an
 * operand will be recorded is guessed here. */
#include "cc/plan/extent.h"
#include "cc/plan/ranges.h"
#include "cc/plan/records.h"

#include "cc/ir/surgery.h"

enum { WORD = 8 };

bool cc_is_factor(const cc_body *body, LLVMValueRef value, int depth) {
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        switch (LLVMGetInstructionOpcode(user)) {
        case LLVMFMul:
            if (!LLVMIsConstant(LLVMGetOperand(user, 0)) && !LLVMIsConstant(LLVMGetOperand(user, 1)))
                return true;
            break;
        case LLVMFDiv:
            if (!LLVMIsConstant(LLVMGetOperand(user, 1)))
                return true;
            continue;
        case LLVMCall: return true;
        case LLVMFAdd:
        case LLVMFSub:
        case LLVMFNeg:
        case LLVMFPExt:
        case LLVMFPTrunc: break;
        default: continue;
        }
        if (depth > 0 && cc_is_factor(body, user, depth - 1))
            return true;
    }
    return false;
}

static int loop_of(const cc_body *body, LLVMBasicBlockRef header) {
    for (int l = 0; l < body->loop_count; l++)
        if (body->blocks[body->loops[l].header].block == header)
            return l;
    return -1;
}

void cc_connect_ranges(cc_body *body, cc_ranges *ranges) {
    body->ranges = ranges;
    for (size_t i = 0; i < ranges->count; i++) {
        cc_range *range = &ranges->all[i];
        range->loop = loop_of(body, range->header);
        for (size_t k = 0; k < range->load_count; k++)
            body->items[cc_item_find(body, range->loads[k])].range = (int)i;
    }
}

bool cc_is_in_nest(const cc_body *body, int l) {
    for (size_t i = 0; i < body->ranges->nest_count; i++)
        if (body->loops[loop_of(body, body->ranges->nests[i].header)].contains[body->loops[l].header])
            return true;
    return false;
}

/* Builds an upper bound of the bytes that a block writes in an iteration of the nest, limited to a strip. */
static LLVMValueRef build_block_cost(cc_body *body, const cc_nest *nest, int nest_loop, int b) {
    cc_unit *unit = body->unit;
    int64_t bytes = 0;
    for (int s = body->blocks[b].first_segment; s <= body->blocks[b].last_segment; s++)
        bytes += body->segments[s].size + (cc_padded_loop(body, &body->segments[s]) ? WORD : 0);
    LLVMValueRef cost = cc_i64(unit, bytes), most = cc_i64(unit, INT64_C(1) << 30);
    for (int l = body->blocks[b].loop; bytes > 0 && l != nest_loop; l = body->loops[l].parent)
        for (size_t i = 0; i < nest->turn_count; i++)
            if (nest->headers[i] == body->blocks[body->loops[l].header].block) {
                LLVMValueRef times = cc_sum_within(unit, nest->turns[i], cc_i64(unit, 1));
                cost = cc_smaller(unit, cc_product_within(unit, cost, times), most);
            }
    return cost;
}

void cc_set_range_costs(cc_body *body) {
    for (size_t i = 0; i < body->ranges->nest_count; i++) {
        const cc_nest *nest = &body->ranges->nests[i];
        int l = loop_of(body, nest->header);
        cc_build_before(body->unit, nest->cost);
        LLVMValueRef all = cc_i64(body->unit, WORD);
        for (int b = 0; b < body->block_count; b++)
            if (body->loops[l].contains[b])
                all = LLVMBuildAdd(body->unit->builder, all, build_block_cost(body, nest, l, b), "");
        LLVMSetOperand(nest->cost, 0, all);
    }
}
