/* `verso vlad`: runs, compiles or checks a VLAD program, or starts a session. The language itself is in vlad/. */
#include "cli/describe.h"
#include "cli/limits.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "cli/region.h"
#include "cli/schedule.h"
#include "cli/vlad_compile.h"
#include "cli/vlad_repl.h"
#include "drive/signals.h"
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
    OPTION_INTERVAL,
    OPTION_TIME_LIMIT,
    OPTION_STATS,
    OPTION_CHECK,
    OPTION_SEED,
    OPTION_PLOT,
    OPTION_REPL,
    OPTION_BARE,
    OPTION_COLLECT,
    OPTION_VERSION,
    OPTION_HELP
};

static const char *const synopses[] = {"FILE [OPTION]...", "[--repl [FILE]] [OPTION]...", NULL};
static const char *const description[] = {
    "Runs a program written in VLAD, a functional language with derivatives built in: 'j*' (forward mode), '*j' "
    "(reverse mode) and 'checkpoint-*j' (reverse mode in little memory). FILE may be - for standard input.",
    "'checkpoint-*j' keeps a few states and runs its function again from them, by the schedule that the options "
    "choose. Any step of evaluation may be a split point; the program needs no annotations. Results have the same bits "
    "as those of '*j', and what the function prints or reads happens once.",
    "Without FILE, on a terminal, it evaluates what you type, line by line, with editing and history. An incomplete "
    "expression continues on the next line; Ctrl-C ends an evaluation, Ctrl-D the session.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_INTERPRET] = {.name = "interpret",
                          .meaning = "Interpret the program, which starts fastest.",
                          .heading = "Implementations: results, step counts and messages are the same"},
    [OPTION_HYBRID] = {.name = "hybrid",
                       .meaning = "Convert the program to continuation-passing style and evaluate the result."},
    [OPTION_COMPILE] = {.name = "compile",
                        .meaning = "Compile the program with clang 19 and run it, which is by far the fastest "
                                   "(default, except with --plot and --check)."},
    [OPTION_OUTPUT] = {.name = "output",
                       .argument = "FILE",
                       .meaning = "Compile the program to FILE instead of running it. The compiled program takes the "
                                  "options for schedules and for running.",
                       .letter = 'o'},
    [OPTION_EMIT_C] = {.name = "emit-c",
                       .argument = "FILE",
                       .meaning = "Write the program as C to FILE, and do not compile or run it."},
    [OPTION_MEMORY] = {.name = "memory",
                       .argument = "BYTES",
                       .meaning =
                           "The budget, e.g. 64M: the program takes no more memory, and checkpoint-*j chooses the "
                           "fastest schedule within it. Options below that are given are kept.",
                       .heading = "Schedules"},
    [OPTION_SCHEDULE] = {.name = "schedule",
                         .argument = "KIND",
                         .meaning =
                             "The schedule of checkpoint-*j: binary (default), treeverse, revolve, online, ..., with "
                             "options as in VERSO_SCHEDULE: revolve,slots=10."},
    [OPTION_SLOTS] = {.name = "slots", .argument = "N", .meaning = "Maximum number of states kept at a time."},
    [OPTION_LEAF] = {.name = "leaf",
                     .argument = "STEPS",
                     .meaning =
                         "Number of evaluation steps recorded at a time (default: chosen within the budget; 10000 with "
                         "--run or if a schedule is given)."},
    [OPTION_SPACE] = {.name = "space",
                      .argument = "D",
                      .meaning = "For treeverse and binary: maximum number of states."},
    [OPTION_TIME] = {.name = "time",
                     .argument = "T",
                     .meaning = "For treeverse and binary: maximum number of repetitions."},
    [OPTION_LOG] = {.name = "log", .meaning = "For treeverse and binary: as many states as repetitions (default)."},
    [OPTION_SPLIT] = {.name = "split",
                      .argument = "binomial|halves",
                      .meaning =
                          "For treeverse and binary: where stretches are split: by binomial coefficients (default), "
                          "or in halves until none is longer than a leaf (Siskind and Pearlmutter, fig. 7 and 12). "
                          "'bisection' is a synonym of 'halves'."},
    [OPTION_LIMIT] = {.name = "limit",
                      .argument = "BYTES",
                      .meaning = "Maximum memory of the program; it ends with a message if it needs more.",
                      .heading = "Running"},
    [OPTION_RUN] = {.name = "run",
                    .argument = "DIRECTORY",
                    .meaning =
                        "Make the run durable: if it is killed at any instant, the same command with the same input "
                        "continues it from DIRECTORY and ends with the same bits. SIGINT (Ctrl-C) and SIGTERM suspend "
                        "it; the exit status is then 75. A finished run prints its result again."},
    [OPTION_INTERVAL] = CLI_INTERVAL_OPTION,
    [OPTION_TIME_LIMIT] = CLI_TIME_LIMIT_OPTION,
    [OPTION_STATS] = {.name = "stats", .meaning = "Print statistics to standard error at the end."},
    [OPTION_CHECK] = {.name = "check",
                      .meaning =
                          "Test every derivative where the program takes it, and print the results to standard "
                          "error: dot products of random directions by j* and by *j, Taylor remainders, and "
                          "whether checkpoint-*j and *j have the same bits. The exit status is 1 if a test fails "
                          "or there is nothing to test."},
    [OPTION_SEED] = {.name = "seed",
                     .argument = "N",
                     .meaning = "With --check: seed of the random directions and leaves (default 1)."},
    [OPTION_PLOT] = {.name = "plot",
                     .argument = "FILE",
                     .meaning = "Draw the schedule of the last checkpoint-*j to FILE: HTML if its name ends in .html, "
                                "else SVG."},
    [OPTION_REPL] = {.name = "repl",
                     .meaning = "Evaluate FILE, if given, and then what you type (default on a terminal without "
                                "FILE)."},
    [OPTION_BARE] = {.name = "bare", .meaning = "Leave out the prelude: car, cdr, map, fold, abs, max, ..."},
    [OPTION_COLLECT] = {.name = "collect", .meaning = "Run the garbage collector before every step.", .hidden = true},
    [OPTION_VERSION] = {.name = "version", .meaning = "Show the version and exit."},
    [OPTION_HELP] = {.name = "help", .meaning = "Show this help and exit.", .letter = 'h'},
};
static const cli_example examples[] = {
    {"verso vlad examples/vlad/newton.vlad", "Runs a program."},
    {"echo 1000 3 1 | verso vlad examples/vlad/listing2.vlad --leaf 100 --stats",
     "Runs a program that reads its input, and records 100 steps at a time."},
    {"verso vlad examples/vlad/newton.vlad --check", "Tests the derivatives that the program takes."},
    {"verso vlad", "Evaluates what you type."},
    {NULL, NULL},
};

