/* Ranges of a planned function: which items and loops they concern, and what iterations of their nests cost. */
#include "cc/plan/extent.h"
#include "cc/plan/lasting.h"
#include "cc/plan/plan.h"
#include "cc/plan/ranges.h"
#include "cc/plan/records.h"
#include "cc/plan/sources.h"

#include "cc/ir/surgery.h"

#include <string.h>

enum { WORD = 8, DEPTH_MOST = 10 };

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
        for (size_t k = 0; k < range->store_count; k++)
            body->items[cc_item_find(body, range->stores[k])].range = (int)i;
    }
}

bool cc_rewrites_in(const cc_body *body, int range, int l) {
    const cc_range *all = &body->ranges->all[range];
    for (size_t k = 0; k < all->store_count; k++)
        if (body->loops[l].contains[body->items[cc_item_find(body, all->stores[k])].block])
            return true;
    return false;
}

bool cc_has_copy(const cc_body *body, const cc_segment *segment, const cc_range *range) {
    return range->used && segment - body->segments == body->blocks[segment->block].first_segment &&
           cc_leaves_loop(body, &body->loops[range->loop], segment->block);
}

/* Returns whether a value that is free in a block takes a few instructions and no product. */
static bool is_cheap(const cc_body *body, LLVMValueRef value, int depth) {
    int x = cc_item_find(body, value);
    if (x < 0 || !cc_is_integer_operation(&body->items[x]))
        return true;
    bool product = LLVMIsACallInst(value) && strncmp(cc_callee_name(value), "llvm.smul.", strlen("llvm.smul.")) == 0;
    if (depth == 0 || product || body->items[x].opcode == LLVMMul)
        return false;
    for (unsigned k = 0; k < cc_operand_count(value); k++)
        if (!is_cheap(body, LLVMGetOperand(value, k), depth - 1))
            return false;
    return true;
}

void cc_plan_ranges(cc_body *body) {
    for (size_t i = 0; i < body->ranges->count; i++) {
        cc_range *range = &body->ranges->all[i];
        range->again =
            range->used && is_cheap(body, range->begin, DEPTH_MOST) && is_cheap(body, range->bytes, DEPTH_MOST);
        if (range->used && range->store_count == 0) {
            LLVMValueRef root = cc_extent_root(body, range->loop, LLVMGetOperand(range->loads[0], 0));
            range->lasts = cc_is_lasting(body, range->loop, root, NULL);
            range->object = cc_is_outside(body, range->loop, root) ? cc_object_of(body, root) : NULL;
        }
        for (int s = 0; s < body->segment_count; s++)
            if (range->again && cc_has_copy(body, &body->segments[s], range))
                range->again = cc_is_free(body, range->begin, body->segments[s].block) &&
                               cc_is_free(body, range->bytes, body->segments[s].block);
        for (int s = 0; s < body->segment_count; s++)
            if (range->again && cc_has_copy(body, &body->segments[s], range)) {
                cc_need_free(body, &body->segments[s], range->begin);
                cc_need_free(body, &body->segments[s], range->bytes);
            }
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
