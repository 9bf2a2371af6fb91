/* `verso library`: builds a shared library whose functions can be differentiated by the process that loads it, such as
 * Python (python/verso). See library.h. */
#include "cli/library.h"

#include "cli/describe.h"
#include "cli/message.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_OUT, OPTION_DESCRIPTION, OPTION_FUNCTION, OPTION_KEEP, OPTION_HELP };

static const char *const synopses[] = {
    "FILE.c[,FILE]... --out LIBRARY.so [--function NAME]... [OPTION]... [-- COMPILER-OPTION...]", NULL};
static const char *const description[] = {
    "Builds a shared library of C and C++ functions that can be differentiated in the process that loads it, and "
    "describes the functions and their parameters in JSON. The Python package verso is made of this.",
    "The library has the functions that the files define for other files, or those that --function names, static or "
    "not. It defines for the function with index K in the description: verso__call_K, verso__vjp_K, verso__jvp_K, "
    "verso__check_K, verso__jacobian_K and verso__sparse_K. Each takes a list of pointers: to the result, and to each "
    "parameter. The other arguments are those of verso_vjp and so on in <verso/native.h>. A C program does not need "
    "them: it can link with any library of 'verso cc -shared' whose functions call verso_gradient.",
    "Arguments after -- are passed to the compiler and linker, such as -O3, -I and -l.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_OUT] = {.name = "out", .argument = "FILE", .meaning = "The library to write.", .heading = "Options"},
    [OPTION_DESCRIPTION] = {.name = "description",
                            .argument = "FILE",
                            .meaning = "Where to write the description. Default: the name of the library, followed by "
                                       ".json."},
    [OPTION_FUNCTION] = {.name = "function",
                         .argument = "NAME",
                         .meaning = "Put only this function into the library's interface. May be given several times. "
                                    "Functions that these do not call need not be differentiable.",
                         .repeats = true},
    [OPTION_KEEP] = {.name = "keep",
                     .argument = "DIRECTORY",
                     .meaning = "Keep the generated sources and object files in DIRECTORY."},
    [OPTION_HELP] = DERIVE_HELP_OPTION,
};
static const cli_example examples[] = {
    {"verso library examples/native/heat.c --out libheat.so", "All functions of a file."},
    {NULL, NULL},
};

/* The text of harness/library.c. */
__asm__(".section .rodata\n"
        "verso__library_source_begin: .incbin \"" VERSO_LIBRARY_SOURCE "\"\n"
        "verso__library_source_end: .byte 0\n"
        ".previous\n");
extern const char verso__library_source_begin[], verso__library_source_end[];

/* ---- Compiling the user's files ---- */

/* Sets first[i] to the index of the object of file i in all->objects; SIZE_MAX: it has none. */
static int compile_sources(library *all, size_t *first) {
    derive *task = &all->task;
    int status = CLI_OK;
    for (size_t i = 0; status == CLI_OK && i < task->file_count; i++) {
        const derive_file *file = &task->files[i];
        all->cpp |= file->cpp && file->kind == DERIVE_SOURCE;
        first[i] = file->kind == DERIVE_HEADER ? SIZE_MAX : all->objects.count;
        if (file->kind == DERIVE_PART)
            derive_add_string(task, &all->objects, file->path);
        else if (file->kind == DERIVE_SOURCE)
            status = derive_compile_file(task, file->path, file->name, file->cpp ? "c++" : "cc", false, &all->objects);
    }
    return status;
}

static int list_names(library *all, const size_t *first, derive_strings *names) {
    derive *task = &all->task;
    for (size_t i = 0; i < task->arguments.given_count; i++)
        if (task->arguments.given[i].option == OPTION_FUNCTION)
            derive_add_string(task, names, task->arguments.given[i].value);
    int status = CLI_OK;
    for (size_t i = 0; status == CLI_OK && !task->arguments.values[OPTION_FUNCTION] && i < task->file_count; i++)
        if (task->files[i].kind == DERIVE_SOURCE)
            status = library_names(task, all->objects.at[first[i]], names);
    return status;
}

/* ---- Reading signatures ---- */