typedef struct task {
    const cli_command *command;
    cli_arguments arguments;
    cli_region region;
    vlad_settings settings;
} task;

/* ---- Options ---- */

/* The options for parameters of the schedule. */
static const int words[] = {OPTION_SLOTS, OPTION_LEAF, OPTION_SPACE, OPTION_TIME, OPTION_LOG, OPTION_SPLIT};
enum { WORDS = sizeof words / sizeof *words };

static const char *schedule_text(task *task) {
    const char *const *given = task->arguments.values;
    bool tree = given[OPTION_SPACE] || given[OPTION_TIME] || given[OPTION_LOG] || given[OPTION_SPLIT];
    const char *kind = given[OPTION_MEMORY] && !tree ? VLAD_KIND_BUDGET : VLAD_KIND;
    return cli_schedule_text(&task->region, task->command, &task->arguments, OPTION_SCHEDULE, words, WORDS, kind);
}

static int read_options(task *task) {
    const char *const *given = task->arguments.values;
    verso_error error;
    verso_status status = VERSO_STATUS_OK;
    if (given[OPTION_MEMORY])
        status = vlad_settings_memory(&task->settings, given[OPTION_MEMORY], &error);
    task->settings.run = given[OPTION_RUN];
    const char *schedule = schedule_text(task);
    if (status == VERSO_STATUS_OK)
        status = schedule ? vlad_settings_schedule(&task->settings, schedule, &error)
                          : vlad_settings_default(&task->settings, &error);
    if (status != VERSO_STATUS_OK)
        cli_schedule_blame(task->command, &task->arguments, words, WORDS, &error);
    if (status == VERSO_STATUS_OK && given[OPTION_LIMIT])
        status = vlad_settings_limit(&task->settings, given[OPTION_LIMIT], &error);
    if (status == VERSO_STATUS_OK)
        status = vlad_settings_limits(&task->settings, given[OPTION_INTERVAL], given[OPTION_TIME_LIMIT], &error);
    if (status == VERSO_STATUS_OK && given[OPTION_SEED])
        status = vlad_settings_seed(&task->settings, given[OPTION_SEED], &error);
    task->settings.evaluator = given[OPTION_HYBRID] ? &vlad_hybrid : &vlad_interpreter;
    task->settings.stats = given[OPTION_STATS] != NULL;
    task->settings.checks = given[OPTION_CHECK] != NULL;
    task->settings.collects = given[OPTION_COLLECT] != NULL;
    return status == VERSO_STATUS_OK ? CLI_OK : cli_library_error(task->command, status, &error);
}

