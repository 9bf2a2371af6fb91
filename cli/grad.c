/* `verso grad`: the gradient of a function of a C program, with no code of the user's but the function. */
#include "cli/grad.h"

#include "cli/message.h"

enum { OPTION_OUT = DERIVE_OPTIONS, OPTION_HELP };

static const char *const synopses[] = {
    "FILE.c[,FILE]...:FUNCTION --at VALUES [--set NAME=VALUE]... [OPTION]... [-- COMPILER-OPTION...]", NULL};
static const char *const description[] = {
    "Computes the gradient of a C or C++ function with respect to its floating-point parameters. The function is "
    "compiled as it is, by 'verso cc'; nothing in it needs to be changed or marked.",
    "FUNCTION is a function that one of the files defines or declares, static or not. The files may be C, C++, "
    "headers, "
    "objects and archives that 'verso cc' has made. Words behind -- are for the compiler and linker, such as -O3, -I "
    "and -l.",
    "Floating-point numbers and arrays of them (float, double, long double; by pointer) take the numbers of --at in "
    "order; an array takes all that are left. Where there are several arrays, --at NAME=VALUES says which is which. "
    "Integers, enums and bool take --set NAME=VALUE; an integer that is not set and stands directly behind an array is "
    "its length (for double a[][4], the number of rows). Arrays of integers and strings take --set, too, and so does a "
    "floating-point parameter with respect to which nothing shall be differentiated. --set NAME=NULL passes a null "
    "pointer. A function that takes structs is called by one you write, that takes numbers and arrays.",
    "Numbers are written as in C, decimal or hexadecimal, or inf and nan. In a file they stand one a line, or "
    "separated "
    "by blanks or commas; # begins a comment.",
    "With --json, gradient is a list when there is one floating-point parameter, else an object with a list for each. "
    "What is not finite is null.",
    "Recording a run takes memory in proportion to its length. With --memory, no more than that is taken: the run is "
    "divided into steps of so many bytes of recording, a few states (capsules) are kept, and steps are run again from "
    "them. The gradient has the same bits. The variables VERSO_MEMORY, VERSO_SCHEDULE (KIND with its words), "
    "VERSO_RUN, "
    "VERSO_OFFLOAD and "
    "VERSO_REPORT say the same to any program that differentiates, and count here where an option is not given. Kinds "
    "that "
    "keep states in files take a folder in TMPDIR for them without --run.",
    NULL,
};
static const cli_option options[] = {
    DERIVE_OPTION_TABLE,
    [OPTION_OUT] = {.name = "out",
                    .argument = "FILE",
                    .meaning =
                        "Write the gradient to a file, one number a line, in the shortest form that reads back as "
                        "the same number."},
    [OPTION_HELP] = DERIVE_HELP_OPTION,
};
static const cli_example examples[] = {
    {"verso grad rosenbrock.c:f --at -1.2,1", "The gradient of double f(const double *x, size_t n) at (-1.2, 1)."},
    {"verso grad heat.c:misfit --at field=@u0.txt --set steps=500 --out gradient.txt -- -O3",
     "A simulation, its initial field from a file."},
    {"verso grad heat.c:misfit --at @u0.txt --set steps=1000000 --memory 64M --report run.html",
     "A long run in little memory, and a page about it."},
    {"verso grad heat.c:misfit --at @u0.txt --set steps=5000 --schedule revolve --slots 20 --leaf 256k",
     "By a schedule of one's own choice."},
    {"verso grad step.c:step --at u=@u.txt --of u --weights @w.txt",
     "Of a function that leaves its results in an array: the gradient of their weighted sum."},
    {NULL, NULL},
};

static int print_all(derive *task, const derive_result *result) {
    grad_answer answer;
    int status = grad_read_answer(task, result, &answer);
    if (status != CLI_OK)
        return status;
    const char *path = task->arguments.values[OPTION_OUT];
    if (path)
        status = grad_write_file(task, &answer, path);
    if (status != CLI_OK)
        return status;
    if (task->arguments.values[DERIVE_JSON])
        grad_print_json(stdout, task, &answer);
    else
        grad_print_page(stdout, task, &answer);
    return CLI_OK;
}

static int run(const cli_command *command, int argc, char **argv) {
    derive task;
    derive_result result;
    bool help;
    int status = derive_options(&task, command, argc, argv, &help);
    if (status != CLI_OK || help)
        return derive_close(&task, status);
    status = derive_find_signature(&task);
    if (status == CLI_OK)
        status = derive_bind(&task);
    if (status == CLI_OK)
        status = derive_build(&task);
    if (status == CLI_OK)
        status = derive_run(&task, "gradient", NULL, &result);
    if (status == CLI_OK)
        status = print_all(&task, &result);
    return derive_close(&task, status);
}

const cli_command cli_grad = {
    .name = "grad",
    .summary = "the gradient of a C function, as it is",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .passes_on = true,
    .examples = examples,
    .run = run,
};
