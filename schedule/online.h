/* What the two files of the kind `online` share. */
#ifndef VERSO_SCHEDULE_ONLINE_H
#define VERSO_SCHEDULE_ONLINE_H

#include "schedule/dominant.h"

typedef struct verso_online {
    verso_best_period best; /* steps 0: one tier */
    verso_sequence sequence;
    verso_beta_table placing; /* for choosing what to let go */
} verso_online;

/* The cost of cost->steps steps when the first sweep ends at x_stopped, the last of them or the one before; `visited`:
 * the end was told only after that state had been considered for storing. */
verso_status verso_online_cost(const verso_schedule *schedule, uint64_t stopped, bool visited, verso_cost *cost,
                               verso_error *error);

#endif
