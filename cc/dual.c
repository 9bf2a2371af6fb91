/* See dual.h.
 *
 * First all that both copies have is built once, in R: safepoints, and blocks that end behind followed calls. Then R's
 * blocks are copied, and P's ways over to R are laid: blocks of their own, from where the mode is asked for to the
 * landing, which is the block of R that goes on there. P thus looks to LLVM like any other function, with a few ways
 * out.
 *
 * A value of R that is used behind a landing comes from P, when control does. It is kept in a variable, which R sets
 * where it computes the value, and each way that leads to such a landing. Variables whose address nobody has are values
 * again after LLVM's mem2reg. Those that many ways set would become a phi in nearly every block of R; they stay in
 * memory.
 *
 * The safepoint of an innermost loop is on its way back. Its slow path leaves the loop and enters it again from the
 * front:
 *
 *     before -> front -> header -> ... -> latch -> test -> header       (the tape's limit is not reached)
 *                 ^                                 |
 *                 +------------- slow <-------------+
 *
 * so for LLVM the inner loop is one without calls, and P's way into R's loop is by R's front. */
#include "cc/dual.h"

#include "cc/callsite.h"
#include "cc/memory_scopes.h"
#include "cc/site.h"
#include "cc/surgery.h"
#include "native/state.h"

#include <string.h>

/* A variable that more ways than these set stays in memory. */
enum { WAYS_MOST = 12 };

/* Where the mode may have become another. */
typedef struct point {
    LLVMBasicBlockRef from, landing, way; /* R's block that ends there and where it goes; P's way to that */
} point;

typedef struct dual {
    cc_unit *unit;
    cc_body *body;
    LLVMValueRef function;
    LLVMValueRef tape, limit; /* variables: state.tape and state.tape_limit, as long as nobody else can change them */
    bool safepoints_within;   /* beside the one at the entry */
    LLVMBasicBlockRef entry;  /* both copies': variables, and the test that chooses */
    point *points;
    size_t point_count, point_capacity;
    cc_map copies; /* block or instruction of R -> that of P */
} dual;

/* ---- Building ---- */

static LLVMValueRef load_state(dual *d, LLVMTypeRef type, size_t offset) {
    LLVMValueRef load = LLVMBuildLoad2(d->unit->builder, type, cc_state(d->unit, offset), "");
    return cc_in_scope(d->unit, load, CC_SCOPE_STATE);
}

static void fetch_limit(dual *d) {
    LLVMBuildStore(d->unit->builder, load_state(d, d->unit->pointer, offsetof(verso_native_state, tape_limit)),
                   d->limit);
}

static LLVMBasicBlockRef new_block(dual *d, const char *name) {
    return LLVMAppendBasicBlockInContext(d->unit->context, d->function, name);
}

/* A branch whose first way is hardly ever taken. */
static void build_unlikely(dual *d, LLVMValueRef condition, LLVMBasicBlockRef seldom, LLVMBasicBlockRef mostly) {
    LLVMValueRef branch = LLVMBuildCondBr(d->unit->builder, condition, seldom, mostly);
    LLVMMetadataRef parts[] = {LLVMMDStringInContext2(d->unit->context, "branch_weights", 14),
                               LLVMValueAsMetadata(LLVMConstInt(d->unit->i32, 1, false)),
                               LLVMValueAsMetadata(LLVMConstInt(d->unit->i32, 1 << 20, false))};
    LLVMMetadataRef weights = LLVMMDNodeInContext2(d->unit->context, parts, 3);
    LLVMSetMetadata(branch, LLVMGetMDKindIDInContext(d->unit->context, "prof", 4),
                    LLVMMetadataAsValue(d->unit->context, weights));
}

/* The block at hand ends here, for a while with a branch in both copies. */
static void build_point(dual *d, LLVMBasicBlockRef landing) {
    point made = {.from = LLVMGetInsertBlock(d->unit->builder)};
    LLVMBuildBr(d->unit->builder, landing);
    cc_reserve(d->unit, &d->points, &d->point_capacity, d->point_count + 1, sizeof *d->points);
    d->points[d->point_count++] = made;
}

/* Where control can come back without having recorded anything the limit must be reached, too. */
static void lower_limit(dual *d) {
    cc_unit *unit = d->unit;
    unsigned id = LLVMLookupIntrinsicID("llvm.usub.sat", strlen("llvm.usub.sat"));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(unit->module, id, &unit->i64, 1);
    LLVMValueRef limit = LLVMBuildLoad2(unit->builder, unit->pointer, d->limit, "");
    LLVMValueRef arguments[] = {LLVMBuildPtrToInt(unit->builder, limit, unit->i64, ""), cc_i64(unit, 1)};
    LLVMValueRef lower = LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(function), function, arguments, 2, "");
    lower = LLVMBuildIntToPtr(unit->builder, lower, unit->pointer, "");
    LLVMBuildStore(unit->builder, lower, d->limit);
    cc_in_scope(unit, LLVMBuildStore(unit->builder, lower, cc_state(unit, offsetof(verso_native_state, tape_limit))),
                CC_SCOPE_STATE);
}

