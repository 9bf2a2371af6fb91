/* Reads a schedule from text as in VERSO_SCHEDULE and --schedule: "auto", or a kind and parameters with the names
 * of `verso plan`'s options (spec_words.h), e.g. "revolve,slots=10". The program determines the number of steps;
 * leaf=LENGTH is the length of a step in the program's unit. The text may come from anyone, so this code is fuzzed. */
#ifndef VERSO_SCHEDULE_SPEC_TEXT_H
#define VERSO_SCHEDULE_SPEC_TEXT_H

#include <stdbool.h>
#include <stdint.h>
#include <verso/schedule.h>

/* The unit of a leaf: bytes of a recording, or steps of evaluation. */
typedef enum verso__leaf_unit { VERSO_LEAF_BYTES, VERSO_LEAF_STEPS } verso__leaf_unit;

typedef struct verso__spec_text {
    bool is_set; /* a text was read successfully */
    bool automatic;
    verso_schedule_spec spec;
    uint64_t leaf;  /* length of a step; 0: not given */
    uint64_t given; /* a bit for each given word (spec_words.h), except leaf */
} verso__spec_text;

/* Reads a text. `name` begins error messages: "VERSO_SCHEDULE", "--schedule". */
verso_status verso__spec_text_read(const char *name, const char *text, verso__leaf_unit unit, verso__spec_text *read,
                                   verso_error *error);
/* Returns VERSO_STATUS_INVALID if the kind needs a number of slots and none is given. For callers without a memory
 * budget from which to compute it. */
verso_status verso__spec_slots_check(const verso_schedule_spec *spec, verso_error *error);

#endif
