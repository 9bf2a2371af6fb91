/* Checks before writes.
 *
 * Most writes go to local variables, to globals of the program or to blocks that were just allocated, and need no
 * check. For the others, the pointer that the address is computed from is checked, because a pointer into an object
 * is only used to write to that object. One check serves all writes after it, and is placed before a loop in which
 * a write always happens. A pointer that is not written through is not checked. Only if the pointer is neither into
 * the arena nor into the stack does the run time look at the members of the struct that are written; some of them
 * may be declared. */
#include "cc/reverse/guard.h"
#include "cc/ir/program.h"

#include "cc/ir/memory_scopes.h"
#include "cc/ir/small.h"
#include "cc/ir/surgery.h"
#include "native/state.h"

#include <string.h>

enum { ORIGINS_MOST = 16 };

/* A check, and the write that it is for. */
typedef struct guard {
    LLVMValueRef base;     /* the pointer to check */
    int64_t offset;        /* of the written member from `base`, in bytes; of an array, of its first element */
    LLVMValueRef write;    /* the instruction that writes */
    int block, at;         /* the check is placed before item `at` of this block */
    struct guard *covered; /* list of the guards that this check serves, itself included; NULL: it is not built */
    struct guard *next;    /* the next one in the list that this guard is in */
} guard;

typedef struct guards {
    cc_body *body;
    guard *all;
    size_t count, capacity;
} guards;

/* ---- The small function ---- */

static const char name_of_guard[] = "verso.inside";

static void call_slow(cc_unit *unit, LLVMValueRef *arguments) {
    LLVMTypeRef types[2] = {unit->pointer, unit->pointer};
    LLVMValueRef slow = cc_runtime(unit, "verso__native_check_write", unit->none, types, 2);
    LLVMAddAttributeAtIndex(slow, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(unit->context, cc_attribute("memory"), CC_SMALL_REPORTS));
    cc_add_attribute(unit, slow, "cold");
    LLVMBuildCall2(unit->builder, LLVMGlobalGetValueType(slow), slow, arguments, 2, "");
}

static void build_guard(cc_unit *unit, LLVMValueRef function, const void *context) {
    (void)context;
    LLVMBasicBlockRef slow = LLVMAppendBasicBlockInContext(unit->context, function, "slow");
    LLVMBasicBlockRef done = LLVMAppendBasicBlockInContext(unit->context, function, "done");
    LLVMValueRef arguments[2] = {LLVMGetParam(function, 0), LLVMGetParam(function, 1)};
    LLVMValueRef inside =
        LLVMBuildLoad2(unit->builder, unit->i64, cc_state(unit, offsetof(verso__native_state, inside)), "");
    cc_in_scope(unit, inside, CC_SCOPE_STATE);
    LLVMValueRef address = LLVMBuildPtrToInt(unit->builder, arguments[0], unit->i64, "");
    LLVMValueRef offset = LLVMBuildSub(unit->builder, address, cc_i64(unit, VERSO_INSIDE_AT), "");
    LLVMBuildCondBr(unit->builder, LLVMBuildICmp(unit->builder, LLVMIntULE, offset, inside, ""), done, slow);
    cc_build_at_end(unit, slow);
    call_slow(unit, arguments);
    LLVMBuildBr(unit->builder, done);
    cc_build_at_end(unit, done);
    LLVMBuildRetVoid(unit->builder);
}

/* ---- Where pointers come from ---- */

static bool is_call_of(LLVMValueRef value, const char *start) {
    return LLVMIsACallInst(value) != NULL && strncmp(cc_callee_name(value), start, strlen(start)) == 0;
}

static LLVMOpcode opcode_of(LLVMValueRef value) {
    if (LLVMIsAInstruction(value) != NULL)
        return LLVMGetInstructionOpcode(value);
    return LLVMIsAConstantExpr(value) != NULL ? LLVMGetConstOpcode(value) : (LLVMOpcode)0;
}

/* Returns the pointer that an address is computed from. */
static LLVMValueRef base_pointer(LLVMValueRef value) {
    for (;;) {
        LLVMOpcode opcode = opcode_of(value);
        bool same = opcode == LLVMGetElementPtr || opcode == LLVMBitCast || opcode == LLVMAddrSpaceCast ||
                    opcode == LLVMFreeze || is_call_of(value, "llvm.ptrmask") ||
                    is_call_of(value, "llvm.launder.invariant.group") ||
                    is_call_of(value, "llvm.strip.invariant.group");
        if (!same)
            return value;
        value = LLVMGetOperand(value, 0);
    }
}

typedef struct origins {
    LLVMValueRef seen[ORIGINS_MOST];
    unsigned count;
    bool too_many;
} origins;

/* Adds a pointer. Returns false if it is in the list already, or the list is full. */
static bool add_origin(origins *origins, LLVMValueRef value) {
    for (unsigned i = 0; i < origins->count; i++)
        if (origins->seen[i] == value)
            return false;
    if (origins->count == ORIGINS_MOST)
        origins->too_many = true;
    else
        origins->seen[origins->count++] = value;
    return !origins->too_many;
}

