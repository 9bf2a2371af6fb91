/* `verso rev`: translates reversible functions in C files, and tests them with --check. The translator is in rev/. */
#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/region.h"
#include "cli/rev_check.h"
#include "cli/scratch.h"
#include "rev/translate.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    OPTION_OUTPUT,
    OPTION_INCLUDE,
    OPTION_REGISTER,
    OPTION_CUDA,
    OPTION_NO_LINES,
    OPTION_DUMP,
    OPTION_HELP,
    OPTION_CHECK,
    OPTION_SET,
    OPTION_LENGTH,
    OPTION_SEED
};

static const char *const synopses[] = {"FILE.rev.c -o FILE.c [OPTION]...",
                                       "--check FILE.rev.c [OPTION]... [-- COMPILER-ARGUMENT...]", NULL};
static const char *const description[] = {
    "Translates every function marked 'rev' in a C file into ordinary C functions, and leaves the rest of the file "
    "unchanged. From a function f it makes f itself, its inverse f_inv, its adjoint f_adj (which runs f backwards and "
    "propagates derivatives from outputs to inputs), its tangent f_jvp, and the tangent of the adjoint f_hvp. They "
    "need no stack and no tape.",
    "With <verso/rev.h> any C compiler compiles the same file untranslated; its functions then run forward only.",
    "If something cannot be undone, a message names the place and says what to write instead. #line directives in the "
    "output refer compilers and debuggers to the input. Compile the output with the folder of <verso/rev.h> in the "
    "include path; -DVERSO_REV_NOCHECK omits the checks at run time.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_OUTPUT] = {.name = "output",
                       .argument = "FILE",
                       .letter = 'o',
                       .meaning = "Write the C file to FILE (default: standard output).",
                       .heading = "Options"},
    [OPTION_INCLUDE] = {.name = "include",
                        .argument = "FOLDER",
                        .letter = 'I',
                        .repeats = true,
                        .meaning = "Search FOLDER, too, for headers that declare types and rev functions. System "
                                   "headers are not read."},
    [OPTION_REGISTER] = {.name = "register",
                         .meaning =
                             "Register the adjoints as custom adjoints for programs compiled by 'verso cc', which "
                             "then record nothing inside these functions."},
    [OPTION_CUDA] = {.name = "cuda", .meaning = "Print CUDA C++ (default for FILE.cu)."},
    [OPTION_NO_LINES] = {.name = "no-lines", .meaning = "Omit #line directives, which makes the output readable."},
    [OPTION_DUMP] = {.name = "dump",
                     .argument = "desugar|analysis|inverse|lower|adjoint|tangent|hvp",
                     .meaning = "Print the functions as they are after this pass, instead of the file."},
    [OPTION_HELP] = {.name = "help", .meaning = "Show this help and exit.", .letter = 'h'},
    [OPTION_CHECK] = {.name = "check",
                      .meaning =
                          "Test every function with random numbers: round trip, dot product, Taylor, Hessian. The "
                          "tests are compiled by $CC, or cc, with the arguments after '--'. The exit status is 1 if "
                          "a test fails.",
                      .heading = "Tests"},
    [OPTION_SET] = {.name = "set",
                    .argument = "NAME=VALUE",
                    .repeats = true,
                    .meaning =
                        "The value of a parameter in tests: a number, several separated by commas for an array, or "
                        "LOW:HIGH for random numbers in that range. FUNCTION.NAME for one function only. By default "
                        "integers are 4 and other numbers are random between 0.1 and 0.9."},
    [OPTION_LENGTH] = {.name = "length",
                       .argument = "NAME=NUMBER",
                       .repeats = true,
                       .meaning =
                           "Number of elements of an array in tests. Default: the length that the file declares, "
                           "else 64, or 16 times the largest integer parameter."},
    [OPTION_SEED] = {.name = "seed", .argument = "NUMBER", .meaning = "Seed of the random numbers (default 1)."},
};
static const cli_example examples[] = {
    {"verso rev examples/native/orbits.rev.c -o orbits.c",
     "The functions of the file, their inverses and derivatives."},
    {"verso rev examples/native/orbits.rev.c --dump adjoint", "Prints only the adjoints."},
    {"verso rev --check examples/native/orbits.rev.c --set bodies=3", "Tests its functions with 3 bodies."},
    {NULL, NULL},
};

typedef struct task {
    const cli_command *command;
    cli_arguments arguments;
    cli_region region;
} task;

static bool ends_with(const char *text, const char *end) {
    size_t length = strlen(text), tail = strlen(end);
    return length >= tail && strcmp(text + length - tail, end) == 0;
}

static const char *const *folders_of(task *task) {
    const char **folders = cli_region_alloc(&task->region, task->arguments.given_count + 1, sizeof *folders);
    size_t count = 0;
    for (size_t i = 0; i < task->arguments.given_count; i++)
        if (task->arguments.given[i].option == OPTION_INCLUDE)
            folders[count++] = task->arguments.given[i].value;
    return folders;
}

