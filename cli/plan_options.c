/* From the words on the line of `verso plan` to what was asked.
 *
 * Values are read first, whatever they are for; that an option means nothing to the chosen kind is refused afterwards,
 * by the rule of that kind, because an option that is silently ignored is a plan that is silently wrong. Only the four
 * costs are always taken, so that one line of them serves all kinds. */
#include "cli/message.h"
#include "cli/number.h"
#include "cli/plan.h"

#include <stdlib.h>
#include <string.h>

/* A cost as it stands on the line, until the decimals of all costs are known. */
typedef struct cost_word {
    const char *text;
    size_t length;
    plan_option option;
    uint64_t *value;
} cost_word;

typedef struct cost_words {
    size_t count;
    cost_word list[4 + 2 * VERSO_TIERS_MAX];
} cost_words;

static int bad_value(const plan_request *request, plan_option option, const char *text, size_t length,
                     const char *problem) {
    return cli_usage_error(request->command, "--%s: '%.*s' %s", request->command->options[option].name, (int)length,
                           text, problem);
}

static int read_whole(const plan_request *request, plan_option option, const char *text, size_t length,
                      uint64_t *value) {
    cli_number number;
    const char *problem = cli_number_read(text, length, &number);
    if (!problem)
        problem = cli_number_whole(number, value);
    return problem ? bad_value(request, option, text, length, problem) : CLI_OK;
}

/* A count option where 0 makes no sense is left to the library, which says what the least value is. */
static int read_counts(plan_request *request, const cli_arguments *arguments) {
    verso_schedule_spec *spec = &request->spec;
    const struct {
        plan_option option;
        uint64_t *value;
    } counts[] = {
        {PLAN_STEPS, &spec->steps},       {PLAN_SLOTS, &spec->slots},
        {PLAN_DISTANCE, &spec->distance}, {PLAN_ADJOINT_DISTANCE, &spec->adjoint_distance},
        {PLAN_LEAF, &spec->leaf},         {PLAN_SPACE, &spec->space},
        {PLAN_TIME, &spec->time},         {PLAN_INTERVAL, &request->interval},
        {PLAN_PLACES, &request->places},
    };
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        const char *text = arguments->values[counts[i].option];
        if (!text)
            continue;
        int status = read_whole(request, counts[i].option, text, strlen(text), counts[i].value);
        if (status != CLI_OK)
            return status;
    }
    return CLI_OK;
}

static void add_cost(cost_words *words, plan_option option, const char *text, size_t length, uint64_t *value) {
    words->list[words->count++] = (cost_word){text, length, option, value};
}

/* One "capacity:write:read". */
static int read_level(plan_request *request, const char *text, size_t length, cost_words *words) {
    const char *first = memchr(text, ':', length);
    const char *second = first ? memchr(first + 1, ':', length - (size_t)(first + 1 - text)) : NULL;
    if (!second)
        return bad_value(request, PLAN_LEVELS, text, length, "is not of the form CAP:WRITE:READ");
    verso_tier *tier = &request->spec.tiers[request->spec.tier_count++];
    size_t capacity_length = (size_t)(first - text);
    add_cost(words, PLAN_LEVELS, first + 1, (size_t)(second - first - 1), &tier->write_cost);
    add_cost(words, PLAN_LEVELS, second + 1, length - (size_t)(second + 1 - text), &tier->read_cost);
    tier->capacity = VERSO_UNKNOWN;
    if (capacity_length == 3 && memcmp(text, "inf", 3) == 0)
        return CLI_OK;
    return read_whole(request, PLAN_LEVELS, text, capacity_length, &tier->capacity);
}

static int read_levels(plan_request *request, const char *text, cost_words *words) {
    for (bool more = text != NULL; more;) {
        if (request->spec.tier_count == VERSO_TIERS_MAX)
            return cli_usage_error(request->command, "--levels: more than %d tiers", VERSO_TIERS_MAX);
        size_t length = strcspn(text, ",");
        int status = read_level(request, text, length, words);
        if (status != CLI_OK)
            return status;
        more = text[length] == ',';
        text += length + more;
    }
    return CLI_OK;
}

static void find_costs(plan_request *request, const cli_arguments *arguments, cost_words *words) {
    verso_schedule_spec *spec = &request->spec;
    const struct {
        plan_option option;
        const char *otherwise;
        uint64_t *value;
    } costs[] = {
        {PLAN_FORWARD, "1", &spec->forward_cost},
        {PLAN_BACKWARD, "1", &spec->backward_cost},
        {PLAN_WRITE, "0", &spec->write_cost},
        {PLAN_READ, "0", &spec->read_cost},
    };
    for (size_t i = 0; i < sizeof costs / sizeof *costs; i++) {
        const char *given = arguments->values[costs[i].option];
        const char *text = given ? given : costs[i].otherwise;
        add_cost(words, costs[i].option, text, strlen(text), costs[i].value);
    }
}

