/* `verso rev`: reversible functions inside C. */
#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/region.h"
#include "cli/scratch.h"
#include "rev/translate.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

enum { OPTION_OUTPUT, OPTION_INCLUDE, OPTION_CUDA, OPTION_NO_LINES, OPTION_DUMP, OPTION_HELP };

static const char *const synopses[] = {"FILE.rev.c -o FILE.c [OPTION]...", NULL};
static const char *const description[] = {
    "Turns every function marked 'rev' in a C file into ordinary C functions, and leaves the rest of the file alone. "
    "Of a "
    "function f it makes f itself, its inverse f_inv, its adjoint f_adj, which runs f backwards and takes derivatives "
    "back "
    "from outputs to inputs, its tangent f_jvp, and the tangent of the adjoint f_hvp. There is no stack and no tape.",
    "With <verso/rev.h> alone any C compiler compiles the same file; its functions then run forward only.",
    "Where something cannot be undone it says so, with the place and what to write instead. The output has the lines "
    "of "
    "the input for compilers and debuggers. It is compiled with the folder of <verso/rev.h> among its headers; "
    "-DVERSO_REV_NOCHECK leaves out the checks at run time.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_OUTPUT] = {.name = "output",
                       .argument = "FILE",
                       .letter = 'o',
                       .meaning = "Where the C file goes; the standard output unless given.",
                       .heading = "Options"},
    [OPTION_INCLUDE] = {.name = "include",
                        .argument = "FOLDER",
                        .letter = 'I',
                        .repeats = true,
                        .meaning = "Look there, too, for headers that declare types and rev functions. Those of the "
                                   "system are not read."},
    [OPTION_CUDA] = {.name = "cuda", .meaning = "Print CUDA's C++. The default for FILE.cu."},
    [OPTION_NO_LINES] = {.name = "no-lines", .meaning = "Leave out #line, to read the output itself."},
    [OPTION_DUMP] = {.name = "dump",
                     .argument = "desugar|analysis|inverse|lower|adjoint|tangent|hvp",
                     .meaning = "Print the functions as they are behind a pass, instead of the file."},
    [OPTION_HELP] = {.name = "help", .meaning = "Print this text.", .letter = 'h'},
};
static const cli_example examples[] = {
    {"verso rev norm.rev.c -o norm.c", "The functions of norm.rev.c, their inverses and derivatives."},
    {"verso rev norm.rev.c --dump adjoint", "Only the adjoints, to read them."},
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

static int write_output(task *task, const verso_text *output) {
    const char *path = task->arguments.values[OPTION_OUTPUT];
    if (path)
        return cli_file_write(task->command, path, output->bytes, output->size);
    fwrite(output->bytes, 1, output->size, stdout);
    return CLI_OK;
}

static int translate(task *task, const char *path) {
    size_t size = 0;
    char *text = cli_file_read(&task->region, path, &size);
    if (!text)
        return cli_failure(task->command, "cannot read '%s': %s", path, strerror(errno));
    const char *const *given = task->arguments.values;
    rev_options how = {.name = path,
                       .folders = folders_of(task),
                       .dump = given[OPTION_DUMP],
                       .no_lines = given[OPTION_NO_LINES] != NULL,
                       .cuda = given[OPTION_CUDA] || ends_with(path, ".cu")};
    verso_text output = {0}, messages = {0};
    verso_status status = rev_translate(text, size, &how, &output, &messages);
    if (messages.size)
        fwrite(messages.bytes, 1, messages.size, stderr);
    int ended = status == VERSO_OK          ? CLI_OK
                : status == VERSO_NO_MEMORY ? cli_failure(task->command, "out of memory")
                                            : CLI_FAILED;
    if (ended == CLI_OK)
        ended = write_output(task, &output);
    if ((verso_text_close(&output) != VERSO_OK || verso_text_close(&messages) != VERSO_OK) && ended == CLI_OK)
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
            status = cli_usage_error(command, "one FILE, please");
        if (status == CLI_OK)
            status = check_dump(&task);
        if (status == CLI_OK)
            status = translate(&task, task.arguments.operands[0]);
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
    .examples = examples,
    .run = run,
};
