/* What the function's parameters are: clang is asked, with the options with which the file will be compiled.
 *
 * A file is made that includes the user's and names the function's type; clang prints what it knows of it and of all
 * functions of that name as JSON (its options -ast-dump=json and -ast-dump-filter). The type leads to the declaration
 * it is of, so overloads and namespaces need no thought here. */
#include "cli/derive.h"

#include "cli/message.h"

#include <string.h>

#define TYPE_NAME "verso_harness_type_of_"

/* The name without the namespaces before it. */
static const char *last_name(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

/* ---- Asking ---- */

int derive_ask(derive *task, const char *path, bool cpp, const char *const options[], const char *answer,
               bool *agreed) {
    char *errors = cli_scratch_file(&task->scratch, &task->region, DERIVE_ASK_ERRORS);
    derive_words words = {0};
    derive_add_word(task, &words, "-w");
    derive_add_passed(task, &words);
    derive_add_word(task, &words, "-fsyntax-only");
    for (size_t i = 0; options[i]; i++) {
        derive_add_word(task, &words, "-Xclang");
        derive_add_word(task, &words, options[i]);
    }
    derive_add_word(task, &words, path);
    cli_ending ending;
    int status = derive_compile(task, cpp, words.at, answer, errors, &ending);
    *agreed = status == CLI_OK && ending.exited && ending.code == 0;
    return status;
}

int derive_ask_for_type(derive *task, const derive_file *file, const char *function, const char **answer) {
    const char *last = last_name(function);
    char *probe = cli_scratch_file(&task->scratch, &task->region, file->cpp ? "type.cpp" : "type.c");
    char *text = cli_region_print(&task->region, "#include \"%s\"\ntypedef __typeof__(%s) " TYPE_NAME "%s;\n",
                                  file->path, function, last);
    char *path = cli_scratch_file(&task->scratch, &task->region, "type.json");
    char *filter = cli_region_print(&task->region, "-ast-dump-filter=%s", last);
    bool agreed = false;
    int status = cli_file_write(task->command, probe, text, strlen(text));
    if (status == CLI_OK)
        status = derive_ask(task, probe, file->cpp, (const char *[]){"-ast-dump=json", filter, NULL}, path, &agreed);
    *answer = agreed ? path : NULL;
    return status;
}

/* ---- Reading the answer ---- */

static bool is_function(cli_json_value node) {
    cli_json_value kind = cli_json_member(node, "kind");
    return cli_json_is(kind, "FunctionDecl") || cli_json_is(kind, "CXXMethodDecl");
}

/* In what `typeof` was asked about: the declaration, as its number in this answer. */
static cli_json_value declaration_id(cli_json_value node) {
    cli_json_value declaration = cli_json_member(node, "referencedDecl");
    if (declaration.at)
        return cli_json_member(declaration, "id");
    cli_json_value items = cli_json_items(cli_json_member(node, "inner")), item;
    return cli_json_next(&items, &item) ? declaration_id(item) : items;
}

static bool same(cli_json_value a, cli_json_value b) {
    return a.at && b.at && a.end - a.at == b.end - b.at && memcmp(a.at, b.at, (size_t)(a.end - a.at)) == 0;
}

/* The function's type in the type that names it. */
static cli_json_value function_type(cli_json_value type) {
    cli_json_value items = cli_json_items(cli_json_member(type, "inner")), item, none = {NULL, NULL};
    if (cli_json_is(cli_json_member(type, "kind"), "FunctionProtoType"))
        return type;
    while (cli_json_next(&items, &item)) {
        cli_json_value found = function_type(item);
        if (found.at)
            return found;
    }
    return none;
}

/* Names, as far as this declaration has them. */
static void read_names(derive *task, cli_json_value declaration) {
    derive_signature *signature = &task->signature;
    cli_json_value items = cli_json_items(cli_json_member(declaration, "inner")), item;
    for (size_t i = 0; i < signature->parameter_count && cli_json_next(&items, &item); i++) {
        if (!cli_json_is(cli_json_member(item, "kind"), "ParmVarDecl"))
            return;
        char *name = cli_json_string_of(&task->region, cli_json_member(item, "name"));
        if (name && !signature->parameters[i].name)
            signature->parameters[i].name = name;
    }
}

static bool has_enum(const derive_signature *signature) {
    for (size_t i = 0; i < signature->parameter_count; i++)
        if (signature->parameters[i].type.class == DERIVE_ENUM)
            return true;
    return false;
}

/* Whether only code in the same file can call it, or spell its type. */
static bool must_be_included(const derive_signature *signature, cli_json_value declaration) {
    return cli_json_is(cli_json_member(declaration, "storageClass"), "static") ||
           cli_json_true(cli_json_member(declaration, "inline")) ||
           cli_json_true(cli_json_member(declaration, "constexpr")) ||
           strstr(signature->linkage_name, "_GLOBAL__N_1") || has_enum(signature) ||
           signature->result.class == DERIVE_ENUM || signature->result.class == DERIVE_OTHER;
}

static void read_types(derive *task, cli_json_value type) {
    derive_signature *signature = &task->signature;
    cli_json_value items = cli_json_items(cli_json_member(type, "inner")), item;
    if (!cli_json_next(&items, &item))
        return;
    signature->result = derive_type_read(&task->region, item);
    while (cli_json_next(&items, &item)) {
        signature->parameters = cli_region_grow(&task->region, signature->parameters, signature->parameter_count,
                                                sizeof *signature->parameters);
        signature->parameters[signature->parameter_count++] =
            (derive_parameter){.type = derive_type_read(&task->region, item)};
    }
}

/* All declarations of that name: the one asked about first, then those that may know more names of parameters. False
 * when what was asked about is no function. */
static bool read_declarations(derive *task, cli_json_value answer, cli_json_value id, const char *last) {
    derive_signature *signature = &task->signature;
    cli_json_value node, rest = answer, linkage = {NULL, NULL};
    bool found = false;
    while (!found && cli_json_take(&rest, &node)) {
        found = is_function(node) && same(cli_json_member(node, "id"), id);
        if (!found)
            continue;
        linkage = cli_json_member(node, "mangledName");
        signature->linkage_name = linkage.at ? cli_json_string_of(&task->region, linkage) : last;
        signature->included = must_be_included(signature, node);
        read_names(task, node);
    }
    for (rest = answer; cli_json_take(&rest, &node);)
        if (is_function(node) && cli_json_is(cli_json_member(node, "name"), last) &&
            (!linkage.at || same(cli_json_member(node, "mangledName"), linkage))) {
            signature->included |= must_be_included(signature, node);
            read_names(task, node);
        }
    for (size_t i = 0; i < signature->parameter_count; i++)
        if (!signature->parameters[i].name)
            signature->parameters[i].name = cli_region_print(&task->region, "arg%zu", i + 1);
    return found;
}

static int read_answer(derive *task, const char *path) {
    derive_signature *signature = &task->signature;
    const char *last = last_name(signature->name);
    size_t size;
    char *text = cli_file_read(&task->region, path, &size);
    if (!text)
        return cli_failure(task->command, "cannot read what clang says about '%s'", signature->name);
    cli_json_value answer = {text, text + size}, rest = answer, node, type = {NULL, NULL};
    char *type_name = cli_region_print(&task->region, TYPE_NAME "%s", last);
    while (cli_json_take(&rest, &node))
        if (cli_json_is(cli_json_member(node, "name"), type_name))
            type = node;
    cli_json_value function = function_type(type);
    static const char remedy[] = "write a function with a full parameter list that calls it";
    if (cli_json_true(cli_json_member(function, "variadic")))
        return cli_failure(task->command, "'%s' takes a varying number of parameters; %s", signature->name, remedy);
    read_types(task, function);
    if (!function.at || !read_declarations(task, answer, declaration_id(type), last))
        return cli_failure(task->command, "'%s' is not a function that says which parameters it takes; %s",
                           signature->name, remedy);
    return CLI_OK;
}

/* ---- Over all files ---- */

int derive_find_signature(derive *task) {
    for (bool renamed = false;;) {
        for (size_t i = 0; i < task->file_count; i++) {
            const derive_file *file = &task->files[i];
            if (file->kind == DERIVE_PART)
                continue;
            const char *answer;
            int status = derive_ask_for_type(task, file, task->signature.name, &answer);
            if (status != CLI_OK)
                return status;
            if (answer) {
                task->signature.file = file;
                return read_answer(task, answer);
            }
        }
        int status = derive_explain_missing(task, !renamed);
        if (status != CLI_OK)
            return status;
        renamed = true;
    }
}
