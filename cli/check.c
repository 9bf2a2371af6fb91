/* `verso check`: tests whether the gradient of a function is right. The library's verso_check makes the tests, in the
 * generated program (cli/harness/main.c); this file reads the findings from its result and prints the verdict. */
#include "cli/check.h"

#include "base/quantity.h"
#include "cli/message.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { OPTION_SEED = DERIVE_OPTIONS, OPTION_CUTS, OPTION_HELP };

static const char *const synopses[] = {
    "FILE.c[,FILE]...:FUNCTION --at VALUES [--set NAME=VALUE]... [OPTION]... [-- COMPILER-OPTION...]", NULL};
static const char *const description[] = {
    "Checks the gradient of a C, C++ or Fortran function at a given point. The arguments are those of 'verso grad'.",
    "There are four tests. Value: the function returns the same bits in a plain call, while it is recorded, and in "
    "tangent mode; if it was compiled with fast-math (-Ofast) or OpenMP, the values agree to rounding. Dot product: "
    "the derivative in a random direction by tangent mode agrees to rounding with the product of that direction and "
    "the gradient by reverse mode. Taylor: f(x + h v) - f(x) - h f'(x) v decreases like the square of h, and "
    "differences "
    "confirm the derivative. Cuts: the reverse sweep is cut into stretches at safepoints, each is run again from a "
    "copy of the program's state, and the gradient has the same bits.",
    "With --memory or a schedule there is a fifth test: the gradient within that budget has the same bits as well.",
    "A Taylor test can fail although the derivative is right: at a kink of the function, or if the value of the "
    "function is dominated by rounding errors. Or differences of all sizes agree, but derivatives at neighbouring "
    "points differ widely: then the derivative is ill-conditioned, and a note says so. This happens if the step "
    "controller of an adaptive solver is differentiated; verso_frozen in the source, or --verso-inactive, takes its "
    "error norm out of the derivative. The other tests hold everywhere. Tolerances follow the precision that the "
    "function computes in.",
    "Prints a table and PASS or FAIL. The exit status is 0 or 1 accordingly.",
    NULL,
};
static const cli_option options[] = {
    DERIVE_OPTION_TABLE,
    [OPTION_SEED] = {.name = "seed",
                     .argument = "N",
                     .meaning = "Seed of the random directions and cuts (default 1). The same seed repeats the same "
                                "test.",
                     .heading = "The tests"},
    [OPTION_CUTS] = {.name = "cuts",
                     .argument = "N",
                     .meaning = "Number of safepoints at which a sweep is cut (default 16). A second sweep is cut at "
                                "every safepoint if there are at most 2000; with 'all', in any case."},
    [OPTION_HELP] = DERIVE_HELP_OPTION,
};
static const cli_example examples[] = {
    {"verso check examples/native/rosenbrock.c:f --at -1.2,1", "All tests at (-1.2, 1)."},
    {"verso check examples/native/heat.c:misfit --at @examples/native/field.txt --set steps=500 --seed 7 --cuts 100 "
     "--json",
     "Another direction, 100 cuts, for a script."},
    {"verso check examples/native/heat.c:misfit --at @examples/native/field.txt --set steps=500 --memory 16M",
     "Also checks the gradient within 16 MB."},
    {NULL, NULL},
};

/* ---- The harness's result ---- */

/* Reads `count` numbers from the line `name`. The last one is 0 or 1 and sets *passed. Returns false if the line is
 * missing or incomplete. */
static bool read_line(const derive_result *result, const char *name, double *numbers, size_t count, bool *passed) {
    const char *at = derive_result_line(result, name);
    for (size_t i = 0; at && i < count; i++) {
        char *end;
        numbers[i] = strtod(at, &end);
        at = end > at ? end : NULL;
    }
    *passed = at && numbers[count - 1] == 1;
    return at != NULL;
}

static bool read_taylor(derive *task, const derive_result *result, check_findings *findings) {
    double numbers[5];
    if (!read_line(result, "taylor", numbers, 5, &findings->taylor.passed) || !(numbers[0] <= CHECK_TAYLOR_MAX))
        return false;
    findings->taylor.count = (size_t)numbers[0];
    findings->taylor.observed = numbers[1];
    findings->taylor.noise = numbers[2];
    findings->taylor.linear = numbers[3] == 1;
    for (size_t i = 0; i < findings->taylor.count; i++) {
        double step[3];
        bool unused;
        if (!read_line(result, cli_region_print(&task->region, "taylor_%zu", i), step, 3, &unused))
            return false;
        findings->taylor.h[i] = step[0];
        findings->taylor.remainder[i] = step[1];
        findings->taylor.order[i] = step[2];
    }
    return true;
}