/* Behind what may have changed it, where somebody asks for it again. */
static void fetch_limit_again(dual *d) {
    if (d->safepoints_within)
        fetch_limit(d);
}

/* At the end of the block at hand. Goes on in `fast`, or in `landing` when it has called the run time in the block that
 * is returned. */
static LLVMBasicBlockRef build_safepoint(dual *d, LLVMValueRef count, int block, LLVMBasicBlockRef fast,
                                         LLVMBasicBlockRef landing) {
    cc_unit *unit = d->unit;
    LLVMBasicBlockRef slow = new_block(d, "slow");
    if (d->body->blocks[block].idle)
        lower_limit(d);
    LLVMValueRef tape = LLVMBuildLoad2(unit->builder, unit->pointer, d->tape, "");
    LLVMValueRef limit = LLVMBuildLoad2(unit->builder, unit->pointer, d->limit, "");
    build_unlikely(d, LLVMBuildICmp(unit->builder, LLVMIntUGE, tape, limit, ""), slow, fast);
    cc_build_at_end(unit, slow);
    LLVMValueRef arguments[] = {LLVMBuildLoad2(unit->builder, unit->pointer, d->tape, ""), count,
                                cc_site(d->body, block)};
    LLVMBuildStore(unit->builder, cc_call_runtime(unit, "verso_native_safepoint", unit->pointer, arguments, 3),
                   d->tape);
    fetch_limit_again(d);
    build_point(d, landing);
    return slow;
}

/* ---- The entry ---- */

static bool is_variable(LLVMValueRef instruction) {
    return LLVMGetInstructionOpcode(instruction) == LLVMAlloca && LLVMIsAConstantInt(LLVMGetOperand(instruction, 0));
}

/* Variables come first, so that they are in the block of both copies. Returns what comes behind them. */
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
    d->limit = new_variable(d, d->unit->pointer);
    cc_build_at_end(d->unit, start);
    LLVMBuildStore(d->unit->builder, load_state(d, d->unit->pointer, offsetof(verso_native_state, tape)), d->tape);
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

static LLVMValueRef behind_phis(LLVMBasicBlockRef block) {
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMGetInstructionOpcode(at) == LLVMPHI)
        at = LLVMGetNextInstruction(at);
    return at;
}

/* What the header takes from outside the loop it takes from the front, which takes it from outside or from the slow
 * path. */
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
    LLVMValueRef last = behind_phis(header);
    for (LLVMValueRef next, phi = LLVMGetFirstInstruction(header); phi != last; phi = next) {
        next = LLVMGetNextInstruction(phi);
        split_phi(d, phi, latch, front, test, slow);
    }
}

