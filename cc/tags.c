/* Type-based alias tags: the name of the scalar type that an access tag (base, access, offset) names second. */
#include "cc/tags.h"

#include <string.h>

static const char *const other_types[] = {"any pointer", "vtable pointer", "bool", "_Bool"};

static bool is_named(const char *name, unsigned length, const char *other) {
    return strlen(other) == length && memcmp(other, name, length) == 0;
}

/* NULL: there is none, or it cannot be read. */
static const char *type_name(cc_unit *unit, LLVMValueRef access, unsigned *length) {
    unsigned kind = LLVMGetMDKindIDInContext(unit->context, "tbaa", 4);
    LLVMValueRef tag = LLVMGetMetadata(access, kind);
    if (!tag || LLVMGetMDNodeNumOperands(tag) < 2 || LLVMGetMDNodeNumOperands(tag) > 4)
        return NULL;
    LLVMValueRef parts[4] = {NULL};
    LLVMGetMDNodeOperands(tag, parts);
    if (!parts[1] || !LLVMIsAMDNode(parts[1]) || LLVMGetMDNodeNumOperands(parts[1]) < 1)
        return NULL;
    unsigned count = LLVMGetMDNodeNumOperands(parts[1]);
    LLVMValueRef *type = cc_alloc(unit, count, sizeof *type);
    LLVMGetMDNodeOperands(parts[1], type);
    return type[0] ? LLVMGetMDString(type[0], length) : NULL;
}

bool cc_may_carry(cc_unit *unit, LLVMValueRef access) {
    unsigned length = 0;
    const char *name = type_name(unit, access, &length);
    for (size_t i = 0; name && i < sizeof other_types / sizeof *other_types; i++)
        if (is_named(name, length, other_types[i]))
            return false;
    return true;
}

bool cc_may_be_any(cc_unit *unit, LLVMValueRef access) {
    unsigned length = 0;
    const char *name = type_name(unit, access, &length);
    return !name || is_named(name, length, "omnipotent char");
}
