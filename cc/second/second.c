/* Goes through the instructions of recording and reverse functions. Instructions stay unchanged; what is added comes
 * after each of them, and phis are completed at the end. */
#include "cc/second/second.h"
#include "cc/second/inside.h"

#include "cc/front/front.h"
#include "cc/ir/surgery.h"
#include "cc/reverse/reverse.h"
#include "cc/rules/rules.h"

#include <string.h>

LLVMValueRef cc_second_tangent(const cc_second *second, LLVMValueRef value) {
    ptrdiff_t found = cc_map_get(&second->tangent, value);
    return found == CC_NOT_FOUND ? NULL : (LLVMValueRef)(uintptr_t)found;
}

LLVMValueRef cc_second_whole(const cc_second *second, LLVMValueRef value) {
    LLVMValueRef tangent = cc_second_tangent(second, value);
    return tangent != NULL ? tangent : LLVMConstNull(LLVMTypeOf(value));
}

void cc_second_set(cc_second *second, LLVMValueRef value, LLVMValueRef tangent) {
    cc_map_put(second->unit, &second->tangent, value, (size_t)(uintptr_t)tangent);
}

void cc_second_before(cc_second *second, LLVMValueRef instruction) {
    LLVMPositionBuilderBefore(second->unit->builder, instruction);
}

void cc_second_after(cc_second *second, LLVMValueRef instruction) {
    LLVMPositionBuilderBefore(second->unit->builder, LLVMGetNextInstruction(instruction));
}

/* ---- Memory ---- */

static void load(cc_second *second, LLVMValueRef value) {
    LLVMValueRef address = cc_second_mirror(second, LLVMGetOperand(value, 0));
    cc_second_after(second, value);
    LLVMValueRef made = LLVMBuildLoad2(second->unit->builder, LLVMTypeOf(value), address, "");
    LLVMSetAlignment(made, LLVMGetAlignment(value));
    cc_second_mark(second, made, value);
    cc_second_set(second, value, made);
}

static void store(cc_second *second, LLVMValueRef at) {
    LLVMValueRef stored = LLVMGetOperand(at, 0);
    if (!cc_second_moves(second, at, LLVMTypeOf(stored)))
        return;
    LLVMValueRef address = cc_second_mirror(second, LLVMGetOperand(at, 1));
    cc_second_after(second, at);
    LLVMValueRef made = LLVMBuildStore(second->unit->builder, cc_second_whole(second, stored), address);
    LLVMSetAlignment(made, LLVMGetAlignment(at));
    cc_second_mark(second, made, at);
}

/* ---- Moves ---- */

static void phi(cc_second *second, LLVMValueRef value) {
    cc_second_before(second, value);
    cc_second_set(second, value, LLVMBuildPhi(second->unit->builder, LLVMTypeOf(value), ""));
}

static void complete_phi(cc_second *second, LLVMValueRef value) {
    LLVMValueRef made = cc_second_tangent(second, value);
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++) {
        LLVMValueRef one = cc_second_whole(second, LLVMGetIncomingValue(value, i));
        LLVMBasicBlockRef from = LLVMGetIncomingBlock(value, i);
        LLVMAddIncoming(made, &one, &from, 1);
    }
}

/* Builds the same operation on the tangents of the first `count` operands. */
static void same(cc_second *second, LLVMValueRef value, unsigned count) {
    cc_second_after(second, value);
    LLVMValueRef made = LLVMInstructionClone(value);
    for (unsigned i = 0; i < count; i++)
        LLVMSetOperand(made, i, cc_second_whole(second, LLVMGetOperand(value, i)));
    LLVMInsertIntoBuilder(second->unit->builder, made);
    cc_second_set(second, value, made);
}

