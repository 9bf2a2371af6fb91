/* Computes the length of an array parameter from its declaration: double a[3], a[][4], a[n][n], (*a)[n + 1]. A size
 * that is an expression is computed from the integer parameters in it, once these have values. */
#include "cli/derive.h"

#include <string.h>

int64_t derive_integer(const derive_parameter *parameter) {
    const derive_scalar *scalar = parameter->type.class == DERIVE_ENUM ? &derive_enum : parameter->type.scalar;
    uint64_t bits = 0;
    memcpy(&bits, parameter->bytes, scalar->size); /* little-endian */
    unsigned unused = 64 - 8 * (unsigned)scalar->size;
    return scalar->is_signed ? (int64_t)(bits << unused) >> unused : (int64_t)bits;
}

static bool named_value(const derive_signature *signature, cli_json_value name, int64_t *value) {
    for (size_t i = 0; i < signature->parameter_count; i++) {
        const derive_parameter *parameter = &signature->parameters[i];
        if (parameter->type.class != DERIVE_INTEGER || !cli_json_is(name, parameter->name))
            continue;
        if (!parameter->bound)
            return false;
        *value = derive_integer(parameter);
        return true;
    }
    return false;
}

static bool evaluate(const derive_signature *signature, cli_json_value expression, int64_t *value);
static bool dimension_size(const derive_signature *signature, const derive_dimension *dimension, int64_t *size);

static bool evaluate_operation(const derive_signature *signature, cli_json_value node, int64_t *value) {
    cli_json_value items = cli_json_items(cli_json_member(node, "inner")), left, right;
    cli_json_value operation = cli_json_member(node, "opcode");
    int64_t a, b;
    if (!cli_json_next(&items, &left) || !cli_json_next(&items, &right) || !evaluate(signature, left, &a) ||
        !evaluate(signature, right, &b))
        return false;
    if (cli_json_is(operation, "+"))
        return !__builtin_add_overflow(a, b, value);
    if (cli_json_is(operation, "-"))
        return !__builtin_sub_overflow(a, b, value);
    if (cli_json_is(operation, "*"))
        return !__builtin_mul_overflow(a, b, value);
    if (cli_json_is(operation, "/") && b > 0) {
        *value = a / b;
        return true;
    }
    return false;
}

/* Fortran's size(array) and size(array, dimension), which may come from the numbers that the array has. */
static bool array_size(const derive_signature *signature, cli_json_value node, int64_t *value) {
    int64_t at = 0;
    if (!cli_json_whole(cli_json_member(node, "dimension"), &at))
        return false;
    for (size_t i = 0; i < signature->parameter_count; i++) {
        const derive_parameter *parameter = &signature->parameters[i];
        const derive_type *type = &parameter->type;
        if (!cli_json_is(cli_json_member(node, "name"), parameter->name))
            continue;
        if (parameter->bound && (at == 0 || type->dimension_count == 1)) {
            *value = (int64_t)parameter->count;
            return true;
        }
        return at > 0 && at <= (int64_t)type->dimension_count &&
               dimension_size(signature, &type->dimensions[type->dimension_count - (size_t)at], value);
    }
    return false;
}

/* Evaluates an expression of names, numbers, sums, differences, products and quotients. Returns false for any other, on
 * overflow, and if a parameter has no value yet. */
static bool evaluate(const derive_signature *signature, cli_json_value node, int64_t *value) {
    cli_json_value kind = cli_json_member(node, "kind");
    if (cli_json_is(kind, "IntegerLiteral") || cli_json_is(kind, "ConstantExpr"))
        return cli_json_whole(cli_json_member(node, "value"), value);
    if (cli_json_is(kind, "DeclRefExpr"))
        return named_value(signature, cli_json_member(cli_json_member(node, "referencedDecl"), "name"), value);
    if (cli_json_is(kind, "ArraySize"))
        return array_size(signature, node, value);
    if (cli_json_is(kind, "BinaryOperator"))
        return evaluate_operation(signature, node, value);
    if (cli_json_is(kind, "ImplicitCastExpr") || cli_json_is(kind, "ParenExpr") ||
        cli_json_is(kind, "CStyleCastExpr")) {
        cli_json_value items = cli_json_items(cli_json_member(node, "inner")), item;
        return cli_json_next(&items, &item) && evaluate(signature, item, value);
    }
    return false;
}

static bool dimension_size(const derive_signature *signature, const derive_dimension *dimension, int64_t *size) {
    *size = dimension->size;
    return (dimension->known || (dimension->expression.at && evaluate(signature, dimension->expression, size))) &&
           *size >= 0;
}

static bool product(const derive_signature *signature, const derive_parameter *parameter, size_t first,
                    int64_t *numbers) {
    *numbers = 1;
    for (size_t i = first; i < parameter->type.dimension_count; i++) {
        int64_t size;
        if (!dimension_size(signature, &parameter->type.dimensions[i], &size) ||
            __builtin_mul_overflow(*numbers, size, numbers))
            return false;
    }
    return true;
}

bool derive_row_length(const derive_signature *signature, const derive_parameter *parameter, int64_t *numbers) {
    return product(signature, parameter, 1, numbers) && *numbers > 0;
}

bool derive_declared_length(const derive_signature *signature, const derive_parameter *parameter, int64_t *numbers) {
    return product(signature, parameter, 0, numbers);
}

/* Returns whether the size is the integer `name` itself. */
static bool is_integer(cli_json_value node, const char *name) {
    cli_json_value kind = cli_json_member(node, "kind");
    if (cli_json_is(kind, "ImplicitCastExpr") || cli_json_is(kind, "ParenExpr") ||
        cli_json_is(kind, "CStyleCastExpr")) {
        cli_json_value items = cli_json_items(cli_json_member(node, "inner")), item;
        return cli_json_next(&items, &item) && is_integer(item, name);
    }
    return cli_json_is(kind, "DeclRefExpr") &&
           cli_json_is(cli_json_member(cli_json_member(node, "referencedDecl"), "name"), name);
}

bool derive_other_lengths(const derive_signature *signature, const derive_parameter *parameter, const char *name,
                          int64_t *numbers) {
    bool found = false;
    *numbers = 1;
    for (size_t i = 0; i < parameter->type.dimension_count; i++) {
        const derive_dimension *dimension = &parameter->type.dimensions[i];
        int64_t size = 1;
        if (!found && dimension->expression.at && is_integer(dimension->expression, name))
            found = true;
        else if (!dimension_size(signature, dimension, &size) || __builtin_mul_overflow(*numbers, size, numbers))
            return false;
    }
    return found;
}

void derive_bounds(const derive_signature *signature, const derive_dimension *dimension, int64_t *lower,
                   int64_t *size) {
    if (!dimension_size(signature, dimension, size))
        *size = 0;
    if (!dimension->lower.at || !evaluate(signature, dimension->lower, lower))
        *lower = 1;
}
