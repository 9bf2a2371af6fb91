/* Operations on code that LLVM's C interface does not have, built from those that it has.
 *
 * A block is split by moving its first part into a new block in front of it, and not its last part into a new block
 * after it: the phis of its successors name it as their predecessor, and the C interface cannot change that. */
#include "cc/ir/surgery.h"

#include <llvm-c/Comdat.h>
#include <llvm-c/DebugInfo.h>
#include <string.h>

void cc_build_before(cc_unit *unit, LLVMValueRef instruction) {
    LLVMPositionBuilderBefore(unit->builder, instruction);
    LLVMSetCurrentDebugLocation2(unit->builder, LLVMInstructionGetDebugLoc(instruction));
}

void cc_build_at_end(cc_unit *unit, LLVMBasicBlockRef block) {
    LLVMPositionBuilderAtEnd(unit->builder, block);
    LLVMSetCurrentDebugLocation2(unit->builder, NULL);
}

/* ---- Iterating over code ---- */

static LLVMValueRef first_from(LLVMBasicBlockRef block) {
    for (; block != NULL; block = LLVMGetNextBasicBlock(block)) {
        LLVMValueRef instruction = LLVMGetFirstInstruction(block);
        if (instruction != NULL)
            return instruction;
    }
    return NULL;
}

LLVMValueRef cc_first(LLVMValueRef function) {
    return first_from(LLVMGetFirstBasicBlock(function));
}

LLVMValueRef cc_next(LLVMValueRef instruction) {
    LLVMValueRef next = LLVMGetNextInstruction(instruction);
    return next != NULL ? next : first_from(LLVMGetNextBasicBlock(LLVMGetInstructionParent(instruction)));
}

LLVMValueRef cc_first_after_phis(LLVMBasicBlockRef block) {
    LLVMValueRef at = LLVMGetFirstInstruction(block);
    while (LLVMGetInstructionOpcode(at) == LLVMPHI)
        at = LLVMGetNextInstruction(at);
    return at;
}

LLVMValueRef *cc_users(cc_unit *unit, LLVMValueRef value, size_t *count) {
    size_t number = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use))
        number++;
    LLVMValueRef *users = cc_alloc(unit, number, sizeof *users);
    *count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(value); use != NULL; use = LLVMGetNextUse(use))
        users[(*count)++] = LLVMGetUser(use);
    return users;
}

static void add_live(cc_unit *unit, cc_map *live, LLVMBasicBlockRef block) {
    /* Depth first with an explicit stack: recursion could overflow on a function with very many blocks in a row. */
    LLVMBasicBlockRef *waiting = NULL;
    size_t count = 0, capacity = 0;
    for (;; block = waiting[--count]) {
        LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
        unsigned ways = cc_map_get(live, block) != CC_NOT_FOUND ? 0 : LLVMGetNumSuccessors(last);
        cc_map_put(unit, live, block, 1);
        if (LLVMIsAInvokeInst(last) != NULL && ways > 0)
            ways = 1; /* the second successor is for exceptions */
        for (unsigned i = 0; i < ways; i++) {
            cc_reserve(unit, &waiting, &capacity, count + 1, sizeof *waiting);
            waiting[count++] = LLVMGetSuccessor(last, i);
        }
        if (count == 0)
            return;
    }
}

cc_map cc_live_blocks(cc_unit *unit, LLVMValueRef function) {
    cc_map live = {0};
    if (!LLVMIsDeclaration(function))
        add_live(unit, &live, LLVMGetEntryBasicBlock(function));
    return live;
}

bool cc_is_call(LLVMValueRef value) {
    return LLVMIsACallInst(value) != NULL || LLVMIsAInvokeInst(value) != NULL;
}

bool cc_is_direct_call(LLVMValueRef user, LLVMValueRef function) {
    if (!cc_is_call(user) || LLVMGetCalledValue(user) != function ||
        LLVMGetCalledFunctionType(user) != LLVMGlobalGetValueType(function))
        return false;
    for (int i = 0; i < LLVMGetNumOperands(user) - 1; i++)
        if (LLVMGetOperand(user, (unsigned)i) == function)
            return false;
    return true;
}

