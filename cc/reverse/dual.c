/* Recording and advancing code in one function: see dual.h.
 *
 * First, everything that both copies have is built once, in R: safepoints, and block ends after followed calls.
 * Then the blocks of R are copied to P, and P gets its ways to R: blocks that lead from the points where the mode
 * is tested to the landing, which is the block of R that continues there. So to LLVM, P looks like any other code
 * with a few exits.
 *
 * A value of R that is used after a landing comes from P if control does. It is kept in a variable, which R sets
 * where it computes the value, and which each way to such a landing sets, too. LLVM's mem2reg turns variables whose
 * address is not taken back into values. A variable that many ways set would become a phi in nearly every block of
 * R; such variables stay in memory.
 *
 * The safepoint of an innermost loop is on its back edge. Its slow path leaves the loop and enters it again from
 * the front:
 *
 *     before -> front -> header -> ... -> latch -> test -> header       (the tape's limit is not reached)
 *                 ^                                 |
 *                 +------------- slow <-------------+
 *
 * So to LLVM the inner loop has no calls, and P's way into R's loop leads to R's front. */
#include "cc/reverse/dual.h"

#include "cc/ir/memory_scopes.h"
#include "cc/ir/surgery.h"
#include "cc/reverse/callsite.h"
#include "cc/reverse/copies.h"
#include "cc/reverse/single.h"
#include "cc/reverse/site.h"
#include "native/state.h"

#include <string.h>

/* A variable that more than this number of ways set stays in memory. */
enum { WAYS_MOST = 12 };

/* A point where the mode may have changed. */
typedef struct point {
    LLVMBasicBlockRef from;    /* the block of R that ends there */
    LLVMBasicBlockRef landing; /* the block of R that follows */
    LLVMBasicBlockRef way;     /* the block that leads from P to the landing */
} point;

typedef struct dual {
    cc_unit *unit;
    cc_body *body;
    LLVMValueRef function;
    LLVMValueRef tape, limit; /* variables with state.tape and state.tape_limit, between calls of other functions */
    bool safepoints_within;   /* there are safepoints besides the one at the entry */
    LLVMBasicBlockRef entry;  /* common to both copies: variables, and the test that selects the copy */
    point *points;
    size_t point_count, point_capacity;
    cc_map copies; /* block or instruction of R -> that of P */
} dual;

/* ---- Building ---- */

static LLVMValueRef load_state(dual *d, LLVMTypeRef type, size_t offset) {
    LLVMValueRef load = LLVMBuildLoad2(d->unit->builder, type, cc_state(d->unit, offset), "");
    return cc_in_scope(d->unit, load, CC_SCOPE_STATE);
}

/* In a function with one copy, `tape` and `limit` are state.tape and state.tape_limit themselves. */
static LLVMValueRef mark_variable(const dual *d, LLVMValueRef access) {
    return d->body->single ? cc_in_scope(d->unit, access, CC_SCOPE_STATE) : access;
}

static LLVMValueRef load_variable(const dual *d, LLVMValueRef variable) {
    return mark_variable(d, LLVMBuildLoad2(d->unit->builder, d->unit->pointer, variable, ""));
}

static void fetch_limit(dual *d) {
    if (d->body->single)
        return;
    LLVMBuildStore(d->unit->builder, load_state(d, d->unit->pointer, offsetof(verso__native_state, tape_limit)),
                   d->limit);
}

static LLVMBasicBlockRef new_block(dual *d, const char *name) {
    return LLVMAppendBasicBlockInContext(d->unit->context, d->function, name);
}

/* Builds a branch whose first successor is rarely taken. */
static void build_unlikely(dual *d, LLVMValueRef condition, LLVMBasicBlockRef seldom, LLVMBasicBlockRef mostly) {
    LLVMValueRef branch = LLVMBuildCondBr(d->unit->builder, condition, seldom, mostly);
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(d->unit->context, "branch_weights", 14),
                               LLVMValueAsMetadata(LLVMConstInt(d->unit->i32, 1, false)),
                               LLVMValueAsMetadata(LLVMConstInt(d->unit->i32, 1 << 20, false))};
    LLVMMetadataRef weights = LLVMMDNodeInContext2(d->unit->context, parts, 3);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(d->unit->context, "prof", 4),
                    LLVMMetadataAsValue(d->unit->context, weights));
}

