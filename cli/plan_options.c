/* Reads the options of `verso plan` into a plan_request. schedule/spec_words.h reads those that are part of a spec. */
#include "base/quantity.h"
#include "cli/message.h"
#include "cli/plan.h"

#include <stdlib.h>
#include <string.h>

static int bad_value(const plan_request *request, plan_option option, const char *text, size_t length,
                     const char *problem) {
    return cli_usage_error(request->command, "--%s: '%.*s' %s", request->command->options[option].name, (int)length,
                           text, problem);
}

/* Reads an option that is not part of a spec. */
static int read_number(const plan_request *request, const cli_arguments *arguments, plan_option option,
                       uint64_t *value) {
    const char *text = arguments->values[option];
    verso__quantity number;
    if (!text)
        return CLI_OK;
    const char *problem = verso__quantity_read(text, strlen(text), &number);
    if (!problem)
        problem = verso__quantity_whole(number, value);
    return problem ? bad_value(request, option, text, strlen(text), problem) : CLI_OK;
}

static int read_spec(plan_request *request, const cli_arguments *arguments) {
    verso__spec_problem problem;
    bool read = true;
    verso__spec_begin(&request->words);
    for (size_t i = 0; read && i < VERSO_SPEC_WORDS; i++) {
        const char *text = arguments->values[plan_option_of((verso__spec_word)i)];
        if (text)
            read = verso__spec_take(&request->words, (verso__spec_word)i, text, strlen(text), &problem);
    }
    if (read)
        read = verso__spec_end(&request->words, &problem);
    if (!read)
        return bad_value(request, plan_option_of(problem.word), problem.text, problem.length, problem.what);
    request->spec = request->words.spec;
    request->decimals = request->words.decimals;
    return CLI_OK;
}

static bool is_stdout(const char *path) {
    return path && strcmp(path, "-") == 0;
}

/* At most one output may go to standard output. */
static int check_outputs(const plan_request *request) {
    int on_stdout = request->json + request->actions + is_stdout(request->svg) + is_stdout(request->html);
    if (on_stdout > 1)
        return cli_usage_error(request->command,
                               "only one of --json, --actions, --svg - and --html - can write to standard output");
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
    for (size_t i = 0; i < PLAN_OPTION_COUNT; i++)
        if (arguments->values[i])
            request->given |= PLAN_BIT(i);
    int status = read_spec(request, arguments);
    if (status == CLI_OK)
        status = read_number(request, arguments, PLAN_INTERVAL, &request->interval);
    if (status == CLI_OK)
        status = read_number(request, arguments, PLAN_PLACES, &request->places);
    return status == CLI_OK ? check_outputs(request) : status;
}

/* Returns "--slots C and --distance D", which the caller frees; NULL if memory is exhausted. */
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
                         : cli_usage_error(request->command, "%s does not take %s", who, what);
    free(named);
    return status;
}
