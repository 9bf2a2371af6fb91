/* Error messages of the command, and the check that all output was written. All messages go to standard error and begin
 * with the command's name: "verso plan: ...". */
#ifndef CLI_MESSAGE_H
#define CLI_MESSAGE_H

#include "cli/command.h"

#include <verso/status.h>

#if defined(__GNUC__)
#define CLI_FORMAT(text, first) __attribute__((format(printf, text, first)))
#else
#define CLI_FORMAT(text, first)
#endif

/* For a wrong command line: prints the message and a reference to --help, and returns CLI_USAGE. */
CLI_FORMAT(2, 3) int cli_usage_error(const cli_command *command, const char *format, ...);
/* For any other failure: prints the message and returns CLI_FAILED. */
CLI_FORMAT(2, 3) int cli_failure(const cli_command *command, const char *format, ...);
/* Prints the message of a library function that returned `status`. Returns CLI_USAGE for VERSO_STATUS_INVALID, else
 * CLI_FAILED. */
int cli_library_error(const cli_command *command, verso_status status, const verso_error *error);

/* Flushes stdout. Call it once, at the end. Returns `status`, or CLI_FAILED after a message if some output could not be
 * written. Prints no message if the reader closed the pipe (`| head`) or if `status` is already a failure. */
int cli_finish_output(const cli_command *command, int status);

#endif
