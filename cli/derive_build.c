/* The program that differentiates: the harness (harness/main.c, which is carried in this command), a file that calls
 * the function, and the user's files; compiled and linked by `verso cc`, which is this command, too.
 *
 * A function that others can call is declared by its type and linked by its name, C++ or not. One that cannot (static,
 * inline, in an unnamed namespace) or whose type cannot be spelled without the user's names (an enum) is called from a
 * file that includes the user's. A `main` among the user's files is renamed. */
#include "cli/derive.h"

#include "cli/message.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* The text of harness/main.c. */
__asm__(".section .rodata\n"
        "verso_harness_begin: .incbin \"" VERSO_HARNESS "\"\n"
        "verso_harness_end: .byte 0\n"
        ".previous\n");
extern const char verso_harness_begin[], verso_harness_end[];

/* ---- Calling the compiler ---- */

void derive_add_word(derive *task, derive_words *words, const char *word) {
    words->at = cli_region_grow(&task->region, words->at, words->count, sizeof *words->at);
    words->at[words->count++] = word;
    words->at = cli_region_grow(&task->region, words->at, words->count, sizeof *words->at);
    words->at[words->count] = NULL;
}

void derive_add_passed(derive *task, derive_words *words) {
    for (int i = 0; i < task->arguments.passed_count; i++)
        derive_add_word(task, words, task->arguments.passed[i]);
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

int derive_compile(derive *task, bool cpp, const char *const *words, const char *output, const char *errors,
                   cli_ending *ending) {
    derive_words all = {0};
    derive_add_word(task, &all, "verso");
    derive_add_word(task, &all, cpp ? "c++" : "cc");
    for (; *words; words++)
        derive_add_word(task, &all, *words);
    cli_process process = {.path = task->compiler, .arguments = all.at, .output = output, .errors = errors};
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

/* In C, by a name of ours, so that no name of the user's and no built-in function of the compiler's is in the way. */
static void write_declaration(FILE *out, const derive_signature *signature) {
    fprintf(out, "%s verso_harness_function(", declared_type(&signature->result));
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

/* verso_at[0] is where the result goes, then come the parameters: arrays themselves, or where a number is. */
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

static void write_call(FILE *out, const derive_signature *signature) {
    bool included = signature->included, cpp = included && signature->file->cpp;
    fputs("/* Written by Verso: calls the function with what the harness has read. */\n", out);
    if (included)
        fprintf(out, "#include \"%s\"\n", signature->file->path);
    else
        write_declaration(out, signature);
    const char *heading =
        cpp ? "extern \"C\" void verso_harness_call(void **verso_at)" : "void verso_harness_call(void **verso_at)";
    fprintf(out, "%s;\n%s {\n    (void)verso_at;\n    ", heading, heading);
    if (signature->result.class == DERIVE_FLOATING)
        fprintf(out, "*(%s *)verso_at[0] = ", signature->result.scalar->spelling);
    else
        fputs("(void)", out);
    fprintf(out, "%s(", included ? signature->name : "verso_harness_function");
    for (size_t i = 0; i < signature->parameter_count; i++) {
        fputs(i ? ", " : "", out);
        write_argument(out, &signature->parameters[i], i + 1, cpp);
    }
    fputs(");\n}\n", out);
}

static int write_sources(derive *task, const char *harness, const char *call) {
    int status =
        cli_file_write(task->command, harness, verso_harness_begin, (size_t)(verso_harness_end - verso_harness_begin));
    if (status != CLI_OK)
        return status;
    FILE *out = fopen(call, "w");
    if (out)
        write_call(out, &task->signature);
    if (!out || ferror(out) | fclose(out))
        return cli_failure(task->command, "cannot write '%s'", call);
    return CLI_OK;
}

/* ---- Compiling and linking ---- */

static int compile_file(derive *task, const char *path, const char *name, bool cpp, bool own, derive_words *objects) {
    char *object =
        cli_scratch_file(&task->scratch, &task->region, cli_region_print(&task->region, "%zu.o", objects->count));
    char *errors = cli_scratch_file(&task->scratch, &task->region, "errors.txt");
    derive_words words = {0};
    derive_add_word(task, &words, "-O2");
    /* The same program each time, wherever it is made: a durable run knows it by its build id. */
    derive_add_word(task, &words, cli_region_print(&task->region, "-ffile-prefix-map=%s=verso", task->scratch.path));
    if (!own) { /* `main` is the harness's; a main of another name, or a -l before linking, is nothing to warn of */
        derive_add_word(task, &words, "-Dmain=verso_harness_other_main");
        derive_add_passed(task, &words);
        derive_add_word(task, &words, "-w");
    }
    derive_add_word(task, &words, "-c");
    derive_add_word(task, &words, path);
    derive_add_word(task, &words, "-o");
    derive_add_word(task, &words, object);
    derive_add_word(task, objects, object);
    derive_progress("compiling", name);
    cli_ending ending;
    int status = derive_compile(task, cpp, words.at, NULL, errors, &ending);
    derive_progress(NULL, NULL);
    if (status != CLI_OK || (ending.exited && ending.code == 0))
        return status;
    derive_show(task, errors);
    return cli_failure(task->command, "'%s' cannot be compiled", name);
}

static int compile_all(derive *task, derive_words *objects, bool *cpp) {
    const derive_signature *signature = &task->signature;
    bool call_cpp = signature->included && signature->file->cpp;
    char *harness = cli_scratch_file(&task->scratch, &task->region, "harness.c");
    char *call = cli_scratch_file(&task->scratch, &task->region, call_cpp ? "call.cpp" : "call.c");
    int status = write_sources(task, harness, call);
    if (status == CLI_OK)
        status = compile_file(task, harness, "the harness", false, true, objects);
    if (status == CLI_OK) /* without the user's options unless it includes the user's file */
        status = compile_file(task, call, signature->included ? signature->file->name : "the call", call_cpp,
                              !signature->included, objects);
    for (size_t i = 0; status == CLI_OK && i < task->file_count; i++) {
        const derive_file *file = &task->files[i];
        *cpp |= file->cpp;
        if (file->kind == DERIVE_PART)
            derive_add_word(task, objects, file->path);
        else if (file->kind == DERIVE_SOURCE && !(signature->included && file == signature->file))
            status = compile_file(task, file->path, file->name, file->cpp, false, objects);
    }
    return status;
}

int derive_build(derive *task) {
    derive_words objects = {0}, words = {0};
    bool cpp = false;
    int status = compile_all(task, &objects, &cpp);
    if (status != CLI_OK)
        return status;
    char *errors = cli_scratch_file(&task->scratch, &task->region, "errors.txt");
    derive_add_word(task, &words, "-O2");
    for (size_t i = 0; i < objects.count; i++)
        derive_add_word(task, &words, objects.at[i]);
    derive_add_passed(task, &words);
    derive_add_word(task, &words, "-o");
    derive_add_word(task, &words, cli_scratch_file(&task->scratch, &task->region, "program"));
    derive_add_word(task, &words, "-lm");
    derive_progress("differentiating", task->signature.name);
    cli_ending ending;
    status = derive_compile(task, cpp, words.at, NULL, errors, &ending);
    derive_progress(NULL, NULL);
    if (status != CLI_OK)
        return status;
    derive_show(task, errors);
    if (!ending.exited || ending.code != 0)
        return cli_failure(task->command, "'%s' cannot be differentiated, or its program not be linked",
                           task->signature.name);
    return CLI_OK;
}
