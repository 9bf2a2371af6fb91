/* `verso vlad`: runs a program of the functional language. */
#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "cli/region.h"
#include "cli/schedule.h"
#include "cli/vlad_compile.h"
#include "cli/vlad_repl.h"
#include "vlad/run.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>
#include <verso/version.h>

enum {
    OPTION_INTERPRET,
    OPTION_HYBRID,
    OPTION_COMPILE,
    OPTION_OUTPUT,
    OPTION_EMIT_C,
    OPTION_MEMORY,
    OPTION_SCHEDULE,
    OPTION_SLOTS,
    OPTION_LEAF,
    OPTION_SPACE,
    OPTION_TIME,
    OPTION_LOG,
    OPTION_SPLIT,
    OPTION_LIMIT,
    OPTION_RUN,
    OPTION_STATS,
    OPTION_CHECK,
    OPTION_SEED,
    OPTION_PLOT,
    OPTION_REPL,
    OPTION_COLLECT,
    OPTION_VERSION,
    OPTION_HELP
};

static const char *const synopses[] = {"FILE [OPTION]...", "[--repl [FILE]] [OPTION]...", NULL};
static const char *const description[] = {
    "Runs a program of VLAD, a functional language with derivatives built in: 'j*' (forward mode), '*j' (reverse mode) "
    "and 'checkpoint-*j' (reverse mode in little memory). FILE may be - for the standard input.",
    "'checkpoint-*j' runs its function again from states that it keeps, by the schedule that the options choose. Any "
    "step of evaluation may be a split point; nothing needs to be marked. Results have the same bits as those of '*j', "
    "and what the function prints or reads happens once.",
    "Without FILE, on a terminal, it evaluates what is typed, line by line, with editing and history. An expression "
    "that "
    "is not complete asks for more; Ctrl-C ends an evaluation, Ctrl-D the session.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_INTERPRET] = {.name = "interpret",
                          .meaning = "Evaluate the program as it is written, which begins at once.",
                          .heading = "Implementations: results, step counts and messages are the same"},
    [OPTION_HYBRID] = {.name = "hybrid",
                       .meaning = "Convert the program to continuation-passing style, and evaluate that."},
    [OPTION_COMPILE] = {.name = "compile",
                        .meaning = "Compile the program with clang 19, and run it: by far the fastest. This is the "
                                   "default, except with --plot and --check."},
    [OPTION_OUTPUT] = {.name = "output",
                       .argument = "FILE",
                       .meaning = "Compile, and leave the program in FILE instead of running it. It takes the options "
                                  "for schedules and for running.",
                       .letter = 'o'},
    [OPTION_EMIT_C] = {.name = "emit-c", .argument = "FILE", .meaning = "Only write the program as C to FILE."},
    [OPTION_MEMORY] = {.name = "memory",
                       .argument = "BYTES",
                       .meaning =
                           "A budget, as 64M: the program takes no more, and checkpoint-*j chooses by itself how to "
                           "be quickest within it. What the options below say is kept.",
                       .heading = "Schedules"},
    [OPTION_SCHEDULE] = {.name = "schedule",
                         .argument = "KIND",
                         .meaning =
                             "Of checkpoint-*j: binary (the default), treeverse, revolve, online, ..., with words "
                             "as for VERSO_SCHEDULE: revolve,slots=10."},
    [OPTION_SLOTS] = {.name = "slots", .argument = "N", .meaning = "States that are kept at a time, at most."},
    [OPTION_LEAF] = {.name = "leaf",
                     .argument = "STEPS",
                     .meaning = "Steps of evaluation that are recorded at a time; 10000 unless given, or --memory is."},
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
    [OPTION_RUN] = {.name = "run",
                    .argument = "DIRECTORY",
                    .meaning =
                        "Make checkpoint-*j durable: killed at any instant, the same command with the same input goes "
                        "on where it was, and ends with the same bits."},
    [OPTION_STATS] = {.name = "stats", .meaning = "Say at the end, on the standard error, what it took."},
    [OPTION_CHECK] = {.name = "check",
                      .meaning = "Test every derivative that the program takes, where it takes it, and say on the "
                                 "standard error what was found: products of random directions by j* and by *j, Taylor "
                                 "remainders, and that checkpoint-*j has the bits of *j. The exit status is 1 when a "
                                 "test fails, or there is nothing to test."},
    [OPTION_SEED] = {.name = "seed",
                     .argument = "N",
                     .meaning = "Chooses the directions and leaves of --check: 1 unless given."},
    [OPTION_PLOT] = {.name = "plot",
                     .argument = "FILE",
                     .meaning = "Draw the schedule that the last checkpoint-*j has played: FILE.svg, or FILE.html."},
    [OPTION_REPL] = {.name = "repl",
                     .meaning = "Evaluate what is typed, after FILE if there is one. The default on a terminal "
                                "without FILE."},
    [OPTION_COLLECT] = {.name = "collect", .meaning = "Collect memory in front of every step.", .hidden = true},
    [OPTION_VERSION] = {.name = "version", .meaning = "Print the version."},
    [OPTION_HELP] = {.name = "help", .meaning = "Print this text.", .letter = 'h'},
};
static const cli_example examples[] = {
    {"verso vlad newton.vlad", "Runs a program."},
    {"echo 1000 3 1 | verso vlad examples/vlad/listing2.vlad --leaf 100 --stats",
     "A program that reads its input, its derivative in leaves of 100 steps."},
    {"verso vlad newton.vlad --check", "Tests the derivatives that it takes."},
    {"verso vlad", "Evaluates what is typed."},
    {NULL, NULL},
};

