/* `verso cc`, `verso c++` and `verso fc`: the compiler driver of cc/driver as subcommands. Nearly all arguments are
 * clang's or flang's, so getopt_long does not read them. The table below only describes Verso's own options;
 * cc/driver/own_options.c reads these and removes them before the rest goes to the compiler. */
#include "cc/driver/driver.h"
#include "cli/describe.h"

#include <stdio.h>
#include <string.h>

static const char *const synopses[] = {"[--verso-OPTION]... CLANG-ARGUMENT...", "--help", NULL};
static const char *const fc_synopses[] = {"[--verso-OPTION]... FLANG-ARGUMENT...", "--help", NULL};
static const char *const description[] = {
    "A drop-in replacement for clang 19: it takes the same arguments, writes the same files and exits with the same "
    "status. Programs that it links can differentiate their own functions with verso_gradient and related functions "
    "(#include <verso/native.h>). No further flag is needed: set CC='verso cc' and CXX='verso c++' in make, CMake or "
    "autotools.",
    "Object files are ordinary ones; their machine code is that of clang with -ffp-contract=off (with -O3, short loops "
    "are unrolled as with -O2). They also contain the program in a form that can be differentiated, and line numbers. "
    "Archives of them (ar) and objects joined by 'ld "
    "-r' work as usual. Link-time optimisation (-flto) is ignored.",
    "When a program that differentiates is linked, everything in it that Verso compiled is transformed. The result is "
    "a position-independent program, also with -static (then -static-pie) and -no-pie. It is compiled with the levels "
    "-O and -g of the link command; without -O, with -O2. Shared libraries cannot differentiate and cannot be "
    "differentiated. The same holds for objects compiled for other machines or with -fsanitize=address, thread, memory "
    "and the like; clang compiles these unchanged.",
    "'verso c++' is clang++ 19 with -fno-exceptions, so that throw, try and catch are errors. -fexceptions on the "
    "command line enables them: a program may use exceptions, and they may pass through code of Verso, but a function "
    "that throws or catches one cannot be differentiated, and is refused when linking.",
    "When linking, generated code is taken from a cache if the same code was made before. The environment variable "
    "VERSO_CACHE names its folder (default: verso in XDG_CACHE_HOME, else in ~/.cache); if it is empty or off, there "
    "is no cache. "
    "VERSO_CACHE_LIMIT is the most bytes that the cache takes (default: 1G).",
    "The environment variables VERSO_CLANG and VERSO_CLANGXX name other compilers to use; VERSO_TRANSFORM names "
    "another transformer, for tests.",
    NULL,
};
static const cli_option options[] = {
    {.name = "verso-inactive",
     .argument = "NAME[,NAME]",
     .meaning =
         "These functions have no derivatives: nothing that is differentiated depends on them. For functions that "
         "Verso compiles, give the option when compiling; for others, when linking.",
     .heading = "Options"},
    {.name = "verso-pure",
     .argument = "NAME[,NAME]",
     .meaning = "When linking: these functions, which Verso did not compile, have no derivatives, keep no state "
                "between calls and print nothing. They are called again where a part of the run is repeated; all "
                "other foreign functions are called once."},
    {.name = "verso-noinline",
     .argument = "NAME[,NAME]",
     .meaning = "When compiling: do not inline these functions, so that they can have custom adjoints and their calls "
                "can be checkpointed. Name C++ functions by their mangled names."},
    {.name = "verso-externals",
     .meaning =
         "When linking: list the functions that differentiated code calls and that Verso did not compile, with the "
         "derivatives that they have or need."},
    {.name = "verso-plain", .meaning = "When linking: never transform. Asking for a gradient then fails at run time."},
    {.name = "verso-show", .meaning = "Print each command to standard error before running it."},
    {.name = "verso-keep", .meaning = "Keep temporary files, and print where they are."},
    {.name = "verso-check-reload",
     .meaning = "When linking: also record the numbers that reverse code reads from copies of the program's memory. A "
                "sweep in which the two differ is refused, with file and line. For developers of Verso."},
    {.name = "verso-symbols",
     .meaning = "Print flang's list of the procedures of a Fortran source and their arguments (for 'verso grad')."},
    {.name = "verso-other-main",
     .meaning = "When compiling Fortran: the source's main program is not that of the executable (for 'verso grad')."},
    {.name = "verso-dump",
     .argument = "PASS",
     .meaning =
         "When linking: print the program after this pass of the transformer ('all': after each pass), for developers "
         "of Verso."},
    {.name = "help", .meaning = "Show this help and exit. All other options are clang's."},
};
static const cli_example cc_examples[] = {
    {"verso cc -O2 examples/native/waves.c -o waves -lm", "Compiles and links a program that calls verso_gradient."},
    {"make CC='verso cc'", "Builds a project with make."},
    {"CC='verso cc' CXX='verso c++' cmake -B build", "The same with CMake."},
    {"./configure CC='verso cc' --disable-shared", "The same with autotools; static libraries can be differentiated."},
    {NULL, NULL},
};
static const cli_example cpp_examples[] = {
    {"verso c++ -O2 examples/native/heat.cpp -o heat", "Compiles and links a program that calls verso_gradient."},
    {"make CC='verso cc' CXX='verso c++'", "Builds a project with make."},
    {NULL, NULL},
};
static const char *const fc_description[] = {
    "A drop-in replacement for flang 19, the Fortran compiler of LLVM: it takes the same arguments, makes the same "
    "module "
    "files and exits with the same status. Programs that it links can differentiate their own procedures (use verso). "
    "No further flag is needed: set FC='verso fc' in make, CMake or autotools. Objects of 'verso fc', 'verso cc' and "
    "'verso c++' can be linked together, by any of them.",
    "Comments in the source say about procedures what macros say in C: '!verso$ inactive NAME' (no derivatives), "
    "'!verso$ checkpoint NAME', '!verso$ nocheckpoint NAME', '!verso$ noinline NAME', '!verso$ adjoint NAME = ADJOINT' "
    "and '!verso$ custom_adjoint NAME = RECORD, SWEEP'. A NAME may be MODULE::PROCEDURE.",
    "flang makes LLVM's intermediate representation of a source, with -ffp-contract=off, and clang 19 makes the object "
    "file of it. The packages flang-19 and libflang-19-dev must be installed.",
    "The environment variable VERSO_FLANG names another flang to use; those of 'verso cc --help' hold, too.",
    NULL,
};
static const cli_example fc_examples[] = {
    {"verso fc -O2 examples/fortran/first.f90 -o first", "Compiles and links a program that asks for a gradient."},
    {"make FC='verso fc'", "Builds a project with make."},
    {"FC='verso fc' cmake -B build", "The same with CMake."},
    {NULL, NULL},
};
static const char exit_status[] = "That of clang. Also 1 if the program cannot be differentiated (messages name file, "
                                  "line and remedy), and 2 if one of Verso's own options is wrong.";

static int run(const cli_command *command, int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            cli_describe_help(stdout, command);
            return CLI_OK;
        }
    return driver_run(command == &cli_cpp ? DRIVER_CPP : command == &cli_fc ? DRIVER_FORTRAN : DRIVER_C, argc, argv);
}

const cli_command cli_cc = {
    .name = "cc",
    .summary = "compile C programs that can be differentiated, like clang",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .exit_status = exit_status,
    .examples = cc_examples,
    .run = run,
};

const cli_command cli_cpp = {
    .name = "c++",
    .summary = "compile C++ programs that can be differentiated, like clang++",
    .synopses = synopses,
    .description = description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .exit_status = exit_status,
    .examples = cpp_examples,
    .run = run,
};

const cli_command cli_fc = {
    .name = "fc",
    .summary = "compile Fortran programs that can be differentiated, like flang",
    .synopses = fc_synopses,
    .description = fc_description,
    .options = options,
    .option_count = sizeof options / sizeof *options,
    .takes_file = true,
    .exit_status = exit_status,
    .examples = fc_examples,
    .run = run,
};