void cc_set_callee(LLVMValueRef call, LLVMValueRef callee) {
    LLVMSetOperand(call, (unsigned)LLVMGetNumOperands(call) - 1, callee);
}

/* ---- Blocks and bodies ---- */

/* Makes all branches to `from` go to `to`. LLVM's own replacement of uses would also change the phis of the
 * successors of `from`. */
static void redirect(cc_unit *unit, LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    size_t count;
    LLVMValueRef *users = cc_users(unit, LLVMBasicBlockAsValue(from), &count);
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsABlockAddress(users[i]) != NULL) {
            LLVMReplaceAllUsesWith(users[i], LLVMBlockAddress(LLVMGetBasicBlockParent(to), to));
            continue;
        }
        for (unsigned k = 0; k < LLVMGetNumSuccessors(users[i]); k++)
            if (LLVMGetSuccessor(users[i], k) == from)
                LLVMSetSuccessor(users[i], k, to);
    }
}

LLVMBasicBlockRef cc_split_before(cc_unit *unit, LLVMValueRef instruction) {
    LLVMBasicBlockRef tail = LLVMGetInstructionParent(instruction);
    LLVMBasicBlockRef head = LLVMInsertBasicBlockInContext(unit->context, tail, "");
    redirect(unit, tail, head);
    LLVMPositionBuilderAtEnd(unit->builder, head);
    LLVMSetCurrentDebugLocation2(unit->builder, NULL);
    for (LLVMValueRef next, at = LLVMGetFirstInstruction(tail); at != instruction; at = next) {
        next = LLVMGetNextInstruction(at);
        LLVMMetadataRef line = LLVMInstructionGetDebugLoc(at);
        size_t length;
        const char *name = cc_print(unit, "%s", LLVMGetValueName2(at, &length));
        LLVMInstructionRemoveFromParent(at);
        LLVMInsertIntoBuilderWithName(unit->builder, at, name);
        LLVMInstructionSetDebugLoc(at, line);
    }
    return head;
}

static void move_addresses_of_blocks(LLVMValueRef *users, size_t count, LLVMValueRef to) {
    for (size_t i = 0; i < count; i++) {
        if (LLVMIsABlockAddress(users[i]) == NULL)
            continue;
        LLVMBasicBlockRef block = LLVMGetBlockAddressBasicBlock(users[i]);
        LLVMReplaceAllUsesWith(users[i], LLVMBlockAddress(to, block));
    }
}

void cc_move_body(cc_unit *unit, LLVMValueRef from, LLVMValueRef to) {
    size_t count;
    LLVMValueRef *users = cc_users(unit, from, &count);
    for (LLVMBasicBlockRef next, block = LLVMGetFirstBasicBlock(from); block != NULL; block = next) {
        next = LLVMGetNextBasicBlock(block);
        LLVMRemoveBasicBlockFromParent(block);
        LLVMAppendExistingBasicBlock(to, block);
    }
    for (unsigned i = 0; i < LLVMCountParams(from); i++) {
        LLVMValueRef old = LLVMGetParam(from, i), new = LLVMGetParam(to, i);
        const char *name = cc_print(unit, "%s", LLVMGetValueName(old));
        LLVMSetValueName2(new, name, strlen(name));
        if (LLVMTypeOf(old) == LLVMTypeOf(new))
            LLVMReplaceAllUsesWith(old, new);
    }
    move_addresses_of_blocks(users, count, to);
    LLVMMetadataRef program = LLVMGetSubprogram(from);
    if (program != NULL) {
        LLVMGlobalEraseMetadata(from, LLVMGetMDKindIDInContext(unit->context, "dbg", 3));
        LLVMSetSubprogram(to, program);
    }
    if (LLVMHasPersonalityFn(from))
        LLVMSetPersonalityFn(to, LLVMGetPersonalityFn(from));
}

LLVMValueRef cc_drop_body(cc_unit *unit, LLVMValueRef function) {
    const char *name = cc_print(unit, "%s", LLVMGetValueName(function));
    LLVMModuleRef module = LLVMGetGlobalParent(function);
    LLVMValueRef declaration = LLVMAddFunction(module, "", LLVMGlobalGetValueType(function));
    cc_copy_attributes(unit, function, declaration, LLVMCountParams(function));
    LLVMSetFunctionCallConv(declaration, LLVMGetFunctionCallConv(function));
    LLVMSetVisibility(declaration, LLVMGetVisibility(function));
    LLVMReplaceAllUsesWith(function, declaration);
    LLVMDeleteFunction(function);
    LLVMSetValueName2(declaration, name, strlen(name));
    return declaration;
}

