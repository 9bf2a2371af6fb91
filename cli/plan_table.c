/* The option table of `verso plan`, its texts, and which kind takes which option. No logic: what is promised here is
 * kept in plan_options.c and plan.c. */
#include "cli/plan.h"

#include <string.h>

static const cli_option options[PLAN_OPTION_COUNT] = {
    [PLAN_STEPS] =
        {.name = "steps",
         .argument = "N",
         .meaning = "Steps to reverse. Numbers can be written 350000, 35e4 or 350k (k, M, G, T are powers of 1000).",
         .heading = "What to plan"},
    [PLAN_SLOTS] =
        {.name = "slots",
         .argument = "C",
         .meaning =
             "States that fit into memory at once. For treeverse and binary the same as --space; none needs only 1."},
    [PLAN_FORWARD] = {.name = "forward",
                      .argument = "U",
                      .meaning = "Cost of one forward step, 1 unless given. Costs can be decimals such as 0.25.",
                      .heading = "Costs"},
    [PLAN_BACKWARD] = {.name = "backward", .argument = "B", .meaning = "Cost of reversing one step, 1 unless given."},
    [PLAN_WRITE] = {.name = "write", .argument = "W", .meaning = "Cost of writing one state to disk."},
    [PLAN_READ] = {.name = "read", .argument = "R", .meaning = "Cost of reading one state from disk."},
    [PLAN_DISK] = {.name = "disk",
                   .meaning = "Of online: use the disk besides the memory; --write or --read say so too.",
                   .heading = "Options of some kinds"},
    [PLAN_LEVELS] = {.name = "levels",
                     .argument = "CAP:WRITE:READ,...",
                     .meaning = "The tiers, fastest first: slots (or inf), cost of a write, cost of a read."},
    [PLAN_DISTANCE] = {.name = "distance",
                       .argument = "D",
                       .meaning = "Most steps between two stored states, so that a breakdown loses no more than these. "
                                  "For continuous, 1 unless given."},
    [PLAN_INTERVAL] =
        {.name = "interval",
         .argument = "K",
         .meaning = "Store every K-th state; --distance means the same. Unless given, as many as fit --slots, or the "
                    "square root of the steps."},
    [PLAN_ADJOINT_DISTANCE] =
        {.name = "adjoint-distance",
         .argument = "A",
         .meaning = "Reversed steps between two stored adjoints. With 0 none is stored, and so it is "
                    "unless given (two-level stores one an outer interval; with --simulate-failures: as --distance)."},
    [PLAN_LEAF] = {.name = "leaf", .argument = "A", .meaning = "Most steps recorded at once, 1 unless given."},
    [PLAN_SPACE] = {.name = "space",
                    .argument = "D",
                    .meaning = "Fix the number of snapshots, choose the repetitions."},
    [PLAN_TIME] = {.name = "time", .argument = "T", .meaning = "Fix the repetitions, choose the number of snapshots."},
    [PLAN_LOG] = {.name = "log", .meaning = "Let both grow with the logarithm of the steps; so it is unless fixed."},
    [PLAN_SPLIT] = {.name = "split",
                    .argument = "bisection|binomial",
                    .meaning = "Where a stretch is divided: in its middle, or as the binomials say (so unless given)."},
    [PLAN_JSON] = {.name = "json", .meaning = "Print JSON, all numbers exact.", .heading = "What to print"},
    [PLAN_ACTIONS] = {.name = "actions", .meaning = "Print the actions, one a line, in their order."},
    [PLAN_SVG] = {.name = "svg", .argument = "FILE", .meaning = "Draw the schedule as SVG; - is the standard output."},
    [PLAN_HTML] = {.name = "html",
                   .argument = "FILE",
                   .meaning = "Draw it as one self-contained page, with the costs."},
    [PLAN_COMPARE] = {.name = "compare",
                      .meaning = "Print one table of all kinds; what was not given is chosen and named."},
    [PLAN_FAILURES] = {.name = "simulate-failures",
                       .meaning =
                           "Compare what a breakdown costs the approaches to resilience; without --steps, for "
                           "the nine configurations of the literature (one, two and five years of a climate model)."},
    [PLAN_PLACES] = {.name = "places",
                     .argument = "P",
                     .meaning = "Breakdowns to try in each of the two sweeps, 40 unless given."},
    [PLAN_HELP] = {.name = "help", .letter = 'h', .meaning = "Show this help and end.", .heading = "Help"},
};

/* As enum and table have the same names, found by looking; there are few. */
plan_option plan_option_of(verso_spec_word word) {
    size_t option = 0;
    while (strcmp(options[option].name, verso_spec_word_text(word)) != 0)
        option++;
    return (plan_option)option;
}

static uint64_t options_of(uint64_t words) {
    uint64_t set = 0;
    for (size_t i = 0; i < VERSO_SPEC_WORDS; i++)
        if (words & VERSO_SPEC_BIT(i))
            set |= PLAN_BIT(plan_option_of((verso_spec_word)i));
    return set;
}

/* Beyond --steps, which all need, and the costs and outputs, which all take. */
plan_rule plan_rule_of_kind(verso_schedule_kind kind) {
    verso_spec_rule rule = verso_spec_rule_of(kind);
    uint64_t interval = kind == VERSO_KIND_EVERY_K ? PLAN_BIT(PLAN_INTERVAL) : 0;
    return (plan_rule){options_of(rule.needs), options_of(rule.takes) | interval};
}

/* " Needs --slots, --distance." */
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
    "Shows what reversing N steps takes under a schedule, before anything is run: how many steps are run again, what "
    "is "
    "written and read, how many states are held at once, and how that compares with the best possible.",
    "With --actions it prints the schedule itself, one action a line: 'advance a b', 'store s tier slot', 'restore s "
    "tier "
    "slot', 'discard s tier slot', 'reverse b a', 'store-adjoint s', 'record a b tier slot', 'sweep b a tier slot' "
    "and, "
    "last, 'done'. Tiers are 'memory' and 'disk', or for levels '0', '1', ...",
    "makespan = forward cost * forward steps + backward cost * steps + all writes and reads that cost something.",
    NULL,
};

static const cli_example examples[] = {
    {"verso plan revolve --steps 350k --slots 52",
     "What a year of a 350,000-step model takes with 52 states in memory."},
    {"verso plan disk --steps 1e6 --slots 20 --write 4.5 --read 2 --json",
     "The same with a disk that takes 4.5 forward steps to write a state and 2 to read it, for a program to read."},
    {"verso plan resilient --steps 350k --slots 52 --distance 26235 --adjoint-distance 26235 --html plan.html",
     "Never more than 26,235 steps to lose; drawn as a page."},
    {"verso plan levels --steps 1000 --levels 4:0:0,16:1:1,inf:9:7 --actions", "Three tiers; every action."},
    {"verso plan --compare --steps 1000 --slots 20 --write 5 --read 5", "All kinds side by side."},
    {NULL, NULL},
};

const cli_command cli_plan = {
    .name = "plan",
    .summary = "show what a schedule costs, its actions, or a picture of it",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = PLAN_OPTION_COUNT,
    .terms_heading = "Kinds",
    .term = kind_term,
    .examples = examples,
    .run = plan_run,
};