static void varied(cc_second *second, LLVMValueRef value) {
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMLoad: load(second, value); return;
    case LLVMPHI: phi(second, value); return;
    case LLVMSelect: cc_second_select(second, value); return;
    case LLVMFreeze:
    case LLVMBitCast:
    case LLVMExtractValue:
    case LLVMExtractElement: same(second, value, 1); return;
    case LLVMInsertValue:
    case LLVMInsertElement:
    case LLVMShuffleVector: same(second, value, 2); return;
    default: break;
    }
    if (cc_rule_of(value) != NULL)
        cc_second_rule(second, value);
    else
        cc_second_integer(second, value);
}

static void instruction(cc_second *second, LLVMValueRef value) {
    switch (LLVMGetInstructionOpcode(value)) {
    case LLVMStore: store(second, value); return;
    case LLVMCall: cc_second_call(second, value); return;
    case LLVMRet: cc_second_return(second, value); return;
    default: break;
    }
    if (cc_second_varied(second, value))
        varied(second, value);
}

/* Lists the loads and stores, which are marked when their marks have been copied. Returns their number. */
static size_t list_accesses(cc_second *second) {
    size_t count = 0;
    second->accesses = cc_alloc(second->unit, second->count + 1, sizeof *second->accesses);
    for (size_t i = 0; i < second->count; i++)
        if (LLVMIsALoadInst(second->instructions[i]) != NULL || LLVMIsAStoreInst(second->instructions[i]) != NULL)
            second->accesses[count++] = second->instructions[i];
    return count;
}

static void transform(cc_unit *unit, const cc_function *of, bool reverse) {
    cc_second second = {.unit = unit, .function = reverse ? of->reverse : of->value, .reverse = reverse};
    if (LLVMIsDeclaration(second.function))
        return;
    second.inactive = !reverse && of->inactive;
    cc_second_collect(&second);
    size_t accesses = list_accesses(&second);
    if (!reverse)
        cc_second_entry(&second);
    for (size_t i = 0; i < second.count; i++)
        instruction(&second, second.instructions[i]);
    for (size_t i = 0; i < second.count; i++)
        if (cc_second_varied(&second, second.instructions[i]) && LLVMIsAPHINode(second.instructions[i]) != NULL)
            complete_phi(&second, second.instructions[i]);
    for (size_t i = 0; i < accesses; i++)
        cc_second_mark_plain(&second, second.accesses[i]);
}

/* Small functions (cc/ir/small.h) are inlined everywhere. */
void cc_second_open(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (LLVMIsDeclaration(f) || LLVMGetLinkage(f) != LLVMInternalLinkage ||
            strncmp(LLVMGetValueName(f), "verso.", strlen("verso.")) != 0)
            continue;
        LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, cc_attribute("noinline"));
        cc_add_attribute(unit, f, "alwaysinline");
    }
    cc_run_passes(unit, "always-inline,globaldce,function(sroa<modify-cfg>,early-cse,dce)");
}

void cc_second_all(cc_unit *unit) {
    for (size_t i = 0; i < unit->function_count; i++) {
        cc_region_begin(unit);
        transform(unit, &unit->functions[i], false);
        transform(unit, &unit->functions[i], true);
        cc_region_end(unit);
    }
}

/* ---- Names ---- */

/* Adds ".second" before `end`, a part of the name. */
static void rename_value(cc_unit *unit, LLVMValueRef value, const char *end) {
    const char *name = LLVMGetValueName(value);
    const char *made = cc_print(unit, "%.*s.second%s", (int)(end - name), name, end);
    LLVMSetValueName2(value, made, strlen(made));
}

void cc_second_rename(cc_unit *unit) {
    static const char call[] = CC_SITE_INFIX "call.";
    for (size_t i = 0; i < unit->function_count; i++) {
        const cc_function *function = &unit->functions[i];
        rename_value(unit, function->value, strrchr(LLVMGetValueName(function->value), '.'));
        rename_value(unit, function->reverse, strrchr(LLVMGetValueName(function->reverse), '.'));
    }
    for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g != NULL; g = LLVMGetNextGlobal(g)) {
        const char *site = strstr(LLVMGetValueName(g), CC_SITE_INFIX);
        if (site != NULL && strncmp(site, call, strlen(call)) != 0)
            rename_value(unit, g, site);
    }
}