static int check_dump(task *task) {
    const char *dump = task->arguments.values[OPTION_DUMP];
    for (size_t i = 0; dump && rev_pass_names[i]; i++)
        if (strcmp(dump, rev_pass_names[i]) == 0)
            return CLI_OK;
    return dump ? cli_usage_error(task->command, "--dump: there is no pass '%s'", dump) : CLI_OK;
}

static int write_output(task *task, const verso__text *output) {
    const char *path = task->arguments.values[OPTION_OUTPUT];
    if (path)
        return cli_file_write(task->command, path, output->bytes, output->size);
    fwrite(output->bytes, 1, output->size, stdout);
    return CLI_OK;
}

static int read_seed(task *task, uint64_t *seed) {
    const char *text = task->arguments.values[OPTION_SEED];
    char *end = NULL;
    *seed = 1;
    if (!text)
        return CLI_OK;
    errno = 0;
    *seed = strtoull(text, &end, 10);
    bool whole = text[0] && strspn(text, "0123456789") == strlen(text) && errno == 0;
    return whole ? CLI_OK : cli_usage_error(task->command, "--seed: expected a whole number, not '%s'", text);
}

static int read_settings(task *task, rev_checking *checking) {
    const cli_arguments *given = &task->arguments;
    int status = read_seed(task, &checking->seed);
    checking->settings = cli_region_alloc(&task->region, given->given_count + 1, sizeof *checking->settings);
    for (size_t i = 0; i < given->given_count && status == CLI_OK; i++)
        if (given->given[i].option == OPTION_SET || given->given[i].option == OPTION_LENGTH)
            status = cli_rev_setting(task->command, &task->region, given->given[i].value,
                                     given->given[i].option == OPTION_LENGTH, &checking->settings[checking->count++]);
    if (status == CLI_OK && !given->values[OPTION_CHECK] && (checking->count || given->values[OPTION_SEED]))
        status = cli_usage_error(task->command, "--set, --length and --seed need --check");
    if (status == CLI_OK && given->values[OPTION_CHECK] && (given->values[OPTION_OUTPUT] || given->values[OPTION_DUMP]))
        status = cli_usage_error(task->command, "--check writes no file; remove --output and --dump");
    return status;
}

static int finish(task *task, const rev_options *how, const verso__text *output) {
    if (!how->check)
        return write_output(task, output);
    for (size_t i = 0; i < how->check->count; i++) {
        const rev_setting *s = &how->check->settings[i];
        if (!s->used)
            return cli_usage_error(task->command, "--%s: no function of the file has a parameter '%s%s%s'",
                                   s->length ? "length" : "set", s->function ? s->function : "", s->function ? "." : "",
                                   s->parameter);
    }
    cli_rev_program program = {.path = how->name,
                               .folders = how->folders,
                               .arguments = task->arguments.passed,
                               .argument_count = task->arguments.passed_count,
                               .text = output};
    return cli_rev_check(task->command, &task->region, &program);
}

static int translate(task *task, const char *path, const rev_checking *checking) {
    size_t size = 0;
    char *text = cli_file_read(&task->region, path, &size);
    if (!text)
        return cli_failure(task->command, "cannot read '%s': %s", path, strerror(errno));
    const char *const *given = task->arguments.values;
    rev_options how = {.name = path,
                       .folders = folders_of(task),
                       .dump = given[OPTION_DUMP],
                       .no_lines = given[OPTION_NO_LINES] != NULL,
                       .cuda = given[OPTION_CUDA] || ends_with(path, ".cu"),
                       .registers = given[OPTION_REGISTER] != NULL,
                       .check = given[OPTION_CHECK] ? checking : NULL};
    verso__text output = {0}, messages = {0};
    verso_status status = rev_translate(text, size, &how, &output, &messages);
    if (messages.size)
        fwrite(messages.bytes, 1, messages.size, stderr);
    int ended = status == VERSO_STATUS_OK          ? CLI_OK
                : status == VERSO_STATUS_NO_MEMORY ? cli_failure(task->command, "out of memory")
                                                   : CLI_FAILED;
    if (ended == CLI_OK)
        ended = finish(task, &how, &output);
    if ((verso__text_close(&output) != VERSO_STATUS_OK || verso__text_close(&messages) != VERSO_STATUS_OK) &&
        ended == CLI_OK)
        ended = cli_failure(task->command, "out of memory");
    return ended;
}

static int run(const cli_command *command, int argc, char **argv) {
    task task = {.command = command};
    int status = cli_options_read(command, argc, argv, &task.arguments);
    if (status == CLI_OK && task.arguments.values[OPTION_HELP]) {
        cli_describe_help(stdout, command);
    } else if (status == CLI_OK) {
        if (task.arguments.operand_count != 1)
            status = cli_usage_error(command, "expected exactly one FILE");
        if (status == CLI_OK)
            status = check_dump(&task);
        rev_checking checking = {0};
        if (status == CLI_OK)
            status = read_settings(&task, &checking);
        if (status == CLI_OK)
            status = translate(&task, task.arguments.operands[0], &checking);
    }
    cli_arguments_free(&task.arguments);
    cli_region_free(&task.region);
    return status;
}

const cli_command cli_rev = {
    .name = "rev",
    .summary = "derive inverses and gradients of reversible C functions",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .passes_on = true,
    .examples = examples,
    .run = run,
};