typedef struct task {
    const cli_command *command;
    cli_arguments arguments;
    cli_region region;
    vlad_settings settings;
} task;

/* ---- Options ---- */

static const char *schedule_text(task *task) {
    static const int words[] = {OPTION_SLOTS, OPTION_LEAF, OPTION_SPACE, OPTION_TIME, OPTION_LOG, OPTION_SPLIT};
    const char *const *given = task->arguments.values;
    bool tree = given[OPTION_SPACE] || given[OPTION_TIME] || given[OPTION_LOG] || given[OPTION_SPLIT];
    const char *kind = given[OPTION_MEMORY] && !tree ? VLAD_KIND_BUDGET : VLAD_KIND;
    const char *text = cli_schedule_text(&task->region, task->command, &task->arguments, OPTION_SCHEDULE, words,
                                         sizeof words / sizeof *words, kind);
    return text ? text : kind;
}

static int read_options(task *task) {
    const char *const *given = task->arguments.values;
    verso_error error;
    verso_status status = VERSO_OK;
    if (given[OPTION_MEMORY])
        status = vlad_settings_memory(&task->settings, given[OPTION_MEMORY], &error);
    if (status == VERSO_OK)
        status = vlad_settings_schedule(&task->settings, schedule_text(task), &error);
    if (status == VERSO_OK && given[OPTION_LIMIT])
        status = vlad_settings_limit(&task->settings, given[OPTION_LIMIT], &error);
    if (status == VERSO_OK && given[OPTION_SEED])
        status = vlad_settings_seed(&task->settings, given[OPTION_SEED], &error);
    task->settings.evaluator = given[OPTION_HYBRID] ? &vlad_hybrid : &vlad_interpreter;
    task->settings.run = given[OPTION_RUN];
    task->settings.stats = given[OPTION_STATS] != NULL;
    task->settings.checks = given[OPTION_CHECK] != NULL;
    task->settings.collects = given[OPTION_COLLECT] != NULL;
    return status == VERSO_OK ? CLI_OK : cli_library_error(task->command, status, &error);
}

/* ---- Compiling ---- */

static bool must_compile(const task *task) {
    const char *const *given = task->arguments.values;
    return given[OPTION_COMPILE] || given[OPTION_OUTPUT] || given[OPTION_EMIT_C];
}

/* Unless something else was asked for. */
static bool compiles(const task *task) {
    const char *const *given = task->arguments.values;
    return must_compile(task) ||
           (!given[OPTION_INTERPRET] && !given[OPTION_HYBRID] && !given[OPTION_PLOT] && !given[OPTION_CHECK]);
}

/* What the program is told when it is run at once. */
static void add_options(task *task, vlad_compilation *compilation) {
    static const int handed[] = {OPTION_MEMORY, OPTION_LIMIT, OPTION_RUN,    OPTION_STATS,
                                 OPTION_CHECK,  OPTION_SEED,  OPTION_COLLECT};
    size_t count = 0;
    compilation->options[count++] = cli_region_print(&task->region, "--schedule=%s", schedule_text(task));
    for (size_t i = 0; i < sizeof handed / sizeof *handed; i++) {
        const char *value = task->arguments.values[handed[i]];
        const cli_option *option = &options[handed[i]];
        if (value)
            compilation->options[count++] =
                cli_region_print(&task->region, "--%s%s%s", option->name, option->argument ? "=" : "", value);
    }
}

static int compile(task *task, const vlad_sources *sources, const vlad_program *program) {
    vlad_compilation compilation = {.command = task->command,
                                    .region = &task->region,
                                    .name = task->arguments.operands[0],
                                    .emit_c = task->arguments.values[OPTION_EMIT_C],
                                    .output = task->arguments.values[OPTION_OUTPUT]};
    add_options(task, &compilation);
    return cli_vlad_compile(&compilation, sources, program);
}

/* ---- Running ---- */

