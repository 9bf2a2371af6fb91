/* Alias scopes as LLVM metadata: !alias.scope names the scope of the access, !noalias names the other scopes. */
#include "cc/ir/memory_scopes.h"

static LLVMMetadataRef text(cc_unit *unit, const char *string, size_t length) {
    return LLVMMDStringInContext2(unit->context, string, length);
}

static LLVMMetadataRef scope_node(cc_unit *unit, cc_scope scope) {
    static const char *const names[CC_SCOPES] = {"verso tape   ", "verso copy   ", "verso state  ",
                                                 "verso program", "verso cells  ", "verso floats "};
    LLVMMetadataRef domain_name = text(unit, "verso", 5);
    LLVMMetadataRef domain = LLVMMDNodeInContext2(unit->context, &domain_name, 1);
    LLVMMetadataRef parts[] = {text(unit, names[scope], 13), domain};
    return LLVMMDNodeInContext2(unit->context, parts, 2);
}

static unsigned scope_kind(cc_unit *unit) {
    return LLVMGetMDKindIDInContext(unit->context, "alias.scope", 11);
}

/* Returns the list of `scope`, or, if `others`, that of all other scopes. Lists are made once in a context. */
static LLVMValueRef scope_list(cc_unit *unit, cc_scope scope, bool others) {
    _Static_assert(CC_SCOPES <= sizeof unit->scopes[0] / sizeof unit->scopes[0][0], "room for all scopes");
    LLVMValueRef *list = &unit->scopes[others][scope];
    LLVMMetadataRef nodes[CC_SCOPES];
    size_t count = 0;
    for (unsigned s = 0; s < CC_SCOPES && *list == NULL; s++)
        if ((s != scope) == others)
            nodes[count++] = scope_node(unit, s);
    if (*list == NULL)
        *list = LLVMMetadataAsValue(unit->context, LLVMMDNodeInContext2(unit->context, nodes, count));
    return *list;
}

bool cc_is_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope) {
    return LLVMGetMetadata(access, scope_kind(unit)) == scope_list(unit, scope, false);
}

/* Adds the scopes of a list to those that the access has as metadata of this kind. */
static void add_scopes(cc_unit *unit, LLVMValueRef access, unsigned kind, LLVMValueRef added) {
    LLVMValueRef had = LLVMGetMetadata(access, kind);
    if (had == NULL) {
        LLVMSetMetadata(access, kind, added);
        return;
    }
    unsigned before = LLVMGetMDNodeNumOperands(had), count = LLVMGetMDNodeNumOperands(added);
    LLVMValueRef *nodes = cc_alloc(unit, before + count, sizeof(LLVMValueRef));
    LLVMMetadataRef *all = cc_alloc(unit, before + count, sizeof(LLVMMetadataRef));
    LLVMGetMDNodeOperands(had, nodes);
    LLVMGetMDNodeOperands(added, nodes + before);
    for (unsigned i = 0; i < before + count; i++)
        all[i] = LLVMValueAsMetadata(nodes[i]);
    LLVMMetadataRef list = LLVMMDNodeInContext2(unit->context, all, before + count);
    LLVMSetMetadata(access, kind, LLVMMetadataAsValue(unit->context, list));
}

LLVMValueRef cc_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope) {
    add_scopes(unit, access, scope_kind(unit), scope_list(unit, scope, false));
    add_scopes(unit, access, LLVMGetMDKindIDInContext(unit->context, "noalias", 7), scope_list(unit, scope, true));
    return access;
}
