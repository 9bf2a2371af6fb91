/* `verso tune`: the fastest choice of checkpointed calls within a budget, from one profile; and a run with it, because
 * what is predicted can be held against what it takes. */
#include "cli/profile.h"

#include "base/quantity.h"
#include "base/suggest.h"
#include "cli/message.h"
#include "cli/picture.h"
#include "cli/table.h"
#include "profile/tune.h"

#include <string.h>

enum { OPTION_MEMORY, OPTION_STRATEGY, OPTION_OUT, OPTION_HTML, OPTION_JSON, OPTION_HELP };

static const char *const synopses[] = {
    "--memory BYTES [--strategy WORD] [--out FILE] [--html FILE] [--json] -- PROGRAM [ARGUMENT]...", NULL};
static const char *const description[] = {
    "Finds which calls of a program to checkpoint, so that its gradient is as fast as it can be within a budget. The "
    "program, compiled by 'verso cc', is run once to profile it ('verso help profile'), and once more with what was "
    "chosen, to measure that. The choice is written to verso.sites, for runs with VERSO_SITES=verso.sites.",
    "From the one profile the peak of every choice is known to the byte, and its time about. If the peak that is "
    "measured is not the one that was predicted, or beyond the budget, the command says so and fails.",
    "The budget is the one of VERSO_MEMORY and 'verso grad --memory': for all that the gradient takes besides the "
    "program's own memory. 'best' looks for a choice at one go, and for one in the steps of a schedule, where the "
    "budget is divided between capsules and recordings, and takes the faster; verso.sites says so in the lines "
    "'memory' and 'step'. Where nothing fits, the message names the least budget that would do. If the program "
    "computes several gradients, the first counts.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_MEMORY] = {.name = "memory",
                       .argument = "BYTES",
                       .meaning = "The budget: 64000000, 64M, 1.5G, 64Mi.",
                       .heading = "Options"},
    [OPTION_STRATEGY] = {.name = "strategy",
                         .argument = "time-first|memory-careful|best",
                         .meaning = "Where to look: 'best' (unless given), on the front of time against peak, and by "
                                    "a schedule. "
                                    "'time-first' and 'memory-careful', on the ways that paper 2 goes, one call after "
                                    "the other switched off: the one that gains the most time, or costs the least "
                                    "memory."},
    [OPTION_OUT] = {.name = "out", .argument = "FILE", .meaning = "Where the choice goes: verso.sites unless given."},
    [OPTION_HTML] = {.name = "html",
                     .argument = "FILE",
                     .meaning = "Write a page that draws choices as points of peak against time: 250 at random, both "
                                "ways, the front, and the one that was chosen."},
    [OPTION_JSON] = {.name = "json", .meaning = "Print JSON. The program's output goes to the standard error."},
    [OPTION_HELP] = {.name = "help", .letter = 'h', .meaning = "Show this help and end."},
};
static const cli_example examples[] = {
    {"verso tune --memory 64M -- ./ice input.txt", "The fastest choice within 64 MB, in verso.sites."},
    {"verso tune --memory 64M --strategy memory-careful --html tuning.html -- ./ice",
     "Another way, and a page about it."},
    {NULL, NULL},
};

typedef struct tune_task {
    profile_task base;
    verso_tuning tuning;
    verso_profile_cost all; /* of all on */
    verso_profile_cost measured;
} tune_task;

/* ---- The command line ---- */

static int read_strategy(const cli_command *command, const char *word, verso_tune_strategy *strategy) {
    verso_suggestion suggestion;
    *strategy = VERSO_TUNE_BEST;
    if (!word)
        return CLI_OK;
    verso_suggest_begin(&suggestion, word, strlen(word));
    for (int i = 0; i < VERSO_TUNE_STRATEGIES; i++) {
        *strategy = (verso_tune_strategy)i;
        if (strcmp(word, verso_tune_word(*strategy)) == 0)
            return CLI_OK;
        verso_suggest_word(&suggestion, verso_tune_word(*strategy));
    }
    if (suggestion.best)
        return cli_usage_error(command, "--strategy: there is no '%s'; did you mean '%s'?", word, suggestion.best);
    return cli_usage_error(command, "--strategy: there is no '%s'; there are time-first, memory-careful and best",
                           word);
}

