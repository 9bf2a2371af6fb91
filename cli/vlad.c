/* `verso vlad`: runs a program of the functional language. */
#include "cli/describe.h"
#include "cli/message.h"
#include "cli/options.h"
#include "cli/region.h"
#include "native/settings.h"
#include "vlad/checkpoint.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    OPTION_INTERPRET,
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

/* Steps of evaluation that are recorded at a time, when nothing is said. */
#define LEAF_DEFAULT 10000

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
    [OPTION_INTERPRET] = {.name = "interpret", .meaning = "Evaluate the program as it is written. This is the default."},
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
    vlad_checkpointing checkpointing;
    uint64_t limit;
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

static verso_status evaluate(task *task, const vlad_sources *sources, const vlad_program *program, verso_error *error) {
    vlad_effects effects;
    vlad_machine machine;
    vlad_effects_open(&effects, stdin, "standard input", stdout);
    verso_status status = vlad_machine_open(&machine, program, sources, &effects, task->limit, error);
    if (status == VERSO_OK) {
        machine.checkpointing = &task->checkpointing;
        for (uint32_t i = 0; status == VERSO_OK && i < program->count; i++) {
            vlad_machine_begin(&machine, program->expressions[i]);
            status = vlad_machine_run(&machine) == VLAD_ENDED ? VERSO_OK : error->status;
        }
        if (status == VERSO_OK && task->arguments.values[OPTION_STATS])
            print_stats(task, &machine);
        vlad_machine_close(&machine);
    }
    vlad_effects_close(&effects);
    return status;
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
    return status == VERSO_OK ? CLI_OK : CLI_FAILED;
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
