/* A scratch folder for the intermediate files of a subcommand, and reading and writing of whole files. */
#ifndef CLI_SCRATCH_H
#define CLI_SCRATCH_H

#include "cli/command.h"
#include "cli/region.h"

typedef struct cli_scratch {
    char *path; /* NULL: there is none */
    bool kept;  /* cli_scratch_close does not remove it */
} cli_scratch;

/* Uses the folder `keep`, which is created if necessary and is kept; if `keep` is NULL, creates a temporary folder,
 * which cli_scratch_close removes. Returns CLI_OK, or CLI_FAILED after a message. */
int cli_scratch_open(const cli_command *command, cli_region *region, const char *keep, cli_scratch *scratch);
/* Returns the path of the file `name` in the folder. */
char *cli_scratch_file(const cli_scratch *scratch, cli_region *region, const char *name);
/* Removes the folder with its contents unless it is kept. No-op if there is none. */
void cli_scratch_close(cli_scratch *scratch);

/* Reads a whole file and appends a NUL, which `size` does not count. Returns NULL with errno set if it cannot be
 * read. */
char *cli_file_read(cli_region *region, const char *path, size_t *size);
/* The same for a file that another user might have placed there: fails on symbolic links and on anything else that is
 * not a regular file. */
char *cli_file_read_own(cli_region *region, const char *path, size_t *size);
/* Writes a whole file. Returns CLI_OK, or CLI_FAILED after a message. */
int cli_file_write(const cli_command *command, const char *path, const void *bytes, size_t size);

#endif
