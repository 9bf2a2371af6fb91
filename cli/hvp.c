/* `verso hvp`: the product of the Hessian of a C or C++ function with a vector, from the command line. cli/derive.h
 * lists the stages. */
#include "cli/derive.h"

#include "cli/grad.h"
#include "cli/message.h"

#include <inttypes.h>

enum { OPTION_DIRECTION = DERIVE_OPTIONS, OPTION_OUT, OPTION_HELP };

static const char *const synopses[] = {"FILE.c[,FILE]...:FUNCTION --at VALUES --direction VALUES "
                                       "[--set NAME=VALUE]... [OPTION]... [-- COMPILER-OPTION...]",
                                       NULL};
static const char *const description[] = {
    "Computes the product of the Hessian of a C or C++ function with a vector: the derivative of its gradient along "
    "--direction. The other arguments are those of 'verso grad', and so are budgets, schedules and durable runs.",
    "The product is exact, and takes a few times as long as the function, whatever the number of parameters. The "
    "gradient is computed along the way.",
    "With --json, hvp and gradient are lists with a number for each number of the floating-point parameters, in order.",
    NULL,
};
static const cli_option options[] = {
    DERIVE_OPTION_TABLE,
    [OPTION_DIRECTION] = {.name = "direction",
                          .argument = "VALUES",
                          .meaning = "The vector: a number for each number of the floating-point parameters in order, "
                                     "separated by commas, or @FILE."},
    [OPTION_OUT] = {.name = "out", .argument = "FILE", .meaning = "Write the product to FILE, one number per line."},
    [OPTION_HELP] = DERIVE_HELP_OPTION,
};
static const cli_example examples[] = {
    {"verso hvp examples/native/rosenbrock.c:f --at -1.2,1 --direction 1,0", "The first column of the Hessian."},
    {"verso hvp examples/native/heat.c:misfit --at @examples/native/field.txt --set steps=5000 --direction "
     "@examples/native/field.txt --memory 4M",
     "A simulation within 4 MB."},
    {NULL, NULL},
};

static size_t count_inputs(const derive *task) {
    size_t count = 0;
    for (size_t i = 0; i < task->signature.parameter_count; i++)
        count += task->signature.parameters[i].wrt ? task->signature.parameters[i].count : 0;
    return count;
}

static int bind_direction(derive *task) {
    const char *text = task->arguments.values[OPTION_DIRECTION];
    derive_numbers numbers = {0};
    size_t count = count_inputs(task);
    if (!text)
        return cli_usage_error(task->command, "--direction VALUES is missing: the vector that the Hessian multiplies");
    int status = derive_read_numbers(task, "--direction", text, &numbers);
    if (status != CLI_OK)
        return status;
    if (numbers.count != count)
        return cli_usage_error(task->command, "--direction: %zu numbers are given, but --at has %zu", numbers.count,
                               count);
    return derive_convert_all(task, "--direction", &numbers, 0, count, &derive_double, (void **)&task->direction);
}

typedef struct hvp_answer {
    double value;
    size_t count;
    const double *gradient, *product;
    uint64_t steps, recordings, peak_bytes;
    const char *schedule;
} hvp_answer;

static int read_answer(derive *task, const derive_result *result, hvp_answer *answer) {
    *answer = (hvp_answer){.count = count_inputs(task),
                           .steps = derive_result_count(result, "steps"),
                           .recordings = derive_result_count(result, "recordings"),
                           .peak_bytes = derive_result_count(result, "peak_bytes"),
                           .schedule = derive_result_text(task, result, "schedule")};
    bool complete = derive_result_number(result, "value", &answer->value);
    answer->gradient = derive_result_gradient(task, result, 2 * answer->count);
    if (!complete || !answer->gradient || !answer->schedule)
        return cli_failure(task->command, "the program's result is incomplete");
    answer->product = answer->gradient + answer->count;
    return CLI_OK;
}

static void print_list(FILE *out, const char *name, const double *numbers, size_t count) {
    fprintf(out, "\"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        grad_print_json_number(out, numbers[i]);
    }
    fputs("], ", out);
}

static void print_json(FILE *out, const hvp_answer *answer) {
    fputs("{\"value\": ", out);
    grad_print_json_number(out, answer->value);
    fputs(", ", out);
    print_list(out, "hvp", answer->product, answer->count);
    print_list(out, "gradient", answer->gradient, answer->count);
    fprintf(out, "\"steps\": %" PRIu64 ", \"recordings\": %" PRIu64 ", \"peak_bytes\": %" PRIu64 "}\n", answer->steps,
            answer->recordings, answer->peak_bytes);
}

/* Of more numbers, only the first ones are printed. */
enum { SHOWN = 24 };

static void print_page(FILE *out, const derive *task, const hvp_answer *answer) {
    derive_print_call(out, &task->signature);
    fputs("  value           ", out);
    grad_print_number(out, answer->value);
    fprintf(out, "\n  %-16s%-26s%s\n", "", "hvp", "gradient");
    for (size_t i = 0; i < answer->count && i < SHOWN; i++)
        fprintf(out, "  [%zu]%*s%-26.17g%.17g\n", i,
                i < 10    ? 13
                : i < 100 ? 12
                          : 11,
                "", answer->product[i], answer->gradient[i]);
    if (answer->count > SHOWN)
        fprintf(out, "  ... %zu more ...\n", answer->count - SHOWN);
    fprintf(out, "  schedule        %s\n", answer->schedule);
}

static int print_all(derive *task, const derive_result *result) {
    hvp_answer answer;
    int status = read_answer(task, result, &answer);
    const char *path = task->arguments.values[OPTION_OUT];
    if (status == CLI_OK && path) {
        grad_answer product = {.gradient = answer.product, .count = answer.count};
        status = grad_write_file(task, &product, path);
    }
    if (status != CLI_OK)
        return status;
    if (task->arguments.values[DERIVE_JSON])
        print_json(stdout, &answer);
    else
        print_page(stdout, task, &answer);
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv) {
    derive task;
    derive_result result;
    bool help;
    int status = derive_options(&task, command, argc, argv, &help);
    if (status != CLI_OK || help)
        return derive_close(&task, status);
    task.define = "-DVERSO_HARNESS_SECOND";
    status = derive_find_signature(&task);
    if (status == CLI_OK)
        status = derive_bind(&task);
    if (status == CLI_OK)
        status = bind_direction(&task);
    if (status == CLI_OK)
        status = derive_build(&task);
    if (status == CLI_OK)
        status = derive_run(&task, "hvp", NULL, &result);
    if (status == CLI_OK)
        status = print_all(&task, &result);
    return derive_close(&task, status);
}

const cli_command cli_hvp = {
    .name = "hvp",
    .summary = "multiply the Hessian of a C function with a vector",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .passes_on = true,
    .exit_status = CLI_DURABLE_EXIT_STATUS,
    .examples = examples,
    .run = run,
};
