/* A schedule as one text, the way VERSO_SCHEDULE and --schedule have it: auto, or a kind and words of `verso plan`'s
 * options (spec_words.h): "revolve,slots=10". The number of steps is the program's own; leaf=LENGTH is how long one is,
 * in what the program measures it by. Texts come from anyone: this is fuzzed. */
#ifndef VERSO_SCHEDULE_SPEC_TEXT_H
#define VERSO_SCHEDULE_SPEC_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <verso/schedule.h>

typedef struct verso_spec_text {
    bool said; /* one was read */
    bool automatic;
    verso_schedule_spec spec;
    uint64_t leaf;  /* 0: nothing is said */
    uint64_t given; /* a bit for each word (spec_words.h), but for leaf */
} verso_spec_text;

/* `name` begins the message: "VERSO_SCHEDULE", "--schedule". */
verso_status verso_spec_text_read(const char *name, const char *text, verso_spec_text *read, verso_error *error);
/* VERSO_INVALID when the kind needs a number of slots, and it is not there; for who has no budget that gives it. */
verso_status verso_spec_slots_check(const verso_schedule_spec *spec, verso_error *error);

#endif
