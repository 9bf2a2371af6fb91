/* Costs and actions that the library computes for a spec, with checks that they agree. If the library refuses the
 * spec, the running test fails and prints a `verso plan` command that reproduces the case. */
#ifndef VERSO_TESTS_PLANNED_H
#define VERSO_TESTS_PLANNED_H

#include "schedule/cost.h"

#include <stddef.h>
#include <stdint.h>
#include <verso/schedule.h>

enum { PLANNED_TEXT = 512 };

/* Writes the `verso plan` command for a spec to `text`, and returns it. */
char *planned_text(const verso_schedule_spec *spec, char text[PLANNED_TEXT]);

/* Returns a spec with defaults for everything else. */
verso_schedule_spec planned_spec(verso_schedule_kind kind, uint64_t steps, uint64_t slots);

verso_schedule *planned_new(const verso_schedule_spec *spec);
verso__cost planned_cost(const verso_schedule_spec *spec); /* the predicted cost */
/* Returns the predicted cost, after checking that it equals the cost that the simulator counts. */
verso__cost planned_walked(const verso_schedule_spec *spec);
/* Fails the test unless the numbers are equal; `what` names them. */
void planned_equal(const verso_schedule_spec *spec, const char *what, verso__wide actual, verso__wide wanted);
/* Fails the test unless the spec is refused as impossible; copies the message. */
void planned_impossible(const verso_schedule_spec *spec, char message[VERSO_MESSAGE_MAX]);

typedef struct planned_actions {
    size_t count;
    verso_action *actions; /* without the final DONE */
} planned_actions;

planned_actions planned_all(const verso_schedule_spec *spec);
void planned_free(planned_actions *all);

/* The first sweep: all actions before the first `reverse`. */
typedef struct planned_sweep {
    size_t count;             /* number of states stored */
    uint64_t *stored;         /* their indices, in order */
    uint64_t longest_advance; /* in steps */
} planned_sweep;

planned_sweep planned_first_sweep(const verso_schedule_spec *spec);
void planned_sweep_free(planned_sweep *sweep);

#endif
