/* Running clang, the linker through it, and the transformer. */
#ifndef CC_DRIVER_PROCESS_H
#define CC_DRIVER_PROCESS_H

#include "cc/driver/session.h"

/* Runs a command and waits for it. Standard output and error go to the files named, or to ours where NULL. Returns its
 * exit status, 128 + the signal when one ended it, or DRIVER_FAILED after a message. */
int driver_process_run(driver_session *session, const driver_words *command, const char *output, const char *errors);

/* This process becomes the command. Returns only when that fails (DRIVER_FAILED after a message), or when the words are
 * too many to be handed over so: then as driver_process_run. */
int driver_process_become(driver_session *session, const driver_words *command);

#endif
