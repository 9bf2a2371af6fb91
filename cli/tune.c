/* `verso tune`: finds the fastest choice of checkpointed calls within a budget from one profile. Then runs the program
 * with that choice and with VERSO_MEMORY alone, compares prediction and measurement, and writes the better of the two
 * to a file. */
#include "cli/profile.h"

#include "base/quantity.h"
#include "base/suggest.h"
#include "cli/message.h"
#include "cli/picture.h"
#include "cli/table.h"
#include "profile/tune.h"

#include <string.h>

enum { OPTION_MEMORY, OPTION_STRATEGY, OPTION_TIME_LIMIT, OPTION_OUT, OPTION_HTML, OPTION_JSON, OPTION_HELP };

static const char *const synopses[] = {"--memory BYTES [--strategy WORD] [--time-limit SECONDS] [--out FILE] [--html "
                                       "FILE] [--json] -- PROGRAM [ARGUMENT]...",
                                       NULL};
static const char *const description[] = {
    "Finds which calls of a program to checkpoint so that its gradient is as fast as possible within a budget. The "
    "program must be compiled by 'verso cc'. It is run once to profile it ('verso help profile'), once with the choice "
    "to measure it, and once with VERSO_MEMORY alone for comparison (its output is discarded, and the run is stopped "
    "if it takes more than twice as long). The choice is written to verso.sites; run the program with "
    "VERSO_SITES=verso.sites to use it.",
    "The profile predicts the peak memory of every choice to the byte, and its time approximately. The command fails "
    "if the measured peak differs from the prediction or exceeds the budget. It prints a note if the choice takes "
    "1.5 times as long as predicted, and if VERSO_MEMORY alone is faster than the choice by more than 10 %; in that "
    "case verso.sites contains the budget and no call.",
    "The budget is that of VERSO_MEMORY and 'verso grad --memory': all memory that the gradient takes in addition to "
    "the program's own. The strategy 'best' searches for a choice in a single pass and for one with a schedule, where "
    "the budget is divided between capsules and recordings, and takes the faster one; the lines 'memory' and 'step' of "
    "verso.sites name the schedule. If no choice fits, the message names the smallest sufficient budget. If the "
    "program computes several gradients, only the first one is tuned.",
    NULL,
};
static const cli_option options[] = {
    [OPTION_MEMORY] = {.name = "memory",
                       .argument = "BYTES",
                       .meaning = "The budget: 64000000, 64M, 1.5G, 64Mi.",
                       .heading = "Options"},
    [OPTION_STRATEGY] = {.name = "strategy",
                         .argument = "time-first|memory-careful|best",
                         .meaning = "How to search. 'best' (default): among all choices on the front of time against "
                                    "peak, and with a schedule. 'time-first' and 'memory-careful': start "
                                    "with all calls on and switch off one after the other, each time the one that "
                                    "gains the most time, or the one that costs the least memory."},
    [OPTION_TIME_LIMIT] = {.name = "time-limit",
                           .argument = "SECONDS",
                           .meaning = "Cut the profile after this many seconds (default 60). The choice is then made "
                                      "from a part of the run, and measured in a whole run."},
    [OPTION_OUT] = {.name = "out", .argument = "FILE", .meaning = "Write the choice to FILE (default verso.sites)."},
    [OPTION_HTML] = {.name = "html",
                     .argument = "FILE",
                     .meaning =
                         "Write a page that plots choices as points of peak against time: 250 random ones, those "
                         "that time-first and memory-careful try, the front, and the final choice."},
    [OPTION_JSON] = {.name = "json", .meaning = "Print JSON. The program's output goes to standard error."},
    [OPTION_HELP] = {.name = "help", .letter = 'h', .meaning = "Show this help and exit."},
};
static const cli_example examples[] = {
    {"verso cc -O2 -g examples/native/ice.c examples/native/support/study.c -lm -o ice", "Makes the program below."},
    {"verso tune --memory 64M -- ./ice", "The fastest choice within 64 MB, in verso.sites."},
    {"verso tune --memory 64M --strategy memory-careful --html tuning.html -- ./ice",
     "Another strategy, and a page with a plot."},
    {NULL, NULL},
};

typedef struct tune_task {
    profile_task base;
    verso__tuning tuning;
    verso_profile_cost all;      /* predicted cost if all calls are checkpointed */
    verso_profile_cost measured; /* measured cost of the choice */
    bool cut;                    /* the run with VERSO_MEMORY alone took too long or failed */
} tune_task;

