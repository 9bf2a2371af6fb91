/* `verso vlad`: runs a program of the functional language. */
#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/region.h"
#include "cli/vlad_compile.h"
#include "vlad/run.h"

#include <stdio.h>
#include <string.h>

enum {
    OPTION_INTERPRET,
    OPTION_COMPILE,
    OPTION_OUTPUT,
    OPTION_EMIT_C,
    OPTION_SCHEDULE,
    OPTION_SLOTS,
    OPTION_LEAF,
    OPTION_SPACE,
    OPTION_TIME,
    OPTION_LOG,
    OPTION_SPLIT,
    OPTION_LIMIT,
    OPTION_STATS,
    OPTION_HELP
};

static const char *const synopses[] = {"FILE [OPTION]...", NULL};
static const char *const description[] = {
    "Runs a program of VLAD, a functional language with derivatives built in: 'j*' (forward mode), '*j' (reverse mode) "
    "and 'checkpoint-*j' (reverse mode in little memory). FILE may be - for the standard input.",
    "'checkpoint-*j' runs its function again from states that it keeps, by the schedule that the options choose. Any "
    "step of evaluation may be a split point; nothing needs to be marked. Results have the same bits as those of '*j', "
    "and what the function prints or reads happens once.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_INTERPRET] = {.name = "interpret",
                          .meaning = "Evaluate the program as it is written. This is the default.",
                          .heading = "Implementations, which differ in speed only"},
    [OPTION_COMPILE] = {.name = "compile", .meaning = "Compile the program with clang 19, then run it."},
    [OPTION_OUTPUT] = {.name = "output",
                       .argument = "FILE",
                       .meaning = "Compile, and leave the program in FILE instead of running it. It takes the options "
                                  "for schedules and for running.",
                       .letter = 'o'},
    [OPTION_EMIT_C] = {.name = "emit-c", .argument = "FILE", .meaning = "Only write the program as C to FILE."},
    [OPTION_SCHEDULE] = {.name = "schedule",
                         .argument = "KIND",
                         .meaning = "Of checkpoint-*j: binary (the default), treeverse, revolve, online, ..., with words "
                                    "as for VERSO_SCHEDULE: revolve,slots=10.",
                         .heading = "Schedules"},
    [OPTION_SLOTS] = {.name = "slots", .argument = "N", .meaning = "States that are kept at a time, at most."},
    [OPTION_LEAF] = {.name = "leaf",
                     .argument = "STEPS",
                     .meaning = "Steps of evaluation that are recorded at a time; 10000 unless given."},
    [OPTION_SPACE] = {.name = "space", .argument = "D", .meaning = "treeverse, binary: states at most."},
    [OPTION_TIME] = {.name = "time", .argument = "T", .meaning = "treeverse, binary: repetitions at most."},
    [OPTION_LOG] = {.name = "log", .meaning = "treeverse, binary: as many states as repetitions (the default)."},
    [OPTION_SPLIT] = {.name = "split",
                      .argument = "bisection|binomial",
                      .meaning = "treeverse, binary: where stretches are split."},
    [OPTION_LIMIT] = {.name = "limit",
                      .argument = "BYTES",
                      .meaning = "Memory that the program may take; it ends with a message when that is not enough.",
                      .heading = "Running"},
    [OPTION_STATS] = {.name = "stats", .meaning = "Say at the end, on the standard error, what it took."},
    [OPTION_HELP] = {.name = "help", .meaning = "Print this text.", .letter = 'h'},
};
static const cli_example examples[] = {
    {"verso vlad newton.vlad", "Runs a program."},
    {"echo 1000 3 1 | verso vlad examples/vlad/listing2.vlad --leaf 100 --stats",
     "A program that reads its input, its derivative in leaves of 100 steps."},
    {NULL, NULL},
};

typedef struct task {
    const cli_command *command;
    cli_arguments arguments;
    cli_region region;
    vlad_settings settings;
} task;

/* ---- Options ---- */

