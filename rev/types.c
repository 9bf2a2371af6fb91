/* Properties of types that differentiation needs. */
#include "rev/tree.h"

const rev_type *rev_type_basic(rev_unit *unit, rev_kind kind) {
    static const char *const names[] = {[REV_VOID] = "void",
                                        [REV_INTEGER] = "int",
                                        [REV_FLOAT] = "float",
                                        [REV_DOUBLE] = "double",
                                        [REV_LONG_DOUBLE] = "long double",
                                        [REV_COMPLEX_FLOAT] = "float _Complex",
                                        [REV_COMPLEX] = "double _Complex",
                                        [REV_FIXED] = "fixed",
                                        [REV_ULOG] = "ulog",
                                        [REV_STACK] = "rev_stack",
                                        [REV_OTHER] = "double"};
    rev_type *type = rev_alloc(unit, 1, sizeof *type);
    type->kind = kind;
    type->name = names[kind];
    return type;
}

const rev_type *rev_type_pointer(rev_unit *unit, const rev_type *to) {
    rev_type *type = rev_alloc(unit, 1, sizeof *type);
    type->kind = REV_POINTER;
    type->of = to;
    return type;
}

const rev_type *rev_type_array(rev_unit *unit, const rev_type *of, const rev_expr *length) {
    rev_type *type = rev_alloc(unit, 1, sizeof *type);
    type->kind = REV_ARRAY;
    type->of = of;
    type->length = length;
    return type;
}

const rev_type *rev_type_plain(rev_unit *unit, const rev_type *type) {
    if (!type->constant && !type->is_volatile && !type->restricted)
        return type;
    rev_type *plain = rev_alloc(unit, 1, sizeof *plain);
    *plain = *type;
    plain->constant = plain->is_volatile = plain->restricted = false;
    return plain;
}

bool rev_is_real(const rev_type *type) {
    return type->kind == REV_FLOAT || type->kind == REV_DOUBLE || type->kind == REV_LONG_DOUBLE;
}

bool rev_is_complex(const rev_type *type) {
    return type->kind == REV_COMPLEX || type->kind == REV_COMPLEX_FLOAT;
}

bool rev_is_floating(const rev_type *type) {
    return rev_is_real(type) || rev_is_complex(type);
}

bool rev_is_exact(const rev_type *type) {
    return type->kind == REV_FIXED || type->kind == REV_ULOG;
}

bool rev_is_scalar(const rev_type *type) {
    return type->kind == REV_INTEGER || rev_is_floating(type) || rev_is_exact(type);
}

static bool is_differentiable(const rev_type *type, int depth) {
    if (rev_is_floating(type) || rev_is_exact(type) || type->kind == REV_STACK)
        return true;
    if (type->kind == REV_POINTER || type->kind == REV_ARRAY)
        return is_differentiable(type->of, depth);
    if (type->kind != REV_RECORD || !type->record || depth > 8) /* a list that points to itself has nothing new */
        return false;
    for (size_t i = 0; i < type->record->count; i++)
        if (is_differentiable(type->record->fields[i].type, depth + 1))
            return true;
    return false;
}

bool rev_is_differentiable(const rev_type *type) {
    return is_differentiable(type, 0);
}

const rev_type *rev_type_of_shadow(rev_unit *unit, const rev_type *type) {
    if (rev_is_exact(type))
        return rev_type_basic(unit, REV_DOUBLE);
    rev_type *shadow = rev_alloc(unit, 1, sizeof *shadow);
    *shadow = *type;
    shadow->constant = false;
    if (type->kind == REV_POINTER || type->kind == REV_ARRAY)
        shadow->of = rev_type_of_shadow(unit, type->of);
    return shadow;
}

bool rev_is_sized_late(const rev_unit *unit, const rev_type *type) {
    return !unit->cuda && type->kind == REV_ARRAY && type->length && type->length->kind != REV_E_NUMBER;
}