/* ---- The command line ---- */

static int read_strategy(const cli_command *command, const char *word, verso__tune_strategy *strategy) {
    verso__suggestion suggestion;
    *strategy = VERSO_TUNE_BEST;
    if (!word)
        return CLI_OK;
    verso__suggest_begin(&suggestion, word, strlen(word));
    for (int i = 0; i < VERSO_TUNE_STRATEGIES; i++) {
        *strategy = (verso__tune_strategy)i;
        if (strcmp(word, verso__tune_word(*strategy)) == 0)
            return CLI_OK;
        verso__suggest_word(&suggestion, verso__tune_word(*strategy));
    }
    if (suggestion.best)
        return cli_usage_error(command, "--strategy: there is no '%s'; did you mean '%s'?", word, suggestion.best);
    return cli_usage_error(command, "--strategy: there is no '%s'; use time-first, memory-careful or best", word);
}

static int read_memory(const cli_command *command, const char *text, uint64_t *memory) {
    verso_error error;
    if (!text)
        return cli_usage_error(command, "--memory is missing; for example: --memory 64M");
    verso_status status = verso__memory_read("--memory", text, memory, &error);
    return status == VERSO_STATUS_OK ? CLI_OK : cli_library_error(command, status, &error);
}

/* ---- The results ---- */

static void put_cost(verso__json *json, const char *name, const verso_profile_cost *cost) {
    verso__json_open(json, name, '{');
    verso__json_wide(json, "peak_bytes", cost->peak_bytes);
    if (cost->memory_bytes > 0)
        verso__json_wide(json, "memory_bytes", cost->memory_bytes);
    verso__json_double(json, "seconds", cost->seconds);
    verso__json_close(json, '}');
}

static bool is_as_predicted(const tune_task *task) {
    const verso__tuning *tuning = &task->tuning;
    return task->measured.memory_bytes <= tuning->memory && (tuning->plan.memory > 0 || tuning->profile->run.cut ||
                                                             task->measured.peak_bytes == tuning->cost.peak_bytes);
}

static void print_json(const tune_task *task) {
    const verso__tuning *tuning = &task->tuning;
    verso__text text = {.sink = profile_print, .context = stdout};
    verso__json json = {.text = &text};
    verso__json_open(&json, NULL, '{');
    verso__json_string(&json, "program", task->base.view.program);
    verso__json_wide(&json, "budget_bytes", tuning->memory);
    verso__json_string(&json, "strategy", verso__tune_word(tuning->strategy));
    verso__json_bool(&json, "exact", tuning->front.exact && !tuning->profile->run.cut);
    verso__json_double(&json, "part", 1 / (1 + tuning->profile->run.beyond));
    put_cost(&json, "all_on", &task->all);
    put_cost(&json, "predicted", &tuning->cost);
    put_cost(&json, "measured", &task->measured);
    if (tuning->verdict.compared)
        put_cost(&json, "plain", &tuning->verdict.plain);
    verso__json_string(&json, "handed_out", tuning->verdict.plain_better ? "plain" : "choice");
    verso__json_bool(&json, "plain_is_faster", tuning->verdict.plain_better);
    verso__json_bool(&json, "memory_as_predicted", is_as_predicted(task));
    verso__json_bool(&json, "time_as_predicted", !tuning->verdict.late);
    if (tuning->plan.memory > 0) {
        verso__json_open(&json, "schedule", '{');
        verso__json_wide(&json, "steps", tuning->planned.steps);
        verso__json_wide(&json, "capsules", tuning->planned.slots);
        verso__json_wide(&json, "step_bytes", tuning->plan.leaf);
        verso__json_close(&json, '}');
    }
    verso__json_open(&json, "front", '[');
    for (size_t i = 0; i < tuning->front.count; i++) {
        const verso__choice *point = &tuning->front.points[i];
        put_cost(
            &json, NULL,
            &(verso_profile_cost){.peak_bytes = point->peak,
                                  .memory_bytes = point->peak + tuning->profile->run.beside,
                                  .seconds = verso__profile_seconds(tuning->profile, point->seconds, point->peak)});
    }
    verso__json_close(&json, ']');
    profile_put_sites(&json, &task->base);
    verso__json_close(&json, '}');
    verso__text_string(&text, "\n");
    (void)verso__text_close(&text); /* cli_finish_output reports a failed write */
}

