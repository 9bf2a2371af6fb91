/* --schedule KIND, and the options that stand for words behind it, as one text: the way VERSO_SCHEDULE has it. */
#ifndef CLI_SCHEDULE_H
#define CLI_SCHEDULE_H

#include "cli/options.h"
#include "cli/region.h"

/* `words` are places in the command's table. Without --schedule they belong to `kind`. NULL: nothing is said. */
const char *cli_schedule_text(cli_region *region, const cli_command *command, const cli_arguments *arguments,
                              int schedule, const int *words, size_t count, const char *kind);

#endif
