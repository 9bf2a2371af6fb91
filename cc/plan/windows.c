/* Loads that read together, again, or soon again: see windows.h. */
#include "cc/plan/windows.h"

#include "cc/plan/counts.h"
#include "cc/plan/plan.h"
#include "cc/plan/stencil.h"

/* MOVES_MOST: elements by which a window of unknown length may move and still be taken for one. CLOSE: iterations after
 * which a store has reached the cache. */
enum { MOVES_MOST = 4, CLOSE = 15, ROW_MOST = 256 };

bool cc_move_together(const cc_body *body, int nest, LLVMValueRef *loads, size_t count) {
    cc_place first = cc_place_of(body, nest, loads[0]);
    for (size_t i = 1; i < count; i++) {
        cc_place other = cc_place_of(body, nest, loads[i]);
        if (!cc_differ_by_constant(&first, &other))
            return false;
    }
    return true;
}

/* ---- Windows ---- */

/* Returns how often a loop runs each time that it is entered, if that is a constant; 0 if not. */
static int64_t constant_runs(const cc_body *body, int l) {
    cc_loop_test test;
    if (!body->loops[l].counted || !cc_find_loop_test(body, l, &test) || !LLVMIsAConstantInt(test.bound))
        return 0;
    LLVMValueRef start = cc_induction_start(body, test.item);
    if (!LLVMIsAConstantInt(start))
        return 0;
    int64_t step = LLVMConstIntGetSExtValue(test.item->step);
    int64_t way = LLVMConstIntGetSExtValue(test.bound) - LLVMConstIntGetSExtValue(start);
    return way / step > 0 ? way / step : 0;
}

/* Returns whether `inner` moves the address over bytes of which the next iteration of `outer` reads most again. */
static bool is_window(const cc_body *body, int inner, int outer, const cc_place *address) {
    int64_t step = cc_step_of(body, inner, address), shift = cc_step_of(body, outer, address);
    int64_t runs = constant_runs(body, inner);
    if (step == 0 || shift == 0 || shift % step != 0)
        return false;
    int64_t moves = shift / step > 0 ? shift / step : -(shift / step);
    return runs > 0 ? runs / 2 >= moves : moves <= MOVES_MOST;
}

bool cc_reads_window(const cc_body *body, int nest, LLVMValueRef load) {
    cc_place address = cc_place_of(body, nest, load);
    int at = body->blocks[body->items[cc_item_find(body, load)].block].loop;
    for (int l = at; address.known && l >= 0 && l != nest; l = body->loops[l].parent)
        for (int m = body->loops[l].parent; m >= 0; m = m == nest ? -1 : body->loops[m].parent)
            if (is_window(body, l, m, &address))
                return true;
    return false;
}

/* ---- Close neighbours ---- */

static bool are_close(const cc_body *body, int l, const cc_place *a, const cc_place *b) {
    int64_t step = cc_step_of(body, l, a), away = a->constant - b->constant;
    return step != 0 && away != 0 && cc_differ_by_constant(a, b) && away % step == 0 && away / step <= CLOSE &&
           away / step >= -CLOSE;
}

/* In a longer row of neighbours, most of what is loaded was stored as whole vectors. */
static bool has_close_in(const cc_body *body, int l) {
    cc_place *places = cc_alloc(body->unit, ROW_MOST, sizeof *places);
    size_t count = 0;
    for (int x = 0; x < body->item_count && count < ROW_MOST; x++) {
        const cc_item *item = &body->items[x];
        if (item->opcode == LLVMLoad && item->varied && item->useful && body->blocks[item->block].loop == l)
            places[count++] = cc_place_of(body, l, item->value);
    }
    for (size_t i = 0; i < count; i++) {
        int close = 0;
        for (size_t k = 0; k < count; k++)
            close += are_close(body, l, &places[i], &places[k]);
        if (close > 0 && close < CLOSE)
            return true;
    }
    return false;
}

bool cc_has_close_neighbours(const cc_body *body) {
    for (int l = 0; l < body->loop_count; l++) {
        bool innermost = true;
        for (int m = 0; m < body->loop_count; m++)
            innermost &= body->loops[m].parent != l;
        if (innermost && has_close_in(body, l))
            return true;
    }
    return false;
}
