/* Addresses of tangents. A mirror is computed from that of the pointer that an address was computed from, with the same
 * offsets, because LLVM vectorises loops only if it sees how addresses change (cc/ir/cells.h). */
#include "cc/second/inside.h"

#include "cc/ir/surgery.h"
#include "native/state.h"

#include <string.h>

/* LLVM must not see that an address far outside of an object is computed from one in it, where it knows the object: an
 * argument may be one after inlining. */
static bool is_known_object(LLVMValueRef base) {
    return LLVMIsConstant(base) || LLVMIsAArgument(base) != NULL || LLVMIsAAllocaInst(base) != NULL ||
           LLVMIsACallInst(base) != NULL;
}

static LLVMValueRef move(cc_second *second, LLVMValueRef base) {
    cc_unit *unit = second->unit;
    LLVMValueRef distance = cc_i64(unit, VERSO_MIRROR);
    if (!is_known_object(base))
        return LLVMBuildGEP2(unit->builder, unit->i8, base, &distance, 1, "");
    LLVMValueRef number = LLVMBuildPtrToInt(unit->builder, base, unit->i64, "");
    return LLVMBuildIntToPtr(unit->builder, LLVMBuildAdd(unit->builder, number, distance, ""), unit->pointer, "");
}

static LLVMValueRef same_offset(cc_second *second, LLVMValueRef gep, LLVMValueRef base) {
    cc_unit *unit = second->unit;
    unsigned count = (unsigned)LLVMGetNumOperands(gep) - 1;
    LLVMValueRef *indices = cc_alloc(unit, count, sizeof(LLVMValueRef));
    for (unsigned i = 0; i < count; i++)
        indices[i] = LLVMGetOperand(gep, i + 1);
    return LLVMBuildGEPWithNoWrapFlags(unit->builder, LLVMGetGEPSourceElementType(gep), base, indices, count, "",
                                       LLVMGEPGetNoWrapFlags(gep));
}

/* Moves the builder to where the address exists first. */
static void place(cc_second *second, LLVMValueRef address) {
    if (LLVMIsAPHINode(address) != NULL)
        LLVMPositionBuilderBefore(second->unit->builder, cc_first_after_phis(LLVMGetInstructionParent(address)));
    else if (LLVMIsAInstruction(address) != NULL)
        cc_second_after(second, address);
    else
        LLVMPositionBuilderBefore(second->unit->builder,
                                  LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(second->function)));
}

LLVMValueRef cc_second_mirror(cc_second *second, LLVMValueRef address) {
    cc_unit *unit = second->unit;
    ptrdiff_t found = cc_map_get(&second->mirror, address);
    if (found != CC_NOT_FOUND)
        return (LLVMValueRef)(uintptr_t)found;
    LLVMBasicBlockRef block = LLVMGetInsertBlock(unit->builder);
    LLVMValueRef base =
        LLVMIsAGetElementPtrInst(address) != NULL ? cc_second_mirror(second, LLVMGetOperand(address, 0)) : NULL;
    (void)block;
    place(second, address);
    LLVMValueRef made = base != NULL ? same_offset(second, address, base) : move(second, address);
    cc_map_put(unit, &second->mirror, address, (size_t)(uintptr_t)made);
    return made;
}

/* ---- Alias scopes ---- */

static LLVMMetadataRef text(cc_unit *unit, const char *string) {
    return LLVMMDStringInContext2(unit->context, string, strlen(string));
}

static LLVMMetadataRef scope(cc_unit *unit, const char *name) {
    LLVMMetadataRef domain = text(unit, "verso mirror");
    LLVMMetadataRef parts[] = {text(unit, name), LLVMMDNodeInContext2(unit->context, &domain, 1)};
    return LLVMMDNodeInContext2(unit->context, parts, 2);
}

static void add_scope(cc_unit *unit, LLVMValueRef access, const char *kind_name, LLVMMetadataRef added) {
    unsigned kind = LLVMGetMDKindIDInContext(unit->context, kind_name, (unsigned)strlen(kind_name));
    LLVMValueRef had = LLVMGetMetadata(access, kind);
    unsigned count = had == NULL ? 0 : (unsigned)LLVMGetMDNodeNumOperands(had);
    LLVMValueRef *nodes = cc_alloc(unit, count + 1, sizeof *nodes);
    LLVMMetadataRef *all = cc_alloc(unit, count + 1, sizeof *all);
    if (had != NULL)
        LLVMGetMDNodeOperands(had, nodes);
    for (unsigned i = 0; i < count; i++)
        all[i] = LLVMValueAsMetadata(nodes[i]);
    all[count] = added;
    LLVMMetadataRef list = LLVMMDNodeInContext2(unit->context, all, count + 1);
    LLVMSetMetadata(access, kind, LLVMMetadataAsValue(unit->context, list));
}

void cc_second_mark_plain(cc_second *second, LLVMValueRef access) {
    add_scope(second->unit, access, "alias.scope", scope(second->unit, "plain"));
    add_scope(second->unit, access, "noalias", scope(second->unit, "mirror"));
}

void cc_second_mark(cc_second *second, LLVMValueRef made, LLVMValueRef access) {
    static const char *const kept[] = {"alias.scope", "noalias"};
    cc_unit *unit = second->unit;
    for (size_t i = 0; i < sizeof kept / sizeof *kept; i++) {
        unsigned kind = LLVMGetMDKindIDInContext(unit->context, kept[i], (unsigned)strlen(kept[i]));
        LLVMSetMetadata(made, kind, LLVMGetMetadata(access, kind));
    }
    add_scope(unit, made, "alias.scope", scope(unit, "mirror"));
    add_scope(unit, made, "noalias", scope(unit, "plain"));
}