static void copy_call_site(cc_unit *unit, LLVMValueRef from, LLVMValueRef to, LLVMAttributeIndex index) {
    unsigned count = LLVMGetCallSiteAttributeCount(from, index);
    LLVMAttributeRef *attributes = cc_alloc(unit, count, sizeof *attributes);
    LLVMGetCallSiteAttributes(from, index, attributes);
    for (unsigned i = 0; i < count; i++)
        LLVMAddCallSiteAttribute(to, index, attributes[i]);
}

LLVMValueRef cc_build_instead(cc_unit *unit, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef callee,
                              LLVMValueRef *arguments, unsigned count) {
    cc_build_before(unit, call);
    LLVMValueRef new = LLVMBuildCall2(unit->builder, type, callee, arguments, count, "");
    LLVMSetInstructionCallConv(new, LLVMGetInstructionCallConv(call));
    unsigned shared = LLVMGetNumArgOperands(call) < count ? LLVMGetNumArgOperands(call) : count;
    for (unsigned i = 0; i <= shared; i++)
        copy_call_site(unit, call, new, i);
    copy_call_site(unit, call, new, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
    return new;
}

LLVMValueRef cc_replace_call(cc_unit *unit, LLVMValueRef call, LLVMTypeRef type, LLVMValueRef callee,
                             LLVMValueRef *arguments, unsigned count) {
    LLVMValueRef new = cc_build_instead(unit, call, type, callee, arguments, count);
    if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind) {
        size_t length;
        char *name = cc_print(unit, "%s", LLVMGetValueName2(call, &length));
        LLVMReplaceAllUsesWith(call, new);
        LLVMSetValueName2(call, "", 0);
        LLVMSetValueName2(new, name, length);
    }
    LLVMInstructionEraseFromParent(call);
    return new;
}

static LLVMValueRef rebuild_phi(cc_unit *unit, LLVMValueRef phi) {
    LLVMValueRef new = LLVMBuildPhi(unit->builder, LLVMTypeOf(phi), "");
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
        LLVMValueRef value = LLVMGetIncomingValue(phi, i);
        LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
        LLVMAddIncoming(new, &value, &block, 1);
    }
    return new;
}

static LLVMValueRef rebuild_invoke(cc_unit *unit, LLVMValueRef invoke) {
    unsigned count = LLVMGetNumArgOperands(invoke);
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetOperand(invoke, i);
    LLVMValueRef new = LLVMBuildInvoke2(unit->builder, LLVMGetCalledFunctionType(invoke), LLVMGetCalledValue(invoke),
                                        arguments, count, LLVMGetNormalDest(invoke), LLVMGetUnwindDest(invoke), "");
    LLVMSetInstructionCallConv(new, LLVMGetInstructionCallConv(invoke));
    for (unsigned i = 0; i <= count; i++)
        copy_call_site(unit, invoke, new, i);
    copy_call_site(unit, invoke, new, (LLVMAttributeIndex)LLVMAttributeFunctionIndex);
    return new;
}

static LLVMValueRef rebuild_call(cc_unit *unit, LLVMValueRef call) {
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    for (unsigned i = 0; i < count; i++)
        arguments[i] = LLVMGetOperand(call, i);
    LLVMValueRef new =
        cc_build_instead(unit, call, LLVMGetCalledFunctionType(call), LLVMGetCalledValue(call), arguments, count);
    LLVMSetTailCallKind(new, LLVMGetTailCallKind(call));
    return new;
}

