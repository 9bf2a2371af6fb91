/* Reads the type of a parameter from clang's description of it.
 *
 * clang describes a type as a tree: a typedef contains the type that it names, a decayed array contains the array and
 * the pointer. derive_type_read follows the tree down to the number type at its bottom. */
#include "cli/derive.h"

#include <string.h>

static const derive_scalar scalars[] = {
    {"double", "double", DERIVE_FLOATING, sizeof(double), true},
    {"float", "float", DERIVE_FLOATING, sizeof(float), true},
    {"long double", "long double", DERIVE_FLOATING, sizeof(long double), true},
    {"_Bool", "_Bool", DERIVE_INTEGER, sizeof(_Bool), false},
    {"bool", "_Bool", DERIVE_INTEGER, sizeof(_Bool), false},
    {"char", "char", DERIVE_INTEGER, 1, true},
    {"signed char", "signed char", DERIVE_INTEGER, 1, true},
    {"unsigned char", "unsigned char", DERIVE_INTEGER, 1, false},
    {"short", "short", DERIVE_INTEGER, sizeof(short), true},
    {"unsigned short", "unsigned short", DERIVE_INTEGER, sizeof(short), false},
    {"int", "int", DERIVE_INTEGER, sizeof(int), true},
    {"unsigned int", "unsigned int", DERIVE_INTEGER, sizeof(int), false},
    {"long", "long", DERIVE_INTEGER, sizeof(long), true},
    {"unsigned long", "unsigned long", DERIVE_INTEGER, sizeof(long), false},
    {"long long", "long long", DERIVE_INTEGER, sizeof(long long), true},
    {"unsigned long long", "unsigned long long", DERIVE_INTEGER, sizeof(long long), false},
    {"wchar_t", "int", DERIVE_INTEGER, sizeof(int), true},
    {"char16_t", "unsigned short", DERIVE_INTEGER, sizeof(short), false},
    {"char32_t", "unsigned int", DERIVE_INTEGER, sizeof(int), false},
};

const derive_scalar derive_double = {"double", "double", DERIVE_FLOATING, sizeof(double), true};
/* An enum is passed to the generated call as the widest integer, and converted there to its type. */
const derive_scalar derive_enum = {"enum", "long long", DERIVE_INTEGER, sizeof(long long), true};

const derive_scalar *derive_scalar_named(const char *name) {
    const derive_scalar *scalar = scalars;
    while (strcmp(scalar->name, name) != 0)
        scalar++;
    return scalar;
}

static cli_json_value type_text(cli_json_value node) {
    return cli_json_member(cli_json_member(node, "type"), "qualType");
}

static bool is_kind(cli_json_value node, const char *kind) {
    return cli_json_is(cli_json_member(node, "kind"), kind);
}

static bool is_array(cli_json_value node) {
    return is_kind(node, "ConstantArrayType") || is_kind(node, "VariableArrayType") ||
           is_kind(node, "IncompleteArrayType");
}

static bool is_pointer(cli_json_value node) {
    return is_kind(node, "PointerType") || is_kind(node, "LValueReferenceType") || is_kind(node, "RValueReferenceType");
}

/* An expression has a value category, a type has none. */
static bool is_type(cli_json_value node) {
    return !cli_json_member(node, "valueCategory").at;
}

/* Returns the first type inside a type: the element type of an array, the target of a pointer, the type that a typedef
 * names; of a decayed array the array, which has more information than the pointer. */
static cli_json_value inside(cli_json_value node) {
    cli_json_value items = cli_json_items(cli_json_member(node, "inner")), item;
    while (cli_json_next(&items, &item))
        if (is_type(item))
            return item;
    return (cli_json_value){NULL, NULL};
}

/* Skips typedefs, parentheses and qualifiers. Sets *constant if one of them is `const`. */
static cli_json_value follow(cli_json_value node, bool *constant) {
    static const char *const transparent[] = {
        "ElaboratedType", "TypedefType",  "ParenType",          "QualType",
        "DecayedType",    "AdjustedType", "TypeOfExprType",     "TypeOfType",
        "AttributedType", "UsingType",    "MacroQualifiedType", "SubstTemplateTypeParmType",
        "DecltypeType",   "AutoType",
    };
    for (size_t i = 0; i < sizeof transparent / sizeof *transparent;) {
        if (!is_kind(node, transparent[i])) {
            i++;
            continue;
        }
        cli_json_value qualifiers = cli_json_member(node, "qualifiers");
        if (qualifiers.at && (size_t)(qualifiers.end - qualifiers.at) >= strlen("\"const\"") &&
            memcmp(qualifiers.at, "\"const", strlen("\"const")) == 0)
            *constant = true;
        node = inside(node);
        i = 0;
    }
    return node;
}

static derive_dimension dimension_of(cli_json_value array) {
    derive_dimension dimension = {0};
    dimension.known =
        is_kind(array, "ConstantArrayType") && cli_json_whole(cli_json_member(array, "size"), &dimension.size);
    cli_json_value items = cli_json_items(cli_json_member(array, "inner")), item;
    while (cli_json_next(&items, &item))
        if (!is_type(item))
            dimension.expression = item;
    return dimension;
}

/* Returns the class of a type that is not a pointer. Sets *scalar if it is a number type, else to NULL. */
static derive_class classify(cli_json_value node, const derive_scalar **scalar) {
    *scalar = NULL;
    if (is_kind(node, "EnumType"))
        return DERIVE_ENUM;
    if (!is_kind(node, "BuiltinType"))
        return DERIVE_OTHER;
    if (cli_json_is(type_text(node), "void"))
        return DERIVE_VOID;
    for (size_t i = 0; i < sizeof scalars / sizeof *scalars; i++)
        if (cli_json_is(type_text(node), scalars[i].name)) {
            *scalar = &scalars[i];
            return scalars[i].class;
        }
    return DERIVE_OTHER;
}

static void add_dimension(derive_type *type, derive_dimension dimension) {
    if (type->dimension_count < DERIVE_DIMENSIONS_MAX)
        type->dimensions[type->dimension_count] = dimension;
    type->dimension_count++;
}

derive_type derive_type_read(cli_region *region, cli_json_value node) {
    derive_type type = {.printed = cli_json_string_of(region, type_text(node))};
    bool constant = false;
    node = follow(node, &constant);
    bool pointer = is_pointer(node);
    if (!pointer && !is_array(node)) {
        type.class = classify(node, &type.scalar);
        if (type.class == DERIVE_ENUM) /* its full name, for the cast in the generated call */
            type.printed = cli_json_string_of(region, type_text(node));
        return type;
    }
    type.class = DERIVE_POINTER;
    if (pointer) {
        type.reference = !is_kind(node, "PointerType");
        add_dimension(&type, (derive_dimension){.known = type.reference, .size = 1});
        node = follow(inside(node), &type.constant);
    }
    while (is_array(node)) {
        add_dimension(&type, dimension_of(node));
        node = follow(inside(node), &type.constant);
    }
    if (classify(node, &type.scalar) == DERIVE_VOID || type.dimension_count > DERIVE_DIMENSIONS_MAX)
        type.scalar = NULL;
    return type;
}
