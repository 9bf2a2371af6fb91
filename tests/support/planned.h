/* What the library says of a spec: its cost, its actions, and whether the two agree. Whatever it refuses fails the
 * running test with a `verso plan` command that shows the case. */
#ifndef VERSO_TESTS_PLANNED_H
#define VERSO_TESTS_PLANNED_H

#include <stddef.h>
#include <stdint.h>
#include <verso/schedule.h>

enum { PLANNED_TEXT = 512 };

/* The command that plans this; returns its argument. */
char *planned_text(const verso_schedule_spec *spec, char text[PLANNED_TEXT]);

/* Everything else as it is by default. */
verso_schedule_spec planned_spec(verso_schedule_kind kind, uint64_t steps, uint64_t slots);

verso_schedule *planned_new(const verso_schedule_spec *spec);
verso_cost planned_cost(const verso_schedule_spec *spec); /* predicted */
/* Predicted, and equal in every count to what the simulator saw. */
verso_cost planned_walked(const verso_schedule_spec *spec);
/* Fails unless the numbers are equal; `what` names them. */
void planned_equal(const verso_schedule_spec *spec, const char *what, verso_wide actual, verso_wide wanted);
/* Fails unless the spec is refused as impossible; the message is copied. */
void planned_impossible(const verso_schedule_spec *spec, char message[VERSO_MESSAGE_MAX]);

typedef struct planned_actions {
    size_t count;
    verso_action *actions; /* without the last, DONE */
} planned_actions;

planned_actions planned_all(const verso_schedule_spec *spec);
void planned_free(planned_actions *all);

/* Up to the first `reverse`. */
typedef struct planned_sweep {
    size_t count;
    uint64_t *stored; /* positions, in order */
    uint64_t longest_advance;
} planned_sweep;

planned_sweep planned_first_sweep(const verso_schedule_spec *spec);
void planned_sweep_free(planned_sweep *sweep);

#endif
