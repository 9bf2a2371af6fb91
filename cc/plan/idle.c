/* Finds loops that record nothing. */
#include "cc/plan/plan.h"

static bool records(const cc_body *body, int b) {
    for (int s = body->blocks[b].first_segment; s <= body->blocks[b].last_segment; s++)
        if (body->segments[s].size > 0 || body->segments[s].call >= 0)
            return true;
    return false;
}

bool cc_is_idle(cc_body *body, int b) {
    int *stack = cc_alloc(body->unit, (size_t)body->block_count + 1, sizeof *stack);
    bool *seen = cc_alloc(body->unit, (size_t)body->block_count, sizeof *seen);
    int depth = 0;
    stack[depth++] = b;
    while (depth > 0) {
        int at = stack[--depth];
        const cc_block *block = &body->blocks[at];
        for (int k = 0; !records(body, at) && k < block->successor_count; k++) {
            int to = block->successors[k];
            if (to == b)
                return true;
            if (!seen[to])
                stack[depth++] = to;
            seen[to] = true;
        }
    }
    return false;
}