/* Ends the current block with a point. Until build_way, both copies have a plain branch there. */
static void build_point(dual *d, LLVMBasicBlockRef landing) {
    point made = {.from = LLVMGetInsertBlock(d->unit->builder)};
    LLVMBuildBr(d->unit->builder, landing);
    cc_reserve(d->unit, &d->points, &d->point_capacity, d->point_count + 1, sizeof *d->points);
    d->points[d->point_count++] = made;
}

/* Lowers the limit by one. Used where control can come back without having recorded anything, so that the limit is
 * reached there, too. */
static void lower_limit(dual *d) {
    cc_unit *unit = d->unit;
    LLVMValueRef limit = load_variable(d, d->limit);
    LLVMValueRef arguments[] = {LLVMBuildPtrToInt(unit->builder, limit, unit->i64, ""), cc_i64(unit, 1)};
    LLVMValueRef lower = cc_call_intrinsic(unit, "llvm.usub.sat", unit->i64, arguments, 2);
    lower = LLVMBuildIntToPtr(unit->builder, lower, unit->pointer, "");
    if (!d->body->single)
        LLVMBuildStore(unit->builder, lower, d->limit);
    cc_in_scope(unit, LLVMBuildStore(unit->builder, lower, cc_state(unit, offsetof(verso__native_state, tape_limit))),
                CC_SCOPE_STATE);
}

/* Reloads the limit after a call that may have changed it, if later code uses it. */
static void fetch_limit_again(dual *d) {
    if (d->safepoints_within)
        fetch_limit(d);
}

/* Builds a safepoint at the end of the current block. The code continues in `fast`, or, after a call of the run
 * time, in `landing`. Returns the block that calls the run time. */
static LLVMBasicBlockRef build_safepoint(dual *d, LLVMValueRef count, int block, LLVMBasicBlockRef fast,
                                         LLVMBasicBlockRef landing) {
    cc_unit *unit = d->unit;
    LLVMBasicBlockRef slow = new_block(d, "slow");
    if (d->body->blocks[block].idle)
        lower_limit(d);
    LLVMValueRef tape = load_variable(d, d->tape), limit = load_variable(d, d->limit);
    build_unlikely(d, LLVMBuildICmp(unit->builder, LLVMIntUGE, tape, limit, ""), slow, fast);
    cc_build_at_end(unit, slow);
    LLVMValueRef arguments[] = {load_variable(d, d->tape), count, cc_site(d->body, block)};
    LLVMValueRef after = cc_call_runtime(unit, "verso__native_safepoint", unit->pointer, arguments, 3);
    mark_variable(d, LLVMBuildStore(unit->builder, after, d->tape));
    fetch_limit_again(d);
    build_point(d, landing);
    return slow;
}

/* ---- The entry ---- */

static bool is_variable(LLVMValueRef instruction) {
    return LLVMGetInstructionOpcode(instruction) == LLVMAlloca && LLVMIsAConstantInt(LLVMGetOperand(instruction, 0));
}

/* Moves all variables to the front of the entry block, because both copies use them. Returns the instruction after
 * them. */
static LLVMValueRef gather_variables(dual *d) {
    LLVMValueRef place = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(d->function));
    while (is_variable(place))
        place = LLVMGetNextInstruction(place);
    for (LLVMValueRef next, at = place; at; at = next) {
        next = LLVMGetNextInstruction(at);
        if (!is_variable(at))
            continue;
        LLVMInstructionRemoveFromParent(at);
        LLVMPositionBuilderBefore(d->unit->builder, place);
        LLVMInsertIntoBuilder(d->unit->builder, at);
    }
    return place;
}

static LLVMValueRef new_variable(dual *d, LLVMTypeRef type) {
    LLVMPositionBuilderBefore(d->unit->builder, LLVMGetFirstInstruction(d->entry));
    return LLVMBuildAlloca(d->unit->builder, type, "");
}

static void build_entry(dual *d) {
    LLVMValueRef first = gather_variables(d);
    LLVMBasicBlockRef code = LLVMGetInstructionParent(first), start;
    d->entry = cc_split_before(d->unit, first);
    start = LLVMInsertBasicBlockInContext(d->unit->context, code, "start");
    cc_build_at_end(d->unit, d->entry);
    LLVMBuildBr(d->unit->builder, start);
    size_t tape = offsetof(verso__native_state, tape), limit = offsetof(verso__native_state, tape_limit);
    d->limit = d->body->single ? cc_state(d->unit, limit) : new_variable(d, d->unit->pointer);
    cc_build_at_end(d->unit, start);
    if (!d->body->single)
        LLVMBuildStore(d->unit->builder, load_state(d, d->unit->pointer, tape), d->tape);
    fetch_limit(d);
    if (d->body->blocks[0].safepoint)
        build_safepoint(d, cc_i64(d->unit, 0), 0, code, code);
    else
        LLVMBuildBr(d->unit->builder, code);
}