/* ---- Compiling ---- */

static bool must_compile(const task *task) {
    const char *const *given = task->arguments.values;
    return given[OPTION_COMPILE] || given[OPTION_OUTPUT] || given[OPTION_EMIT_C];
}

/* True unless an option asks for another implementation, which --plot and --check do as well. */
static bool is_compiled(const task *task) {
    const char *const *given = task->arguments.values;
    return must_compile(task) ||
           (!given[OPTION_INTERPRET] && !given[OPTION_HYBRID] && !given[OPTION_PLOT] && !given[OPTION_CHECK]);
}

/* Adds the command-line options that the compiled program takes when it is run at once. */
static void add_options(task *task, vlad_compilation *compilation) {
    static const int handed[] = {OPTION_MEMORY, OPTION_LIMIT, OPTION_RUN,  OPTION_INTERVAL, OPTION_TIME_LIMIT,
                                 OPTION_STATS,  OPTION_CHECK, OPTION_SEED, OPTION_COLLECT};
    size_t count = 0;
    const char *schedule = schedule_text(task);
    if (schedule)
        compilation->options[count++] = cli_region_print(&task->region, "--schedule=%s", schedule);
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
                                    .run = task->arguments.values[OPTION_RUN],
                                    .emit_c = task->arguments.values[OPTION_EMIT_C],
                                    .output = task->arguments.values[OPTION_OUTPUT]};
    add_options(task, &compilation);
    return cli_vlad_compile(&compilation, sources, program);
}

/* ---- Running ---- */

/* Draws the last schedule that the driver played. Schedules of a checkpoint-*j inside another one are not drawn. */
static int plot(const task *task) {
    const char *path = task->arguments.values[OPTION_PLOT];
    const vlad_checkpointing *c = &task->settings.checkpointing;
    if (!path)
        return CLI_OK;
    if (c->statistics.runs == 0)
        return cli_failure(task->command, "--plot: the program did not use checkpoint-*j");
    verso_schedule_spec spec = c->statistics.last.spec;
    spec.steps = c->statistics.last.predicted.steps;
    size_t length = strlen(path);
    return cli_draw(task->command, &spec, path, length > 5 && strcmp(path + length - 5, ".html") == 0);
}

