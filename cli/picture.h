/* Writes pages and pictures that the library produces to files. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "cli/command.h"

#include <verso/schedule.h>
#include <verso/sink.h>

/* A function that writes a text with sink(to, ...). Returns VERSO_STATUS_IO if the sink fails. */
typedef verso_status cli_writer(void *context, verso_sink sink, void *to, verso_error *error);
/* Writes the text of `write` to the file `path`, or to standard output if it is "-". The file is replaced as a whole,
 * or not at all. Returns CLI_OK, or CLI_FAILED after a message. */
int cli_write_text(const cli_command *command, const char *path, cli_writer *write, void *context);

/* Draws a schedule to `path`, for `verso plan --svg`, `verso plan --html` and `verso vlad --plot`: as an HTML page if
 * `page` is true, else as an SVG document. Returns CLI_OK, or another exit status after a message. */
int cli_draw(const cli_command *command, const verso_schedule_spec *spec, const char *path, bool page);

#endif
