/* `verso rev --check`: reads the options that set parameters, and compiles and runs the program that tests the
 * functions of a file. */
#ifndef CLI_REV_CHECK_H
#define CLI_REV_CHECK_H

#include "base/text.h"
#include "cli/command.h"
#include "cli/region.h"
#include "rev/check_program.h"

/* Reads the value of --set, or of --length if `length` is true: NAME=VALUE or FUNCTION.NAME=VALUE. Returns CLI_OK, or
 * CLI_USAGE after a message. */
int cli_rev_setting(const cli_command *command, cli_region *region, const char *text, bool length,
                    rev_setting *setting);

typedef struct cli_rev_program {
    const char *path;           /* path of the user's file; headers in its folder are found */
    const char *const *folders; /* folders of headers; NULL ends the list */
    char *const *arguments;     /* the user's compiler arguments, which follow our own */
    int argument_count;
    const verso__text *text; /* the test program in C */
} cli_rev_program;

/* Compiles and runs the test program. Returns CLI_OK if all tests pass; CLI_FAILED if one fails, or after a message. */
int cli_rev_check(const cli_command *command, cli_region *region, const cli_rev_program *program);

#endif
