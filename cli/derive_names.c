/* The function and its parameters as text, for messages and for the heading of the output. */
#include "cli/derive.h"

#include <string.h>

/* The subscripts of Fortran: the first dimension, the innermost, changes fastest. */
static const char *subscripts(cli_region *region, const derive_signature *signature, const derive_type *type,
                              size_t index) {
    const char *text = "";
    for (size_t i = type->dimension_count; i-- > 0;) {
        int64_t lower, size;
        derive_bounds(signature, &type->dimensions[i], &lower, &size);
        bool last = i == 0 || size == 0;
        int64_t at = last ? (int64_t)index : (int64_t)index % size;
        text = cli_region_print(region, "%s%s%lld", text, text[0] ? "," : "", (long long)(lower + at));
        index = last ? 0 : index / (size_t)size;
    }
    return text;
}

const char *derive_element(cli_region *region, const derive_signature *signature, const derive_parameter *parameter,
                           size_t index) {
    const derive_type *type = &parameter->type;
    if (type->class != DERIVE_POINTER || (signature->file->fortran && type->reference))
        return parameter->name;
    if (signature->file->fortran)
        return cli_region_print(region, "%s(%s)", parameter->name, subscripts(region, signature, type, index));
    return cli_region_print(region, "%s[%zu]", parameter->name, index);
}

static void print_argument(FILE *out, const derive_parameter *parameter, bool fortran) {
    const derive_type *type = &parameter->type;
    fputs(parameter->name, out);
    if (fortran && type->reference)
        return;
    if (parameter->null)
        fputs(" = NULL", out);
    else if (type->class == DERIVE_INTEGER || type->class == DERIVE_ENUM)
        fprintf(out, " = %lld", (long long)derive_integer(parameter));
    else if (type->class == DERIVE_POINTER && strcmp(type->scalar->name, "char") == 0)
        fprintf(out, " = \"%.*s\"", (int)strcspn(parameter->bytes, "\n"), (const char *)parameter->bytes);
    else if (type->class == DERIVE_POINTER)
        fprintf(out, fortran ? "(%zu)" : "[%zu]", parameter->count);
}

void derive_print_call(FILE *out, const derive_signature *signature) {
    fprintf(out, "%s(", signature->name);
    for (size_t i = 0; i < signature->parameter_count; i++) {
        const derive_parameter *parameter = &signature->parameters[i];
        if (parameter->null && parameter->optional)
            continue;
        fputs(i ? ", " : "", out);
        print_argument(out, parameter, signature->file->fortran);
    }
    fprintf(out, ") in %s\n\n", signature->file->name);
}

bool derive_is_array(const derive_parameter *parameter) {
    const derive_type *type = &parameter->type;
    return type->class == DERIVE_POINTER && type->scalar && type->scalar->class == DERIVE_FLOATING;
}

bool derive_is_floating(const derive_parameter *parameter) {
    return parameter->type.class == DERIVE_FLOATING || derive_is_array(parameter);
}

const char *derive_names(derive *task, bool (*which)(const derive_parameter *)) {
    derive_signature *signature = &task->signature;
    size_t count = 0, named = 0;
    for (size_t i = 0; i < signature->parameter_count; i++)
        count += which(&signature->parameters[i]);
    const char *names = "none";
    for (size_t i = 0; i < signature->parameter_count; i++) {
        if (!which(&signature->parameters[i]))
            continue;
        const char *between = named == 0 ? "" : named + 1 == count ? " and " : ", ";
        names = cli_region_print(&task->region, "%s%s%s", named ? names : "", between, signature->parameters[i].name);
        named++;
    }
    return names;
}
