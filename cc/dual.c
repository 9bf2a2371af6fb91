/* See dual.h.
 *
 * First all that both copies have is built once, in R: safepoints, and blocks that end behind followed calls. Then each
 * value that is used in another block gets a place in memory: where control comes from both copies, nothing else need
 * be done, and LLVM's mem2reg makes values of them again. Then R's blocks are copied, and P's ways over to R are laid.
 *
 * A loop's safepoint is on its way back. Its slow path leaves the loop and enters it again from the front:
 *
 *     before -> front -> header -> ... -> latch -> test -> header       (the tape's limit is not reached)
 *                 ^                                 |
 *                 +------------- slow <-------------+
 *
 * so for LLVM the inner loop is one without calls, and P's way into R's loop is by R's front. */
#include "cc/dual.h"

#include "cc/memory_scopes.h"
#include "cc/site.h"
#include "cc/surgery.h"
#include "native/state.h"

typedef struct dual {
    cc_unit *unit;
    cc_body *body;
    LLVMValueRef function;
    LLVMValueRef tape, limit;  /* variables: state.tape and state.tape_limit, as long as nobody else can change them */
    LLVMBasicBlockRef entry;   /* both copies': variables, and the test that chooses */
    LLVMBasicBlockRef *points; /* of R: they end where the mode may have become another */
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

static void add_point(dual *d, LLVMBasicBlockRef block) {
    cc_reserve(d->unit, &d->points, &d->point_capacity, d->point_count + 1, sizeof *d->points);
    d->points[d->point_count++] = block;
}

/* At the end of the block at hand. Goes on in `fast`, or behind a call of the run time in `landing`. */
static void build_safepoint(dual *d, LLVMValueRef count, int block, LLVMBasicBlockRef fast, LLVMBasicBlockRef landing) {
    cc_unit *unit = d->unit;
    LLVMBasicBlockRef slow = new_block(d, "slow");
    LLVMValueRef tape = LLVMBuildLoad2(unit->builder, unit->pointer, d->tape, "");
    LLVMValueRef limit = LLVMBuildLoad2(unit->builder, unit->pointer, d->limit, "");
    build_unlikely(d, LLVMBuildICmp(unit->builder, LLVMIntUGE, tape, limit, ""), slow, fast);
    cc_build_at_end(unit, slow);
    LLVMValueRef arguments[] = {LLVMBuildLoad2(unit->builder, unit->pointer, d->tape, ""), count,
                                cc_site(d->body, block)};
    LLVMBuildStore(unit->builder, cc_call_runtime(unit, "verso_native_safepoint", unit->pointer, arguments, 3),
                   d->tape);
    fetch_limit(d);
    LLVMBuildBr(unit->builder, landing);
    add_point(d, slow);
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
    LLVMValueRef end = LLVMGetBasicBlockTerminator(d->entry);
    LLVMPositionBuilderBefore(d->unit->builder, end);
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
    if (d->body->entry_safepoint)
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

/* What a block's phis take is left in variables: its predecessors may then be changed. */
static void demote_phis(dual *d, LLVMBasicBlockRef block) {
    LLVMValueRef phi;
    while (LLVMGetInstructionOpcode(phi = LLVMGetFirstInstruction(block)) == LLVMPHI) {
        LLVMTypeRef type = LLVMTypeOf(phi);
        LLVMValueRef variable = new_variable(d, type);
        for (unsigned k = 0; k < LLVMCountIncoming(phi); k++) {
            cc_build_before(d->unit, LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(phi, k)));
            LLVMBuildStore(d->unit->builder, LLVMGetIncomingValue(phi, k), variable);
        }
        cc_build_before(d->unit, behind_phis(block));
        LLVMReplaceAllUsesWith(phi, LLVMBuildLoad2(d->unit->builder, type, variable, ""));
        LLVMInstructionEraseFromParent(phi);
    }
}

static void build_loop(dual *d, const cc_loop *loop) {
    const cc_block *blocks = d->body->blocks;
    LLVMBasicBlockRef before = blocks[loop->before].block, header = blocks[loop->header].block;
    LLVMBasicBlockRef latch = blocks[loop->latch].block;
    LLVMBasicBlockRef front = LLVMInsertBasicBlockInContext(d->unit->context, header, "front");
    LLVMBasicBlockRef test = new_block(d, "test");
    LLVMValueRef count = cc_incoming(loop->count, latch);
    demote_phis(d, header);
    set_successor(before, header, front);
    set_successor(latch, header, test);
    cc_build_at_end(d->unit, front);
    LLVMBuildBr(d->unit->builder, header);
    cc_build_at_end(d->unit, test);
    build_safepoint(d, count, loop->header, header, front);
}

/* ---- Followed calls ---- */

static void end_block_behind(dual *d, LLVMValueRef call) {
    LLVMValueRef next = LLVMGetNextInstruction(call);
    cc_build_before(d->unit, next);
    fetch_limit(d);
    LLVMBasicBlockRef landing = LLVMGetInstructionParent(next);
    LLVMBasicBlockRef head = cc_split_before(d->unit, LLVMGetNextInstruction(call));
    cc_build_at_end(d->unit, head);
    LLVMBuildBr(d->unit->builder, landing);
    add_point(d, head);
}

/* ---- Values that outlive their block ---- */

/* The block at whose end or in which operand k of an instruction is used. */
static LLVMBasicBlockRef used_in(LLVMValueRef user, unsigned k) {
    return LLVMGetInstructionOpcode(user) == LLVMPHI ? LLVMGetIncomingBlock(user, k) : LLVMGetInstructionParent(user);
}

static LLVMValueRef load_in(dual *d, LLVMBasicBlockRef block, LLVMTypeRef type, LLVMValueRef variable, cc_map *loads) {
    ptrdiff_t found = cc_map_get(loads, block);
    if (found != CC_NOT_FOUND)
        return (LLVMValueRef)found;
    cc_build_before(d->unit, behind_phis(block));
    LLVMValueRef load = LLVMBuildLoad2(d->unit->builder, type, variable, "");
    cc_map_put(d->unit, loads, block, (size_t)load);
    return load;
}

static void demote(dual *d, LLVMValueRef value) {
    LLVMBasicBlockRef home = LLVMGetInstructionParent(value);
    LLVMValueRef variable = NULL;
    cc_map loads = {0};
    size_t count;
    LLVMValueRef *users = cc_users(d->unit, value, &count);
    for (size_t i = 0; i < count; i++)
        for (unsigned k = 0; k < (unsigned)LLVMGetNumOperands(users[i]); k++) {
            if (LLVMGetOperand(users[i], k) != value || used_in(users[i], k) == home)
                continue;
            if (!variable)
                variable = new_variable(d, LLVMTypeOf(value));
            LLVMSetOperand(users[i], k, load_in(d, used_in(users[i], k), LLVMTypeOf(value), variable, &loads));
        }
    if (!variable)
        return;
    cc_build_before(d->unit, LLVMGetInstructionOpcode(value) == LLVMPHI ? behind_phis(home)
                                                                        : LLVMGetNextInstruction(value));
    LLVMBuildStore(d->unit->builder, value, variable);
}

static void demote_all(dual *d) {
    for (LLVMBasicBlockRef b = LLVMGetNextBasicBlock(d->entry); b; b = LLVMGetNextBasicBlock(b))
        for (LLVMValueRef next, at = LLVMGetFirstInstruction(b); at; at = next) {
            next = LLVMGetNextInstruction(at);
            demote(d, at);
        }
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
    if (LLVMIsAStoreInst(instruction) && cc_is_in_scope(d->unit, instruction, CC_SCOPE_TAPE))
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

static void connect_copies(dual *d) {
    LLVMBasicBlockRef start = open_end(d, d->entry);
    LLVMBuildCondBr(d->unit->builder, build_is_mode(d, VERSO_NATIVE_ADVANCE), copy_of_block(d, start), start);
    for (size_t i = 0; i < d->point_count; i++) {
        LLVMBasicBlockRef recording = LLVMGetSuccessor(LLVMGetBasicBlockTerminator(d->points[i]), 0);
        LLVMBasicBlockRef advancing = open_end(d, copy_of_block(d, d->points[i]));
        build_unlikely(d, build_is_mode(d, VERSO_NATIVE_RECORD), recording, advancing);
    }
}

void cc_dual(cc_body *body, LLVMValueRef tape) {
    dual d = {.unit = body->unit, .body = body, .function = body->function->value, .tape = tape};
    build_entry(&d);
    for (int l = 0; l < body->loop_count; l++)
        if (body->loops[l].safepoint)
            build_loop(&d, &body->loops[l]);
    for (int s = 0; s < body->segment_count; s++) {
        int call = body->segments[s].call;
        if (call >= 0 && body->items[call].call == CC_CALL_FOLLOWED)
            end_block_behind(&d, body->items[call].value);
    }
    if (d.point_count > 0)
        demote_all(&d);
    copy_code(&d);
    connect_copies(&d);
}