static bool is_phi_or_select(LLVMValueRef value) {
    return opcode_of(value) == LLVMPHI || opcode_of(value) == LLVMSelect;
}

/* Finds all pointers that phis and selects may choose among, the phis and selects included. */
static void find_origins(origins *origins, LLVMValueRef value) {
    add_origin(origins, base_pointer(value));
    for (unsigned i = 0; i < origins->count && !origins->too_many; i++) {
        LLVMValueRef at = origins->seen[i];
        if (opcode_of(at) == LLVMSelect) {
            add_origin(origins, base_pointer(LLVMGetOperand(at, 1)));
            add_origin(origins, base_pointer(LLVMGetOperand(at, 2)));
        }
        for (unsigned k = 0; opcode_of(at) == LLVMPHI && k < LLVMCountIncoming(at); k++)
            add_origin(origins, base_pointer(LLVMGetIncomingValue(at, k)));
    }
}

/* Returns the constant part of the offset of a getelementptr in bytes, which identifies the member of a struct. */
static int64_t offset_in(cc_unit *unit, LLVMValueRef gep) {
    LLVMTypeRef type = LLVMGetGEPSourceElementType(gep);
    int64_t offset = 0;
    for (unsigned i = 1; i < (unsigned)LLVMGetNumOperands(gep); i++) {
        LLVMValueRef index = LLVMGetOperand(gep, i);
        if (i > 1 && LLVMGetTypeKind(type) == LLVMStructTypeKind) {
            unsigned member = (unsigned)LLVMConstIntGetZExtValue(index);
            offset += (int64_t)LLVMOffsetOfElement(unit->layout, type, member);
            type = LLVMStructGetTypeAtIndex(type, member);
            continue;
        }
        if (i > 1)
            type = LLVMGetElementType(type);
        if (LLVMIsAConstantInt(index) != NULL)
            offset += LLVMConstIntGetSExtValue(index) * (int64_t)LLVMABISizeOfType(unit->layout, type);
    }
    return offset;
}

static int64_t offset_of(cc_unit *unit, LLVMValueRef address, LLVMValueRef base) {
    int64_t offset = 0;
    while (address != base && !is_phi_or_select(address)) {
        if (opcode_of(address) == LLVMGetElementPtr)
            offset += offset_in(unit, address);
        address = LLVMGetOperand(address, 0);
    }
    return offset;
}

/* ---- Pointers that need no check ---- */

/* Returns whether a global belongs to the program. Streams of C++ count, too: they contain settings, on which no
 * result depends. */
static bool is_own_global(cc_unit *unit, LLVMValueRef value) {
    const char *name = LLVMGetValueName(value);
    LLVMValueRef own = LLVMGetNamedGlobal(unit->program->module, name);
    return own == NULL || !LLVMIsDeclaration(own) || strncmp(name, "_ZSt", strlen("_ZSt")) == 0;
}

static bool is_inside(cc_unit *unit, LLVMValueRef value) {
    if (LLVMIsAGlobalVariable(value) != NULL)
        return is_own_global(unit, value);
    if (LLVMIsACallInst(value) != NULL)
        return cc_call_kind_of(unit, value) == CC_CALL_ALLOCATE || is_call_of(value, "__errno_location");
    return LLVMIsAAllocaInst(value) != NULL || LLVMIsNull(value) || LLVMIsUndef(value);
}

/* Returns the pointer to check for a write to this address; NULL if none needs a check. */
static LLVMValueRef base_of(cc_unit *unit, LLVMValueRef address) {
    origins origins = {.count = 0};
    find_origins(&origins, address);
    LLVMValueRef base = NULL;
    unsigned found = 0;
    bool inside = true;
    for (unsigned i = 0; i < origins.count; i++) {
        if (is_phi_or_select(origins.seen[i]))
            continue;
        base = origins.seen[i];
        found++;
        inside = inside && is_inside(unit, base);
    }
    if (origins.too_many)
        return base_pointer(address);
    return inside ? NULL : found == 1 ? base : base_pointer(address);
}

/* Returns the address that an item writes to; NULL if it writes nothing. */
static LLVMValueRef written_by(const cc_item *item) {
    switch ((int)item->opcode) {
    case LLVMStore: return LLVMGetOperand(item->value, 1);
    case LLVMAtomicRMW:
    case LLVMAtomicCmpXchg: return LLVMGetOperand(item->value, 0);
    case LLVMCall:
        return item->call == CC_CALL_COPY || item->call == CC_CALL_CLEAR || item->call == CC_CALL_WRITTEN
                   ? LLVMGetOperand(item->value, 0)
                   : NULL;
    default: return NULL;
    }
}

/* ---- Placing checks ---- */

/* Returns whether control that enters the loop always reaches `block`. */
static bool always_reached(const cc_body *body, const cc_loop *loop, int block) {
    if (!cc_dominates(body, block, loop->latch))
        return false;
    for (int b = 0; b < body->block_count; b++) {
        const cc_block *from = &body->blocks[b];
        for (int k = 0; loop->contains[b] && k < from->successor_count; k++)
            if (!loop->contains[from->successors[k]] && !cc_dominates(body, block, b))
                return false;
    }
    return true;
}