/* The last one on the driver; players within are not drawn. */
static int plot(const task *task) {
    const char *path = task->arguments.values[OPTION_PLOT];
    const vlad_checkpointing *c = &task->settings.checkpointing;
    if (!path)
        return CLI_OK;
    if (c->told.runs == 0)
        return cli_failure(task->command, "--plot: the program has not used checkpoint-*j");
    verso_schedule_spec spec = c->told.last.spec;
    spec.steps = c->told.last.predicted.steps;
    size_t length = strlen(path);
    return cli_draw(task->command, &spec, path, length > 5 && strcmp(path + length - 5, ".html") == 0);
}

static int evaluate(task *task, vlad_sources *sources, const vlad_program *program) {
    verso_error error = {0};
    if (vlad_run(sources, program, NULL, &task->settings, stdin, stdout, stderr, &error) == VERSO_OK) {
        int plotted = plot(task);
        return task->settings.refuted ? CLI_FAILED : plotted;
    }
    fprintf(stderr, "%s\n", error.message);
    return CLI_FAILED;
}

static int run_file(task *task, const char *path) {
    vlad_sources *sources = vlad_sources_new();
    vlad_program program;
    verso_error error = {0};
    uint32_t file;
    bool again;
    int ended = CLI_FAILED;
    if (!sources)
        return cli_failure(task->command, "out of memory");
    verso_status status = vlad_sources_open(sources, path, UINT32_MAX, &file, &again, &error);
    if (status == VERSO_OK)
        status = vlad_read_program(sources, file, &program, &error);
    if (status == VERSO_OK)
        ended = compiles(task) ? compile(task, sources, &program) : evaluate(task, sources, &program);
    else
        fprintf(stderr, "%s\n", error.message);
    vlad_sources_free(sources);
    return ended;
}

/* Line by line: when it is asked for, or nothing else is and somebody is there. */
static bool is_session(const task *task) {
    return task->arguments.values[OPTION_REPL] != NULL ||
           (task->arguments.operand_count == 0 && isatty(STDIN_FILENO) == 1);
}

/* Options that do not go together. */
static int check_options(const task *task) {
    const char *const *given = task->arguments.values;
    if (is_session(task) && (must_compile(task) || given[OPTION_PLOT] || given[OPTION_RUN]))
        return cli_usage_error(task->command,
                               "what is typed is evaluated at once: --compile, --output, --emit-c, --plot and --run "
                               "are for a FILE without --repl");
    if (!!given[OPTION_INTERPRET] + !!given[OPTION_HYBRID] + must_compile(task) > 1)
        return cli_usage_error(task->command, "one of --interpret, --hybrid and --compile, not several");
    if (must_compile(task) && given[OPTION_PLOT])
        return cli_usage_error(task->command, "--plot is for --interpret and --hybrid");
    if (given[OPTION_CHECK] && (given[OPTION_OUTPUT] || given[OPTION_EMIT_C]))
        return cli_usage_error(task->command, "--check runs the program; --output and --emit-c do not");
    if (given[OPTION_CHECK] && given[OPTION_RUN])
        return cli_usage_error(task->command, "--check or --run, not both");
    if (given[OPTION_OUTPUT] && given[OPTION_EMIT_C])
        return cli_usage_error(task->command, "--output or --emit-c, not both");
    return CLI_OK;
}

static void tell(const void *context, const vlad_machine *machine) {
    const task *task = context;
    vlad_tell(&task->settings, machine, stderr);
}

static int run_session(task *task) {
    const char *const *values = task->arguments.values;
    cli_vlad_session session = {.command = task->command,
                                .file = task->arguments.operand_count > 0 ? task->arguments.operands[0] : NULL,
                                .evaluator = task->settings.evaluator,
                                .checkpointing = &task->settings.checkpointing,
                                .limit = vlad_limit(&task->settings),
                                .collect = values[OPTION_COLLECT] != NULL,
                                .tell = values[OPTION_STATS] ? tell : NULL,
                                .context = task};
    return cli_vlad_repl(&session);
}

static int run(const cli_command *command, int argc, char **argv) {
    task task = {.command = command};
    int status = cli_options_read(command, argc, argv, &task.arguments);
    if (status == CLI_OK && task.arguments.values[OPTION_HELP]) {
        cli_describe_help(stdout, command);
        return CLI_OK;
    }
    if (status == CLI_OK && task.arguments.values[OPTION_VERSION]) {
        printf("verso %s\n", verso_version());
        return CLI_OK;
    }
    bool session = status == CLI_OK && is_session(&task);
    if (status == CLI_OK && (task.arguments.operand_count > 1 || (task.arguments.operand_count == 0 && !session)))
        status = cli_usage_error(command, "one FILE, please; - is the standard input");
    if (status == CLI_OK && session && task.arguments.values[OPTION_CHECK])
        status = cli_usage_error(command, "--check is for a FILE");
    if (status == CLI_OK)
        status = check_options(&task);
    if (status == CLI_OK)
        status = read_options(&task);
    if (status == CLI_OK)
        status = session ? run_session(&task) : run_file(&task, task.arguments.operands[0]);
    cli_region_free(&task.region);
    return status;
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
