/* The parts of `verso plan`: what was asked, and one function for each way to answer. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/command.h"
#include "cli/options.h"
#include "schedule/spec_words.h"

#include <stdio.h>

typedef enum plan_option {
    PLAN_STEPS,
    PLAN_SLOTS,
    PLAN_FORWARD,
    PLAN_BACKWARD,
    PLAN_WRITE,
    PLAN_READ,
    PLAN_DISK,
    PLAN_LEVELS,
    PLAN_DISTANCE,
    PLAN_INTERVAL,
    PLAN_ADJOINT_DISTANCE,
    PLAN_LEAF,
    PLAN_SPACE,
    PLAN_TIME,
    PLAN_LOG,
    PLAN_SPLIT,
    PLAN_JSON,
    PLAN_ACTIONS,
    PLAN_SVG,
    PLAN_HTML,
    PLAN_COMPARE,
    PLAN_FAILURES,
    PLAN_PLACES,
    PLAN_HELP,
    PLAN_OPTION_COUNT
} plan_option;

#define PLAN_BIT(option) (UINT64_C(1) << (option))

/* Which options a kind (or a mode) cannot do without, and which others mean something to it. */
typedef struct plan_rule {
    uint64_t needs;
    uint64_t takes;
} plan_rule;

plan_rule plan_rule_of_kind(verso_schedule_kind kind);
/* The option that gives a word of a spec: the one of its name. */
plan_option plan_option_of(verso_spec_word word);

/* Costs may be decimals. They are all multiplied by 10^decimals for the library, and makespans divided by it again. */
typedef struct plan_request {
    const cli_command *command; /* whose name stands before messages */
    uint64_t given;             /* a PLAN_BIT for each option on the line */
    verso_spec_reader words;    /* what was read */
    verso_schedule_spec spec;   /* without --interval, which only the kind every-k takes for --distance */
    unsigned decimals;
    uint64_t interval;
    uint64_t places;
    bool json;
    bool actions;
    const char *svg;  /* a path, "-" for stdout, or NULL */
    const char *html; /* the same */
} plan_request;

int plan_run(const cli_command *command, int argc, char **argv);

/* The four below print a message themselves when they return something else than CLI_OK. */

/* Values of all options on the line. */
int plan_read_options(const cli_command *command, const cli_arguments *arguments, plan_request *request);
/* The interval of every-k when none is given: as few as fit the slots that are given, or the square root of the steps.
 */
uint64_t plan_choose_interval(const plan_request *request);
/* Refuses options that are not in the rule, and names those that are missing. `who` begins the message. */
int plan_check_options(const plan_request *request, plan_rule rule, const char *who);
int plan_print_comparison(const plan_request *request);
int plan_print_failures(const plan_request *request);

void plan_print_summary(FILE *out, const plan_request *request, const verso_schedule *schedule, const verso_cost *cost);
/* The members of one JSON object, from "kind" to "period", without braces. */
void plan_print_json_members(FILE *out, const plan_request *request, const verso_schedule *schedule,
                             const verso_cost *cost);

/* One action a line, until `done`. A write that fails ends it early; stdout remembers it. */
verso_status plan_print_actions(FILE *out, verso_schedule *schedule, verso_error *error);

/* The smallest distance that costs `resilient` nothing with this many steps and slots; VERSO_IMPOSSIBLE etc. as `cost`.
 */
verso_status plan_free_distance(const verso_schedule_spec *spec, uint64_t *distance, verso_error *error);

#endif
