/* `verso vlad`: runs a program of the functional language. */
#include "base/status.h"
#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/picture.h"
#include "cli/region.h"
#include "cli/schedule.h"
#include "cli/vlad_repl.h"
#include "native/settings.h"
#include "vlad/bytes.h"
#include "vlad/checkpoint.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
    OPTION_INTERPRET,
    OPTION_HYBRID,
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
    OPTION_PLOT,
    OPTION_REPL,
    OPTION_COLLECT,
    OPTION_HELP
};

/* Steps of evaluation that are recorded at a time, when nothing is said. */
#define LEAF_DEFAULT 10000

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
                          .meaning = "Evaluate the program as it is written. This is the default."},
    [OPTION_HYBRID] = {.name = "hybrid",
                       .meaning = "Convert the program to continuation-passing style, and evaluate that. Results and "
                                  "step counts are the same."},
    [OPTION_SCHEDULE] = {.name = "schedule",
                         .argument = "KIND",
                         .meaning =
                             "Of checkpoint-*j: binary (the default), treeverse, revolve, online, ..., with words "
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
    [OPTION_RUN] = {.name = "run",
                    .argument = "DIRECTORY",
                    .meaning =
                        "Make checkpoint-*j durable: killed at any instant, the same command with the same input goes "
                        "on where it was, and ends with the same bits."},
    [OPTION_STATS] = {.name = "stats", .meaning = "Say at the end, on the standard error, what it took."},
    [OPTION_PLOT] = {.name = "plot",
                     .argument = "FILE",
                     .meaning = "Draw the schedule that the last checkpoint-*j has played: FILE.svg, or FILE.html."},
    [OPTION_REPL] = {.name = "repl",
                     .meaning = "Evaluate what is typed, after FILE if there is one. The default on a terminal "
                                "without FILE."},
    [OPTION_COLLECT] = {.name = "collect", .meaning = "Collect memory in front of every step.", .hidden = true},
    [OPTION_HELP] = {.name = "help", .meaning = "Print this text.", .letter = 'h'},
};
static const cli_example examples[] = {
    {"verso vlad newton.vlad", "Runs a program."},
    {"echo 1000 3 1 | verso vlad examples/vlad/listing2.vlad --leaf 100 --stats",
     "A program that reads its input, its derivative in leaves of 100 steps."},
    {"verso vlad", "Evaluates what is typed."},
    {NULL, NULL},
};

typedef struct task {
    const cli_command *command;
    cli_arguments arguments;
    cli_region region;
    vlad_checkpointing checkpointing;
    uint64_t limit;
} task;

/* ---- Options ---- */

static const char *schedule_text(task *task) {
    static const int words[] = {OPTION_SLOTS, OPTION_LEAF, OPTION_SPACE, OPTION_TIME, OPTION_LOG, OPTION_SPLIT};
    const char *text = cli_schedule_text(&task->region, task->command, &task->arguments, OPTION_SCHEDULE, words,
                                         sizeof words / sizeof *words, "binary");
    return text ? text : "binary";
}

static int read_options(task *task) {
    verso_native_settings settings = {0};
    verso_run_options *run = &task->checkpointing.run;
    verso_error error;
    verso_status status = verso_native_schedule_read("--schedule", schedule_text(task), &settings, &error);
    const char *limit = task->arguments.values[OPTION_LIMIT];
    if (status == VERSO_OK && limit)
        status = verso_native_memory_read("--limit", limit, &task->limit, &error);
    if (status != VERSO_OK)
        return cli_library_error(task->command, status, &error);
    if (settings.automatic)
        verso_schedule_spec_init(&settings.spec, VERSO_KIND_ONLINE);
    verso_run_options_init(run);
    run->spec = settings.spec;
    task->checkpointing.leaf = settings.leaf != 0 ? settings.leaf : LEAF_DEFAULT;
    status = verso_native_slots_check(run, &error);
    return status == VERSO_OK ? CLI_OK : cli_library_error(task->command, status, &error);
}

/* ---- Running ---- */

static void print_stats(const task *task, const vlad_machine *machine) {
    const vlad_checkpointing *c = &task->checkpointing;
    fprintf(stderr, "steps       %" PRIu64 "\n", machine->steps);
    if (c->told.runs > 0)
        fprintf(stderr, "checkpointed %" PRIu64 " steps, %" PRIu64 " more were run; %" PRIu64 " capsules at a time\n",
                c->told.steps, c->told.repeated, c->told.capsules);
    fprintf(stderr, "memory      %" PRIu64 " bytes at most, %" PRIu64 " collections\n", machine->heap.peak,
            machine->heap.collections);
}

/* A folder for the run, with what the program has read and written beside its checkpointed runs. */
static verso_status make_durable(task *task, const vlad_program *program, vlad_effects *effects, vlad_index *index,
                                 verso_error *error) {
    const char *folder = task->arguments.values[OPTION_RUN];
    if (!folder)
        return VERSO_OK;
    if (task->arguments.values[OPTION_HYBRID])
        return verso_fail(error, VERSO_INVALID, "--run is for --interpret: converted programs are not kept in files");
    if (mkdir(folder, 0777) != 0 && errno != EEXIST)
        return verso_fail(error, VERSO_IO, "cannot make the directory '%s': %s", folder, strerror(errno));
    const char *path = cli_region_print(&task->region, "%s/effects", folder);
    verso_status status = vlad_index_open(index, program, error);
    task->checkpointing.index = index;
    task->checkpointing.run.directory = folder;
    return status == VERSO_OK ? vlad_effects_keep(effects, path, error) : status;
}