/* As one text, the way VERSO_SCHEDULE has it. */
static const char *schedule_text(task *task) {
    static const int words[] = {OPTION_SLOTS, OPTION_LEAF, OPTION_SPACE, OPTION_TIME, OPTION_LOG, OPTION_SPLIT};
    const char *text = task->arguments.values[OPTION_SCHEDULE];
    for (size_t i = 0; i < sizeof words / sizeof *words; i++) {
        const char *value = task->arguments.values[words[i]];
        const cli_option *option = &options[words[i]];
        if (value)
            text = cli_region_print(&task->region, "%s,%s%s%s", text ? text : "binary", option->name,
                                    option->argument ? "=" : "", value);
    }
    return text ? text : "binary";
}

static int read_options(task *task) {
    verso_error error;
    const char *limit = task->arguments.values[OPTION_LIMIT];
    verso_status status = vlad_settings_schedule(&task->settings, schedule_text(task), &error);
    if (status == VERSO_OK && limit)
        status = vlad_settings_limit(&task->settings, limit, &error);
    task->settings.stats = task->arguments.values[OPTION_STATS] != NULL;
    return status == VERSO_OK ? CLI_OK : cli_library_error(task->command, status, &error);
}

/* ---- Running ---- */

/* What the compiled program is told when it is run at once. */
static void compiled_options(task *task, vlad_compilation *compilation) {
    const char *limit = task->arguments.values[OPTION_LIMIT];
    size_t count = 0;
    compilation->options[count++] = cli_region_print(&task->region, "--schedule=%s", schedule_text(task));
    if (limit)
        compilation->options[count++] = cli_region_print(&task->region, "--limit=%s", limit);
    if (task->settings.stats)
        compilation->options[count++] = "--stats";
}

static int compile(task *task, const vlad_sources *sources, const vlad_program *program) {
    vlad_compilation compilation = {.command = task->command,
                                    .region = &task->region,
                                    .emit_c = task->arguments.values[OPTION_EMIT_C],
                                    .output = task->arguments.values[OPTION_OUTPUT]};
    compiled_options(task, &compilation);
    return cli_vlad_compile(&compilation, sources, program);
}

static int fail(const verso_error *error) {
    fprintf(stderr, "%s\n", error->message);
    return CLI_FAILED;
}

static int run_file(task *task, const char *path) {
    vlad_sources *sources = vlad_sources_new();
    const char *const *given = task->arguments.values;
    vlad_program program;
    verso_error error = {0};
    uint32_t file;
    bool again;
    int ended = CLI_OK;
    if (!sources)
        return cli_failure(task->command, "out of memory");
    verso_status status = vlad_sources_open(sources, path, UINT32_MAX, &file, &again, &error);
    if (status == VERSO_OK)
        status = vlad_read_program(sources, file, &program, &error);
    if (status == VERSO_OK && (given[OPTION_COMPILE] || given[OPTION_OUTPUT] || given[OPTION_EMIT_C]))
        ended = compile(task, sources, &program);
    else if (status == VERSO_OK)
        status = vlad_run(sources, &program, NULL, &task->settings, stdin, stdout, stderr, &error);
    if (status != VERSO_OK)
        ended = fail(&error);
    vlad_sources_free(sources);
    return ended;
}

static int run(const cli_command *command, int argc, char **argv) {
    task task = {.command = command};
    int status = cli_options_read(command, argc, argv, &task.arguments);
    if (status == CLI_OK && task.arguments.values[OPTION_HELP]) {
        cli_describe_help(stdout, command);
        return cli_finish_output(command, CLI_OK);
    }
    if (status == CLI_OK && task.arguments.operand_count != 1)
        status = cli_usage_error(command, "one FILE, please");
    if (status == CLI_OK)
        status = read_options(&task);
    if (status == CLI_OK)
        status = run_file(&task, task.arguments.operands[0]);
    cli_region_free(&task.region);
    return cli_finish_output(command, status);
}

const cli_command cli_vlad = {
    .name = "vlad",
    .summary = "run a program of the functional language VLAD",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .examples = examples,
    .run = run,
};