/* Returns why a library cannot pass values to the function; NULL: it can. */
static const char *refusal(derive *task, const derive_signature *signature) {
    static const char remedy[] = "write a function that takes numbers and arrays and calls it";
    if (signature->result.class == DERIVE_OTHER)
        return cli_region_print(&task->region, "'%s' returns '%s'; %s", signature->name, signature->result.printed,
                                remedy);
    for (size_t i = 0; i < signature->parameter_count; i++) {
        const derive_parameter *parameter = &signature->parameters[i];
        if (parameter->type.class == DERIVE_OTHER || (parameter->type.reference && !parameter->type.scalar))
            return cli_region_print(&task->region, "the parameter '%s' of '%s' is '%s'; %s", parameter->name,
                                    signature->name, parameter->type.printed, remedy);
    }
    return NULL;
}

/* Reads one signature that was not asked for by name. A symbol that is no function, or that the file does not declare,
 * is left out. */
static int add_found(library *all, const char *name) {
    derive *task = &all->task;
    for (size_t i = 0; i < task->file_count; i++) {
        const char *answer;
        if (task->files[i].kind != DERIVE_SOURCE)
            continue;
        task->signature = (derive_signature){.name = name, .file = &task->files[i]};
        int status = derive_query_type(task, &task->files[i], name, &answer);
        if (status != CLI_OK)
            return status;
        if (!answer || derive_read_signature(task, answer))
            continue;
        all->functions = cli_region_grow(&task->region, all->functions, all->function_count, sizeof *all->functions);
        all->functions[all->function_count++] =
            (library_function){.signature = task->signature, .why = refusal(task, &task->signature)};
        return CLI_OK;
    }
    return CLI_OK;
}

static int add_asked(library *all, const char *name) {
    derive *task = &all->task;
    task->signature = (derive_signature){.name = name};
    int status = derive_find_signature(task);
    if (status != CLI_OK)
        return status;
    const char *why = refusal(task, &task->signature);
    if (why)
        return cli_failure(task->command, "%s", why);
    all->functions = cli_region_grow(&task->region, all->functions, all->function_count, sizeof *all->functions);
    all->functions[all->function_count++] = (library_function){.signature = task->signature};
    return CLI_OK;
}

static int read_signatures(library *all, const derive_strings *names) {
    bool asked = all->task.arguments.values[OPTION_FUNCTION] != NULL;
    int status = CLI_OK;
    for (size_t i = 0; status == CLI_OK && i < names->count; i++) {
        derive_progress("reading the types of", names->at[i]);
        status = asked ? add_asked(all, names->at[i]) : add_found(all, names->at[i]);
    }
    derive_progress(NULL, NULL);
    if (status == CLI_OK && all->function_count == 0)
        return cli_failure(all->task.command, "the files define no function that other files can call; name one with "
                                              "--function, or remove its 'static'");
    return status;
}

/* ---- The generated sources ---- */

/* Compiles the calls of the functions that `file` declares and whose calls must include it; with NULL, the calls of all
 * others. *found: there are such functions. */
static int compile_calls(library *all, const derive_file *file, size_t number, bool *found) {
    derive *task = &all->task;
    bool cpp = file && file->cpp;
    size_t *which = cli_region_alloc(&task->region, all->function_count + 1, sizeof *which), count = 0;
    for (size_t i = 0; i < all->function_count; i++) {
        const library_function *function = &all->functions[i];
        const derive_file *included = function->signature.included ? function->signature.file : NULL;
        if (!function->why && included == file)
            which[count++] = i;
    }
    *found = count > 0;
    if (count == 0)
        return CLI_OK;
    const char *path = cli_scratch_file(&task->scratch, &task->region,
                                        cli_region_print(&task->region, "calls-%zu.%s", number, cpp ? "cpp" : "c"));
    int status = library_write_calls(all, path, which, count, file);
    return status != CLI_OK ? status
                            : derive_compile_file(task, path, file ? file->name : "the calls", cpp ? "c++" : "cc",
                                                  !file, &all->objects);
}

static int compile_generated(library *all, const size_t *first) {
    derive *task = &all->task;
    const char *host = cli_scratch_file(&task->scratch, &task->region, "library.c");
    int status = cli_file_write(task->command, host, verso__library_source_begin,
                                (size_t)(verso__library_source_end - verso__library_source_begin));
    if (status == CLI_OK)
        status = derive_compile_file(task, host, "the interface", "cc", true, &all->objects);
    bool found;
    if (status == CLI_OK)
        status = compile_calls(all, NULL, task->file_count, &found);
    for (size_t i = 0; status == CLI_OK && i < task->file_count; i++) {
        status = compile_calls(all, &task->files[i], i, &found);
        if (found && first[i] != SIZE_MAX) /* the generated file has it all */
            all->objects.at[first[i]] = NULL;
    }
    return status;
}