static verso_status run_all(task *task, vlad_machine *machine, const vlad_program *program, verso_error *error) {
    verso_status status = VERSO_OK;
    machine->checkpointing = &task->checkpointing;
    machine->heap.always = machine->heap.wanted = task->arguments.values[OPTION_COLLECT] != NULL;
    for (uint32_t i = 0; status == VERSO_OK && i < program->count; i++) {
        vlad_machine_begin(machine, program->expressions[i]);
        status = vlad_machine_run(machine) == VLAD_ENDED ? VERSO_OK : error->status;
    }
    if (status == VERSO_OK && task->arguments.values[OPTION_STATS])
        print_stats(task, machine);
    return status;
}

static verso_status evaluate(task *task, vlad_sources *sources, const vlad_program *program, verso_error *error) {
    vlad_effects effects;
    vlad_machine machine;
    vlad_index index = {0};
    vlad_effects_open(&effects, stdin, "standard input", stdout);
    const vlad_evaluator *evaluator = task->arguments.values[OPTION_HYBRID] ? &vlad_hybrid : &vlad_interpreter;
    verso_status status = make_durable(task, program, &effects, &index, error);
    if (status == VERSO_OK)
        status = vlad_machine_open(&machine, evaluator, program, sources, &effects, task->limit, error);
    if (status == VERSO_OK) {
        status = run_all(task, &machine, program, error);
        vlad_machine_close(&machine);
    }
    vlad_index_close(&index);
    vlad_effects_close(&effects);
    return status;
}

/* The last one on the driver; players within are not drawn. */
static int plot(const task *task) {
    const char *path = task->arguments.values[OPTION_PLOT];
    const vlad_checkpointing *c = &task->checkpointing;
    if (!path)
        return CLI_OK;
    if (c->told.runs == 0)
        return cli_failure(task->command, "--plot: the program has not used checkpoint-*j");
    verso_schedule_spec spec = c->told.last.spec;
    spec.steps = c->told.last.predicted.steps;
    size_t length = strlen(path);
    return cli_draw(task->command, &spec, path, length > 5 && strcmp(path + length - 5, ".html") == 0);
}

static int run_file(task *task, const char *path) {
    vlad_sources *sources = vlad_sources_new();
    vlad_program program;
    verso_error error = {0};
    uint32_t file;
    bool again;
    if (!sources)
        return cli_failure(task->command, "out of memory");
    verso_status status = vlad_sources_open(sources, path, UINT32_MAX, &file, &again, &error);
    if (status == VERSO_OK)
        status = vlad_read_program(sources, file, &program, &error);
    if (status == VERSO_OK)
        status = evaluate(task, sources, &program, &error);
    if (status != VERSO_OK)
        fprintf(stderr, "%s\n", error.message);
    vlad_sources_free(sources);
    return status == VERSO_OK ? plot(task) : CLI_FAILED;
}

static void tell(const void *context, const vlad_machine *machine) {
    print_stats(context, machine);
}

static int run_session(task *task) {
    const char *const *values = task->arguments.values;
    cli_vlad_session session = {.command = task->command,
                                .file = task->arguments.operand_count > 0 ? task->arguments.operands[0] : NULL,
                                .checkpointing = &task->checkpointing,
                                .limit = task->limit,
                                .collect = values[OPTION_COLLECT] != NULL,
                                .tell = values[OPTION_STATS] ? tell : NULL,
                                .context = task};
    return cli_vlad_repl(&session);
}

/* Line by line: when it is asked for, or nothing else is and somebody is there. */
static bool is_session(const task *task) {
    return task->arguments.values[OPTION_REPL] != NULL ||
           (task->arguments.operand_count == 0 && isatty(STDIN_FILENO) == 1);
}

static int run(const cli_command *command, int argc, char **argv) {
    task task = {.command = command};
    int status = cli_options_read(command, argc, argv, &task.arguments);
    if (status == CLI_OK && task.arguments.values[OPTION_HELP]) {
        cli_describe_help(stdout, command);
        return cli_finish_output(command, CLI_OK);
    }
    bool session = status == CLI_OK && is_session(&task);
    if (status == CLI_OK && (task.arguments.operand_count > 1 || (task.arguments.operand_count == 0 && !session)))
        status = cli_usage_error(command, "one FILE, please");
    if (status == CLI_OK && task.arguments.values[OPTION_INTERPRET] && task.arguments.values[OPTION_HYBRID])
        status = cli_usage_error(command, "--interpret or --hybrid, not both");
    if (status == CLI_OK)
        status = read_options(&task);
    if (status == CLI_OK)
        status = session ? run_session(&task) : run_file(&task, task.arguments.operands[0]);
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
