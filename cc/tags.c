/* Type-based alias tags: the name of the scalar type that an access tag (base, access, offset) names second. */
#include "cc/tags.h"

#include <string.h>

/* Types of the C family whose values are never floating-point numbers; those that could hold the bits of one come last.
 * `omnipotent char` is not among them. */
static const char *const integer_types[] = {"any pointer", "vtable pointer", "bool", "_Bool", "short",     "wchar_t",
                                            "char16_t",    "char32_t",       "int",  "long",  "long long", "__int128"};
enum { TYPES = sizeof integer_types / sizeof *integer_types, TYPES_WITHOUT_ROOM = 8 };

static bool is_one_of(cc_unit *unit, LLVMValueRef access, size_t types) {
    unsigned kind = LLVMGetMDKindIDInContext(unit->context, "tbaa", 4);
    LLVMValueRef tag = LLVMGetMetadata(access, kind), parts[4] = {NULL};
    if (!tag || LLVMGetMDNodeNumOperands(tag) < 2 || LLVMGetMDNodeNumOperands(tag) > 4)
        return false;
    LLVMGetMDNodeOperands(tag, parts);
    if (!parts[1] || !LLVMIsAMDNode(parts[1]) || LLVMGetMDNodeNumOperands(parts[1]) < 1)
        return false;
    LLVMValueRef *type = cc_alloc(unit, LLVMGetMDNodeNumOperands(parts[1]), sizeof *type);
    LLVMGetMDNodeOperands(parts[1], type);
    unsigned length = 0;
    const char *name = type[0] ? LLVMGetMDString(type[0], &length) : NULL;
    for (size_t i = 0; name && i < types; i++)
        if (strlen(integer_types[i]) == length && memcmp(integer_types[i], name, length) == 0)
            return true;
    return false;
}

bool cc_may_carry(cc_unit *unit, LLVMValueRef access) {
    return !is_one_of(unit, access, TYPES);
}

bool cc_may_hold(cc_unit *unit, LLVMValueRef access) {
    return !is_one_of(unit, access, TYPES_WITHOUT_ROOM);
}
