/* `verso cc` and `verso c++`: the compiler driver of cc/driver as subcommands. All words are clang's, so they are not
 * read by the option table; it describes Verso's own ones, which cc/driver/own_options.c takes out. */
#include "cc/driver/driver.h"
#include "cli/describe.h"

#include <stdio.h>
#include <string.h>

static const char *const synopses[] = {"[--verso-OPTION]... CLANG-ARGUMENT...", "--help", NULL};
static const char *const description[] = {
    "A drop-in for clang 19: takes the same arguments, writes the same files and ends with the same exit status. "
    "Programs "
    "that it links can differentiate their own functions with verso_gradient and its kin (#include <verso/native.h>), "
    "which needs no further flag: CC='verso cc' (CXX='verso c++') in make, CMake and autotools is all.",
    "Object files are normal ones whose machine code is clang's own with -ffp-contract=off; beside it they keep the "
    "program in a form that can be differentiated, and line numbers. Archives of them (ar) and objects joined by 'ld "
    "-r' "
    "work like others. Link-time optimisation (-flto) is dropped.",
    "When a program that differentiates is linked, everything in it that was compiled by Verso is transformed; it "
    "becomes a "
    "position-independent program, also with -static (then -static-pie) and -no-pie. The levels -O and -g of the link "
    "line "
    "count for it; without -O, 2. Shared libraries cannot differentiate, nor be differentiated, and no more can "
    "objects "
    "compiled with -fsanitize=address, thread, memory and the like, or for other machines: these are clang's own.",
    "'verso c++' is clang++ 19 with -fno-exceptions.",
    "The environment may name other compilers, VERSO_CLANG and VERSO_CLANGXX, and, for tests, another transformer, "
    "VERSO_TRANSFORM.",
    NULL,
};
static const cli_option options[] = {
    {.name = "verso-inactive",
     .argument = "NAME[,NAME]",
     .meaning = "When linking: these functions, which were not compiled by Verso, have nothing to do with derivatives.",
     .heading = "Options"},
    {.name = "verso-externals",
     .meaning =
         "When linking: list the functions that differentiated code calls and that were not compiled by Verso, with "
         "the derivatives that they have or need."},
    {.name = "verso-plain", .meaning = "When linking: never transform. Asking for a gradient then fails at run time."},
    {.name = "verso-show", .meaning = "Print the commands that are run to standard error."},
    {.name = "verso-keep", .meaning = "Keep temporary files, and say where they are."},
    {.name = "verso-dump",
     .argument = "PASS",
     .meaning =
         "When linking: print the program as it is after this pass of the transformer ('all': each), for those who "
         "work on Verso."},
    {.name = "help", .meaning = "Show this help and end. All other options are clang's."},
};
static const cli_example cc_examples[] = {
    {"verso cc -O2 heat.c -o heat -lm", "Compiles and links; heat.c may call verso_gradient."},
    {"make CC='verso cc'", "Builds a project with make."},
    {"CC='verso cc' CXX='verso c++' cmake -B build", "The same with CMake."},
    {"./configure CC='verso cc' --disable-shared", "The same with autotools; static libraries can be differentiated."},
    {NULL, NULL},
};
static const cli_example cpp_examples[] = {
    {"verso c++ -O2 heat.cpp -o heat", "Compiles and links; heat.cpp may call verso_gradient."},
    {"make CC='verso cc' CXX='verso c++'", "Builds a project with make."},
    {NULL, NULL},
};
static const char exit_status[] = "Clang's own. 1 also when the program cannot be differentiated; the messages name "
                                  "file, line and remedy. 2 when one of "
                                  "Verso's own options is wrong.";

static int run(const cli_command *command, int argc, char **argv) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--help") == 0) {
            cli_describe_help(stdout, command);
            return CLI_OK;
        }
    return driver_run(command == &cli_cpp, argc, argv);
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