/* Builds `at` again, without fast-math flags. */
static LLVMValueRef rebuild(cc_unit *unit, LLVMValueRef at) {
    LLVMBuilderRef builder = unit->builder;
    LLVMOpcode opcode = LLVMGetInstructionOpcode(at);
    switch (opcode) {
    case LLVMFNeg: return LLVMBuildFNeg(builder, LLVMGetOperand(at, 0), "");
    case LLVMFCmp:
        return LLVMBuildFCmp(builder, LLVMGetFCmpPredicate(at), LLVMGetOperand(at, 0), LLVMGetOperand(at, 1), "");
    case LLVMSelect:
        return LLVMBuildSelect(builder, LLVMGetOperand(at, 0), LLVMGetOperand(at, 1), LLVMGetOperand(at, 2), "");
    case LLVMPHI: return rebuild_phi(unit, at);
    case LLVMCall: return rebuild_call(unit, at);
    case LLVMInvoke: return rebuild_invoke(unit, at);
    default: return LLVMBuildBinOp(builder, opcode, LLVMGetOperand(at, 0), LLVMGetOperand(at, 1), "");
    }
}

static void copy_metadata(cc_unit *unit, LLVMValueRef from, LLVMValueRef to) {
    size_t count;
    LLVMValueMetadataEntry *entries = LLVMInstructionGetAllMetadataOtherThanDebugLoc(from, &count);
    for (unsigned i = 0; i < count; i++)
        LLVMSetMetadata(to, LLVMValueMetadataEntriesGetKind(entries, i),
                        LLVMMetadataAsValue(unit->context, LLVMValueMetadataEntriesGetMetadata(entries, i)));
    LLVMDisposeValueMetadataEntries(entries);
}

void cc_clear_fast_math(cc_unit *unit, LLVMValueRef instruction, LLVMFastMathFlags keep) {
    cc_build_before(unit, instruction);
    LLVMValueRef new = rebuild(unit, instruction);
    LLVMReplaceAllUsesWith(instruction, new);
    if (LLVMIsAInstruction(new) != NULL) { /* not folded to a constant */
        size_t length;
        const char *name = cc_print(unit, "%s", LLVMGetValueName2(instruction, &length));
        copy_metadata(unit, instruction, new);
        LLVMSetValueName2(instruction, "", 0);
        LLVMSetValueName2(new, name, length);
        if (keep != LLVMFastMathNone)
            LLVMSetFastMathFlags(new, keep);
    }
    LLVMInstructionEraseFromParent(instruction);
}

