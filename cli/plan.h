/* The parts of `verso plan`: the request that the command line makes, and one function for each form of output. */
#ifndef CLI_PLAN_H
#define CLI_PLAN_H

#include "cli/command.h"
#include "cli/options.h"
#include "schedule/cost.h"
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

/* The options that a kind of schedule, or --compare and --simulate-failures, needs and takes: sets of PLAN_BIT. */
typedef struct plan_rule {
    uint64_t needs; /* options that must be given */
    uint64_t takes; /* options that may be given */
} plan_rule;

/* Returns the rule of a kind, without the options that all kinds need or take. */
plan_rule plan_rule_of_kind(verso_schedule_kind kind);
/* Returns the option that has the name of this word of a spec. */
plan_option plan_option_of(verso__spec_word word);

/* What the command line asks for. Costs may be decimals: all of them are multiplied by 10^decimals for the library,
 * which takes whole numbers, and makespans are divided by it for output. */
typedef struct plan_request {
    const cli_command *command; /* begins messages */
    uint64_t given;             /* a PLAN_BIT for each option that is given */
    verso__spec_reader words;   /* state of the reader that made `spec` */
    verso_schedule_spec spec;   /* the schedule; settle_kind completes it for its kind */
    unsigned decimals;          /* see above */
    uint64_t interval;          /* --interval, which is another name of --distance for every-k */
    uint64_t places;            /* --places */
    bool json;                  /* --json */
    bool actions;               /* --actions */
    const char *svg;            /* path of --svg, "-" for stdout; NULL: not given */
    const char *html;           /* path of --html, likewise */
} plan_request;

/* cli_command.run of `verso plan`. */
int plan_run(const cli_command *command, int argc, char **argv);

/* The functions that return int return CLI_OK, or another exit status after printing a message. */

/* Reads the values of all options into *request. */
int plan_read_options(const cli_command *command, const cli_arguments *arguments, plan_request *request);
/* Returns the interval of every-k if none is given: the smallest that fits the given slots; without slots, the square
 * root of the number of steps. */
uint64_t plan_choose_interval(const plan_request *request);
/* Fails if an option is given that the rule does not allow, or one is missing that it needs. `who` begins the message.
 */
int plan_check_options(const plan_request *request, plan_rule rule, const char *who);
/* Prints the table of --compare. */
int plan_print_comparison(const plan_request *request);
/* Prints the tables of --simulate-failures. */
int plan_print_failures(const plan_request *request);

/* Prints the costs of one schedule for reading. */
void plan_print_summary(FILE *out, const plan_request *request, const verso_schedule *schedule,
                        const verso__cost *cost);
/* Prints the costs of one schedule as members of a JSON object, without braces. */
void plan_print_json_members(FILE *out, const plan_request *request, const verso_schedule *schedule,
                             const verso__cost *cost);

/* Prints all actions of a schedule, one per line. Stops early if a write fails; the caller sees that with ferror. */
verso_status plan_print_actions(FILE *out, verso_schedule *schedule, verso_error *error);

/* Sets *distance to the smallest distance at which `resilient` takes no additional forward steps, for the steps and
 * slots of `spec`. Fails as verso_schedule_new and verso_schedule_cost do. */
verso_status plan_free_distance(const verso_schedule_spec *spec, uint64_t *distance, verso_error *error);

#endif
