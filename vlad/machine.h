/* The machine: evaluates a program in steps. It is the common part of the three implementations, and the program
 * that schedules are played on. Its state is a few values, and continuations are ordinary objects. So an
 * interrupted evaluation can be captured as a value: a capsule, which holds exactly what is needed to continue,
 * and can be resumed any number of times. Capturing and resuming do not depend on derivatives. */
#ifndef VLAD_MACHINE_H
#define VLAD_MACHINE_H

#include "vlad/core.h"
#include "vlad/effects.h"
#include "vlad/memory.h"
#include "vlad/number.h"

#include <signal.h>

#define VLAD_FOR_EVER UINT64_MAX

enum { VLAD_PARTS = 3 };

/* Registers: values that the collector keeps. */
typedef enum vlad_register {
    VLAD_RESULT,       /* the last value */
    VLAD_CONTINUATION, /* a frame */
    VLAD_SELF,         /* the closure whose body is being evaluated */
    VLAD_SPARE,        /* for the code that runs the machine */
    VLAD_SPARE_TOO,
    VLAD_VALUES, /* converted code: values of an expression's parts, VLAD_PARTS of them */
    VLAD_VALUES_END = VLAD_VALUES + VLAD_PARTS - 1,
    VLAD_FIRST_LOCAL
} vlad_register;

/* A checkpoint-*j that runs within the machine (player.h). */
typedef struct vlad_player {
    uint64_t base;  /* the machine's step count at which its function began, in the current run */
    uint64_t stop;  /* number of steps of the function after which to stop */
    uint32_t level; /* level of its numbers */
} vlad_player;

typedef struct vlad_machine vlad_machine;
typedef enum vlad_outcome { VLAD_ENDED, VLAD_INTERRUPTED, VLAD_FAILED } vlad_outcome;

/* An implementation of evaluation. Everything else in a machine is common to all (machine.c, operate.c). */
typedef struct vlad_evaluator {
    /* Prepares the program, in the arena of the sources. */
    verso_status (*open)(vlad_machine *machine, const vlad_program *program, vlad_sources *sources, verso_error *error);
    /* Makes an expression the next thing to evaluate; NULL: the caller applies a function next. */
    void (*begin)(vlad_machine *machine, const vlad_expression *expression);
    /* Makes the body of a function the next thing to evaluate; sets `at`. `e` is the application in the program;
     * NULL: there is none. Returns false if the machine has failed. */
    bool (*apply)(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument);
    /* Evaluates until `stop` steps are done. Returns VLAD_INTERRUPTED also if a player began, ended or moved on. */
    vlad_outcome (*run_to)(vlad_machine *machine, uint64_t stop);
    /* The evaluator's own part of a capsule: the number of its values, saving them, and restoring them. */
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
    uint64_t steps;        /* number of steps done */
    uint64_t limit;        /* number of steps at which to interrupt */
    vlad_value *registers; /* followed by the locals */
    size_t register_count;
    vlad_roots roots;
    vlad_stack binding;        /* parts of patterns that are still to be bound: vlad_pending */
    const vlad_expression *at; /* expression to evaluate next; NULL: VLAD_RESULT goes to the continuation */
    unsigned phase;            /* inside a LET: 1 after its first step; else 0 */
    struct vlad_checkpointing *checkpointing; /* settings of checkpoint-*j on the driver; NULL: not available */
    const struct vlad_checkpointing *nested; /* settings of checkpoint-*j within the machine; NULL: evaluate it as *j */
    struct vlad_checking *checking;          /* tests of derivatives (check.h); NULL: none */
    vlad_player players[VLAD_LEVELS];        /* the innermost last */
    vlad_value plays[VLAD_LEVELS];           /* the VLAD_PLAY of each player */
    uint32_t player_count;
    bool replayed; /* a player has moved on, so that stops have changed */
    vlad_roots play_roots;
    /* not 0: the evaluation must end, and fails. NULL: it is never interrupted */
    const volatile sig_atomic_t *interrupt;
    verso_error *error;
    const struct vlad_code *code;     /* interpreter: compiled code of the program (code.h); NULL: none */
    uint64_t granted;                 /* value of `steps` when compiled code has used up its steps */
    uint32_t stress, stressed;        /* for tests: interpret one of `stress` regions; 0: none */
    const struct vlad_cps *converted; /* hybrid: the converted program */
    const struct vlad_cps_term *term; /* hybrid: term to evaluate next; set together with `at` */
};

/* Opens a machine for a program. `limit` is a number of bytes; 0: no limit. `sources` and `effects` must outlive
 * it. */
verso_status vlad_machine_open(vlad_machine *machine, const vlad_evaluator *evaluator, const vlad_program *program,
                               vlad_sources *sources, vlad_effects *effects, uint64_t limit, verso_error *error);
/* Frees the machine and its heap. No-op on a machine that is closed or failed to open. */
void vlad_machine_close(vlad_machine *machine);

/* Make the evaluation of an expression without free variables, or the application of a function, the next thing to
 * do. */
void vlad_machine_begin(vlad_machine *machine, const vlad_expression *expression);
verso_status vlad_machine_apply(vlad_machine *machine, vlad_value function, vlad_value argument);
/* Runs until the value is in VLAD_RESULT, or until `limit` steps are done; the machine is then between two steps.
 * A failure is in *machine->error, with its place in the program. */
vlad_outcome vlad_machine_run(vlad_machine *machine);

/* Returns a capsule of the current state, which may be before the first step; it includes the levels of reverse
 * mode from `level` on and the players from `player` on, that is, those that began within the evaluation. Returns
 * VLAD_NOTHING if the heap is exhausted. */
vlad_value vlad_machine_capture(vlad_machine *machine, uint32_t level, uint32_t player);
/* Restores the state of a capsule, except for `steps` and `limit`. Tags are assigned again as before, so numbers
 * are the same in every run. */
void vlad_machine_resume(vlad_machine *machine, vlad_value capsule, uint32_t level, uint32_t player);

#endif
