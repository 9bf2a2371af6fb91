/* Builds the program that differentiates, from harness/main.c (whose text is embedded in this executable), a generated
 * file that calls the function, and the user's files. This executable, as `verso cc`, compiles and links it.
 *
 * The generated call declares the function by its type and links it by its symbol, in C and in C++. If that is
 * impossible because the function is static, inline or in an unnamed namespace, or because its type contains a name of
 * the user's (an enum), the generated file includes the user's file. A Fortran procedure is called from Fortran
 * (derive_fortran_call.c). A `main` in the user's files is renamed. */
#include "cli/derive_fortran.h"

#include "cli/message.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The text of harness/main.c. */
__asm__(".section .rodata\n"
        "verso__harness_begin: .incbin \"" VERSO_HARNESS "\"\n"
        "verso__harness_end: .byte 0\n"
        ".previous\n");
extern const char verso__harness_begin[], verso__harness_end[];

/* ---- Calling the compiler ---- */

void derive_add_string(derive *task, derive_strings *list, const char *string) {
    list->at = cli_region_grow(&task->region, list->at, list->count, sizeof *list->at);
    list->at[list->count++] = string;
    list->at = cli_region_grow(&task->region, list->at, list->count, sizeof *list->at);
    list->at[list->count] = NULL;
}

void derive_add_passed(derive *task, derive_strings *list) {
    for (int i = 0; i < task->arguments.passed_count; i++)
        derive_add_string(task, list, task->arguments.passed[i]);
}

void derive_progress(const char *doing, const char *name) {
    if (!isatty(STDERR_FILENO))
        return;
    if (doing)
        fprintf(stderr, "\r%s %s ...", doing, name);
    else
        fputs("\r\033[K", stderr);
    fflush(stderr);
}

int derive_compile(derive *task, const char *command, const char *const *arguments, const char *output,
                   const char *errors, cli_ending *ending) {
    derive_strings all = {0};
    derive_add_string(task, &all, "verso");
    derive_add_string(task, &all, command);
    for (; *arguments; arguments++)
        derive_add_string(task, &all, *arguments);
    cli_process process = {.path = task->compiler,
                           .arguments = all.at,
                           .output = output,
                           .errors = errors,
                           .mask = task->directory ? &task->mask : NULL,
                           .temporary = task->directory ? task->scratch.path : NULL};
    int status = cli_process_run(task->command, &process, ending);
    task->interrupted = ending->interrupted;
    return status == CLI_OK && task->interrupted ? CLI_FAILED : status;
}

void derive_show(derive *task, const char *path) {
    size_t size;
    char *text = cli_file_read(&task->region, path, &size);
    if (text)
        fwrite(text, 1, size, stderr);
}

/* ---- The call ---- */

static const char *declared_type(const derive_type *type) {
    return type->class == DERIVE_POINTER ? "void *" : type->class == DERIVE_VOID ? "void" : type->scalar->spelling;
}

void derive_write_declaration(FILE *out, const derive_signature *signature, const char *name) {
    fprintf(out, "%s %s(", declared_type(&signature->result), name);
    for (size_t i = 0; i < signature->parameter_count; i++)
        fprintf(out, "%s%s", i ? ", " : "", declared_type(&signature->parameters[i].type));
    fprintf(out, "%s) __asm__(\"%s\");\n", signature->parameter_count ? "" : "void", signature->linkage_name);
}

static void write_dimensions(FILE *out, const derive_type *type) {
    if (type->dimension_count > 1)
        fputs("(*)", out);
    else
        fputc('*', out);
    for (size_t i = 1; i < type->dimension_count; i++)
        fprintf(out, "[%lld]", (long long)type->dimensions[i].size);
}

/* Writes an argument of the call. verso_at[0] points to the result, verso_at[1] and following to the parameters: to an
 * array, or to a single number. */
