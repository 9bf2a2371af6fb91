/* Type-based alias tags: the name of the scalar type that an access tag (base, access, offset) names second. */
#include "cc/tags.h"

#include <string.h>

static const char *const other_types[] = {"any pointer", "vtable pointer", "bool", "_Bool"};
static const char *const number_types[] = {"float", "double"};

/* So many characters; NULL: the access has no tag, or one of another form. */
static const char *accessed_type(cc_unit *unit, LLVMValueRef access, unsigned *length) {
    unsigned kind = LLVMGetMDKindIDInContext(unit->context, "tbaa", 4);
    LLVMValueRef tag = LLVMGetMetadata(access, kind);
    if (!tag || LLVMGetMDNodeNumOperands(tag) < 2)
        return NULL;
    LLVMValueRef parts[4] = {NULL};
    if (LLVMGetMDNodeNumOperands(tag) > 4)
        return NULL;
    LLVMGetMDNodeOperands(tag, parts);
    if (!parts[1] || !LLVMIsAMDNode(parts[1]) || LLVMGetMDNodeNumOperands(parts[1]) < 1)
        return NULL;
    unsigned count = LLVMGetMDNodeNumOperands(parts[1]);
    LLVMValueRef *type = cc_alloc(unit, count, sizeof *type);
    LLVMGetMDNodeOperands(parts[1], type);
    return type[0] ? LLVMGetMDString(type[0], length) : NULL;
}

static bool is_one_of(cc_unit *unit, LLVMValueRef access, const char *const *names, size_t count) {
    unsigned length = 0;
    const char *name = accessed_type(unit, access, &length);
    for (size_t i = 0; name && i < count; i++)
        if (strlen(names[i]) == length && memcmp(names[i], name, length) == 0)
            return true;
    return false;
}

bool cc_may_carry(cc_unit *unit, LLVMValueRef access) {
    return !is_one_of(unit, access, other_types, sizeof other_types / sizeof *other_types);
}

bool cc_is_of_number(cc_unit *unit, LLVMValueRef access) {
    return is_one_of(unit, access, number_types, sizeof number_types / sizeof *number_types);
}

bool cc_may_be_any(cc_unit *unit, LLVMValueRef access) {
    static const char *const any[] = {"omnipotent char"};
    unsigned length = 0;
    return !accessed_type(unit, access, &length) || is_one_of(unit, access, any, 1);
}