LLVMValueRef cc_entry_slot(cc_unit *unit, LLVMValueRef instruction, LLVMTypeRef type, unsigned alignment) {
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
    LLVMPositionBuilderBefore(unit->builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
    LLVMSetCurrentDebugLocation2(unit->builder, NULL);
    LLVMValueRef slot = LLVMBuildAlloca(unit->builder, type, "");
    LLVMSetAlignment(slot, alignment);
    return slot;
}

/* ---- Attributes ---- */

unsigned cc_attribute(const char *name) {
    return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

void cc_add_attribute(cc_unit *unit, LLVMValueRef function, const char *name) {
    LLVMAttributeRef attribute = LLVMCreateEnumAttribute(unit->context, cc_attribute(name), 0);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

void cc_forbid_inlining(cc_unit *unit, LLVMValueRef function) {
    LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
    LLVMRemoveEnumAttributeAtIndex(function, index, cc_attribute("alwaysinline"));
    cc_add_attribute(unit, function, "noinline");
}

void cc_copy_attributes(cc_unit *unit, LLVMValueRef from, LLVMValueRef to, unsigned parameters) {
    for (unsigned i = 0; i <= parameters + 1; i++) {
        LLVMAttributeIndex index = i > parameters ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : i;
        unsigned count = LLVMGetAttributeCountAtIndex(from, index);
        LLVMAttributeRef *attributes = cc_alloc(unit, count, sizeof *attributes);
        LLVMGetAttributesAtIndex(from, index, attributes);
        for (unsigned k = 0; k < count; k++)
            LLVMAddAttributeAtIndex(to, index, attributes[k]);
    }
}

void cc_copy_call_attributes(cc_unit *unit, LLVMValueRef call, LLVMValueRef to, unsigned shift) {
    for (unsigned i = 0; i <= LLVMGetNumArgOperands(call); i++) {
        unsigned count = LLVMGetCallSiteAttributeCount(call, i);
        LLVMAttributeRef *attributes = cc_alloc(unit, count, sizeof *attributes);
        LLVMGetCallSiteAttributes(call, i, attributes);
        for (unsigned k = 0; k < count; k++)
            LLVMAddAttributeAtIndex(to, i == 0 ? 0 : i + shift, attributes[k]);
    }
}

void cc_drop_attributes(cc_unit *unit, LLVMValueRef function_or_call, LLVMAttributeIndex index) {
    bool of_call = LLVMIsAFunction(function_or_call) == NULL;
    unsigned count = of_call ? LLVMGetCallSiteAttributeCount(function_or_call, index)
                             : LLVMGetAttributeCountAtIndex(function_or_call, index);
    LLVMAttributeRef *attributes = cc_alloc(unit, count, sizeof *attributes);
    if (of_call)
        LLVMGetCallSiteAttributes(function_or_call, index, attributes);
    else
        LLVMGetAttributesAtIndex(function_or_call, index, attributes);
    for (unsigned i = 0; i < count; i++) {
        if (LLVMIsStringAttribute(attributes[i]))
            continue;
        if (of_call)
            LLVMRemoveCallSiteEnumAttribute(function_or_call, index, LLVMGetEnumAttributeKind(attributes[i]));
        else
            LLVMRemoveEnumAttributeAtIndex(function_or_call, index, LLVMGetEnumAttributeKind(attributes[i]));
    }
}

void cc_copy_target(LLVMValueRef from, LLVMValueRef to) {
    static const char *const names[] = {"target-cpu", "target-features", "tune-cpu"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        LLVMAttributeIndex index = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
        LLVMAttributeRef attribute = LLVMGetStringAttributeAtIndex(from, index, names[i], (unsigned)strlen(names[i]));
        if (attribute != NULL)
            LLVMAddAttributeAtIndex(to, index, attribute);
    }
}

LLVMTypeRef cc_byval(LLVMValueRef function_or_call, unsigned index) {
    unsigned kind = cc_attribute("byval");
    LLVMAttributeRef attribute = LLVMIsAFunction(function_or_call) != NULL
                                     ? LLVMGetEnumAttributeAtIndex(function_or_call, index + 1, kind)
                                     : LLVMGetCallSiteEnumAttribute(function_or_call, index + 1, kind);
    return attribute == NULL ? NULL : LLVMGetTypeAttributeValue(attribute);
}

/* ---- Dispatchers ---- */

LLVMBasicBlockRef cc_build_case(cc_unit *unit, LLVMValueRef function, LLVMBasicBlockRef at, LLVMValueRef address) {
    LLVMBasicBlockRef found = LLVMAppendBasicBlockInContext(unit->context, function, "");
    LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(unit->context, function, "");
    cc_build_at_end(unit, at);
    LLVMValueRef same = LLVMBuildICmp(unit->builder, LLVMIntEQ, LLVMGetParam(function, 0), address, "");
    LLVMBuildCondBr(unit->builder, same, found, other);
    cc_build_at_end(unit, found);
    return other;
}

LLVMValueRef cc_call_between(cc_unit *unit, LLVMValueRef call, LLVMValueRef function) {
    unsigned count = LLVMGetNumArgOperands(call);
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    arguments[0] = LLVMGetCalledValue(call);
    for (unsigned i = 0; i < count; i++)
        arguments[i + 1] = LLVMGetOperand(call, i);
    cc_build_before(unit, call);
    LLVMTypeRef type = LLVMGlobalGetValueType(function);
    LLVMValueRef direct = LLVMBuildCall2(unit->builder, type, function, arguments, count + 1, "");
    if (LLVMTypeOf(call) != unit->none)
        LLVMReplaceAllUsesWith(call, direct);
    return direct;
}

/* ---- Edges ---- */

unsigned cc_edges_between(LLVMBasicBlockRef from, LLVMBasicBlockRef to) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    unsigned count = 0;
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
        count += LLVMGetSuccessor(end, k) == to;
    return count;
}

void cc_redirect(LLVMBasicBlockRef from, LLVMBasicBlockRef old, LLVMBasicBlockRef to) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(from);
    for (unsigned k = 0; k < LLVMGetNumSuccessors(end); k++)
        if (LLVMGetSuccessor(end, k) == old)
            LLVMSetSuccessor(end, k, to);
}
