/* Draws a schedule. All parts write to a text (base/text.h). Private to schedule/.
 *
 *   walk    plays a schedule against a clock and reports actions and held capsules to a watcher
 *   draw    turns what the watcher sees into marks, which are merged if the picture is too small to separate them
 *   svg     the frame: title, axes, legend, and the strip of held capsules
 *   html    the page around the picture
 *
 * Invariants
 *  1. Memory is O(held slots + pixels) for any number of steps: a walk ends after VERSO_PICTURE_ACTIONS actions or
 *     with VERSO_PICTURE_HELD capsules, and marks smaller than a pixel are merged before they become text.
 *  2. The text remembers the first failure of the sink or of an allocation and then ignores all writes, so that
 *     drawing code needs no checks. The function that opened the text checks once, at the end. */
#ifndef VERSO_SCHEDULE_PICTURE_H
#define VERSO_SCHEDULE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/picture.h>

#include "base/text.h"
#include "schedule/cost.h"

/* ---- Walk ---- */

/* Enough for a million steps of most kinds, and a fraction of a second to walk. */
#define VERSO_PICTURE_ACTIONS UINT64_C(4000000)
#define VERSO_PICTURE_HELD UINT64_C(1000000) /* maximum number of capsules at once; a walk that would hold more ends */

/* The contents of a slot, a state (first == last) or the record of the steps [first, last), and when it was stored. */
typedef struct verso__kept {
    uint32_t tier;
    uint64_t slot;
    uint64_t first;
    uint64_t last;
    double since;
} verso__kept;

/* Capsules are counted and coloured by tier; records of all tiers are one more series. */
enum { VERSO_SERIES_RECORDS = VERSO_TIERS_MAX, VERSO_SERIES = VERSO_TIERS_MAX + 1 };

static inline size_t verso__kept_series(const verso__kept *held) {
    return held->first == held->last ? held->tier : VERSO_SERIES_RECORDS;
}

/* Callbacks of a walk. */
typedef struct verso__watcher {
    void *context;
    /* Reports an action that lasts from `start` to `end`. `held` are the numbers of each series after the action. */
    void (*saw_action)(void *context, const verso_action *action, double start, double end, const uint64_t *held);
    /* Reports that a slot was freed, or that the walk has ended while it was in use; called once for each capsule. */
    void (*saw_kept)(void *context, const verso__kept *held, double until);
} verso__watcher;

/* The result of a walk. */
typedef struct verso__walked {
    double time;                 /* duration of the walk, in the unit of the makespan */
    uint64_t actions;            /* number of actions without DONE */
    uint64_t stored;             /* number of stored capsules and records */
    uint64_t peak[VERSO_SERIES]; /* maximum held of each series */
    uint64_t peak_total;         /* maximum held in all */
    uint64_t reached;            /* the furthest state */
    uint64_t reversed_to;        /* steps [reversed_to, n) are reversed */
    bool whole;                  /* the walk reached DONE */
} verso__walked;

/* Walks a copy of a schedule whose first action has not been taken; the schedule itself does not change. `watcher` may
 * be NULL. */
verso_status verso__picture_walk(const verso_schedule *schedule, const verso__watcher *watcher, verso__walked *walked,
                                 verso_error *error);

/* ---- Draw ---- */

/* The rectangle of the drawing in pixels, and the steps and the time that it spans. */
typedef struct verso__canvas {
    double left, top, width, height;
    double steps, time; /* both > 0 */
    double pitch;       /* pixels from one step to the next */
    bool detailed;      /* there are few enough actions to draw each as a mark of its own */
    size_t rows;        /* height in whole pixels, for the strip */
} verso__canvas;

static inline double verso__canvas_x(const verso__canvas *canvas, double step) {
    return canvas->left + canvas->width * (step / canvas->steps);
}

static inline double verso__canvas_y(const verso__canvas *canvas, double time) {
    return canvas->top + canvas->height * (time / canvas->time);
}

/* Writes the marks of the whole walk. `most_held` has canvas->rows rows of VERSO_SERIES counts, initially 0, and
 * receives the counts at the moment of each row at which the most are held. */
verso_status verso__picture_draw(const verso_schedule *schedule, const verso__canvas *canvas, verso__text *text,
                                 uint64_t (*most_held)[VERSO_SERIES], verso_error *error);

/* ---- The picture ---- */

typedef struct verso__picture {
    verso_schedule *schedule; /* owned; only queried, never walked */
    verso__cost cost;
    verso__walked walked;
} verso__picture;

/* Makes the schedule, its cost and a walk without a watcher. Call verso__picture_close only after success. */
verso_status verso__picture_open(verso__picture *picture, const verso_schedule_spec *spec, verso_error *error);
void verso__picture_close(verso__picture *picture);
/* Writes the <svg> element. */
verso_status verso__picture_write(const verso__picture *picture, verso__text *text, verso_error *error);
/* Closes the text. Returns `status` if that is a failure, else the status of writing. */
verso_status verso__picture_end(verso__text *text, verso_status status, verso_error *error);

/* Returns "memory", "disk", "tier 2" or "records". */
verso__number verso__series_name(const verso_schedule *schedule, size_t series);
/* Returns forward steps divided by steps: "3.46". */
verso__number verso__passes(const verso__cost *cost);
/* Writes "revolve: 100 steps, 5 slots". */
void verso__picture_title(const verso__picture *picture, verso__text *text);
/* Writes which part is shown if the schedule is too long to be walked to its end; else nothing. */
void verso__picture_note(const verso__picture *picture, verso__text *text);

/* The share of `part` in `whole`; 0 if the whole is 0. */
static inline double verso__share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

#endif
