/* A machine that evaluates a program in steps: what the three implementations have in common, and what a schedule plays
 * on. Its state is a handful of values, and continuations are objects like all others, so that an interrupted
 * evaluation is a value, too: a capsule, which costs what is needed to go on and nothing more, and can be resumed any
 * number of times. Nothing of this knows of derivatives. */
#ifndef VLAD_MACHINE_H
#define VLAD_MACHINE_H

#include "vlad/core.h"
#include "vlad/effects.h"
#include "vlad/memory.h"
#include "vlad/number.h"

#include <signal.h>

#define VLAD_FOR_EVER UINT64_MAX

enum { VLAD_PARTS = 3 };

/* Registers: values that are alive. */
typedef enum vlad_register {
    VLAD_RESULT,       /* what was evaluated last */
    VLAD_CONTINUATION, /* a frame */
    VLAD_SELF,         /* the closure whose body is being evaluated */
    VLAD_SPARE,        /* for whoever drives the machine */
    VLAD_SPARE_TOO,
    VLAD_VALUES, /* of an expression's parts, in converted code: VLAD_PARTS */
    VLAD_VALUES_END = VLAD_VALUES + VLAD_PARTS - 1,
    VLAD_FIRST_LOCAL
} vlad_register;

/* A checkpoint-*j that is done within the machine: player.h. */
typedef struct vlad_player {
    uint64_t base;  /* the machine's steps where its function began, in the run at hand */
    uint64_t stop;  /* how many steps of it shall be done */
    uint32_t level; /* of its numbers */
} vlad_player;

typedef struct vlad_machine vlad_machine;
typedef enum vlad_outcome { VLAD_ENDED, VLAD_INTERRUPTED, VLAD_FAILED } vlad_outcome;

/* An implementation: what differs between them. The rest of a machine is the same in all (machine.c, operate.c). */
typedef struct vlad_evaluator {
    /* Makes of a program what it evaluates, in the arena of the sources. */
    verso_status (*open)(vlad_machine *machine, const vlad_program *program, vlad_sources *sources, verso_error *error);
    /* An expression comes next, or nothing (NULL) but what is applied then. */
    void (*begin)(vlad_machine *machine, const vlad_expression *expression);
    /* The body of the function comes next; sets `at`. `e` is where it is written; NULL: nowhere. False: it fails. */
    bool (*apply)(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument);
    /* Goes on until `stop` steps are done. Also interrupted when players have come, gone, or gone on. */
    vlad_outcome (*run_to)(vlad_machine *machine, uint64_t stop);
    /* What it adds to a capsule: how many values; and they, and where it goes on. */
    uint64_t (*kept)(const vlad_machine *machine);
    void (*keep)(const vlad_machine *machine, vlad_object *capsule, vlad_value *rest);
    void (*put_back)(vlad_machine *machine, const vlad_object *capsule, const vlad_value *rest);
} vlad_evaluator;

extern const vlad_evaluator vlad_interpreter; /* interpret.c */
extern const vlad_evaluator vlad_hybrid;      /* hybrid.c */

struct vlad_machine {
    const vlad_evaluator *evaluator;
    vlad_heap heap;
    vlad_numbers numbers;
    const vlad_sources *sources;
    vlad_effects *effects;
    uint64_t steps, limit; /* done; where to interrupt */
    vlad_value *registers; /* and behind them locals */
    size_t register_count;
    vlad_roots roots;
    vlad_stack binding;                       /* parts of patterns that wait */
    const vlad_expression *at;                /* to be evaluated; NULL: VLAD_RESULT is handed to the continuation */
    unsigned phase;                           /* of a LET: 1 when its first step is done */
    struct vlad_checkpointing *checkpointing; /* how checkpoint-*j is done on the driver; NULL: not there */
    const struct vlad_checkpointing *nested;  /* how it is done within the machine; NULL: as *j */
    struct vlad_checking *checking;           /* tests of derivatives, check.h; NULL: none */
    vlad_player players[VLAD_LEVELS];         /* the innermost last */
    vlad_value plays[VLAD_LEVELS];            /* what each is about */
    uint32_t player_count;
    bool replayed; /* a player has gone on: stops are other ones */
    vlad_roots play_roots;
    const volatile sig_atomic_t *interrupt; /* not 0: the evaluation is to end, and fails. NULL: never */
    verso_error *error;
    const struct vlad_code *code;     /* interpreter: what is compiled of the program, code.h; NULL: nothing */
    uint64_t granted;                 /* steps done when compiled code will have none left */
    uint32_t stress, stressed;        /* tests: one of so many regions is interpreted; 0: none */
    const struct vlad_cps *converted; /* hybrid: the program */
    const struct vlad_cps_term *term; /* hybrid: what is to be evaluated; goes with `at` */
};

/* `limit`: bytes of memory; 0: what there is. */
verso_status vlad_machine_open(vlad_machine *machine, const vlad_evaluator *evaluator, const vlad_program *program,
                               vlad_sources *sources, vlad_effects *effects, uint64_t limit, verso_error *error);
void vlad_machine_close(vlad_machine *machine);

/* The next thing to do is to evaluate an expression without free variables, or to apply a function. */
void vlad_machine_begin(vlad_machine *machine, const vlad_expression *expression);
verso_status vlad_machine_apply(vlad_machine *machine, vlad_value function, vlad_value argument);
/* Goes on until the value is there (VLAD_RESULT), or `limit` steps are done in all: it then stands in front of a step.
 * A failure is in *machine->error, with the place in the program. */
vlad_outcome vlad_machine_run(vlad_machine *machine);

/* What it needs to go on from here, interrupted or not begun; and the levels of reverse mode from number `level` on,
 * and players from number `player` on: those that were begun within what is evaluated. VLAD_NOTHING: the heap is
 * exhausted.
 */
vlad_value vlad_machine_capture(vlad_machine *machine, uint32_t level, uint32_t player);
/* Steps and limit stay as they are. Tags are given again as they were: so a number is the same in every run. */
void vlad_machine_resume(vlad_machine *machine, vlad_value capsule, uint32_t level, uint32_t player);

#endif
