/* The record of `verso plan`: its option table, its texts, and which kind of schedule takes which option.
 * plan_options.c and plan.c implement the options. */
#include "cli/plan.h"

#include <string.h>

static const cli_option options[PLAN_OPTION_COUNT] = {
    [PLAN_STEPS] = {.name = "steps",
                    .argument = "N",
                    .meaning =
                        "Number of steps to reverse. Write 350000, 35e4 or 350k (k, M, G, T are powers of 1000).",
                    .heading = "What to plan"},
    [PLAN_SLOTS] =
        {.name = "slots",
         .argument = "C",
         .meaning =
             "Number of states that fit into memory. For treeverse and binary, same as --space. The kind none needs "
             "only 1."},
    [PLAN_FORWARD] = {.name = "forward",
                      .argument = "U",
                      .meaning = "Cost of one forward step (default 1). Costs may be decimals such as 0.25.",
                      .heading = "Costs"},
    [PLAN_BACKWARD] = {.name = "backward", .argument = "B", .meaning = "Cost of reversing one step (default 1)."},
    [PLAN_WRITE] = {.name = "write", .argument = "W", .meaning = "Cost of writing one state to disk."},
    [PLAN_READ] = {.name = "read", .argument = "R", .meaning = "Cost of reading one state from disk."},
    [PLAN_DISK] = {.name = "disk",
                   .meaning = "For online: use the disk in addition to memory. Implied by --write and --read.",
                   .heading = "Options of some kinds"},
    [PLAN_LEVELS] = {.name = "levels",
                     .argument = "CAP:WRITE:READ,...",
                     .meaning = "The tiers, fastest first: slots (or inf), cost of a write, cost of a read."},
    [PLAN_DISTANCE] = {.name = "distance",
                       .argument = "D",
                       .meaning = "Maximum number of steps between two stored states; a failure loses no more than "
                                  "that. Default for continuous: 1."},
    [PLAN_INTERVAL] = {.name = "interval",
                       .argument = "K",
                       .meaning =
                           "For every-k: store every K-th state; same as --distance. Default: the smallest K that fits "
                           "--slots; without --slots, the square root of the number of steps."},
    [PLAN_ADJOINT_DISTANCE] =
        {.name = "adjoint-distance",
         .argument = "A",
         .meaning = "Number of reversed steps between two stored adjoints; 0: store none (default; two-level stores "
                    "one per outer interval; with --simulate-failures the default is --distance)."},
    [PLAN_LEAF] = {.name = "leaf", .argument = "A", .meaning = "Maximum number of steps recorded at once (default 1)."},
    [PLAN_SPACE] = {.name = "space",
                    .argument = "D",
                    .meaning = "Maximum number of snapshots; the repetitions follow from it."},
    [PLAN_TIME] = {.name = "time",
                   .argument = "T",
                   .meaning = "Maximum number of repetitions; the snapshots follow from it."},
    [PLAN_LOG] = {.name = "log",
                  .meaning = "Let snapshots and repetitions both grow with the logarithm of the steps (default)."},
    [PLAN_SPLIT] = {.name = "split",
                    .argument = "binomial|bisection|halves",
                    .meaning = "Where a stretch is divided: by binomial coefficients (default); in the middle, so that "
                               "a leaf may become longer than --leaf; or in the middle until no leaf is longer than "
                               "--leaf (Siskind and Pearlmutter, fig. 7 and 12)."},
    [PLAN_JSON] = {.name = "json", .meaning = "Print JSON; all numbers are exact.", .heading = "What to print"},
    [PLAN_ACTIONS] = {.name = "actions", .meaning = "Print the actions of the schedule, one per line."},
    [PLAN_SVG] = {.name = "svg", .argument = "FILE", .meaning = "Draw the schedule as SVG; - is standard output."},
    [PLAN_HTML] = {.name = "html",
                   .argument = "FILE",
                   .meaning = "Draw the schedule as one self-contained HTML page, with its costs; - is standard "
                              "output."},
    [PLAN_COMPARE] = {.name = "compare",
                      .meaning = "Print one table of all kinds. Options that are not given are chosen; the table "
                                 "names the choice."},
    [PLAN_FAILURES] = {.name = "simulate-failures",
                       .meaning =
                           "Compare what a failure of the machine costs under the resilient kinds of schedule. Without "
                           "--steps, for nine configurations from the literature (one, two and five years of a "
                           "climate model)."},
    [PLAN_PLACES] = {.name = "places",
                     .argument = "P",
                     .meaning = "With --simulate-failures: number of failures to try in each of the two sweeps "
                                "(default 40)."},
    [PLAN_HELP] = {.name = "help", .letter = 'h', .meaning = "Show this help and exit.", .heading = "Help"},
};

