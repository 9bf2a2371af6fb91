/* `verso check`: whether the gradient of a function is right. The library's verso_check does the tests, in the harness; this
 * reads what it found and gives the verdict. */
#include "cli/check.h"

#include "cli/message.h"

#include <stdlib.h>
#include <string.h>

enum { OPTION_SEED = DERIVE_OPTIONS, OPTION_CUTS };

static const char *const synopses[] = {
    "FILE.c[,FILE]...:FUNCTION --at VALUES [--set NAME=VALUE]... [OPTION]... [-- COMPILER-OPTION...]", NULL};
static const char *const description[] = {
    "Checks the gradient of a C or C++ function, at the point that is given. The arguments are those of 'verso grad'.",
    "Three tests. Dot product: the derivative in a random direction by tangent mode, and the product of that direction and "
    "the gradient by reverse mode, agree to rounding. Taylor: what is left of f(x + h v) - f(x) - h f'(x) v falls like the "
    "square of h. Cuts: the reverse sweep is cut into stretches at safepoints, each run again from a copy of the program's "
    "state, and the gradient has the same bits.",
    "A Taylor test can fail where the derivative is right: at a kink of the function, or where the function itself is hardly "
    "more than rounding. The other two hold everywhere.",
    "Prints a table and PASS or FAIL, which is the exit status, too.",
    NULL,
};
static const cli_option options[] = {
    DERIVE_OPTION_TABLE,
    [OPTION_SEED] = {.name = "seed",
                     .argument = "N",
                     .meaning = "Chooses direction and cuts: 0 unless given. The same seed makes the same test.",
                     .heading = "The tests"},
    [OPTION_CUTS] = {.name = "cuts",
                     .argument = "N",
                     .meaning = "At how many safepoints to cut; 'all': at every one. Unless given: at every one where "
                                "there are few, at some where there are many."},
};
static const cli_example examples[] = {
    {"verso check rosenbrock.c:f --at -1.2,1", "All tests at (-1.2, 1)."},
    {"verso check heat.c:misfit --at @u0.txt --seed 7 --cuts 100 --json", "Another direction, 100 cuts, for a script."},
    {NULL, NULL},
};
