/* `verso grad`: computes the gradient of a C, C++ or Fortran function from the command line. The user writes no code
 * besides the function. cli/derive.h lists the stages; this file has the options and calls the stages in order. */
#include "cli/grad.h"

#include "cli/message.h"

enum { OPTION_TIMING = DERIVE_OPTIONS, OPTION_OUT, OPTION_HELP };

static const char *const synopses[] = {
    "FILE.c[,FILE]...:FUNCTION --at VALUES [--set NAME=VALUE]... [OPTION]... [-- COMPILER-OPTION...]", NULL};
static const char *const description[] = {
    "Computes the gradient of a C, C++ or Fortran function with respect to its floating-point parameters. "
    "'verso cc' compiles the function unchanged; it needs no annotations. The function is called once: what it prints "
    "or does to files "
    "happens once, even if parts of it are run again for their derivatives.",
    "FUNCTION is a function that one of the files defines or declares, static or not. The files may be C, C++ or "
    "Fortran sources, headers, and objects and archives made by 'verso cc'. Arguments after -- are passed to the "
    "compiler and "
    "linker, such as -O3, -I and -l.",
    "Floating-point numbers and arrays of them (float, double, long double; by pointer) take the numbers of --at in "
    "order; an array takes all remaining numbers. If there are several arrays, use --at NAME=VALUES for each. "
    "Integers, enums and bool take --set NAME=VALUE; an integer that is not set and directly follows an array is its "
    "length (for double a[][4], the number of rows). Arrays of integers and strings also take --set, and so does a "
    "floating-point parameter that is to be held constant. --set NAME=NULL passes a null pointer. To differentiate a "
    "function that takes structs, write a function that takes numbers and arrays and calls it.",
    "In Fortran sources FUNCTION is a function, or a subroutine whose results --of names (which is not needed if it "
    "has "
    "one real argument with intent(out)); MODULE::FUNCTION chooses one of several. Sources are listed in the order of "
    "their modules. An array of assumed shape with several dimensions takes its shape with its numbers: "
    "--at 'h(20,10)=@FILE'. Integers that are sizes of arrays need no --set; optional arguments may be left out.",
    "Numbers are written as in C, decimal or hexadecimal, or as inf and nan. In a file they are separated by white "
    "space or commas; # begins a comment.",
    "With --json, gradient is a list if there is one floating-point parameter, else an object with a list for each. "
    "Non-finite values are printed as null. seconds_primal and seconds_gradient are null without --timing.",
    "Recording a run takes memory in proportion to its length. With --memory, the gradient stays within that budget: "
    "the run is divided into steps by bytes of recording, a few states (capsules) are kept, and steps are run again "
    "from them. The gradient has the same bits. The variables VERSO_MEMORY, VERSO_SCHEDULE (KIND with its options), "
    "VERSO_RUN, VERSO_INTERVAL, VERSO_TIME_LIMIT, VERSO_OFFLOAD and VERSO_REPORT have the same effect on any program "
    "that differentiates; here they apply if the option is not given. Kinds of schedule that keep states in files use "
    "a temporary directory in TMPDIR unless --run is given.",
    "With --run the whole run is durable, from its first second to its last. DIRECTORY also keeps the compiled "
    "program, so that the next process needs no compiler if sources and options are unchanged. If a run has to begin "
    "anew, a message on standard error says why, and begun_anew in --json and --report counts it.",
    NULL,
};
static const cli_option options[] = {
    DERIVE_OPTION_TABLE,
    [OPTION_TIMING] = {.name = "timing",
                       .meaning = "Time the gradient and plain calls of the function, and print the ratio. The "
                                  "function is then called several more times, after the gradient."},
    [OPTION_OUT] = {.name = "out",
                    .argument = "FILE",
                    .meaning =
                        "Write the gradient to FILE, one number per line, in the shortest form that reads back as "
                        "the same number."},
    [OPTION_HELP] = DERIVE_HELP_OPTION,
};
static const cli_example examples[] = {
    {"verso grad examples/native/rosenbrock.c:f --at -1.2,1",
     "The gradient of double f(const double *x, size_t n) at (-1.2, 1)."},
    {"verso grad examples/native/heat.c:misfit --at field=@examples/native/field.txt --set steps=500 --out "
     "gradient.txt -- -O3",
     "A simulation whose initial field is read from a file."},
    {"verso grad examples/native/heat.c:misfit --at @examples/native/field.txt --set steps=1000000 --memory 64M "
     "--report run.html",
     "A long run in 64 MB, and a report as a page."},
    {"verso grad examples/native/heat.c:misfit --at @examples/native/field.txt --set steps=5000 --schedule revolve "
     "--slots 20 --leaf 256k",
     "With a given schedule."},
    {"verso grad examples/native/heat.c:step --at u=0,1,3,1 --of u --weights 0,1,0,0",
     "A function that writes its results to an array: the gradient of their weighted sum."},
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
    static const char *const timing[] = {"timing", NULL};
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
        status = derive_run(&task, "gradient", task.arguments.values[OPTION_TIMING] ? timing : NULL, &result);
    if (status == CLI_OK)
        status = print_all(&task, &result);
    return derive_close(&task, status);
}

const cli_command cli_grad = {
    .name = "grad",
    .summary = "compute the gradient of a C function",
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
