/* `verso vlad` line by line. */
#ifndef CLI_VLAD_REPL_H
#define CLI_VLAD_REPL_H

#include "cli/command.h"
#include "vlad/checkpoint.h"

typedef struct cli_vlad_session {
    const cli_command *command;
    const char *file; /* what is read first; NULL: nothing */
    const vlad_evaluator *evaluator;
    vlad_checkpointing *checkpointing;
    uint64_t limit; /* of memory; 0: none */
    bool collect;   /* at every step */
    /* After each piece, if it is not NULL: what it took. */
    void (*tell)(const void *context, const vlad_machine *machine);
    const void *context;
} cli_vlad_session;

/* Until the input ends. Returns the exit status. */
int cli_vlad_repl(const cli_vlad_session *session);

#endif
