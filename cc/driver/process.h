/* Runs clang, the linker (through clang) and the transformer. */
#ifndef CC_DRIVER_PROCESS_H
#define CC_DRIVER_PROCESS_H

#include "cc/driver/session.h"

/* Runs a command and waits for it. Its standard output and error go to the files `output` and `errors`; NULL: to ours.
 * Returns its exit status, 128 + N if signal N ended it, or DRIVER_FAILED after printing a message. */
int driver_process_run(driver_session *session, const driver_words *command, const char *output, const char *errors);

/* Replaces this process by the command. Returns only if that fails (DRIVER_FAILED after printing a message), or if the
 * command is too long for exec: then it behaves like driver_process_run. */
int driver_process_exec(driver_session *session, const driver_words *command);

#endif