static int read_memory(const cli_command *command, const char *text, uint64_t *memory) {
    verso_error error;
    if (!text)
        return cli_usage_error(command, "how much memory? For example: --memory 64M");
    verso_status status = verso_memory_read("--memory", text, memory, &error);
    return status == VERSO_OK ? CLI_OK : cli_library_error(command, status, &error);
}

/* ---- What came of it ---- */

static void put_cost(verso_json *json, const char *name, const verso_profile_cost *cost) {
    verso_json_open(json, name, '{');
    verso_json_wide(json, "peak_bytes", cost->peak_bytes);
    if (cost->memory_bytes > 0)
        verso_json_wide(json, "memory_bytes", cost->memory_bytes);
    verso_json_double(json, "seconds", cost->seconds);
    verso_json_close(json, '}');
}

static void print_json(const tune_task *task) {
    const verso_tuning *tuning = &task->tuning;
    verso_text text = {.sink = profile_print, .context = stdout};
    verso_json json = {.text = &text};
    verso_json_open(&json, NULL, '{');
    verso_json_string(&json, "program", task->base.view.program);
    verso_json_wide(&json, "budget_bytes", tuning->memory);
    verso_json_string(&json, "strategy", verso_tune_word(tuning->strategy));
    verso_json_bool(&json, "exact", tuning->front.exact);
    put_cost(&json, "all_on", &task->all);
    put_cost(&json, "predicted", &tuning->cost);
    put_cost(&json, "measured", &task->measured);
    if (tuning->plan.memory > 0) {
        verso_json_open(&json, "schedule", '{');
        verso_json_wide(&json, "steps", tuning->planned.steps);
        verso_json_wide(&json, "capsules", tuning->planned.slots);
        verso_json_wide(&json, "step_bytes", tuning->plan.leaf);
        verso_json_close(&json, '}');
    }
    verso_json_open(&json, "front", '[');
    for (size_t i = 0; i < tuning->front.count; i++) {
        const verso_choice *point = &tuning->front.points[i];
        put_cost(&json, NULL,
                 &(verso_profile_cost){.peak_bytes = point->peak,
                                       .memory_bytes = point->peak + tuning->profile->run.beside,
                                       .seconds = verso_profile_seconds(tuning->profile, point->seconds, point->peak)});
    }
    verso_json_close(&json, ']');
    profile_put_sites(&json, &task->base);
    verso_json_close(&json, '}');
    verso_text_string(&text, "\n");
    (void)verso_text_close(&text); /* a write that failed is remembered by stdout */
}

static const char *cost_row(cli_region *region, const char *rows, const char *name, const verso_profile_cost *cost) {
    return cli_region_print(region, "%s%s\t%s\t%s\t%s\n", rows, name, verso_duration(cost->seconds).text,
                            verso_grouped(cost->memory_bytes).text, verso_grouped(cost->peak_bytes).text);
}

static bool is_as_predicted(const tune_task *task) {
    const verso_tuning *tuning = &task->tuning;
    return task->measured.memory_bytes <= tuning->memory &&
           (tuning->plan.memory > 0 || task->measured.peak_bytes == tuning->cost.peak_bytes);
}

static void print_verdict(const tune_task *task) {
    const verso_tuning *tuning = &task->tuning;
    if (tuning->plan.memory > 0 && tuning->plan.leaf == 0)
        printf("\n  Recorded at one go but for the beginning, which is run again. ");
    else if (tuning->plan.memory > 0)
        printf("\n  By a schedule, in about %s steps, with %s capsules at a time. ",
               verso_grouped(tuning->planned.steps).text, verso_grouped(tuning->planned.slots).text);
    else if (is_as_predicted(task))
        printf("\n  Recordings and snapshots are as predicted, to the byte. ");
    else
        printf("\n  Recordings and snapshots are not as predicted. ");
    printf("%zu choices are on the front%s.\n", tuning->front.count,
           tuning->front.exact ? ", which is exact" : ", as far as it was found");
}