/* Elsewhere: behind the block's phis. */
static void build_within(dual *d, int block) {
    const cc_loop *loop = cc_counting_loop(d->body, block);
    LLVMValueRef first = behind_phis(d->body->blocks[block].block);
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

static bool is_on_the_way_back(const cc_body *body, int block) {
    int l = body->blocks[block].loop;
    return l >= 0 && body->loops[l].header == block && body->loops[l].count_slot >= 0 &&
           is_innermost(body, &body->loops[l]);
}

/* Counters of loops are values that the second kind replaces. */
static void build_safepoints(dual *d) {
    const cc_block *blocks = d->body->blocks;
    for (int b = 1; b < d->body->block_count; b++)
        if (blocks[b].safepoint && !is_on_the_way_back(d->body, b))
            build_within(d, b);
    for (int b = 1; b < d->body->block_count; b++)
        if (blocks[b].safepoint && is_on_the_way_back(d->body, b))
            build_loop(d, &d->body->loops[blocks[b].loop]);
}

/* ---- Followed calls ---- */

static void end_block_behind(dual *d, LLVMValueRef call) {
    LLVMValueRef next = LLVMGetNextInstruction(call);
    cc_build_before(d->unit, cc_is_hook(next) ? LLVMGetNextInstruction(next) : next); /* which may change it, too */
    fetch_limit_again(d);
    LLVMBasicBlockRef landing = LLVMGetInstructionParent(next);
    LLVMBasicBlockRef head = cc_split_before(d->unit, LLVMGetNextInstruction(call));
    cc_build_at_end(d->unit, head);
    build_point(d, landing);
}

/* ---- The copy ---- */

static LLVMValueRef copy_of(const dual *d, LLVMValueRef value) {
    ptrdiff_t found = cc_map_get(&d->copies, value);
    return found == CC_NOT_FOUND ? value : (LLVMValueRef)found;
}

static LLVMBasicBlockRef copy_of_block(const dual *d, LLVMBasicBlockRef block) {
    return LLVMValueAsBasicBlock(copy_of(d, LLVMBasicBlockAsValue(block)));
}

/* With the operands of the original still. */
static void copy_instruction(dual *d, LLVMValueRef instruction) {
    if (cc_is_hook(instruction) ||
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

static void connect(dual *d, LLVMValueRef instruction) {
    LLVMValueRef copy = copy_of(d, instruction);
    if (copy == instruction)
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

static LLVMValueRef build_is_mode(dual *d, verso_native_mode mode) {
    LLVMValueRef now = load_state(d, d->unit->i64, offsetof(verso_native_state, mode));
    return LLVMBuildICmp(d->unit->builder, LLVMIntEQ, now, cc_i64(d->unit, mode), "");
}

/* Removes the branch at a block's end; returns where it went. */
static LLVMBasicBlockRef open_end(dual *d, LLVMBasicBlockRef block) {
    LLVMValueRef branch = LLVMGetBasicBlockTerminator(block);
    LLVMBasicBlockRef to = LLVMGetSuccessor(branch, 0);
    LLVMInstructionEraseFromParent(branch);
    cc_build_at_end(d->unit, block);
    return to;
}

/* A landing's phis take from the way what R's own block would bring. */
static void build_way(dual *d, point *point) {
    LLVMBasicBlockRef advancing = open_end(d, copy_of_block(d, point->from));
    point->landing = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(point->from), 0);
    point->way = new_block(d, "way");
    build_unlikely(d, build_is_mode(d, VERSO_NATIVE_RECORD), point->way, advancing);
    LLVMValueRef last = behind_phis(point->landing);
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

/* ---- Values that are used behind landings ---- */

/* R's blocks as a graph, for one question asked of many values: at which landings is it still needed? */
typedef struct graph {
    cc_map number_of; /* block -> 0, 1, ... */
    struct node {
        LLVMBasicBlockRef block;
        size_t *before;
        size_t before_count, before_capacity;
        point *landing; /* NULL: it is none */
        size_t seen;    /* by the value with this number */
    } *nodes;
    size_t *waiting, wait_count, wait_capacity;
    point **found; /* the answer */
    size_t found_count;
    size_t asked; /* values so far */
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

/* The block in which, or at whose end, operand k of an instruction is used. */
static LLVMBasicBlockRef used_in(LLVMValueRef user, unsigned k) {
    return LLVMGetInstructionOpcode(user) == LLVMPHI ? LLVMGetIncomingBlock(user, k) : LLVMGetInstructionParent(user);
}

static void ask(dual *d, graph *g, LLVMBasicBlockRef home, size_t node) {
    if (g->nodes[node].block == home || g->nodes[node].seen == g->asked)
        return;
    g->nodes[node].seen = g->asked;
    cc_reserve(d->unit, &g->waiting, &g->wait_capacity, g->wait_count + 1, sizeof *g->waiting);
    g->waiting[g->wait_count++] = node;
}

/* From the uses back to the block that computes the value. */
static void find_landings(dual *d, graph *g, LLVMValueRef value) {
    LLVMBasicBlockRef home = LLVMGetInstructionParent(value);
    g->asked++;
    g->found_count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
        LLVMValueRef user = LLVMGetUser(use);
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(user); k++)
            if (LLVMGetOperand(user, k) == value)
                ask(d, g, home, (size_t)cc_map_get(&g->number_of, used_in(user, k)));
    }
    while (g->wait_count > 0) {
        const struct node *node = &g->nodes[g->waiting[--g->wait_count]];
        if (node->landing)
            g->found[g->found_count++] = node->landing;
        for (size_t i = 0; i < node->before_count; i++)
            ask(d, g, home, node->before[i]);
    }
}

static LLVMValueRef load_in(dual *d, LLVMBasicBlockRef block, LLVMTypeRef type, LLVMValueRef variable, cc_map *loads) {
    ptrdiff_t found = cc_map_get(loads, block);
    if (found != CC_NOT_FOUND)
        return (LLVMValueRef)found;
    cc_build_before(d->unit, behind_phis(block));
    LLVMValueRef load = cc_in_scope(d->unit, LLVMBuildLoad2(d->unit->builder, type, variable, ""), CC_SCOPE_STATE);
    cc_map_put(d->unit, loads, block, (size_t)load);
    return load;
}

/* Who uses the value in another block takes it from the variable. */
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

/* Tells LLVM that somebody has the address. */
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
    set_before(d, phi ? behind_phis(LLVMGetInstructionParent(value)) : LLVMGetNextInstruction(value), value, variable);
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

void cc_dual(cc_body *body, LLVMValueRef tape) {
    dual d = {.unit = body->unit, .body = body, .function = body->function->value, .tape = tape};
    for (int b = 1; b < body->block_count; b++)
        d.safepoints_within |= body->blocks[b].safepoint;
    build_entry(&d);
    build_safepoints(&d);
    for (int s = 0; s < body->segment_count; s++) {
        int call = body->segments[s].call;
        if (call >= 0 && body->items[call].call == CC_CALL_FOLLOWED)
            end_block_behind(&d, body->items[call].value);
    }
    copy_code(&d);
    build_ways(&d);
    place_values(&d);
}
