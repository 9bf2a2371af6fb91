/* `verso rev --check`: a main behind the functions of a file that tests them. See check_program.c. */
#ifndef REV_CHECK_PROGRAM_H
#define REV_CHECK_PROGRAM_H

#include "rev/program.h"

/* --set x=0.5 or f.x=1,2,3 or x=0.2:0.8; --length x=100. */
typedef struct rev_setting {
    const char *function; /* NULL: all */
    const char *parameter;
    const char *numbers; /* checked, between commas */
    bool range, length;
    bool used; /* there is such a parameter: set here */
} rev_setting;

typedef struct rev_checking {
    rev_setting *settings;
    size_t count;
    uint64_t seed;
} rev_checking;

/* Behind the translated file, in which `main` is another name. */
void rev_print_checks(rev_program *program, const rev_checking *checking, verso_text *output);

#endif
