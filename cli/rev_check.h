/* `verso rev --check`: reads what its options say of a file's parameters; compiles the program that tests the file's
 * functions, and runs it. */
#ifndef CLI_REV_CHECK_H
#define CLI_REV_CHECK_H

#include "base/text.h"
#include "cli/command.h"
#include "cli/region.h"
#include "rev/check_program.h"

/* NAME=VALUE or FUNCTION.NAME=VALUE. CLI_OK, or CLI_USAGE after a message. */
int cli_rev_setting(const cli_command *command, cli_region *region, const char *text, bool length,
                    rev_setting *setting);

typedef struct cli_rev_program {
    const char *path;           /* of the user's file: headers beside it are found */
    const char *const *folders; /* of headers; NULL ends the list */
    char *const *words;         /* for the compiler, behind ours */
    int word_count;
    const verso_text *text;
} cli_rev_program;

/* CLI_OK when all functions hold, CLI_FAILED when not, or after a message. */
int cli_rev_check(const cli_command *command, cli_region *region, const cli_rev_program *program);

#endif
