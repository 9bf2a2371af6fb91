/* A schedule as a picture: `verso plan --svg` and `--html`, `verso vlad --plot`. */
#ifndef CLI_PICTURE_H
#define CLI_PICTURE_H

#include "cli/command.h"

#include <verso/schedule.h>

/* An SVG document, or a page about it. `-`: to the standard output. CLI_OK, or a status after a message. */
int cli_draw(const cli_command *command, const verso_schedule_spec *spec, const char *path, bool page);

#endif