/* ---- Loops ---- */

static void set_successor(LLVMBasicBlockRef block, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
        if (LLVMGetSuccessor(end, k) == from)
            LLVMSetSuccessor(end, k, to);
}

/* Splits a phi of the header: the values from outside the loop, and those from the slow path, go to a new phi in
 * the front, from which the header takes them. */
static void split_phi(dual *d, LLVMValueRef phi, LLVMBasicBlockRef latch, LLVMBasicBlockRef front,
                      LLVMBasicBlockRef test, LLVMBasicBlockRef slow) {
    LLVMTypeRef type = LLVMTypeOf(phi);
    LLVMValueRef again = cc_incoming(phi, latch);
    LLVMPositionBuilderBefore(d->unit->builder, LLVMGetFirstInstruction(front));
    LLVMValueRef outer = LLVMBuildPhi(d->unit->builder, type, "");
    LLVMPositionBuilderBefore(d->unit->builder, phi);
    LLVMValueRef inner = LLVMBuildPhi(d->unit->builder, type, "");
    for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, k);
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, k);
        if (from != latch)
            LLVMAddIncoming(outer, &value, &from, 1);
    }
    LLVMAddIncoming(outer, &again, &slow, 1);
    LLVMAddIncoming(inner, &outer, &front, 1);
    LLVMAddIncoming(inner, &again, &test, 1);
    LLVMReplaceAllUsesWith(phi, inner);
    LLVMInstructionEraseFromParent(phi);
}

static void build_loop(dual *d, const cc_loop *loop) {
    const cc_block *blocks = d->body->blocks;
    LLVMBasicBlockRef before = blocks[loop->before].block, header = blocks[loop->header].block;
    LLVMBasicBlockRef latch = blocks[loop->latch].block;
    LLVMBasicBlockRef front = LLVMInsertBasicBlockInContext(d->unit->context, header, "front");
    LLVMBasicBlockRef test = new_block(d, "test");
    set_successor(before, header, front);
    set_successor(latch, header, test);
    cc_build_at_end(d->unit, front);
    LLVMBuildBr(d->unit->builder, header);
    cc_build_at_end(d->unit, test);
    LLVMBasicBlockRef slow = build_safepoint(d, cc_incoming(loop->count, latch), loop->header, header, front);
    LLVMValueRef last = cc_first_after_phis(header);
    for (LLVMValueRef next, phi = LLVMGetFirstInstruction(header); phi != last; phi = next) {
        next = LLVMGetNextInstruction(phi);
        split_phi(d, phi, latch, front, test, slow);
    }
}

/* Builds the safepoint of any other block, after its phis. */
static void build_within(dual *d, int block) {
    const cc_loop *loop = cc_counting_loop(d->body, block);
    LLVMValueRef first = cc_first_after_phis(d->body->blocks[block].block);
    LLVMBasicBlockRef rest = LLVMGetInstructionParent(first);
    LLVMBasicBlockRef head = cc_split_before(d->unit, first);
    cc_build_at_end(d->unit, head);
    build_safepoint(d, loop ? loop->count : cc_i64(d->unit, 0), block, rest, rest);
}

static bool is_innermost(const cc_body *body, const cc_loop *loop) {
    for (int l = 0; l < body->loop_count; l++)
        if (body->loops[l].parent >= 0 && &body->loops[body->loops[l].parent] == loop)
            return false;
    return loop->counted;
}

static bool is_on_back_edge(const cc_body *body, int block) {
    int l = body->blocks[block].loop;
    return l >= 0 && body->loops[l].header == block && body->loops[l].count_slot >= 0 &&
           is_innermost(body, &body->loops[l]);
}

/* Safepoints on back edges come last, because building them replaces the counters of loops, which the others use. */
static void build_safepoints(dual *d) {
    const cc_block *blocks = d->body->blocks;
    for (int b = 1; b < d->body->block_count; b++)
        if (blocks[b].safepoint && !is_on_back_edge(d->body, b))
            build_within(d, b);
    for (int b = 1; b < d->body->block_count; b++)
        if (blocks[b].safepoint && is_on_back_edge(d->body, b))
            build_loop(d, &d->body->loops[blocks[b].loop]);
}

