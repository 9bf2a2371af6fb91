/* Type-based alias tags: the name of the scalar type that an access tag (base, access, offset) names second. */
#include "cc/tags.h"

#include <string.h>

/* Types of the C family whose values are never floating-point numbers. `omnipotent char` is not among them. */
static const char *const integer_types[] = {"int",       "long",        "long long", "short",  "bool",   "_Bool",
                                            "any pointer", "vtable pointer", "__int128",  "wchar_t", "char16_t", "char32_t"};

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
    for (size_t i = 0; name && i < sizeof integer_types / sizeof *integer_types; i++)
        if (strlen(integer_types[i]) == length && memcmp(integer_types[i], name, length) == 0)
            return false;
    return true;
}
