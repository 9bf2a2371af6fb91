/* Joins --schedule KIND and the options for its parameters into one text in the syntax of VERSO_SCHEDULE. */
#ifndef CLI_SCHEDULE_H
#define CLI_SCHEDULE_H

#include "cli/options.h"
#include "cli/region.h"

#include <verso/status.h>

/* Returns e.g. "revolve,slots=10". `schedule` is the index of --schedule in the command's option table, `words` are the
 * `count` indices of the options for parameters. Without --schedule, the kind is `kind`. Returns NULL if none of the
 * options is given. */
const char *cli_schedule_text(cli_region *region, const cli_command *command, const cli_arguments *arguments,
                              int schedule, const int *words, size_t count, const char *kind);
/* Changes a message of the library about a parameter of --schedule ("--schedule: leaf: 'abc' is not a number") so that
 * it names the option by which the parameter was given ("--leaf: 'abc' is not a number"). Leaves other messages
 * unchanged. `words` and `count` are as above. */
void cli_schedule_blame(const cli_command *command, const cli_arguments *arguments, const int *words, size_t count,
                        verso_error *error);

#endif
