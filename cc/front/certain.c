/* Finds the blocks of a function that run whenever it runs and returns: those on every path from its entry to a
 * return.
 *
 * First a breadth-first search chooses one such path. Then a pass along this path computes how far each block leads
 * without using the path itself. A block of the path is on every path if no such detour bypasses it. Each block is
 * visited once. */
#include "cc/front/front.h"
#include "cc/ir/program.h"

#include <string.h>

typedef struct ways {
    cc_unit *unit;
    cc_map number; /* block -> index in `blocks` */
    LLVMBasicBlockRef *blocks;
    size_t count;
    size_t *before; /* predecessor of each block in the breadth-first search */
    size_t *place;  /* position of each block on the chosen path, from 1; 0: not on it */
    bool *seen;
    size_t *queue;
} ways;

/* The successor for exceptions does not count. */
static unsigned successor_count(LLVMBasicBlockRef block) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    return LLVMIsAInvokeInst(last) != NULL ? 1 : LLVMGetNumSuccessors(last);
}

static size_t successor(const ways *ways, size_t block, unsigned index) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(ways->blocks[block]);
    return (size_t)cc_map_get(&ways->number, LLVMGetSuccessor(last, index));
}

static bool returns(const ways *ways, size_t block) {
    return LLVMIsAReturnInst(LLVMGetBasicBlockTerminator(ways->blocks[block])) != NULL;
}

static ways number_blocks(cc_unit *unit, LLVMValueRef function) {
    ways made = {.unit = unit, .count = LLVMCountBasicBlocks(function)};
    made.blocks = cc_alloc(unit, made.count, sizeof(LLVMBasicBlockRef));
    made.before = cc_alloc(unit, made.count, sizeof(size_t));
    made.place = cc_alloc(unit, made.count, sizeof(size_t));
    made.queue = cc_alloc(unit, made.count, sizeof(size_t));
    made.seen = cc_alloc(unit, made.count, sizeof(bool));
    LLVMGetBasicBlocks(function, made.blocks);
    for (size_t i = 0; i < made.count; i++)
        cc_map_put(unit, &made.number, made.blocks[i], i);
    return made;
}

/* Finds a path from the entry to a return, and leaves it in `before`. Returns the index of the block that returns;
 * `count` if there is none. */
static size_t find_way(ways *ways) {
    size_t head = 0, tail = 0;
    ways->queue[tail++] = 0;
    ways->seen[0] = true;
    while (head < tail) {
        size_t at = ways->queue[head++];
        if (returns(ways, at))
            return at;
        for (unsigned k = 0; k < successor_count(ways->blocks[at]); k++) {
            size_t to = successor(ways, at, k);
            if (ways->seen[to])
                continue;
            ways->seen[to] = true;
            ways->before[to] = at;
            ways->queue[tail++] = to;
        }
    }
    return ways->count;
}

/* Returns the furthest position on the path that block `from` leads to without using the path; length + 1 if it
 * leads to a return. */
static size_t furthest_from(ways *ways, size_t from, size_t length) {
    size_t furthest = 0, depth = 0;
    ways->queue[depth++] = from;
    while (depth > 0) {
        size_t at = ways->queue[--depth];
        if (returns(ways, at))
            return length + 1;
        for (unsigned k = 0; k < successor_count(ways->blocks[at]); k++) {
            size_t to = successor(ways, at, k);
            if (ways->place[to] > furthest)
                furthest = ways->place[to];
            if (ways->place[to] == 0 && !ways->seen[to]) {
                ways->seen[to] = true;
                ways->queue[depth++] = to;
            }
        }
    }
    return furthest;
}

cc_map cc_certain_blocks(cc_unit *unit, LLVMValueRef function) {
    cc_map certain = {0};
    if (LLVMIsDeclaration(function))
        return certain;
    cc_map_put(unit, &certain, LLVMGetEntryBasicBlock(function), 1);
    ways ways = number_blocks(unit, function);
    size_t end = find_way(&ways);
    if (end == ways.count)
        return certain; /* the function never returns */
    size_t length = 1;
    for (size_t at = end; at != 0; at = ways.before[at])
        length++;
    size_t *way = cc_alloc(unit, length, sizeof *way);
    for (size_t at = end, place = length; place > 0; at = ways.before[at], place--) {
        way[place - 1] = at;
        ways.place[at] = place;
    }
    memset(ways.seen, 0, ways.count * sizeof *ways.seen);
    for (size_t place = 1, reached = 1; place <= length && reached <= length; place++) {
        if (reached <= place)
            cc_map_put(unit, &certain, ways.blocks[way[place - 1]], 1);
        size_t further = furthest_from(&ways, way[place - 1], length);
        reached = further > reached ? further : reached;
    }
    return certain;
}