/* ---- Followed calls ---- */

static void end_block_after(dual *d, LLVMValueRef call) {
    LLVMValueRef next = LLVMGetNextInstruction(call);
    /* The hook after the call may change the limit, too. */
    cc_build_before(d->unit, cc_is_hook(next) ? LLVMGetNextInstruction(next) : next);
    fetch_limit_again(d);
    LLVMBasicBlockRef landing = LLVMGetInstructionParent(next);
    LLVMBasicBlockRef head = cc_split_before(d->unit, LLVMGetNextInstruction(call));
    cc_build_at_end(d->unit, head);
    build_point(d, landing);
}

/* ---- The copy ---- */

/* In place of the function that a hook returns, P calls the callee itself. */
static LLVMValueRef copy_of(const dual *d, LLVMValueRef value) {
    LLVMValueRef callee = cc_callee_of_hook(value);
    ptrdiff_t found = cc_map_get(&d->copies, callee ? callee : value);
    value = callee ? callee : value;
    return found == CC_NOT_FOUND ? value : (LLVMValueRef)found;
}

static LLVMBasicBlockRef copy_of_block(const dual *d, LLVMBasicBlockRef block) {
    return LLVMValueAsBasicBlock(copy_of(d, LLVMBasicBlockAsValue(block)));
}

/* Copies an instruction, still with the operands of the original. Hooks and stores to the tape are left out. */
static void copy_instruction(dual *d, LLVMValueRef instruction) {
    if (cc_is_hook(instruction) || cc_is_range_copy(d->unit, instruction) ||
        (LLVMIsAStoreInst(instruction) && cc_is_in_scope(d->unit, instruction, CC_SCOPE_TAPE)))
        return;
    LLVMValueRef copy;
    if (LLVMGetInstructionOpcode(instruction) == LLVMPHI)
        copy = LLVMBuildPhi(d->unit->builder, LLVMTypeOf(instruction), "");
    else {
        copy = LLVMInstructionClone(instruction);
        LLVMInsertIntoBuilder(d->unit->builder, copy);
    }
    cc_map_put(d->unit, &d->copies, instruction, (size_t)copy);
}

/* Replaces the operands of the copy of an instruction by their copies. */
static void connect(dual *d, LLVMValueRef instruction) {
    LLVMValueRef copy = copy_of(d, instruction);
    if (copy == instruction || cc_is_hook(instruction))
        return;
    if (LLVMGetInstructionOpcode(instruction) == LLVMPHI) {
        for (unsigned k = 0; k < LLVMCountIncoming(instruction); k++) {
            LLVMValueRef value = copy_of(d, LLVMGetIncomingValue(instruction, k));
            LLVMBasicBlockRef from = copy_of_block(d, LLVMGetIncomingBlock(instruction, k));
            LLVMAddIncoming(copy, &value, &from, 1);
        }
        return;
    }
    for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(copy); k++)
        LLVMSetOperand(copy, k, copy_of(d, LLVMGetOperand(copy, k)));
}

static void copy_code(dual *d) {
    LLVMBasicBlockRef first = LLVMGetNextBasicBlock(d->entry), end = NULL;
    for (LLVMBasicBlockRef b = first; b != end; b = LLVMGetNextBasicBlock(b)) {
        LLVMBasicBlockRef copy = new_block(d, "");
        end = end ? end : copy;
        cc_map_put(d->unit, &d->copies, LLVMBasicBlockAsValue(b), (size_t)LLVMBasicBlockAsValue(copy));
        cc_build_at_end(d->unit, copy);
        for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
            copy_instruction(d, at);
    }
    for (LLVMBasicBlockRef b = first; b != end; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef at = LLVMGetFirstInstruction(b); at; at = LLVMGetNextInstruction(at))
            connect(d, at);
}

/* ---- Ways from one copy to the other ---- */

static LLVMValueRef build_is_mode(dual *d, verso__native_mode mode) {
    LLVMValueRef now = load_state(d, d->unit->i64, offsetof(verso__native_state, mode));
    return LLVMBuildICmp(d->unit->builder, LLVMIntEQ, now, cc_i64(d->unit, mode), "");
}

/* Removes the branch at the end of a block, and returns its target. */
static LLVMBasicBlockRef open_end(dual *d, LLVMBasicBlockRef block) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
    LLVMBasicBlockRef to = LLVMGetSuccessor(branch, 0);
    LLVMInstructionEraseFromParent(branch);
    cc_build_at_end(d->unit, block);
    return to;
}

