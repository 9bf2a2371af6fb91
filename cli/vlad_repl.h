/* A session of `verso vlad`: evaluates expressions as the user types them. */
#ifndef CLI_VLAD_REPL_H
#define CLI_VLAD_REPL_H

#include "cli/command.h"
#include "vlad/checkpoint.h"

typedef struct cli_vlad_session {
    const cli_command *command;
    const char *file; /* file that is evaluated first; NULL: none */
    const vlad_evaluator *evaluator;
    vlad_checkpointing *checkpointing;
    uint64_t limit; /* maximum bytes of memory; 0: no limit */
    bool bare;      /* without the prelude */
    bool collect;   /* run the garbage collector before every step */
    /* Called after each evaluation to print statistics. May be NULL. */
    void (*report)(const void *context, const vlad_machine *machine);
    const void *context;
} cli_vlad_session;

/* Runs the session until the input ends. Returns the exit status. */
int cli_vlad_repl(const cli_vlad_session *session);

#endif
