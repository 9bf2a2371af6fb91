/* `verso check`: whether the gradient of a function is right. The library's verso_check does the tests, in the harness;
 * this reads what it found and gives the verdict. */
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
    "Checks the gradient of a C or C++ function, at the point that is given. The arguments are those of 'verso grad'.",
    "Three tests. Dot product: the derivative in a random direction by tangent mode, and the product of that direction "
    "and "
    "the gradient by reverse mode, agree to rounding. Taylor: what is left of f(x + h v) - f(x) - h f'(x) v falls like "
    "the "
    "square of h. Cuts: the reverse sweep is cut into stretches at safepoints, each run again from a copy of the "
    "program's "
    "state, and the gradient has the same bits.",
    "With --memory or a schedule there is a fourth: the gradient within that budget has the same bits, too.",
    "A Taylor test can fail where the derivative is right: at a kink of the function, or where the function itself is "
    "hardly "
    "more than rounding. The others hold everywhere.",
    "Prints a table and PASS or FAIL, which is the exit status, too.",
    NULL,
};
static const cli_option options[] = {
    DERIVE_OPTION_TABLE,
    [OPTION_SEED] = {.name = "seed",
                     .argument = "N",
                     .meaning = "Chooses directions and cuts: 1 unless given. The same seed makes the same test.",
                     .heading = "The tests"},
    [OPTION_CUTS] = {.name = "cuts",
                     .argument = "N",
                     .meaning = "At how many safepoints a sweep is cut: 16 unless given. Another is cut at every "
                                "safepoint, where there are no more than 2000; 'all': however many there are."},
    [OPTION_HELP] = DERIVE_HELP_OPTION,
};
static const cli_example examples[] = {
    {"verso check rosenbrock.c:f --at -1.2,1", "All tests at (-1.2, 1)."},
    {"verso check heat.c:misfit --at @u0.txt --seed 7 --cuts 100 --json", "Another direction, 100 cuts, for a script."},
    {"verso check heat.c:misfit --at @u0.txt --memory 16M", "Besides, within 16 MB."},
    {NULL, NULL},
};

/* ---- What the harness says ---- */

/* So many numbers of a line, the last of them 0 or 1: whether the test passed. */
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

/* Within a budget, if there is one. */
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

static int read_findings(derive *task, const derive_result *result, check_findings *findings) {
    double dot[4], cuts[4], holds;
    *findings = (check_findings){.steps = derive_result_count(result, "steps")};
    bool complete = read_line(result, "dot", dot, 4, &findings->dot.passed) &&
                    read_line(result, "cuts", cuts, 4, &findings->cuts.passed) && read_taylor(task, result, findings) &&
                    read_budget(task, result, findings) && read_line(result, "holds", &holds, 1, &findings->passed);
    if (!complete)
        return cli_failure(task->command, "the program's result is not complete");
    findings->dot.reverse = dot[0];
    findings->dot.tangent = dot[1];
    findings->dot.bound = dot[2];
    findings->cuts.sweeps = (uint64_t)cuts[0];
    findings->cuts.stretches = (uint64_t)cuts[1];
    findings->cuts.differing = (uint64_t)cuts[2];
    return CLI_OK;
}

/* ---- The command ---- */

/* The value of an option as the harness takes it: a whole number, or all of them. */
static int read_count(derive *task, int option, const char *unless_given, bool may_be_all, const char **word) {
    const char *given = task->arguments.values[option];
    *word = given ? given : unless_given;
    if (!given)
        return CLI_OK;
    if (may_be_all && strcmp(given, "all") == 0) {
        *word = "18446744073709551615";
        return CLI_OK;
    }
    verso_quantity number;
    uint64_t value;
    const char *wrong = verso_quantity_read(given, strlen(given), &number);
    if (!wrong)
        wrong = verso_quantity_whole(number, &value);
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
    .exit_status = "0: PASS. 1: FAIL, or the tests could not be made. 2: The command line is wrong.",
    .examples = examples,
    .run = run,
};
