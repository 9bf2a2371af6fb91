/* `verso rev --check`: prints a main function, which tests the functions of a translated file, after that file.
 * The tests themselves are in include/verso/rev/checker.h. */
#ifndef REV_CHECK_PROGRAM_H
#define REV_CHECK_PROGRAM_H

#include "rev/program.h"

/* One --set or --length option: --set x=0.5, --set f.x=1,2,3, --set x=0.2:0.8, --length x=100. */
typedef struct rev_setting {
    const char *function; /* NULL: all functions */
    const char *parameter;
    const char *numbers; /* the numbers of the option, already checked, separated by commas */
    bool range;          /* `numbers` is a lower and an upper bound */
    bool length;         /* --length; else --set */
    bool used;           /* set by rev_print_checks if a parameter has this name */
} rev_setting;

typedef struct rev_checking {
    rev_setting *settings;
    size_t count;
    uint64_t seed;
} rev_checking;

/* Appends the tests of all reversible functions of `program` to `output`, which holds the translated file. That
 * file must have renamed the user's own `main` (with a #define). */
void rev_print_checks(rev_program *program, const rev_checking *checking, verso__text *output);

#endif
