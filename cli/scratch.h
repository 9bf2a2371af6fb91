/* A folder for what a subcommand makes on the way, and files in it as wholes. */
#ifndef CLI_SCRATCH_H
#define CLI_SCRATCH_H

#include "cli/command.h"
#include "cli/region.h"

typedef struct cli_scratch {
    char *path; /* NULL: there is none */
    bool kept;
} cli_scratch;

/* In `keep`, which is made if need be and stays; or, when that is NULL, in a new folder that goes when the scratch is
 * closed. CLI_OK or CLI_FAILED after a message. */
int cli_scratch_open(const cli_command *command, cli_region *region, const char *keep, cli_scratch *scratch);
char *cli_scratch_file(const cli_scratch *scratch, cli_region *region, const char *name);
void cli_scratch_close(cli_scratch *scratch);

/* A whole file, a NUL behind it. NULL with errno set when it cannot be read. */
char *cli_file_read(cli_region *region, const char *path, size_t *size);
/* CLI_OK or CLI_FAILED after a message. */
int cli_file_write(const cli_command *command, const char *path, const void *bytes, size_t size);

#endif