/* Builds the way from P to a landing. The landing's phis take from it the copies of the values that they take from
 * R's own block. */
static void build_way(dual *d, point *point) {
    LLVMBasicBlockRef advancing = open_end(d, copy_of_block(d, point->from));
    point->landing = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(point->from), 0);
    point->way = new_block(d, "way");
    build_unlikely(d, build_is_mode(d, VERSO_NATIVE_RECORD), point->way, advancing);
    LLVMValueRef last = cc_first_after_phis(point->landing);
    for (LLVMValueRef phi = LLVMGetFirstInstruction(point->landing); phi != last; phi = LLVMGetNextInstruction(phi)) {
        LLVMValueRef value = copy_of(d, cc_incoming(phi, point->from));
        LLVMAddIncoming(phi, &value, &point->way, 1);
    }
    cc_build_at_end(d->unit, point->way);
    LLVMBuildBr(d->unit->builder, point->landing);
}

static void build_ways(dual *d) {
    LLVMBasicBlockRef start = open_end(d, d->entry);
    LLVMBuildCondBr(d->unit->builder, build_is_mode(d, VERSO_NATIVE_ADVANCE), copy_of_block(d, start), start);
    for (size_t i = 0; i < d->point_count; i++)
        build_way(d, &d->points[i]);
}

/* ---- Values that are used after landings ---- */

/* The blocks of R as a graph, to find, for many values, the landings at which the value is still needed. */
typedef struct graph {
    cc_map number_of; /* block -> index in `nodes` */
    struct node {
        LLVMBasicBlockRef block;
        size_t *before; /* predecessors */
        size_t before_count, before_capacity;
        point *landing; /* the point whose landing this block is; NULL: none */
        size_t seen;    /* number of the last value whose search visited this block */
    } *nodes;
    size_t *waiting, wait_count, wait_capacity;
    point **found;      /* result of find_landings */
    size_t found_count; /* number of `found` */
    size_t asked;       /* number of values searched so far */
} graph;

static graph make_graph(dual *d) {
    graph g = {0};
    LLVMBasicBlockRef first = LLVMGetNextBasicBlock(d->entry), end = copy_of_block(d, first);
    size_t count = 0;
    for (LLVMBasicBlockRef b = first; b != end; b = LLVMGetNextBasicBlock(b))
        cc_map_put(d->unit, &g.number_of, b, count++);
    g.nodes = cc_alloc(d->unit, count, sizeof *g.nodes);
    for (LLVMBasicBlockRef b = first; b != end; b = LLVMGetNextBasicBlock(b)) {
        size_t from = (size_t)cc_map_get(&g.number_of, b);
        g.nodes[from].block = b;
        LLVMValueRef last = LLVMGetBasicBlockTerminator(b);
        for (unsigned k = 0; k < LLVMGetNumSuccessors(last); k++) {
            struct node *to = &g.nodes[cc_map_get(&g.number_of, LLVMGetSuccessor(last, k))];
            cc_reserve(d->unit, &to->before, &to->before_capacity, to->before_count + 1, sizeof *to->before);
            to->before[to->before_count++] = from;
        }
    }
    g.found = cc_alloc(d->unit, d->point_count, sizeof *g.found);
    for (size_t i = 0; i < d->point_count; i++)
        g.nodes[cc_map_get(&g.number_of, d->points[i].landing)].landing = &d->points[i];
    return g;
}

/* Returns the block in which operand k of an instruction is used; of a phi, the predecessor at whose end it is used.
 */
static LLVMBasicBlockRef used_in(LLVMValueRef user, unsigned k) {
    return LLVMGetInstructionOpcode(user) == LLVMPHI ? LLVMGetIncomingBlock(user, k) : LLVMGetInstructionParent(user);
}

static void visit(dual *d, graph *g, LLVMBasicBlockRef home, size_t node) {
    if (g->nodes[node].block == home || g->nodes[node].seen == g->asked)
        return;
    g->nodes[node].seen = g->asked;
    cc_reserve(d->unit, &g->waiting, &g->wait_capacity, g->wait_count + 1, sizeof *g->waiting);
    g->waiting[g->wait_count++] = node;
}

