/* A whole program, run: what `verso vlad` and compiled programs have in common. */
#ifndef VLAD_RUN_H
#define VLAD_RUN_H

#include "vlad/checkpoint.h"
#include "vlad/code.h"

#include <stdio.h>

/* How a program is run, as words: names without dashes are those of `verso vlad`'s options. VLAD_KIND is the kind of
 * schedule when none is said; with a budget, and without a word that only binary and treeverse know, VLAD_KIND_BUDGET.
 */
#define VLAD_KIND "binary"
#define VLAD_KIND_BUDGET "revolve"

typedef struct vlad_settings {
    const vlad_evaluator *evaluator; /* NULL: the interpreter, which compiled programs have, too */
    vlad_checkpointing checkpointing;
    uint64_t limit;  /* bytes of memory; 0: what there is */
    const char *run; /* a folder that makes checkpoint-*j durable; NULL: none */
    bool stats;      /* what it took is told at the end */
    bool checks;     /* derivatives are tested, and what was found is told at the end: check.h */
    uint64_t seed;   /* of these tests; 0: 1 */
    bool refuted;    /* afterwards: not all tests passed */
    bool collects;   /* tests: memory is collected whenever it can be */
    uint32_t stress; /* tests: one of so many regions is interpreted; 0: none */
} vlad_settings;

/* A budget for checkpoint-*j; before its schedule. */
verso_status vlad_settings_memory(vlad_settings *settings, const char *text, verso_error *error);
/* Of checkpoint-*j, in the words of VERSO_SCHEDULE; NULL: as it is when nothing is said. */
verso_status vlad_settings_schedule(vlad_settings *settings, const char *text, verso_error *error);
verso_status vlad_settings_limit(vlad_settings *settings, const char *text, verso_error *error);
verso_status vlad_settings_seed(vlad_settings *settings, const char *text, verso_error *error);

/* Bytes for the machine: the limit, or the budget; 0: what there is. */
uint64_t vlad_limit(const vlad_settings *settings);

/* `code`: NULL when all is interpreted. `told`: where statistics and tests go. */
verso_status vlad_run(vlad_sources *sources, const vlad_program *program, const vlad_code *code,
                      vlad_settings *settings, FILE *in, FILE *out, FILE *told, verso_error *error);

/* What it took so far. */
void vlad_tell(const vlad_settings *settings, const vlad_machine *machine, FILE *told);

/* What a compiled program does; `words` are its arguments, behind its name. Messages go to `told`. Returns its exit
 * status. */
int vlad_run_compiled(const vlad_code *code, const vlad_embedded *texts, size_t count, char **words, FILE *in,
                      FILE *out, FILE *told);

#endif