/* ---- The library ---- */

static int link_library(library *all) {
    derive *task = &all->task;
    char *errors = cli_scratch_file(&task->scratch, &task->region, "errors.txt");
    derive_strings arguments = {0};
    derive_add_string(task, &arguments, "-shared");
    derive_add_string(task, &arguments, "-O2");
    for (size_t i = 0; i < all->objects.count; i++)
        if (all->objects.at[i])
            derive_add_string(task, &arguments, all->objects.at[i]);
    derive_add_passed(task, &arguments);
    derive_add_string(task, &arguments, "-o");
    derive_add_string(task, &arguments, task->arguments.values[OPTION_OUT]);
    derive_add_string(task, &arguments, "-lm");
    derive_progress("differentiating", task->files[0].name);
    cli_ending ending;
    int status = derive_compile(task, all->cpp ? "c++" : "cc", arguments.at, NULL, errors, &ending);
    derive_progress(NULL, NULL);
    if (status != CLI_OK)
        return status;
    derive_show(task, errors);
    if (ending.exited && ending.code == 0)
        return CLI_OK;
    return cli_failure(task->command, "the library cannot be made; if it is because of functions that need not be "
                                      "differentiated, name the others with --function");
}

/* Lists the files that clang has read, without those of the scratch folder. */
static void list_sources(library *all) {
    derive *task = &all->task;
    derive_strings found = {0};
    for (size_t i = 0; i < task->kept.rules.count; i++) {
        size_t size;
        char *text = cli_file_read(&task->region, task->kept.rules.at[i], &size);
        if (text)
            derive_rule_files(task, text, &found);
    }
    for (size_t i = 0; i < task->file_count; i++)
        derive_add_string(task, &found, task->files[i].path);
    for (size_t i = 0; i < found.count; i++) {
        char whole[PATH_MAX];
        if (strncmp(found.at[i], task->scratch.path, strlen(task->scratch.path)) != 0 && realpath(found.at[i], whole))
            derive_add_string(task, &all->sources, cli_region_copy(&task->region, whole, strlen(whole)));
    }
}

static int build(library *all) {
    derive *task = &all->task;
    const char *output = task->arguments.values[OPTION_OUT], *path = task->arguments.values[OPTION_DESCRIPTION];
    size_t *first = cli_region_alloc(&task->region, task->file_count + 1, sizeof *first);
    derive_strings names = {0};
    int status = compile_sources(all, first);
    if (status == CLI_OK)
        status = list_names(all, first, &names);
    if (status == CLI_OK)
        status = read_signatures(all, &names);
    if (status == CLI_OK)
        status = compile_generated(all, first);
    if (status == CLI_OK)
        status = link_library(all);
    if (status != CLI_OK)
        return status;
    list_sources(all);
    return library_write_description(all, path ? path : cli_region_print(&task->region, "%s.json", output), output);
}

static int read_line(library *all) {
    derive *task = &all->task;
    if (task->arguments.operand_count != 1)
        return cli_usage_error(task->command, "which files? For example: verso library examples/native/heat.c --out "
                                              "libheat.so");
    if (!task->arguments.values[OPTION_OUT])
        return cli_usage_error(task->command, "where to? Write --out LIBRARY.so");
    char self[PATH_MAX];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self);
    if (length <= 0 || (size_t)length == sizeof self)
        return cli_failure(task->command, "cannot find the path of this command in /proc/self/exe");
    task->compiler = cli_region_copy(&task->region, self, (size_t)length);
    const char *list = task->arguments.operands[0];
    int status = derive_read_files(task, list, list + strlen(list));
    if (status != CLI_OK)
        return status;
    return cli_scratch_open(task->command, &task->region, task->arguments.values[OPTION_KEEP], &task->scratch);
}

static int run(const cli_command *command, int argc, char **argv) {
    library all = {.task = {.command = command, .library = true}};
    int status = cli_options_read(command, argc, argv, &all.task.arguments);
    if (status != CLI_OK)
        return status;
    if (all.task.arguments.values[OPTION_HELP]) {
        cli_describe_help(stdout, command);
        return derive_close(&all.task, CLI_OK);
    }
    status = read_line(&all);
    if (status == CLI_OK)
        status = build(&all);
    return derive_close(&all.task, status);
}

const cli_command cli_library = {
    .name = "library",
    .summary = "build a shared library that can be differentiated",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .passes_on = true,
    .examples = examples,
    .run = run,
};
