/* Writes what `verso library` generates: sources that call the functions, and the description in JSON. */
#include "cli/library.h"

#include "cli/json.h"
#include "cli/message.h"

#include <stdio.h>
#include <string.h>
#include <verso/version.h>

/* The text of harness/library.h. */
__asm__(".section .rodata\n"
        "verso__library_header_begin: .incbin \"" VERSO_LIBRARY_HEADER "\"\n"
        "verso__library_header_end: .byte 0\n"
        ".previous\n");
extern const char verso__library_header_begin[], verso__library_header_end[];

/* ---- Calls ---- */

int library_write_calls(library *all, const char *path, const size_t *which, size_t count, const derive_file *file) {
    derive *task = &all->task;
    FILE *out = fopen(path, "w");
    if (!out)
        return cli_failure(task->command, "cannot write '%s'", path);
    fputs("/* Written by Verso: functions that call those of the program. */\n", out);
    if (file)
        fprintf(out, "#include \"%s\"\n", file->path);
    fwrite(verso__library_header_begin, 1, (size_t)(verso__library_header_end - verso__library_header_begin), out);
    for (size_t i = 0; i < count; i++) {
        const derive_signature *signature = &all->functions[which[i]].signature;
        const char *name =
            file ? signature->name : cli_region_print(&task->region, "verso__library_function_%zu", which[i]);
        if (!file)
            derive_write_declaration(out, signature, name);
        fprintf(out,
                "VERSO_LIBRARY_FUNCTION(%zu) {\n    void **verso_at = (void **)context;\n    (void)verso_at;\n    ",
                which[i]);
        derive_write_statement(out, signature, name, file && file->cpp);
        fputs("\n}\n", out);
    }
    if (ferror(out) | fclose(out))
        return cli_failure(task->command, "cannot write '%s'", path);
    return CLI_OK;
}

/* ---- The description ---- */

/* Prints an expression of names, numbers, sums, differences, products and quotients; "?" for any other. */
static void print_expression(FILE *out, cli_json_value node) {
    cli_json_value kind = cli_json_member(node, "kind"), items = cli_json_items(cli_json_member(node, "inner")), item;
    int64_t value;
    cli_region region = {0};
    if ((cli_json_is(kind, "IntegerLiteral") || cli_json_is(kind, "ConstantExpr")) &&
        cli_json_whole(cli_json_member(node, "value"), &value)) {
        fprintf(out, "%lld", (long long)value);
    } else if (cli_json_is(kind, "DeclRefExpr")) {
        cli_json_value name = cli_json_member(cli_json_member(node, "referencedDecl"), "name");
        const char *text = cli_json_string_of(&region, name);
        fputs(text ? text : "?", out);
    } else if (cli_json_is(kind, "BinaryOperator")) {
        const char *operation = cli_json_string_of(&region, cli_json_member(node, "opcode"));
        fputc('(', out);
        for (int i = 0; i < 2 && cli_json_next(&items, &item); i++) {
            fputs(i == 0 ? "" : operation && strchr("+-*/", operation[0]) && !operation[1] ? operation : "?", out);
            print_expression(out, item);
        }
        fputc(')', out);
    } else if ((cli_json_is(kind, "ImplicitCastExpr") || cli_json_is(kind, "ParenExpr") ||
                cli_json_is(kind, "CStyleCastExpr")) &&
               cli_json_next(&items, &item)) {
        print_expression(out, item);
    } else {
        fputc('?', out);
    }
    cli_region_free(&region);
}

static void print_dimension(FILE *out, const derive_dimension *dimension) {
    if (dimension->known)
        fprintf(out, "%lld", (long long)dimension->size);
    else if (dimension->expression.at) {
        fputc('"', out);
        print_expression(out, dimension->expression);
        fputc('"', out);
    } else
        fputs("null", out);
}

static const char *word_of(const derive_type *type) {
    switch (type->class) {
    case DERIVE_VOID: return "void";
    case DERIVE_FLOATING: return "number";
    case DERIVE_INTEGER: return "integer";
    case DERIVE_ENUM: return "enum";
    case DERIVE_POINTER: return !type->scalar ? "pointer" : "array";
    case DERIVE_OTHER: break;
    }
    return "other";
}

static void print_type(FILE *out, const derive_type *type) {
    const derive_scalar *scalar = type->class == DERIVE_ENUM ? &derive_enum : type->scalar;
    fprintf(out, "\"class\": \"%s\", \"type\": ", word_of(type));
    cli_json_string(out, type->printed ? type->printed : "?");
    if (scalar)
        fprintf(out, ", \"scalar\": \"%s\", \"floating\": %s, \"size\": %zu, \"signed\": %s", scalar->spelling,
                scalar->class == DERIVE_FLOATING ? "true" : "false", scalar->size,
                scalar->is_signed ? "true" : "false");
    if (type->class != DERIVE_POINTER)
        return;
    fprintf(out, ", \"constant\": %s, \"reference\": %s, \"dimensions\": [", type->constant ? "true" : "false",
            type->reference ? "true" : "false");
    for (size_t i = 0; i < type->dimension_count && i < DERIVE_DIMENSIONS_MAX; i++) {
        fputs(i ? ", " : "", out);
        print_dimension(out, &type->dimensions[i]);
    }
    fputs("]", out);
}

static void print_function(FILE *out, const library_function *function, size_t index) {
    const derive_signature *signature = &function->signature;
    fprintf(out, "    {\"index\": %zu, \"name\": ", index);
    cli_json_string(out, signature->name);
    if (function->why) {
        fputs(", \"refused\": ", out);
        cli_json_string(out, function->why);
        fputs("}", out);
        return;
    }
    fputs(", \"file\": ", out);
    cli_json_string(out, signature->file->name);
    fputs(", \"result\": {", out);
    print_type(out, &signature->result);
    fputs("}, \"parameters\": [", out);
    for (size_t i = 0; i < signature->parameter_count; i++) {
        fprintf(out, "%s\n        {\"name\": ", i ? "," : "");
        cli_json_string(out, signature->parameters[i].name);
        fputs(", ", out);
        print_type(out, &signature->parameters[i].type);
        fputs("}", out);
    }
    fputs("]}", out);
}

int library_write_description(const library *all, const char *path, const char *output) {
    FILE *out = fopen(path, "w");
    if (!out)
        return cli_failure(all->task.command, "cannot write '%s'", path);
    fprintf(out, "{\"verso\": \"%s\", \"library\": ", verso_version());
    cli_json_string(out, output);
    fputs(",\n \"functions\": [", out);
    for (size_t i = 0; i < all->function_count; i++) {
        fputs(i ? ",\n" : "\n", out);
        print_function(out, &all->functions[i], i);
    }
    fputs("],\n \"sources\": [", out);
    for (size_t i = 0; i < all->sources.count; i++) {
        fputs(i ? ",\n    " : "\n    ", out);
        cli_json_string(out, all->sources.at[i]);
    }
    fputs("]}\n", out);
    if (ferror(out) | fclose(out))
        return cli_failure(all->task.command, "cannot write '%s'", path);
    return CLI_OK;
}
