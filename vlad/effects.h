/* The input and output of a program: read-real and write-real. Each effect happens once, however often an
 * evaluation repeats it: `at` counts the effects before the next one, and an effect that has already happened is
 * taken from the record instead of being done again. While effects are frozen none happens: an evaluation that may
 * take a different path (check.h) reads again what was read from that point on, in the same order, and writes
 * nothing. */
#ifndef VLAD_EFFECTS_H
#define VLAD_EFFECTS_H

#include "base/file.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <verso/status.h>

/* A number that was read or written. */
typedef struct vlad_effect {
    double number;
    bool read;
} vlad_effect;

typedef struct vlad_effects {
    FILE *in, *out;
    const char *in_name;   /* for messages */
    uint64_t line, column; /* of the next byte of `in`, from 1 */
    uint64_t at;           /* number of effects before the next one in the current evaluation; saved in capsules */
    uint64_t done;         /* number of effects that have happened */
    vlad_effect *values;   /* the effects that have happened */
    size_t room;           /* number of effects that `values` has room for */
    bool frozen;
    verso__file file; /* not open: effects are recorded in memory only */
} vlad_effects;

/* Initialises the effects; the caller keeps `in` and `out` open. vlad_effects_close frees the memory. */
void vlad_effects_open(vlad_effects *effects, FILE *in, const char *in_name, FILE *out);
void vlad_effects_close(vlad_effects *effects);
/* Reads a real in the program's syntax, delimited by white space. VERSO_STATUS_INVALID: there is none; the message
 * names line and column. VERSO_STATUS_STATE: effects are frozen, and no further number was read. */
verso_status vlad_effects_read(vlad_effects *effects, double *number, verso_error *error);
/* Writes a number on its own line, in the shortest form that reads back as the same bits. */
verso_status vlad_effects_write(vlad_effects *effects, double number, verso_error *error);
/* Also records the effects in a file from now on. The effects already in the file have happened in another process
 * of the same run and are not repeated: input that was read there is skipped and must be the same. An incomplete
 * last entry has not happened. VERSO_STATUS_CORRUPT: the file is damaged. */
verso_status vlad_effects_keep(vlad_effects *effects, const char *path, verso_error *error);
/* Writes the complete output again: for a finished run that is started once more. */
verso_status vlad_effects_show(vlad_effects *effects, verso_error *error);

#endif