static void write_argument(FILE *out, const derive_parameter *parameter, size_t place, bool cpp) {
    const derive_type *type = &parameter->type;
    const char *spelling = type->scalar ? type->scalar->spelling : "void";
    if (cpp && strcmp(spelling, "_Bool") == 0)
        spelling = "bool";
    if (type->class == DERIVE_ENUM)
        fprintf(out, "%s%s%s*(long long *)verso_at[%zu]", cpp ? "(" : "", cpp ? type->printed : "", cpp ? ")" : "",
                place);
    else if (type->class != DERIVE_POINTER)
        fprintf(out, "*(%s *)verso_at[%zu]", spelling, place);
    else if (cpp && type->reference)
        fprintf(out, "*(%s *)verso_at[%zu]", spelling, place);
    else if (cpp && parameter->null)
        fputs("nullptr", out);
    else if (cpp) {
        fprintf(out, "(%s ", spelling);
        write_dimensions(out, type);
        fprintf(out, ")verso_at[%zu]", place);
    } else
        fprintf(out, "verso_at[%zu]", place);
}

void derive_write_statement(FILE *out, const derive_signature *signature, const char *name, bool cpp) {
    if (signature->result.class == DERIVE_FLOATING)
        fprintf(out, "*(%s *)verso_at[0] = ", signature->result.scalar->spelling);
    else
        fputs("(void)", out);
    fprintf(out, "%s(", name);
    for (size_t i = 0; i < signature->parameter_count; i++) {
        fputs(i ? ", " : "", out);
        write_argument(out, &signature->parameters[i], i + 1, cpp);
    }
    fputs(");", out);
}

static void write_call(FILE *out, const derive_signature *signature) {
    bool included = signature->included, cpp = included && signature->file->cpp;
    static const char name[] = "verso__harness_function"; /* collides with no name of the user's or the compiler's */
    fputs("/* Written by Verso: calls the function with what the harness has read. */\n", out);
    if (included)
        fprintf(out, "#include \"%s\"\n", signature->file->path);
    else
        derive_write_declaration(out, signature, name);
    const char *heading =
        cpp ? "extern \"C\" void verso__harness_call(void **verso_at)" : "void verso__harness_call(void **verso_at)";
    fprintf(out, "%s;\n%s {\n    (void)verso_at;\n    ", heading, heading);
    derive_write_statement(out, signature, included ? signature->name : name, cpp);
    fputs("\n}\n", out);
}

static int write_sources(derive *task, const char *harness, const char *call) {
    int status = cli_file_write(task->command, harness, verso__harness_begin,
                                (size_t)(verso__harness_end - verso__harness_begin));
    if (status != CLI_OK)
        return status;
    FILE *out = fopen(call, "w");
    if (out && task->signature.file->fortran)
        derive_fortran_call(out, &task->signature);
    else if (out)
        write_call(out, &task->signature);
    if (!out || ferror(out) | fclose(out))
        return cli_failure(task->command, "cannot write '%s'", call);
    return CLI_OK;
}

/* ---- Compiling and linking ---- */

/* Adds the options for the user's sources, and for a generated call that includes one. */
static void add_user_options(derive *task, bool fortran, const char *object, derive_strings *arguments) {
    derive_add_string(task, arguments, fortran ? "--verso-other-main" : "-Dmain=verso__harness_other_main");
    derive_add_passed(task, arguments);
    derive_add_string(task, arguments, "-w"); /* no warnings about a renamed main or an unused -l */
    if ((!task->directory && !task->library) || fortran)
        return;
    const char *rule = cli_region_print(&task->region, "%s.d", object);
    derive_add_string(task, arguments, "-MD");
    derive_add_string(task, arguments, "-MF");
    derive_add_string(task, arguments, rule);
    derive_add_string(task, &task->kept.rules, rule);
}

