/* Alias scopes as metadata: !alias.scope names the access's own, !noalias the two others. */
#include "cc/memory_scopes.h"

static LLVMMetadataRef text(cc_unit *unit, const char *string, size_t length) {
    return LLVMMDStringInContext2(unit->context, string, length);
}

static LLVMMetadataRef scope_node(cc_unit *unit, cc_scope scope) {
    static const char *const names[CC_SCOPES] = {"verso tape   ", "verso state  ", "verso program"};
    LLVMMetadataRef domain_name = text(unit, "verso", 5);
    LLVMMetadataRef domain = LLVMMDNodeInContext2(unit->context, &domain_name, 1);
    LLVMMetadataRef parts[] = {text(unit, names[scope], 13), domain};
    return LLVMMDNodeInContext2(unit->context, parts, 2);
}

static unsigned scope_kind(cc_unit *unit) {
    return LLVMGetMDKindIDInContext(unit->context, "alias.scope", 11);
}

static LLVMValueRef scope_list(cc_unit *unit, cc_scope scope) {
    LLVMMetadataRef own = scope_node(unit, scope);
    return LLVMMetadataAsValue(unit->context, LLVMMDNodeInContext2(unit->context, &own, 1));
}

bool cc_is_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope) {
    return LLVMGetMetadata(access, scope_kind(unit)) == scope_list(unit, scope);
}

LLVMValueRef cc_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope) {
    LLVMMetadataRef others[CC_SCOPES];
    size_t count = 0;
    for (unsigned s = 0; s < CC_SCOPES; s++)
        if (s != scope)
            others[count++] = scope_node(unit, s);
    LLVMMetadataRef other_list = LLVMMDNodeInContext2(unit->context, others, count);
    LLVMSetMetadata(access, scope_kind(unit), scope_list(unit, scope));
    LLVMSetMetadata(access, LLVMGetMDKindIDInContext(unit->context, "noalias", 7),
                    LLVMMetadataAsValue(unit->context, other_list));
    return access;
}