/* Reads the findings of the gradient within a budget, if a budget was given. */
static bool read_budget(derive *task, const derive_result *result, check_findings *findings) {
    double numbers[2];
    findings->budget.asked = derive_result_line(result, "within") != NULL;
    if (!findings->budget.asked)
        return true;
    bool read = read_line(result, "within", numbers, 2, &findings->budget.passed);
    findings->budget.differing = read ? (uint64_t)numbers[0] : 0;
    findings->budget.schedule = derive_result_text(task, result, "schedule");
    return read && findings->budget.schedule;
}

static bool read_value(const derive_result *result, check_findings *findings) {
    double value[6], difference[5];
    if (!read_line(result, "value", value, 6, &findings->value.passed) ||
        !read_line(result, "difference", difference, 5, &findings->difference.ill_conditioned))
        return false;
    findings->value.plain = value[0];
    findings->value.recorded = value[1];
    findings->value.bound = value[2];
    findings->value.other = (uint64_t)value[3];
    findings->value.fast = value[4] == 1;
    findings->difference.slope = difference[0];
    findings->difference.doubt = difference[1];
    findings->difference.nearby_least = difference[2];
    findings->difference.nearby_most = difference[3];
    return true;
}

static int read_findings(derive *task, const derive_result *result, check_findings *findings) {
    double dot[4], cuts[4], holds;
    *findings = (check_findings){.steps = derive_result_count(result, "steps")};
    bool complete = read_value(result, findings) && read_line(result, "dot", dot, 4, &findings->dot.passed) &&
                    read_line(result, "cuts", cuts, 4, &findings->cuts.passed) && read_taylor(task, result, findings) &&
                    read_budget(task, result, findings) && read_line(result, "holds", &holds, 1, &findings->passed);
    if (!complete)
        return cli_failure(task->command, "the program's result is incomplete");
    findings->dot.reverse = dot[0];
    findings->dot.tangent = dot[1];
    findings->dot.bound = dot[2];
    findings->cuts.sweeps = (uint64_t)cuts[0];
    findings->cuts.stretches = (uint64_t)cuts[1];
    findings->cuts.differing = (uint64_t)cuts[2];
    return CLI_OK;
}

/* ---- The command ---- */

/* Sets *word to the value of an option in the form that the harness reads: a whole number; for "all", if that is
 * allowed, the largest one. */
static int read_count(derive *task, int option, const char *default_value, bool may_be_all, const char **word) {
    const char *given = task->arguments.values[option];
    *word = given ? given : default_value;
    if (!given)
        return CLI_OK;
    if (may_be_all && strcmp(given, "all") == 0) {
        *word = "18446744073709551615";
        return CLI_OK;
    }
    verso__quantity number;
    uint64_t value;
    const char *wrong = verso__quantity_read(given, strlen(given), &number);
    if (!wrong)
        wrong = verso__quantity_whole(number, &value);
    if (wrong)
        return cli_usage_error(task->command, "--%s: '%s' %s", task->command->options[option].name, given, wrong);
    *word = cli_region_print(&task->region, "%" PRIu64, value);
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv) {
    derive task;
    derive_result result;
    check_findings findings;
    const char *words[3] = {NULL};
    bool help;
    int status = derive_options(&task, command, argc, argv, &help);
    if (status != CLI_OK || help)
        return derive_close(&task, status);
    status = read_count(&task, OPTION_SEED, "0", false, &words[0]);
    if (status == CLI_OK)
        status = read_count(&task, OPTION_CUTS, "0", true, &words[1]);
    if (status == CLI_OK)
        status = derive_find_signature(&task);
    if (status == CLI_OK)
        status = derive_bind(&task);
    if (status == CLI_OK)
        status = derive_build(&task);
    if (status == CLI_OK)
        status = derive_run(&task, "check", words, &result);
    if (status == CLI_OK)
        status = read_findings(&task, &result, &findings);
    if (status == CLI_OK) {
        if (task.arguments.values[DERIVE_JSON])
            check_print_json(stdout, &findings);
        else
            check_print_page(stdout, &task, &findings);
        status = findings.passed ? CLI_OK : CLI_FAILED;
    }
    return derive_close(&task, status);
}

const cli_command cli_check = {
    .name = "check",
    .summary = "check the gradient of a C function",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .passes_on = true,
    .exit_status = "0: PASS. 1: FAIL, or the tests could not be run. 2: The command line is wrong. 75: The gradient "
                   "in a run directory (--run) was suspended by SIGINT (Ctrl-C), SIGTERM or its time limit; the same "
                   "command continues it.",
    .examples = examples,
    .run = run,
};