/* Multiplies all costs by the same power of ten, the least that makes them whole. */
static int scale_costs(plan_request *request, const cost_words *words) {
    cli_number numbers[sizeof words->list / sizeof *words->list];
    for (size_t i = 0; i < words->count; i++) {
        const cost_word *word = &words->list[i];
        unsigned decimals = 0;
        const char *problem = cli_number_read(word->text, word->length, &numbers[i]);
        if (!problem)
            problem = cli_number_decimals(numbers[i], &decimals);
        if (problem)
            return bad_value(request, word->option, word->text, word->length, problem);
        if (decimals > request->decimals)
            request->decimals = decimals;
    }
    for (size_t i = 0; i < words->count; i++) {
        const cost_word *word = &words->list[i];
        const char *problem = cli_number_scaled(numbers[i], request->decimals, word->value);
        if (problem)
            return bad_value(request, word->option, word->text, word->length, problem);
    }
    return CLI_OK;
}

static int read_split(plan_request *request, const char *text) {
    if (!text || strcmp(text, "binomial") == 0)
        request->spec.split = VERSO_SPLIT_BINOMIAL;
    else if (strcmp(text, "bisection") == 0)
        request->spec.split = VERSO_SPLIT_BISECTION;
    else
        return bad_value(request, PLAN_SPLIT, text, strlen(text), "is neither 'bisection' nor 'binomial'");
    return CLI_OK;
}

static bool is_stdout(const char *path) {
    return path && strcmp(path, "-") == 0;
}

/* Two answers on one stream are no answer. */
static int check_outputs(const plan_request *request) {
    int on_stdout = request->json + request->actions + is_stdout(request->svg) + is_stdout(request->html);
    if (on_stdout > 1)
        return cli_usage_error(request->command,
                               "only one of --json, --actions, --svg - and --html - can have the standard output");
    return CLI_OK;
}

int plan_read_options(const cli_command *command, const cli_arguments *arguments, plan_request *request) {
    *request = (plan_request){
        .command = command,
        .places = 40,
        .json = arguments->values[PLAN_JSON] != NULL,
        .actions = arguments->values[PLAN_ACTIONS] != NULL,
        .svg = arguments->values[PLAN_SVG],
        .html = arguments->values[PLAN_HTML],
    };
    verso_schedule_spec_init(&request->spec, VERSO_KIND_STORE_ALL);
    for (size_t i = 0; i < PLAN_OPTION_COUNT; i++)
        if (arguments->values[i])
            request->given |= PLAN_BIT(i);

    cost_words words = {0};
    int status = read_counts(request, arguments);
    if (status == CLI_OK)
        status = read_split(request, arguments->values[PLAN_SPLIT]);
    if (status == CLI_OK)
        status = read_levels(request, arguments->values[PLAN_LEVELS], &words);
    find_costs(request, arguments, &words);
    if (status == CLI_OK)
        status = scale_costs(request, &words);
    if (status == CLI_OK && (request->given & PLAN_BIT(PLAN_LOG)) &&
        (request->given & (PLAN_BIT(PLAN_SPACE) | PLAN_BIT(PLAN_TIME))))
        status = cli_usage_error(command, "--log leaves nothing to fix: give --space or --time without it");
    return status == CLI_OK ? check_outputs(request) : status;
}

/* "--slots C and --distance D", to be freed; NULL without memory. */
static char *name_options(const plan_request *request, uint64_t set) {
    char *text = NULL;
    size_t size;
    FILE *out = open_memstream(&text, &size);
    if (!out)
        return NULL;
    bool first = true;
    for (size_t i = 0; i < PLAN_OPTION_COUNT; i++) {
        if (!(set & PLAN_BIT(i)))
            continue;
        bool last = (set >> i) == 1;
        const cli_option *option = &request->command->options[i];
        fprintf(out, "%s--%s", first ? "" : last ? " and " : ", ", option->name);
        if (option->argument)
            fprintf(out, " %s", option->argument);
        first = false;
    }
    return fclose(out) == 0 ? text : (free(text), NULL);
}

int plan_check_options(const plan_request *request, plan_rule rule, const char *who) {
    uint64_t always = PLAN_BIT(PLAN_FORWARD) | PLAN_BIT(PLAN_BACKWARD) | PLAN_BIT(PLAN_WRITE) | PLAN_BIT(PLAN_READ) |
                      PLAN_BIT(PLAN_JSON);
    uint64_t missing = rule.needs & ~request->given;
    uint64_t foreign = request->given & ~(rule.needs | rule.takes | always);
    if (!missing && !foreign)
        return CLI_OK;
    char *named = name_options(request, missing ? missing : foreign);
    const char *what = named ? named : "some options";
    int status = missing ? cli_usage_error(request->command, "%s needs %s", who, what)
                         : cli_usage_error(request->command, "%s has no use for %s", who, what);
    free(named);
    return status;
}