int derive_compile_file(derive *task, const char *path, const char *name, const char *command, bool own,
                        derive_strings *objects) {
    bool fortran = strcmp(command, "fc") == 0;
    char *object =
        cli_scratch_file(&task->scratch, &task->region, cli_region_print(&task->region, "%zu.o", objects->count));
    char *errors = cli_scratch_file(&task->scratch, &task->region, "errors.txt");
    derive_strings arguments = {0};
    derive_add_string(task, &arguments, "-O2");
    if (task->library)
        derive_add_string(task, &arguments, "-fPIC");
    /* Makes the program independent of the folder it is built in: a durable run identifies it by its build id. */
    if (!fortran)
        derive_add_string(task, &arguments,
                          cli_region_print(&task->region, "-ffile-prefix-map=%s=verso", task->scratch.path));
    else
        derive_fortran_modules(task, &arguments);
    if (!own)
        add_user_options(task, fortran, object, &arguments);
    derive_add_string(task, &arguments, "-c");
    derive_add_string(task, &arguments, path);
    derive_add_string(task, &arguments, "-o");
    derive_add_string(task, &arguments, object);
    derive_add_string(task, objects, object);
    derive_add_string(task, &task->kept.objects, object);
    derive_progress("compiling", name);
    cli_ending ending;
    int status = derive_compile(task, command, arguments.at, NULL, errors, &ending);
    derive_progress(NULL, NULL);
    if (status != CLI_OK || (ending.exited && ending.code == 0))
        return status;
    derive_show(task, errors);
    return cli_failure(task->command, "'%s' cannot be compiled", name);
}

static const char *command_of(const derive_file *file) {
    return file->fortran ? "fc" : file->cpp ? "c++" : "cc";
}

static int compile_all(derive *task, derive_strings *objects, bool *cpp) {
    const derive_signature *signature = &task->signature;
    bool call_cpp = signature->included && signature->file->cpp, fortran = signature->file->fortran;
    char *harness = cli_scratch_file(&task->scratch, &task->region, "harness.c");
    char *call = cli_scratch_file(&task->scratch, &task->region,
                                  fortran    ? "call.f90"
                                  : call_cpp ? "call.cpp"
                                             : "call.c");
    int status = write_sources(task, harness, call);
    if (status == CLI_OK)
        status = derive_compile_file(task, harness, "the harness", "cc", true, objects);
    if (status == CLI_OK) /* with the user's compiler options only if it includes or uses the user's file */
        status = derive_compile_file(task, call, signature->included ? signature->file->name : "the call",
                                     fortran    ? "fc"
                                     : call_cpp ? "c++"
                                                : "cc",
                                     !signature->included && !fortran, objects);
    for (size_t i = 0; status == CLI_OK && i < task->file_count; i++) {
        const derive_file *file = &task->files[i];
        *cpp |= file->cpp;
        if (file->kind == DERIVE_PART)
            derive_add_string(task, objects, file->path);
        else if (file->kind == DERIVE_SOURCE && !(signature->included && file == signature->file))
            status = derive_compile_file(task, file->path, file->name, command_of(file), false, objects);
    }
    return status;
}

int derive_build(derive *task) {
    derive_strings objects = {0}, arguments = {0};
    bool cpp = false;
    if (task->kept.built)
        return CLI_OK;
    int status = compile_all(task, &objects, &cpp);
    if (status != CLI_OK)
        return status;
    char *errors = cli_scratch_file(&task->scratch, &task->region, "errors.txt");
    derive_add_string(task, &arguments, "-O2");
    for (size_t i = 0; i < objects.count; i++)
        derive_add_string(task, &arguments, objects.at[i]);
    derive_add_passed(task, &arguments);
    derive_add_string(task, &arguments, "-o");
    derive_add_string(task, &arguments, cli_scratch_file(&task->scratch, &task->region, "program"));
    derive_add_string(task, &arguments, "-lm");
    derive_progress("differentiating", task->signature.name);
    cli_ending ending;
    status = derive_compile(task,
                            cpp                             ? "c++"
                            : task->signature.file->fortran ? "fc"
                                                            : "cc",
                            arguments.at, NULL, errors, &ending);
    derive_progress(NULL, NULL);
    if (status != CLI_OK)
        return status;
    derive_show(task, errors);
    if (!ending.exited || ending.code != 0)
        return cli_failure(task->command, "'%s' cannot be differentiated, or the program cannot be linked",
                           task->signature.name);
    derive_kept_store(task);
    return CLI_OK;
}