static int evaluate(task *task, vlad_sources *sources, const vlad_program *program) {
    verso_error error = {0};
    verso_status status = vlad_run(sources, program, NULL, &task->settings, stdin, stdout, stderr, &error);
    if (status == VERSO_STATUS_OK) {
        int plotted = plot(task);
        return task->settings.refuted ? CLI_FAILED : plotted;
    }
    fprintf(stderr, "%s\n", error.message);
    return status == VERSO_STATUS_SUSPENDED ? CLI_SUSPENDED : CLI_FAILED;
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
    if (!task->arguments.values[OPTION_BARE])
        vlad_sources_use_prelude(sources);
    verso_status status = vlad_sources_open(sources, path, UINT32_MAX, &file, &again, &error);
    if (status == VERSO_STATUS_OK)
        status = vlad_read_program(sources, file, &program, &error);
    if (status == VERSO_STATUS_OK)
        ended = is_compiled(task) ? compile(task, sources, &program) : evaluate(task, sources, &program);
    else
        fprintf(stderr, "%s\n", error.message);
    vlad_sources_free(sources);
    return ended;
}

/* A session was asked for, or there is no FILE and standard input is a terminal. */
static bool is_session(const task *task) {
    return task->arguments.values[OPTION_REPL] != NULL ||
           (task->arguments.operand_count == 0 && isatty(STDIN_FILENO) == 1);
}

/* Rejects combinations of options that contradict each other. */
static int check_options(const task *task) {
    const char *const *given = task->arguments.values;
    if (is_session(task) && (must_compile(task) || given[OPTION_RUN]))
        return cli_usage_error(task->command,
                               "a session evaluates each line at once; --compile, --output, --emit-c and --run need a "
                               "FILE, without --repl");
    if (!!given[OPTION_INTERPRET] + !!given[OPTION_HYBRID] + must_compile(task) > 1)
        return cli_usage_error(task->command, "give only one of --interpret, --hybrid and --compile");
    if (must_compile(task) && given[OPTION_PLOT])
        return cli_usage_error(task->command, "--plot needs --interpret or --hybrid");
    if (given[OPTION_CHECK] && (given[OPTION_OUTPUT] || given[OPTION_EMIT_C]))
        return cli_usage_error(task->command, "--check runs the program; remove --output and --emit-c");
    if (given[OPTION_CHECK] && given[OPTION_RUN])
        return cli_usage_error(task->command, "give only one of --check and --run");
    if (!given[OPTION_RUN] && (given[OPTION_INTERVAL] || given[OPTION_TIME_LIMIT]))
        return cli_usage_error(task->command, "--interval and --time-limit need --run");
    if (given[OPTION_OUTPUT] && given[OPTION_EMIT_C])
        return cli_usage_error(task->command, "give only one of --output and --emit-c");
    return CLI_OK;
}

static void report(const void *context, const vlad_machine *machine) {
    const task *task = context;
    if (task->arguments.values[OPTION_STATS])
        vlad_print_statistics(&task->settings, machine, stderr);
    if (task->settings.checkpointing.statistics.runs > 0)
        (void)plot(task);
}

static int run_session(task *task) {
    const char *const *values = task->arguments.values;
    cli_vlad_session session = {.command = task->command,
                                .file = task->arguments.operand_count > 0 ? task->arguments.operands[0] : NULL,
                                .evaluator = task->settings.evaluator,
                                .checkpointing = &task->settings.checkpointing,
                                .limit = vlad_limit(&task->settings),
                                .bare = values[OPTION_BARE] != NULL,
                                .collect = values[OPTION_COLLECT] != NULL,
                                .report = values[OPTION_STATS] || values[OPTION_PLOT] ? report : NULL,
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
        status = cli_usage_error(command, "expected exactly one FILE (- is standard input)");
    if (status == CLI_OK && session && task.arguments.values[OPTION_CHECK])
        status = cli_usage_error(command, "--check needs a FILE");
    if (status == CLI_OK)
        status = check_options(&task);
    if (status == CLI_OK)
        status = read_options(&task);
    /* A durable run is suspended by signals from here to the end of the process: a signal while the program is read
     * must not end it otherwise than one a moment later. */
    if (status == CLI_OK && task.settings.run != NULL)
        verso__signals_catch();
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
    .exit_status = CLI_DURABLE_EXIT_STATUS,
    .run = run,
};