static const char *cost_row(cli_region *region, const char *rows, const char *name, const verso_profile_cost *cost) {
    return cli_region_print(region, "%s%s\t%s\t%s\t%s\n", rows, name, verso__duration(cost->seconds).text,
                            verso__grouped(cost->memory_bytes).text, verso__grouped(cost->peak_bytes).text);
}

static void print_verdict(const tune_task *task) {
    const verso__tuning *tuning = &task->tuning;
    if (tuning->plan.memory > 0 && tuning->plan.leaf == 0)
        printf("\n  Recorded in a single pass, except for the beginning, which is run again. ");
    else if (tuning->plan.memory > 0)
        printf("\n  With a schedule of about %s steps and at most %s capsules at a time. ",
               verso__grouped(tuning->planned.steps).text, verso__grouped(tuning->planned.slots).text);
    else if (tuning->profile->run.cut)
        printf("\n  In a single pass. ");
    else if (is_as_predicted(task))
        printf("\n  Recordings and snapshots are as predicted, to the byte. ");
    else
        printf("\n  Recordings and snapshots are not as predicted. ");
    printf("%zu choices are on the front%s.\n", tuning->front.count,
           tuning->front.exact && !tuning->profile->run.cut ? ", which is exact" : ", which is approximate");
}

/* Prints notes if the measurement contradicts the prediction or the choice. */
static void print_comparison(const tune_task *task) {
    const verso__tune_verdict *verdict = &task->tuning.verdict;
    if (verdict->late)
        printf("  The prediction was wrong: %s predicted, %s measured.\n",
               verso__duration(task->tuning.cost.seconds).text, verso__duration(task->measured.seconds).text);
    if (verdict->plain_better)
        printf("  VERSO_MEMORY alone is faster than the choice and is used instead: no call is checkpointed.\n");
    else if (task->cut)
        printf("  VERSO_MEMORY alone fails within this budget or takes more than twice as long.\n");
}

static int print_page(tune_task *task, const char *out) {
    const verso__tuning *tuning = &task->tuning;
    cli_region *region = &task->base.region;
    size_t on = 0;
    for (size_t i = 0; i < tuning->profile->count; i++)
        on += task->base.sites[i].on;
    printf("%s: within %s bytes, strategy %s: %zu of %zu calls checkpointed\n\n", task->base.view.program,
           verso__grouped(tuning->memory).text, verso__tune_word(tuning->strategy), on, tuning->profile->count);
    const char *rows =
        cost_row(region, "\ttime\tbytes in all\trecordings and snapshots\n", "all calls checkpointed", &task->all);
    rows = cost_row(region, rows, tuning->plan.memory > 0 ? "chosen, at most" : "chosen, predicted", &tuning->cost);
    rows = cost_row(region, rows, "chosen, measured", &task->measured);
    if (tuning->verdict.compared)
        rows = cost_row(region, rows, "VERSO_MEMORY alone", &tuning->verdict.plain);
    cli_table_print(stdout, rows);
    print_verdict(task);
    profile_print_part(&task->base);
    print_comparison(task);
    printf("  %s contains %s; to use it: VERSO_SITES=%s %s\n", out,
           tuning->verdict.plain_better ? "the budget" : "the choice", out, task->base.view.program);
    return profile_print_groups(stdout, &task->base);
}

static verso_status write_page(const void *context, verso_sink sink, void *to) {
    const tune_task *task = context;
    return verso__tuning_html(&task->base.view, &task->tuning, &task->measured, sink, to);
}

static verso_status write_html(void *context, verso_sink sink, void *to, verso_error *error) {
    (void)error;
    return profile_write_page(write_page, context, sink, to);
}

/* Writes the choice to `out` and prints the result. Fails if memory was not as predicted. */
static int report(tune_task *task, const char *out) {
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
    if (task->measured.memory_bytes > task->tuning.memory && task->tuning.verdict.plain_better)
        return CLI_OK; /* VERSO_MEMORY alone is used, and it is within the budget */
    if (task->measured.memory_bytes > task->tuning.memory)
        return cli_failure(task->base.command, "the gradient took %llu bytes, which exceeds the budget of %llu",
                           (unsigned long long)task->measured.memory_bytes, (unsigned long long)task->tuning.memory);
    return cli_failure(task->base.command,
                       "a peak of %llu bytes was predicted, but %llu were measured. If the program does the same in "
                       "every run, this is an internal error (please report it)",
                       (unsigned long long)task->tuning.cost.peak_bytes, (unsigned long long)task->measured.peak_bytes);
}