/* Finds the landings at which a value is needed, by a search from its uses back to the block that computes it. */
static void find_landings(dual *d, graph *g, LLVMValueRef value) {
    LLVMBasicBlockRef home = LLVMGetInstructionParent(value);
    g->asked++;
    g->found_count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, k) == value)
                visit(d, g, home, (size_t)cc_map_get(&g->number_of, used_in(user, k)));
    }
    while (g->wait_count > 0) {
        const struct node *node = &g->nodes[g->waiting[--g->wait_count]];
        if (node->landing)
            g->found[g->found_count++] = node->landing;
        for (size_t i = 0; i < node->before_count; i++)
            visit(d, g, home, node->before[i]);
    }
}

static LLVMValueRef load_in(dual *d, LLVMBasicBlockRef block, LLVMTypeRef type, LLVMValueRef variable, cc_map *loads) {
    ptrdiff_t found = cc_map_get(loads, block);
    if (found != CC_NOT_FOUND)
        return (LLVMValueRef)found;
    cc_build_before(d->unit, cc_first_after_phis(block));
    LLVMValueRef load = cc_in_scope(d->unit, LLVMBuildLoad2(d->unit->builder, type, variable, ""), CC_SCOPE_STATE);
    cc_map_put(d->unit, loads, block, (size_t)load);
    return load;
}

/* Replaces uses of the value in other blocks by loads of the variable. */
static void use_variable(dual *d, LLVMValueRef value, LLVMValueRef variable) {
    LLVMBasicBlockRef home = LLVMGetInstructionParent(value);
    cc_map loads = {0};
    size_t count;
    LLVMValueRef *users = cc_users(d->unit, value, &count);
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(users[i]); k++)
            if (LLVMGetOperand(users[i], k) == value && used_in(users[i], k) != home)
                LLVMSetOperand(users[i], k, load_in(d, used_in(users[i], k), LLVMTypeOf(value), variable, &loads));
}

static void set_before(dual *d, LLVMValueRef instruction, LLVMValueRef value, LLVMValueRef variable) {
    cc_build_before(d->unit, instruction);
    cc_in_scope(d->unit, LLVMBuildStore(d->unit->builder, value, variable), CC_SCOPE_STATE);
}

/* Passes the address of the variable to empty inline assembly, so that LLVM cannot promote it to a register. */
static void keep_in_memory(dual *d, LLVMValueRef variable) {
    LLVMTypeRef type = LLVMFunctionType(d->unit->none, &d->unit->pointer, 1, false);
    LLVMValueRef nothing = LLVMGetInlineAsm(type, "", 0, "r", 1, true, false, LLVMInlineAsmDialectATT, false);
    LLVMPositionBuilderBefore(d->unit->builder, LLVMGetBasicBlockTerminator(d->entry));
    LLVMBuildCall2(d->unit->builder, type, nothing, &variable, 1, "");
}

static void place_value(dual *d, graph *g, LLVMValueRef value) {
    find_landings(d, g, value);
    if (g->found_count == 0)
        return;
    LLVMValueRef variable = new_variable(d, LLVMTypeOf(value));
    if (g->found_count > WAYS_MOST)
        keep_in_memory(d, variable);
    use_variable(d, value, variable);
    bool phi = LLVMGetInstructionOpcode(value) == LLVMPHI;
    set_before(d, phi ? cc_first_after_phis(LLVMGetInstructionParent(value)) : LLVMGetNextInstruction(value), value,
               variable);
    for (size_t i = 0; i < g->found_count; i++)
        set_before(d, LLVMGetBasicBlockTerminator(g->found[i]->way), copy_of(d, value), variable);
}

static void place_values(dual *d) {
    graph g = make_graph(d);
    LLVMBasicBlockRef first = LLVMGetNextBasicBlock(d->entry), end = copy_of_block(d, first);
    for (LLVMBasicBlockRef b = first; b != end; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef next, at = LLVMGetFirstInstruction(b); at; at = next) {
            next = LLVMGetNextInstruction(at);
            place_value(d, &g, at);
        }
}

void cc_make_dual(cc_body *body, LLVMValueRef tape) {
    dual d = {.unit = body->unit, .body = body, .function = body->function->value, .tape = tape};
    for (int b = 1; b < body->block_count; b++)
        d.safepoints_within |= body->blocks[b].safepoint;
    build_entry(&d);
    build_safepoints(&d);
    if (body->single) {
        cc_make_single(body);
        return;
    }
    for (int s = 0; s < body->segment_count; s++) {
        int call = body->segments[s].call;
        if (call >= 0 && body->items[call].call == CC_CALL_FOLLOWED)
            end_block_after(&d, body->items[call].value);
    }
    copy_code(&d);
    build_ways(&d);
    place_values(&d);
}
