/* Drawing a schedule: the parts, from the walk up to the page. All write to a text (base/text.h). Private to schedule/.
 *
 *   walk    plays a schedule against a clock and tells a watcher what happens and which capsules are held
 *   draw    turns what the watcher sees into marks, merged where the picture has no room to tell them apart
 *   svg     the frame: title, axes, legend, and the strip of capsules held
 *   html    the page around the picture
 *
 * Invariants
 *  1. Memory is O(slots held + pixels), whatever the number of steps: a walk ends after VERSO_PICTURE_ACTIONS actions
 * or with VERSO_PICTURE_HELD capsules, and marks smaller than a pixel are merged before they become text.
 *  2. A failure (of the sink, of an allocation) is remembered where it happens and everything after it does nothing, so
 *     drawing code needs no checks; whoever opened a text asks once, at the end. */
#ifndef VERSO_SCHEDULE_PICTURE_H
#define VERSO_SCHEDULE_PICTURE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/picture.h>

#include "base/text.h"

/* ---- Walk ---- */

/* Enough for the whole of a million steps of most kinds, and a fraction of a second to walk. */
#define VERSO_PICTURE_ACTIONS UINT64_C(4000000)
#define VERSO_PICTURE_HELD UINT64_C(1000000) /* capsules at once; a walk that would hold more ends, too */

/* What is held in a slot, a state (first == last) or the record of the steps [first, last), and since when. */
typedef struct verso_kept {
    uint32_t tier;
    uint64_t slot;
    uint64_t first;
    uint64_t last;
    double since;
} verso_kept;

/* Capsules are counted and coloured by tier; records, in whatever tier, are one series more. */
enum { VERSO_SERIES_RECORDS = VERSO_TIERS_MAX, VERSO_SERIES = VERSO_TIERS_MAX + 1 };

static inline size_t verso_kept_series(const verso_kept *held) {
    return held->first == held->last ? held->tier : VERSO_SERIES_RECORDS;
}

typedef struct verso_watcher {
    void *context;
    /* An action that lasts from `start` to `end`; `held` counts each series as it is once the action is over. */
    void (*saw_action)(void *context, const verso_action *action, double start, double end, const uint64_t *held);
    /* A slot has been freed, or the walk has ended; every capsule is reported once. */
    void (*saw_kept)(void *context, const verso_kept *held, double until);
} verso_watcher;

typedef struct verso_walked {
    double time;      /* of what was walked, in the unit of the makespan */
    uint64_t actions; /* without DONE */
    uint64_t stored;  /* capsules and records */
    uint64_t peak[VERSO_SERIES];
    uint64_t peak_total;
    uint64_t reached;     /* the furthest state */
    uint64_t reversed_to; /* steps [reversed_to, n) are reversed */
    bool whole;           /* DONE was reached */
} verso_walked;

/* Walks a fresh schedule of this spec; `watcher` may be NULL. */
verso_status verso_picture_walk(const verso_schedule_spec *spec, const verso_watcher *watcher, verso_walked *walked,
                                verso_error *error);

/* ---- Draw ---- */

/* The rectangle of the drawing, in pixels of the picture, and what it spans. */
typedef struct verso_canvas {
    double left, top, width, height;
    double steps, time; /* both > 0 */
    double pitch;       /* pixels from one step to the next */
    bool detailed;      /* few enough actions for every one to be a mark of its own */
    size_t rows;        /* whole pixels of the height, for the strip */
} verso_canvas;

static inline double verso_canvas_x(const verso_canvas *canvas, double step) {
    return canvas->left + canvas->width * (step / canvas->steps);
}

static inline double verso_canvas_y(const verso_canvas *canvas, double time) {
    return canvas->top + canvas->height * (time / canvas->time);
}

/* Writes the marks of the whole walk. `most_held` has canvas->rows rows of VERSO_SERIES counts, all 0, and receives the
 * counts at the fullest moment of each row. */
verso_status verso_picture_draw(const verso_schedule *schedule, const verso_canvas *canvas, verso_text *text,
                                uint64_t (*most_held)[VERSO_SERIES], verso_error *error);

/* ---- The picture and its facts ---- */

typedef struct verso_picture {
    verso_schedule *schedule; /* owned; asked, never walked */
    verso_cost cost;
    verso_walked walked;
} verso_picture;

verso_status verso_picture_open(verso_picture *picture, const verso_schedule_spec *spec, verso_error *error);
void verso_picture_close(verso_picture *picture);
/* The <svg> element. */
verso_status verso_picture_write(const verso_picture *picture, verso_text *text, verso_error *error);
/* Closes the text; the status of the drawing comes before that of the writing. */
verso_status verso_picture_end(verso_text *text, verso_status status, verso_error *error);

/* "memory", "disk", "tier 2", "records". */
verso_number verso_series_name(const verso_schedule *schedule, size_t series);
/* Forward steps by steps: "3.46". */
verso_number verso_passes(const verso_cost *cost);
/* "revolve: 100 steps, 5 slots". */
void verso_picture_title(const verso_picture *picture, verso_text *text);
/* What part is shown, for a schedule too long to be walked to its end; nothing for the others. */
void verso_picture_note(const verso_picture *picture, verso_text *text);

/* The share of `part` in `whole`; 0 when the whole is 0. */
static inline double verso_share(double part, double whole) {
    return whole > 0 ? part / whole : 0;
}

#endif
