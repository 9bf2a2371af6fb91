/* Alias scopes as LLVM metadata: !alias.scope names the scope of the access, !noalias names the other scopes. */
#include "cc/ir/memory_scopes.h"

#include "cc/ir/surgery.h"
#include "cc/ir/tags.h"

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

static LLVMValueRef list_of(cc_unit *unit, LLVMMetadataRef *nodes, size_t count) {
    return LLVMMetadataAsValue(unit->context, LLVMMDNodeInContext2(unit->context, nodes, count));
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
        *list = list_of(unit, nodes, count);
    return *list;
}

static unsigned noalias_kind(cc_unit *unit) {
    return LLVMGetMDKindIDInContext(unit->context, "noalias", 7);
}

bool cc_is_in_scope(cc_unit *unit, LLVMValueRef access, cc_scope scope) {
    LLVMValueRef list = LLVMGetMetadata(access, scope_kind(unit));
    if (list == NULL || list == scope_list(unit, scope, false))
        return list != NULL;
    LLVMValueRef own = LLVMMetadataAsValue(unit->context, scope_node(unit, scope));
    unsigned count = LLVMGetMDNodeNumOperands(list);
    LLVMValueRef *scopes = cc_alloc(unit, count, sizeof(LLVMValueRef));
    LLVMGetMDNodeOperands(list, scopes);
    for (unsigned i = 0; i < count; i++)
        if (scopes[i] == own)
            return true;
    return false;
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
    add_scopes(unit, access, noalias_kind(unit), scope_list(unit, scope, true));
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
    add_scopes(unit, store, scope_kind(unit), list_of(unit, &own, 1));
    add_scopes(unit, store, noalias_kind(unit), list_of(unit, others, count));
}

/* ---- Memories ---- */

cc_memories cc_memories_of(cc_unit *unit, LLVMValueRef function) {
    cc_memories all = {.function = function};
    for (LLVMValueRef at = cc_first(function); at != NULL && all.count < CC_MEMORIES_MOST; at = cc_next(at)) {
        size_t number = LLVMIsALoadInst(at) || LLVMIsAStoreInst(at) ? cc_memory_of(unit, at) : CC_MEMORY_LOST, i = 0;
        while (i < all.count && all.number[i] != number)
            i++;
        if (i == all.count && number >= CC_MEMORY_FIRST)
            all.number[all.count++] = number;
    }
    return all;
}

/* Names have the function and not the number, which changes with the rest of the program (cc/emit/keys.c). */
static LLVMMetadataRef memory_node(cc_unit *unit, const cc_memories *all, size_t i, bool cells) {
    const char *place = cells ? "cells" : "memory";
    const char *name = cc_print(unit, "verso %s %zu of %s", place, i, LLVMGetValueName(all->function));
    const char *domain = cc_print(unit, "verso %s of %s", place, LLVMGetValueName(all->function));
    return node_in(unit, domain, name);
}

void cc_in_memory(cc_unit *unit, const cc_memories *all, LLVMValueRef access, LLVMValueRef of, bool cells) {
    size_t number = cc_memory_of(unit, of), count = 0;
    LLVMMetadataRef own = NULL, others[CC_MEMORIES_MOST];
    for (size_t i = 0; i < all->count && number != CC_MEMORY_LOST; i++)
        if (all->number[i] == number)
            own = memory_node(unit, all, i, cells);
        else
            others[count++] = memory_node(unit, all, i, cells);
    if (own)
        add_scopes(unit, access, scope_kind(unit), list_of(unit, &own, 1));
    if (count > 0)
        add_scopes(unit, access, noalias_kind(unit), list_of(unit, others, count));
}
