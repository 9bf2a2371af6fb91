/* `verso jacobian` and `verso hessian`: matrices of derivatives, from the command line; `verso hvp` is in hvp.c.
 * cli/derive.h lists the stages. */
#include "cli/matrix.h"

#include "cli/message.h"

enum { OPTION_SPARSE = DERIVE_OPTIONS, OPTION_OUT, OPTION_HELP };

#define MATRIX_SYNOPSIS \
    "FILE.c[,FILE]...:FUNCTION --at VALUES [--set NAME=VALUE]... [OPTION]... [-- COMPILER-OPTION...]"
#define MATRIX_OUT_TEXT \
    "Write the matrix to FILE: as Matrix Market if its name ends in .mtx, as a NumPy array if it ends in .npy, " \
    "otherwise as text, a row in each line; with --sparse, row, column (from 0) and value in each line."

static const char *const jacobian_synopses[] = {MATRIX_SYNOPSIS, NULL};
static const char *const hessian_synopses[] = {MATRIX_SYNOPSIS, NULL};
static const char *const jacobian_description[] = {
    "Computes the Jacobian of a C or C++ function: the derivatives of all numbers of the array that --of names, or of "
    "the value that the function returns, with respect to all numbers of its floating-point parameters. Rows are in "
    "the order of the array, columns in the order of the parameters. The arguments are those of 'verso grad'.",
    "The function is run in tangent mode, once for each column, or in reverse mode, once for each row, whichever is "
    "cheaper. With --sparse, the elements that are not zero are found first, and columns or rows without a common "
    "element share a run. Before each run the program's memory is restored.",
    "A budget or a schedule applies to runs in reverse mode.",
    NULL,
};
static const char *const hessian_description[] = {
    "Computes the Hessian of a C or C++ function: all second derivatives of its value, or of the weighted sum of the "
    "array that --of names, with respect to its floating-point parameters. The arguments are those of 'verso grad'.",
    "The derivatives are exact. Each column takes one product of the Hessian with a vector, which 'verso hvp' computes "
    "too; with --sparse, columns without a common row share a product. Before each product the program's memory is "
    "restored. A budget or a schedule applies to each product.",
    NULL,
};
static const cli_option jacobian_options[] = {
    DERIVE_OPTION_TABLE,
    [OPTION_SPARSE] = {.name = "sparse", .meaning = "Find the elements that are not zero, and compute only these."},
    [OPTION_OUT] = {.name = "out", .argument = "FILE", .meaning = MATRIX_OUT_TEXT},
    [OPTION_HELP] = DERIVE_HELP_OPTION,
};
static const cli_option hessian_options[] = {
    DERIVE_OPTION_TABLE,
    [OPTION_SPARSE] = {.name = "sparse", .meaning = "Find the elements that are not zero, and compute only these."},
    [OPTION_OUT] = {.name = "out", .argument = "FILE", .meaning = MATRIX_OUT_TEXT},
    [OPTION_HELP] = DERIVE_HELP_OPTION,
};
static const cli_example jacobian_examples[] = {
    {"verso jacobian examples/native/heat.c:step --at u=0,1,3,1 --of u", "A step of a simulation."},
    {"verso jacobian examples/native/heat.c:step --at u=@examples/native/field.txt --of u --sparse --out jacobian.mtx",
     "The same for a long field: a tridiagonal matrix, as a file in the format of Matrix Market."},
    {NULL, NULL},
};
static const cli_example hessian_examples[] = {
    {"verso hessian examples/native/rosenbrock.c:f --at -1.2,1", "The Hessian of double f(const double *x, size_t n)."},
    {"verso hessian examples/native/rosenbrock.c:f --at -1.2,1,1,1,1,1 --sparse --json", "Its elements, for a script."},
    {NULL, NULL},
};

static int read_answer(derive *task, const derive_result *result, matrix_answer *answer) {
    *answer = (matrix_answer){.name = task->command->name,
                              .rows = derive_result_count(result, "rows"),
                              .columns = derive_result_count(result, "columns"),
                              .entries = derive_result_count(result, "entries"),
                              .sparse = task->arguments.values[OPTION_SPARSE] != NULL,
                              .passes = derive_result_count(result, "passes")};
    size_t count = answer->sparse ? 3 * answer->entries : answer->rows * answer->columns;
    answer->numbers = derive_result_gradient(task, result, count);
    if (!answer->numbers || answer->columns == 0)
        return cli_failure(task->command, "the program's result is incomplete");
    return CLI_OK;
}

static int print_answer(derive *task, const derive_result *result) {
    matrix_answer answer;
    const char *path = task->arguments.values[OPTION_OUT];
    int status = read_answer(task, result, &answer);
    if (status == CLI_OK && path)
        status = matrix_write_file(task, &answer, path);
    if (status != CLI_OK)
        return status;
    if (task->arguments.values[DERIVE_JSON])
        matrix_print_json(stdout, &answer);
    else
        matrix_print_page(stdout, task, &answer);
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv, const char *define, const char *mode) {
    derive task;
    derive_result result;
    bool help;
    int status = derive_options(&task, command, argc, argv, &help);
    if (status != CLI_OK || help)
        return derive_close(&task, status);
    task.define = define;
    if (task.arguments.values[DERIVE_RUN])
        return derive_close(&task, cli_usage_error(command, "--run: matrices are computed in several runs, which are "
                                                            "not durable; use 'verso hvp' or 'verso grad'"));
    status = derive_find_signature(&task);
    if (status == CLI_OK)
        status = derive_bind(&task);
    if (status == CLI_OK)
        status = derive_build(&task);
    if (status == CLI_OK)
        status = derive_run(&task, task.arguments.values[OPTION_SPARSE] ? "sparse" : mode, NULL, &result);
    if (status == CLI_OK)
        status = print_answer(&task, &result);
    return derive_close(&task, status);
}

static int run_jacobian(const cli_command *command, int argc, char **argv) {
    return run(command, argc, argv, "-DVERSO_HARNESS_MATRIX", "jacobian");
}

static int run_hessian(const cli_command *command, int argc, char **argv) {
    return run(command, argc, argv, "-DVERSO_HARNESS_SECOND", "hessian");
}

const cli_command cli_jacobian = {
    .name = "jacobian",
    .summary = "compute the Jacobian of a C function, dense or sparse",
    .synopses = jacobian_synopses,
    .description = jacobian_description,
    .options = jacobian_options,
    .option_count = sizeof jacobian_options / sizeof *jacobian_options,
    .takes_file = true,
    .passes_on = true,
    .examples = jacobian_examples,
    .run = run_jacobian,
};

const cli_command cli_hessian = {
    .name = "hessian",
    .summary = "compute the Hessian of a C function, dense or sparse",
    .synopses = hessian_synopses,
    .description = hessian_description,
    .options = hessian_options,
    .option_count = sizeof hessian_options / sizeof *hessian_options,
    .takes_file = true,
    .passes_on = true,
    .examples = hessian_examples,
    .run = run_hessian,
};
