/* What the command says when something is wrong, and how it ends its output. */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "cli/command.h"

#include <verso/status.h>

#if defined(__GNUC__)
#define CLI_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_FORMAT(text, first)
#endif

/* The command line is wrong: says so, points to --help, and returns CLI_USAGE. */
CLI_FORMAT(2, 3) int cli_usage_error(const cli_command *command, const char *format, ...);
/* The command line is right, but it cannot be done: says so and returns CLI_FAILED. */
CLI_FORMAT(2, 3) int cli_failure(const cli_command *command, const char *format, ...);
/* What the library answered, in its words. Returns the exit status that belongs to it. */
int cli_library_error(const cli_command *command, verso_status status, const verso_error *error);

/* Writes out what stdout still holds. To be called once, last: returns `status`, or CLI_FAILED if anything that was
 * printed did not get out. A reader that has gone away (`| head`) is no reason for a message, nor is it
 * after a failure. */
int cli_finish_output(const cli_command *command, int status);

#endif
