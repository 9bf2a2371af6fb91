/* `verso plan`: reads the request, makes the schedule with the library, and prints its costs, its actions or a picture.
 */
#include "cli/plan.h"

#include "cli/picture.h"

#include "base/suggest.h"
#include "cli/describe.h"
#include "cli/message.h"
#include "schedule/cost.h"

#include <inttypes.h>
#include <string.h>

static int unknown_kind(const cli_command *command, const char *word) {
    verso__suggestion suggestion;
    verso__suggest_begin(&suggestion, word, strlen(word));
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++)
        verso__suggest_word(&suggestion, verso_kind_word((verso_schedule_kind)kind));
    if (suggestion.best)
        return cli_usage_error(command, "there is no kind '%s'; did you mean '%s'?", word, suggestion.best);
    return cli_usage_error(command, "there is no kind '%s'", word);
}

uint64_t plan_choose_interval(const plan_request *request) {
    uint64_t steps = request->spec.steps;
    if (steps == 0)
        return 1;
    if (request->given & PLAN_BIT(PLAN_SLOTS)) /* every stretch but the last takes a slot for its first state */
        return request->spec.slots < steps
                   ? steps / (request->spec.slots + 1) + (steps % (request->spec.slots + 1) != 0)
                   : 1;
    uint64_t low = 0,
             high =
                 UINT64_C(1)
                 << 32; /* the square root, rounded up: then as many states are stored as steps are recorded at once */
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;
        if ((verso__wide)middle * middle < steps)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Completes the spec for its kind: handles options that are synonyms or imply others, and checks that the kind takes
 * all options that are given. */
static int settle_kind(plan_request *request, verso_schedule_kind kind) {
    plan_rule rule = plan_rule_of_kind(kind);
    rule.needs |= PLAN_BIT(PLAN_STEPS);
    rule.takes |= PLAN_BIT(PLAN_ACTIONS) | PLAN_BIT(PLAN_SVG) | PLAN_BIT(PLAN_HTML);
    verso_error error;
    verso_status settled = verso__spec_settle(&request->words, kind, "--", &error);
    if (settled != VERSO_STATUS_OK)
        return cli_library_error(request->command, settled, &error);
    request->spec = request->words.spec;
    uint64_t intervals = PLAN_BIT(PLAN_INTERVAL) | PLAN_BIT(PLAN_DISTANCE);
    if (kind == VERSO_KIND_EVERY_K && (request->given & intervals) == intervals)
        return cli_usage_error(request->command, "--interval and --distance are the same for every-k; give only one");
    if (kind == VERSO_KIND_EVERY_K && !(request->given & PLAN_BIT(PLAN_DISTANCE)))
        request->spec.distance =
            request->given & PLAN_BIT(PLAN_INTERVAL) ? request->interval : plan_choose_interval(request);
    if (request->spec.with_disk)
        rule.needs |= PLAN_BIT(PLAN_WRITE) | PLAN_BIT(PLAN_READ);
    return plan_check_options(request, rule, verso_kind_word(kind));
}

/* Prints actions or costs to standard output, unless a picture goes there. */
static int print_answer(const plan_request *request, verso_schedule *schedule) {
    verso_error error;
    if (request->actions) {
        verso_status status = plan_print_actions(stdout, schedule, &error);
        return status == VERSO_STATUS_OK ? CLI_OK : cli_library_error(request->command, status, &error);
    }
    bool taken = (request->svg && strcmp(request->svg, "-") == 0) || (request->html && strcmp(request->html, "-") == 0);
    if (taken)
        return CLI_OK;
    verso__cost cost;
    verso_status status = verso__schedule_cost(schedule, &cost, &error);
    if (status != VERSO_STATUS_OK)
        return cli_library_error(request->command, status, &error);
    if (request->json) {
        fputs("{", stdout);
        plan_print_json_members(stdout, request, schedule, &cost);
        fputs("}\n", stdout);
    } else {
        plan_print_summary(stdout, request, schedule, &cost);
    }
    return CLI_OK;
}

/* The library ignores `slots` for kinds whose slots follow from the steps. If the user gave --slots nevertheless, it is
 * a limit that is checked here. */
static int check_limit(const plan_request *request, const verso_schedule *schedule) {
    const verso_schedule_spec *spec = &request->spec;
    bool fixed = spec->kind == VERSO_KIND_STORE_ALL || spec->kind == VERSO_KIND_EVERY_K;
    if (!fixed || !(request->given & PLAN_BIT(PLAN_SLOTS)))
        return CLI_OK;
    verso_error error;
    verso__cost cost;
    verso_status status = verso__schedule_cost(schedule, &cost, &error);
    if (status == VERSO_STATUS_OK && cost.peak_slots[0] > spec->slots) {
        status = VERSO_STATUS_IMPOSSIBLE;
        snprintf(error.message, sizeof error.message,
                 "%s of %" PRIu64 " steps is impossible with %" PRIu64 " slots: it needs at least %" PRIu64,
                 verso_kind_word(spec->kind), spec->steps, spec->slots, cost.peak_slots[0]);
    }
    return status == VERSO_STATUS_OK ? CLI_OK : cli_library_error(request->command, status, &error);
}

static int plan_one(plan_request *request, const char *word) {
    verso_schedule_kind kind;
    if (!verso_kind_from_word(word, &kind))
        return unknown_kind(request->command, word);
    int status = settle_kind(request, kind);
    if (status != CLI_OK)
        return status;
    verso_error error;
    verso_schedule *schedule = NULL;
    verso_status made = verso_schedule_new(&request->spec, &schedule, &error);
    if (made != VERSO_STATUS_OK)
        return cli_library_error(request->command, made, &error);
    status = check_limit(request, schedule);
    if (status == CLI_OK && request->svg)
        status = cli_draw(request->command, &request->spec, request->svg, false);
    if (status == CLI_OK && request->html)
        status = cli_draw(request->command, &request->spec, request->html, true);
    /* The library, and therefore the picture, has whole costs only. */
    if (status == CLI_OK && request->decimals > 0 && (request->svg || request->html))
        fprintf(stderr, "verso plan: the picture counts costs in units of 1e-%u\n", request->decimals);
    if (status == CLI_OK)
        status = print_answer(request, schedule);
    verso_schedule_free(schedule);
    return status;
}

int plan_run(const cli_command *command, int argc, char **argv) {
    cli_arguments arguments;
    int status = cli_options_read(command, argc, argv, &arguments);
    if (status != CLI_OK)
        return status;
    if (arguments.values[PLAN_HELP]) {
        cli_describe_help(stdout, command);
        return CLI_OK;
    }
    plan_request request;
    status = plan_read_options(command, &arguments, &request);
    if (status != CLI_OK)
        return status;
    bool compare = arguments.values[PLAN_COMPARE] != NULL, failures = arguments.values[PLAN_FAILURES] != NULL;
    int operands = compare || failures ? 0 : 1;
    if (compare && failures)
        return cli_usage_error(command, "give only one of --compare and --simulate-failures");
    if (arguments.operand_count < operands)
        return cli_usage_error(command,
                               "which kind of schedule? For example: verso plan revolve --steps 1000 --slots 20");
    if (arguments.operand_count > operands)
        return cli_usage_error(command, "unexpected argument '%s'", arguments.operands[operands]);
    if (compare)
        return plan_print_comparison(&request);
    if (failures)
        return plan_print_failures(&request);
    return plan_one(&request, arguments.operands[0]);
}
