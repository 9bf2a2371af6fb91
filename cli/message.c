/* Prints error messages in one form, "verso plan: what is wrong", which scripts can rely on. A failure to write to
 * standard error is ignored, because it cannot be reported. */
#include "cli/message.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *separator(const cli_command *command) {
    return command->name[0] ? " " : "";
}

static void print_message(const cli_command *command, const char *format, va_list arguments) {
    fprintf(stderr, "verso%s%s: ", separator(command), command->name);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int cli_usage_error(const cli_command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(command, format, arguments);
    va_end(arguments);
    fprintf(stderr, "Try 'verso%s%s --help'.\n", separator(command), command->name);
    return CLI_USAGE;
}

int cli_failure(const cli_command *command, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(command, format, arguments);
    va_end(arguments);
    return CLI_FAILED;
}

int cli_library_error(const cli_command *command, verso_status status, const verso_error *error) {
    const char *message = error && error->message[0] ? error->message : verso_status_text(status);
    if (status == VERSO_STATUS_INVALID)
        return cli_usage_error(command, "%s", message);
    return cli_failure(command, "%s", message);
}

int cli_finish_output(const cli_command *command, int status) {
    errno = 0;
    if (fflush(stdout) == 0 && !ferror(stdout))
        return status;
    if (errno == 0) { /* an earlier write failed and errno is lost: write once more to learn the reason */
        clearerr(stdout);
        fputc('\n', stdout);
        fflush(stdout);
    }
    if (status != CLI_OK) /* a message has been printed */
        return status;
    if (errno == EPIPE)
        return CLI_FAILED;
    return cli_failure(command, "cannot write the output: %s", strerror(errno ? errno : EIO));
}