static int print_page(tune_task *task, const char *out) {
    const verso_tuning *tuning = &task->tuning;
    cli_region *region = &task->base.region;
    size_t on = 0;
    for (size_t i = 0; i < tuning->profile->count; i++)
        on += task->base.sites[i].on;
    printf("%s: within %s bytes, by the strategy %s: %zu of %zu calls checkpointed\n\n", task->base.view.program,
           verso_grouped(tuning->memory).text, verso_tune_word(tuning->strategy), on, tuning->profile->count);
    const char *rows =
        cost_row(region, "\ttime\tbytes in all\trecordings and snapshots\n", "all calls checkpointed", &task->all);
    rows = cost_row(region, rows, tuning->plan.memory > 0 ? "chosen, at most" : "chosen, predicted", &tuning->cost);
    cli_table_print(stdout, cost_row(region, rows, "chosen, measured", &task->measured));
    print_verdict(task);
    printf("  %s has the choice: VERSO_SITES=%s %s\n", out, out, task->base.view.program);
    return profile_print_groups(stdout, &task->base);
}

static verso_status write_html(void *context, verso_sink sink, void *to, verso_error *error) {
    const tune_task *task = context;
    (void)error;
    return verso_tuning_html(&task->base.view, &task->tuning, &task->measured, sink, to);
}

static int tell(tune_task *task, const char *out) {
    const char *html = task->base.arguments.values[OPTION_HTML];
    int status = profile_write_sites(&task->base, out);
    if (status == CLI_OK && html)
        status = cli_write_text(task->base.command, html, write_html, task);
    if (status != CLI_OK)
        return status;
    if (task->base.json)
        print_json(task);
    else
        status = print_page(task, out);
    if (status != CLI_OK || is_as_predicted(task))
        return status;
    fflush(stdout);
    if (task->measured.memory_bytes > task->tuning.memory)
        return cli_failure(task->base.command, "the gradient took %llu bytes, beyond the budget of %llu",
                           (unsigned long long)task->measured.memory_bytes, (unsigned long long)task->tuning.memory);
    return cli_failure(task->base.command,
                       "a peak of %llu bytes was predicted and %llu were measured; does the program do the same each "
                       "time? If it does, Verso has a bug",
                       (unsigned long long)task->tuning.cost.peak_bytes, (unsigned long long)task->measured.peak_bytes);
}

/* ---- The command ---- */

static int choose(tune_task *task, uint64_t memory, verso_tune_strategy strategy) {
    verso_error error;
    profile_task *base = &task->base;
    profile_look(base); /* all are on */
    task->all = base->view.cost;
    verso_status status = verso_tuning_open(base->profile, memory, strategy, &task->tuning, &error);
    if (status != VERSO_OK)
        return cli_library_error(base->command, status, &error);
    for (size_t i = 0; i < base->profile->count; i++)
        base->sites[i].on = task->tuning.chosen[i];
    base->plan = task->tuning.plan;
    profile_look(base);
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv) {
    tune_task task = {0};
    profile_task *base = &task.base;
    bool help;
    uint64_t memory = 0;
    verso_tune_strategy strategy = VERSO_TUNE_BEST;
    int status = profile_open(base, command, argc, argv, OPTION_HELP, &help);
    if (status != CLI_OK || help)
        return profile_close(base, status);
    const char *out = base->arguments.values[OPTION_OUT] ? base->arguments.values[OPTION_OUT] : "verso.sites";
    base->json = base->arguments.values[OPTION_JSON] != NULL;
    status = read_memory(command, base->arguments.values[OPTION_MEMORY], &memory);
    if (status == CLI_OK)
        status = read_strategy(command, base->arguments.values[OPTION_STRATEGY], &strategy);
    if (status == CLI_OK)
        status = profile_run(base);
    if (status == CLI_OK)
        status = choose(&task, memory, strategy);
    if (status == CLI_OK)
        status = profile_measure(base, &task.measured);
    if (status == CLI_OK)
        status = tell(&task, out);
    verso_tuning_close(&task.tuning);
    return profile_close(base, status);
}

const cli_command cli_tune = {
    .name = "tune",
    .summary = "choose which calls of a program to checkpoint within a budget",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .passes_on = true,
    .exit_status = "0: Everything was done, and the peak is the predicted one. 2: The command line is wrong. Another: "
                   "That of the program; 128 and the signal, when one ended it; 1, when something else failed.",
    .examples = examples,
    .run = run,
};
