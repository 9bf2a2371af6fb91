/* Type-based alias tags: the name of the scalar type that an access tag (base, access, offset) names second. */
#include "cc/tags.h"

#include <string.h>

static const char *const other_types[] = {"any pointer", "vtable pointer", "bool", "_Bool"};

bool cc_may_carry(cc_unit *unit, LLVMValueRef access) {
    unsigned kind = LLVMGetMDKindIDInContext(unit->context, "tbaa", 4);
    LLVMValueRef tag = LLVMGetMetadata(access, kind);
    if (!tag || LLVMGetMDNodeNumOperands(tag) < 2)
        return true;
    LLVMValueRef parts[4] = {NULL};
    if (LLVMGetMDNodeNumOperands(tag) > 4)
        return true;
    LLVMGetMDNodeOperands(tag, parts);
    if (!parts[1] || !LLVMIsAMDNode(parts[1]) || LLVMGetMDNodeNumOperands(parts[1]) < 1)
        return true;
    unsigned count = LLVMGetMDNodeNumOperands(parts[1]);
    LLVMValueRef *type = cc_alloc(unit, count, sizeof *type);
    LLVMGetMDNodeOperands(parts[1], type);
    unsigned length = 0;
    const char *name = type[0] ? LLVMGetMDString(type[0], &length) : NULL;
    for (size_t i = 0; name && i < sizeof other_types / sizeof *other_types; i++)
        if (strlen(other_types[i]) == length && memcmp(other_types[i], name, length) == 0)
            return false;
    return true;
}