/* A linear search by name. It always finds an option, because each spec word has one of the same name. */
plan_option plan_option_of(verso__spec_word word) {
    size_t option = 0;
    while (strcmp(options[option].name, verso__spec_word_text(word)) != 0)
        option++;
    return (plan_option)option;
}

static uint64_t options_of(uint64_t words) {
    uint64_t set = 0;
    for (size_t i = 0; i < VERSO_SPEC_WORDS; i++)
        if (words & VERSO_SPEC_BIT(i))
            set |= PLAN_BIT(plan_option_of((verso__spec_word)i));
    return set;
}

/* Without --steps, which every kind needs, and without costs and outputs, which every kind takes. */
plan_rule plan_rule_of_kind(verso_schedule_kind kind) {
    verso__spec_rule rule = verso__spec_rule_of(kind);
    uint64_t interval = kind == VERSO_KIND_EVERY_K ? PLAN_BIT(PLAN_INTERVAL) : 0;
    return (plan_rule){options_of(rule.needs), options_of(rule.takes) | interval};
}

/* Appends to `text`: " Needs --slots, --distance." */
static void append_options(char *text, size_t size, const char *verb, uint64_t set) {
    const char *before = verb;
    for (size_t i = 0; i < PLAN_OPTION_COUNT; i++) {
        if (!(set & PLAN_BIT(i)))
            continue;
        size_t length = strlen(text);
        snprintf(text + length, size - length, "%s --%s", before, options[i].name);
        before = ",";
    }
    size_t length = strlen(text);
    if (set)
        snprintf(text + length, size - length, ".");
}

static bool kind_term(size_t index, cli_item *item) {
    if (index >= VERSO_KIND_COUNT)
        return false;
    verso_schedule_kind kind = (verso_schedule_kind)index;
    item->term = verso_kind_word(kind);
    snprintf(item->text, sizeof item->text, "%s.", verso_kind_meaning(kind));
    plan_rule rule = plan_rule_of_kind(kind);
    append_options(item->text, sizeof item->text, " Needs", rule.needs);
    append_options(item->text, sizeof item->text, " Takes", rule.takes);
    return true;
}

static const char *const synopses[] = {
    "KIND --steps N [OPTION]...",
    "--compare --steps N --slots C [OPTION]...",
    "--simulate-failures [--steps N --slots C] [OPTION]...",
    NULL,
};

static const char *const description[] = {
    "Prints the cost of reversing N steps under a schedule, before anything is run: how many steps are run again, how "
    "many states are written, read and kept at once, and how that compares with the optimum.",
    "With --actions it prints the schedule itself, one action per line: 'advance a b', 'store s tier slot', 'restore s "
    "tier slot', 'discard s tier slot', 'reverse b a', 'store-adjoint s', 'record a b tier slot', 'sweep b a tier "
    "slot' and, last, 'done'. Tiers are 'memory' and 'disk'; for the kind levels, '0', '1', ...",
    "makespan = forward cost * forward steps + backward cost * steps + costs of all writes and reads.",
    NULL,
};

static const cli_example examples[] = {
    {"verso plan revolve --steps 350k --slots 52",
     "The cost of reversing 350,000 steps, one year of a climate model, with 52 states in memory."},
    {"verso plan disk --steps 1e6 --slots 20 --write 4.5 --read 2 --json",
     "A schedule with a disk, where writing a state costs as much as 4.5 forward steps and reading one as much as 2; "
     "printed as JSON."},
    {"verso plan resilient --steps 350k --slots 52 --distance 26235 --adjoint-distance 26235 --html plan.html",
     "A failure never loses more than 26,235 steps; drawn as a page."},
    {"verso plan levels --steps 1000 --levels 4:0:0,16:1:1,inf:9:7 --actions",
     "The actions of a schedule with three tiers."},
    {"verso plan --compare --steps 1000 --slots 20 --write 5 --read 5", "All kinds side by side."},
    {NULL, NULL},
};

const cli_command cli_plan = {
    .name = "plan",
    .summary = "show the cost of a schedule, its actions, or a picture of it",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = PLAN_OPTION_COUNT,
    .terms_heading = "Kinds",
    .term = kind_term,
    .examples = examples,
    .run = plan_run,
};