/* Places the check for a write before the outermost loop in which the write always happens and the pointer is
 * available; otherwise before the write. */
static guard place(const cc_body *body, int write, LLVMValueRef base, LLVMValueRef address) {
    const cc_item *item = &body->items[write];
    guard guard = {.base = base,
                   .offset = offset_of(body->unit, address, base),
                   .write = item->value,
                   .block = item->block,
                   .at = write};
    int origin = cc_item_find(body, base), made = origin < 0 ? -1 : body->items[origin].block;
    for (int l = body->blocks[guard.block].loop; l >= 0; l = body->loops[l].parent) {
        const cc_loop *loop = &body->loops[l];
        if (!loop->counted || (made >= 0 && loop->contains[made]) || !always_reached(body, loop, guard.block))
            break;
        guard.block = loop->before;
        guard.at = body->blocks[guard.block].last;
    }
    return guard;
}

static bool covers(const cc_body *body, const guard *first, const guard *second) {
    if (first->base != second->base)
        return false;
    return first->block == second->block ? first->at <= second->at : cc_dominates(body, first->block, second->block);
}

/* Returns the first guard whose check also serves this one; `of` itself if there is none. */
static guard *cover_of(guards *guards, guard *of) {
    guard *found = of;
    for (size_t i = 0; i < guards->count; i++) {
        guard *other = &guards->all[i];
        if (covers(guards->body, other, found) && (other < found || !covers(guards->body, found, other)))
            found = other;
    }
    return found;
}

/* ---- The pass ---- */

static void find_guards(guards *guards) {
    cc_body *body = guards->body;
    for (int x = body->parameter_count; x < body->item_count; x++) {
        LLVMValueRef address = written_by(&body->items[x]);
        LLVMValueRef base = address == NULL ? NULL : base_of(body->unit, address);
        /* Memory that a library returned: what it wrote there was logged. */
        bool given = base != NULL && body->items[x].call == CC_CALL_WRITTEN && LLVMIsACallInst(base) != NULL;
        if (base == NULL || given || body->blocks[body->items[x].block].order < 0)
            continue;
        cc_reserve(body->unit, &guards->all, &guards->capacity, guards->count + 1, sizeof *guards->all);
        guards->all[guards->count++] = place(body, x, base, address);
    }
}

static bool is_listed(const guard *list, const guard *at) {
    while (list != at && list->offset != at->offset)
        list = list->next;
    return list != at;
}

/* Builds the array of verso__native_write, ended by {0, NULL}, of all writes that a check serves. */
static LLVMValueRef list_writes(cc_unit *unit, const guard *list) {
    LLVMTypeRef members[2] = {unit->i64, unit->pointer};
    LLVMTypeRef type = LLVMStructTypeInContext(unit->context, members, 2, false);
    LLVMValueRef *writes = NULL;
    size_t count = 0, capacity = 0;
    for (const guard *at = list; at != NULL; at = at->next) {
        if (is_listed(list, at))
            continue;
        LLVMValueRef parts[2] = {cc_i64(unit, at->offset), cc_string(unit, cc_where(unit, at->write))};
        cc_reserve(unit, &writes, &capacity, count + 2, sizeof *writes);
        writes[count++] = LLVMConstStructInContext(unit->context, parts, 2, false);
    }
    writes[count++] = LLVMConstNull(type);
    LLVMValueRef table = LLVMAddGlobal(unit->module, LLVMArrayType2(type, count), "verso.writes");
    LLVMSetInitializer(table, LLVMConstArray2(type, writes, count));
    LLVMSetGlobalConstant(table, true);
    LLVMSetLinkage(table, LLVMPrivateLinkage);
    return table;
}

void cc_guard_writes(cc_body *body) {
    cc_unit *unit = body->unit;
    guards guards = {.body = body};
    find_guards(&guards);
    for (size_t i = guards.count; i-- > 0;) {
        guard *guard = &guards.all[i], *cover = cover_of(&guards, guard);
        guard->next = cover->covered;
        cover->covered = guard;
    }
    LLVMTypeRef types[2] = {unit->pointer, unit->pointer};
    LLVMTypeRef type = LLVMFunctionType(unit->none, types, 2, false);
    cc_make_small(unit, name_of_guard, type, CC_SMALL_REPORTS, build_guard, NULL);
    for (size_t i = 0; i < guards.count; i++) {
        const guard *guard = &guards.all[i];
        if (guard->covered == NULL)
            continue;
        LLVMValueRef arguments[2] = {guard->base, list_writes(unit, guard->covered)};
        LLVMPositionBuilderBefore(unit->builder, body->items[guard->at].value);
        LLVMSetCurrentDebugLocation2(unit->builder, NULL);
        cc_call_small(unit, name_of_guard, !cc_repeats(body, guard->block), arguments, 2);
    }
}