/* ---- The command ---- */

static void take_chosen(tune_task *task) {
    for (size_t i = 0; i < task->base.profile->count; i++)
        task->base.sites[i].on = (task->tuning.chosen[i] || task->base.sites[i].always) && !task->base.sites[i].never;
    task->base.plan = task->tuning.plan;
}

static int choose(tune_task *task, uint64_t memory, verso__tune_strategy strategy) {
    verso_error error;
    profile_task *base = &task->base;
    profile_predict(base); /* all are on */
    task->all = base->view.cost;
    verso_status status = verso__tuning_open(base->profile, memory, strategy, &task->tuning, &error);
    if (status != VERSO_STATUS_OK)
        return cli_library_error(base->command, status, &error);
    take_chosen(task);
    profile_predict(base);
    return CLI_OK;
}

/* Runs the program with the budget alone and leaves the better of the two in base->sites and base->plan. */
static int compare(tune_task *task) {
    profile_task *base = &task->base;
    verso__tuning *tuning = &task->tuning;
    verso_profile_cost plain;
    bool done = false;
    verso__tuning_judge(tuning, &task->measured, NULL);
    if (verso__tuning_is_plain(tuning))
        return CLI_OK;
    for (size_t i = 0; i < base->profile->count; i++)
        base->sites[i].on = base->sites[i].always;
    base->plan = (verso__plan){.memory = tuning->memory};
    int status = profile_try(base, 1 + 2 * base->seconds, &plain, &done);
    if (status != CLI_OK)
        return status;
    verso__tuning_judge(tuning, &task->measured, done ? &plain : NULL);
    task->cut = !done;
    if (!tuning->verdict.plain_better)
        take_chosen(task);
    profile_predict(base);
    return CLI_OK;
}

/* Fails if the profile does not reach the end of the run: the memory of a choice is then unknown. */
static int check_part(const tune_task *task) {
    const profile_task *base = &task->base;
    if (base->interrupted)
        return cli_failure(base->command, "interrupted; no choice was made");
    if (!base->profile->run.open)
        return CLI_OK;
    return cli_failure(base->command,
                       "the program had not finished when the profile was cut after %s, so its memory need is unknown; "
                       "raise --time-limit, let the program do less, or use VERSO_MEMORY alone",
                       verso__duration(base->profiled).text);
}

/* Measures the choice and compares it with the budget alone. If the user interrupts that, writes the choice to `out`
 * anyway and returns CLI_FAILED. */
static int measure(tune_task *task, const char *out) {
    profile_task *base = &task->base;
    int status = profile_measure(base, &task->measured);
    if (status == CLI_OK)
        status = compare(task);
    if (!base->interrupted)
        return status;
    take_chosen(task);
    if (profile_write_sites(base, out) == CLI_OK)
        cli_failure(base->command,
                    "interrupted; '%s' contains the choice, which was not compared with VERSO_MEMORY alone", out);
    return CLI_FAILED;
}

static int run(const cli_command *command, int argc, char **argv) {
    tune_task task = {0};
    profile_task *base = &task.base;
    bool help;
    uint64_t memory = 0;
    verso__tune_strategy strategy = VERSO_TUNE_BEST;
    int status = profile_open(base, command, argc, argv, OPTION_HELP, &help);
    if (status != CLI_OK || help)
        return profile_close(base, status);
    const char *out = base->arguments.values[OPTION_OUT] ? base->arguments.values[OPTION_OUT] : "verso.sites";
    base->json = base->arguments.values[OPTION_JSON] != NULL;
    status = read_memory(command, base->arguments.values[OPTION_MEMORY], &memory);
    if (status == CLI_OK)
        status = read_strategy(command, base->arguments.values[OPTION_STRATEGY], &strategy);
    if (status == CLI_OK)
        status = profile_read_limit(base, base->arguments.values[OPTION_TIME_LIMIT]);
    if (status == CLI_OK)
        status = profile_run(base);
    if (status == CLI_OK)
        status = check_part(&task);
    if (status == CLI_OK)
        status = choose(&task, memory, strategy);
    if (status == CLI_OK)
        status = measure(&task, out);
    if (status == CLI_OK)
        status = report(&task, out);
    verso__tuning_close(&task.tuning);
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
    .exit_status = "0: Success; the peak is as predicted. 2: The command line is wrong. Other: the exit status of the "
                   "program if it failed (128 + N if signal N ended it), or 1 for any other failure.",
    .examples = examples,
    .run = run,
};
