/* Finds the function's parameters by asking clang, with the options with which the file will be compiled.
 *
 * A generated file includes the user's file and declares a typedef of the function's type. clang prints that typedef
 * and all functions of that name as JSON (-ast-dump=json, -ast-dump-filter). The typedef refers to the one
 * declaration that C++ name lookup found, so overloads and namespaces need no special treatment here. */
#include "cli/derive_fortran.h"

#include "cli/message.h"

#include <string.h>

#define TYPE_NAME "verso__harness_type_of_"

/* The name without the namespaces before it. */
static const char *last_name(const char *name) {
    const char *colon = strrchr(name, ':');
    return colon ? colon + 1 : name;
}

/* ---- Running clang ---- */

int derive_query_clang(derive *task, const char *path, bool cpp, const char *const options[], const char *rule,
                       const char *answer, bool *succeeded) {
    char *errors = cli_scratch_file(&task->scratch, &task->region, DERIVE_QUERY_ERRORS);
    derive_strings arguments = {0};
    derive_add_string(task, &arguments, "-w");
    derive_add_passed(task, &arguments);
    derive_add_string(task, &arguments, "-fsyntax-only");
    for (size_t i = 0; options[i]; i++) {
        derive_add_string(task, &arguments, "-Xclang");
        derive_add_string(task, &arguments, options[i]);
    }
    if (rule) {
        derive_add_string(task, &arguments, "-MD");
        derive_add_string(task, &arguments, "-MF");
        derive_add_string(task, &arguments, rule);
    }
    derive_add_string(task, &arguments, path);
    cli_ending ending;
    int status = derive_compile(task, cpp ? "c++" : "cc", arguments.at, answer, errors, &ending);
    *succeeded = status == CLI_OK && ending.exited && ending.code == 0;
    return status;
}

int derive_query_type(derive *task, const derive_file *file, const char *function, const char **answer) {
    const char *last = last_name(function);
    char *probe = cli_scratch_file(&task->scratch, &task->region, file->cpp ? "type.cpp" : "type.c");
    char *text = cli_region_print(&task->region, "#include \"%s\"\ntypedef __typeof__(%s) " TYPE_NAME "%s;\n",
                                  file->path, function, last);
    char *path = cli_scratch_file(&task->scratch, &task->region, "type.json");
    char *filter = cli_region_print(&task->region, "-ast-dump-filter=%s", last);
    char *rule = task->directory ? cli_scratch_file(&task->scratch, &task->region, "type.d") : NULL;
    bool succeeded = false;
    int status = cli_file_write(task->command, probe, text, strlen(text));
    if (status == CLI_OK)
        status = derive_query_clang(task, probe, file->cpp, (const char *[]){"-ast-dump=json", filter, NULL}, rule,
                                    path, &succeeded);
    *answer = succeeded ? path : NULL;
    return status;
}

/* ---- Reading clang's answer ---- */

static bool is_function(cli_json_value node) {
    cli_json_value kind = cli_json_member(node, "kind");
    return cli_json_is(kind, "FunctionDecl") || cli_json_is(kind, "CXXMethodDecl");
}

/* Finds the declaration that `typeof` refers to. Returns its id, which is unique in this answer. */
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

/* Finds the function type inside the typedef's type; no value if the type is not that of a function. */
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

/* Sets the names of parameters that have none yet, if this declaration names them. */
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

/* True if only code in the same file can call the function or spell its type. */
static bool must_be_included(const derive_signature *signature, cli_json_value declaration) {
    return cli_json_is(cli_json_member(declaration, "storageClass"), "static") ||
           cli_json_is_true(cli_json_member(declaration, "inline")) ||
           cli_json_is_true(cli_json_member(declaration, "constexpr")) ||
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

/* Reads all declarations of the function: first the one with this id, then the others, which may name more parameters.
 * Returns false if no function has this id. */
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

const char *derive_read_signature(derive *task, const char *path) {
    derive_signature *signature = &task->signature;
    const char *last = last_name(signature->name);
    size_t size;
    char *text = cli_file_read(&task->region, path, &size);
    if (!text)
        return cli_region_print(&task->region, "cannot read clang's description of '%s'", signature->name);
    cli_json_value answer = {text, text + size}, rest = answer, node, type = {NULL, NULL};
    char *type_name = cli_region_print(&task->region, TYPE_NAME "%s", last);
    while (cli_json_take(&rest, &node))
        if (cli_json_is(cli_json_member(node, "name"), type_name))
            type = node;
    cli_json_value function = function_type(type);
    static const char remedy[] = "write a function with a full parameter list that calls it";
    if (cli_json_is_true(cli_json_member(function, "variadic")))
        return cli_region_print(&task->region, "'%s' takes a variable number of arguments; %s", signature->name,
                                remedy);
    read_types(task, function);
    if (!function.at || !read_declarations(task, answer, declaration_id(type), last))
        return cli_region_print(&task->region, "'%s' is not a function, or is declared without a parameter list; %s",
                                signature->name, remedy);
    return NULL;
}

static int read_answer(derive *task, const char *path) {
    const char *why = derive_read_signature(task, path);
    return why ? cli_failure(task->command, "%s", why) : CLI_OK;
}

/* ---- Searching all files ---- */

int derive_find_signature(derive *task) {
    if (task->kept.built) {
        task->signature.file = task->kept.file;
        task->signature.name = task->kept.function;
        if (task->kept.file->fortran)
            return derive_fortran_read(task);
        return read_answer(task, cli_scratch_file(&task->scratch, &task->region, "type.json"));
    }
    for (bool renamed = false;;) {
        for (size_t i = 0; i < task->file_count; i++) {
            const derive_file *file = &task->files[i];
            if (file->kind == DERIVE_PART)
                continue;
            const char *answer = NULL;
            bool found = false;
            int status = file->fortran ? derive_fortran_find(task, file, &found)
                                       : derive_query_type(task, file, task->signature.name, &answer);
            if (status != CLI_OK || found)
                return status;
            if (answer) {
                task->signature.file = file;
                if (task->directory)
                    derive_add_string(task, &task->kept.rules,
                                      cli_scratch_file(&task->scratch, &task->region, "type.d"));
                return read_answer(task, answer);
            }
        }
        int status = derive_explain_missing(task, !renamed);
        if (status != CLI_OK)
            return status;
        renamed = true;
    }
}
