/* Classes, and type-based alias tags. A tag is (base type, access type, offset); this file reads the name of the access
 * type. */
#include "cc/ir/tags.h"

#include "cc/ir/surgery.h"

#include <string.h>

static const char *const other_types[] = {"any pointer", "vtable pointer", "bool", "_Bool"};
static const char *const number_types[] = {"float", "double"};

/* Returns the type that `access` names, as a node: (name, parent, offset). NULL if the access has no tag, or one of
 * another form. */
static LLVMValueRef type_node(cc_unit *unit, LLVMValueRef access) {
    unsigned kind = LLVMGetMDKindIDInContext(unit->context, "tbaa", 4);
    LLVMValueRef tag = LLVMGetMetadata(access, kind);
    LLVMValueRef parts[4] = {NULL};
    if (!tag || LLVMGetMDNodeNumOperands(tag) < 2 || LLVMGetMDNodeNumOperands(tag) > 4)
        return NULL;
    LLVMGetMDNodeOperands(tag, parts);
    return parts[1] && LLVMIsAMDNode(parts[1]) && LLVMGetMDNodeNumOperands(parts[1]) >= 1 ? parts[1] : NULL;
}

static LLVMValueRef *parts_of(cc_unit *unit, LLVMValueRef node) {
    LLVMValueRef *parts = cc_alloc(unit, LLVMGetMDNodeNumOperands(node), sizeof *parts);
    LLVMGetMDNodeOperands(node, parts);
    return parts;
}

/* Returns the name of the scalar type that `access` names, and its length in *length (it is not NUL-terminated).
 * NULL if there is none. */
static const char *accessed_type(cc_unit *unit, LLVMValueRef access, unsigned *length) {
    LLVMValueRef node = type_node(unit, access);
    LLVMValueRef name = node ? parts_of(unit, node)[0] : NULL;
    return name ? LLVMGetMDString(name, length) : NULL;
}

/* The types of C and C++ are children of char, which can access all of them. */
const char *cc_tag_name(cc_unit *unit, LLVMValueRef access) {
    static const char all[] = "omnipotent char";
    LLVMValueRef node = type_node(unit, access);
    if (!node || LLVMGetMDNodeNumOperands(node) < 2)
        return NULL;
    LLVMValueRef *parts = parts_of(unit, node);
    if (!parts[0] || !parts[1] || !LLVMIsAMDNode(parts[1]) || LLVMGetMDNodeNumOperands(parts[1]) < 1)
        return NULL;
    unsigned length = 0, parent = 0;
    const char *name = LLVMGetMDString(parts[0], &length);
    LLVMValueRef above = parts_of(unit, parts[1])[0];
    const char *of = above ? LLVMGetMDString(above, &parent) : NULL;
    bool child = name && of && parent == sizeof all - 1 && memcmp(of, all, parent) == 0;
    return child ? cc_print(unit, "%.*s", (int)length, name) : NULL;
}

static unsigned kind_named(cc_unit *unit, const char *name) {
    return LLVMGetMDKindIDInContext(unit->context, name, (unsigned)strlen(name));
}

static void set_number(cc_unit *unit, LLVMValueRef access, const char *name, uint64_t number) {
    LLVMMetadataRef data = LLVMValueAsMetadata(LLVMConstInt(unit->i32, number, false));
    LLVMMetadataRef node = LLVMMDNodeInContext2(unit->context, &data, 1);
    LLVMSetMetadata(access, kind_named(unit, name), LLVMMetadataAsValue(unit->context, node));
}

/* Returns 0 if the access has none. */
static uint64_t number_of(cc_unit *unit, LLVMValueRef access, const char *name) {
    LLVMValueRef node = LLVMIsAInstruction(access) ? LLVMGetMetadata(access, kind_named(unit, name)) : NULL;
    LLVMValueRef number = NULL;
    if (!node)
        return 0;
    LLVMGetMDNodeOperands(node, &number);
    return LLVMConstIntGetZExtValue(number);
}

static const char of_class[] = "verso.class", of_memory[] = "verso.memory";

void cc_set_class(cc_unit *unit, LLVMValueRef access, cc_class class) {
    set_number(unit, access, of_class, class);
}

cc_class cc_class_of(cc_unit *unit, LLVMValueRef access) {
    return (cc_class)number_of(unit, access, of_class);
}

void cc_set_memory(cc_unit *unit, LLVMValueRef access, size_t memory) {
    set_number(unit, access, of_memory, memory);
}

size_t cc_memory_of(cc_unit *unit, LLVMValueRef access) {
    return number_of(unit, access, of_memory);
}

void cc_forget_memories(cc_unit *unit) {
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f != NULL; f = LLVMGetNextFunction(f))
        for (LLVMValueRef at = cc_first(f); at != NULL; at = cc_next(at))
            if (LLVMIsALoadInst(at) || LLVMIsAStoreInst(at))
                LLVMSetMetadata(at, kind_named(unit, of_memory), NULL);
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
    return cc_class_of(unit, access) != CC_CLASS_NOTHING &&
           !is_one_of(unit, access, other_types, sizeof other_types / sizeof *other_types);
}

bool cc_is_of_number(cc_unit *unit, LLVMValueRef access) {
    return is_one_of(unit, access, number_types, sizeof number_types / sizeof *number_types);
}

bool cc_may_be_any(cc_unit *unit, LLVMValueRef access) {
    static const char *const any[] = {"omnipotent char"};
    unsigned length = 0;
    return !accessed_type(unit, access, &length) || is_one_of(unit, access, any, 1);
}
