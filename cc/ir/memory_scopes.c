/* Alias scopes as LLVM metadata: !alias.scope names the scope of the access, !noalias names the other scopes. */
#include "cc/ir/memory_scopes.h"

#include <string.h>

static LLVMMetadataRef text(cc_unit *unit, const char *string) {
    return LLVMMDStringInContext2(unit->context, string, strlen(string));
}

/* FIELDS: number of fields of a record that have scopes of their own. */
enum { FIELDS = 24 };

static LLVMMetadataRef node_in(cc_unit *unit, const char *domain, const char *name) {
    LLVMMetadataRef domain_name = text(unit, domain);
    LLVMMetadataRef parts[] = {text(unit, name), LLVMMDNodeInContext2(unit->context, &domain_name, 1)};
    return LLVMMDNodeInContext2(unit->context, parts, 2);
}

static LLVMMetadataRef scope_node(cc_unit *unit, cc_scope scope) {
    static const char *const names[CC_SCOPES] = {"verso tape",    "verso copy",  "verso state",
                                                 "verso program", "verso cells", "verso floats"};
    return node_in(unit, "verso", names[scope]);
}

static LLVMMetadataRef field_node(cc_unit *unit, size_t field) {
    return node_in(unit, "verso fields", cc_print(unit, "verso field %zu", field));
}

static unsigned scope_kind(cc_unit *unit) {
    return LLVMGetMDKindIDInContext(unit->context, "alias.scope", 11);
}

static unsigned noalias_kind(cc_unit *unit) {
    return LLVMGetMDKindIDInContext(unit->context, "noalias", 7);
}

bool cc_is_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope) {
    LLVMValueRef list = LLVMGetMetadata(access, scope_kind(unit));
    LLVMValueRef own = LLVMMetadataAsValue(unit->context, scope_node(unit, scope));
    unsigned count = list ? LLVMGetMDNodeNumOperands(list) : 0;
    LLVMValueRef *scopes = cc_alloc(unit, count + 1, sizeof(LLVMValueRef));
    if (list)
        LLVMGetMDNodeOperands(list, scopes);
    for (unsigned i = 0; i < count; i++)
        if (scopes[i] == own)
            return true;
    return false;
}

/* Adds scopes to the list that the access has as metadata of this kind. */
static void add_scopes(cc_unit *unit, LLVMValueRef access, unsigned kind, LLVMMetadataRef *scopes, size_t count) {
    LLVMValueRef had = LLVMGetMetadata(access, kind);
    unsigned before = had ? LLVMGetMDNodeNumOperands(had) : 0;
    LLVMValueRef *old = cc_alloc(unit, before + 1, sizeof(LLVMValueRef));
    LLVMMetadataRef *all = cc_alloc(unit, before + count, sizeof(LLVMMetadataRef));
    if (had)
        LLVMGetMDNodeOperands(had, old);
    for (unsigned i = 0; i < before; i++)
        all[i] = LLVMValueAsMetadata(old[i]);
    for (size_t i = 0; i < count; i++)
        all[before + i] = scopes[i];
    LLVMMetadataRef list = LLVMMDNodeInContext2(unit->context, all, before + count);
    LLVMSetMetadata(access, kind, LLVMMetadataAsValue(unit->context, list));
}

LLVMValueRef cc_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope) {
    LLVMMetadataRef own = scope_node(unit, scope), others[CC_SCOPES];
    size_t count = 0;
    for (unsigned s = 0; s < CC_SCOPES; s++)
        if (s != scope)
            others[count++] = scope_node(unit, s);
    add_scopes(unit, access, scope_kind(unit), &own, 1);
    add_scopes(unit, access, noalias_kind(unit), others, count);
    return access;
}

void cc_in_field(cc_unit *unit, LLVMValueRef store, size_t field) {
    LLVMMetadataRef own, others[FIELDS];
    size_t count = 0;
    if (field >= FIELDS)
        return;
    own = field_node(unit, field);
    for (size_t k = 0; k < FIELDS; k++)
        if (k != field)
            others[count++] = field_node(unit, k);
    add_scopes(unit, store, scope_kind(unit), &own, 1);
    add_scopes(unit, store, noalias_kind(unit), others, count);
}
