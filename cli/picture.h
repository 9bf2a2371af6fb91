/* Texts of the library in files: pages and pictures. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "cli/command.h"

#include <verso/schedule.h>
#include <verso/sink.h>

/* Writes to a sink; VERSO_IO when the sink has failed. */
typedef verso_status cli_writer(void *context, verso_sink sink, void *to, verso_error *error);
/* `-`: to the standard output. CLI_OK, or a status after a message. */
int cli_write_text(const cli_command *command, const char *path, cli_writer *write, void *context);

/* A schedule as a picture: `verso plan --svg` and `--html`, `verso vlad --plot`. An SVG
 * document, or a page about it. */
int cli_draw(const cli_command *command, const verso_schedule_spec *spec, const char *path, bool page);

#endif
