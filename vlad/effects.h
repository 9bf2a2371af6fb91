/* What a program does to the world, and asks of it: read-real and write-real. Each happens once, however often an
 * evaluation passes it: the machine says how many effects lie before this one, and what happened before is not done
 * again but remembered. Frozen effects never happen: an evaluation that may take another course (check.h) reads again
 * what was read from there on, in that order, and writes nowhere. */
#ifndef VLAD_EFFECTS_H
#define VLAD_EFFECTS_H

#include "base/file.h"

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <verso/status.h>

/* What was read, or written. */
typedef struct vlad_effect {
    double number;
    bool read;
} vlad_effect;

typedef struct vlad_effects {
    FILE *in, *out;
    const char *in_name;   /* for messages */
    uint64_t line, column; /* of the next byte of `in`, from 1 */
    uint64_t at;           /* effects before the next one, in the evaluation as it stands: belongs to capsules */
    uint64_t done;         /* that have happened */
    vlad_effect *values;   /* all of them */
    size_t room;
    bool frozen;
    verso_file file; /* not open: they are kept in memory only */
} vlad_effects;

void vlad_effects_open(vlad_effects *effects, FILE *in, const char *in_name, FILE *out);
void vlad_effects_close(vlad_effects *effects);
/* A real as a program would write it, between white space. VERSO_INVALID: there is none; the message names line and
 * column. VERSO_STATE: they are frozen, and no more was read. */
verso_status vlad_effects_read(vlad_effects *effects, double *number, verso_error *error);
/* On a line of its own, in the shortest form that reads back as the same bits. */
verso_status vlad_effects_write(vlad_effects *effects, double number, verso_error *error);
/* From now on each is also kept in a file. Those that are in it already have happened in another process of the same
 * run, and are not done again: input that was read there is read over, and must be the same. A last entry that is not
 * whole has not happened. VERSO_CORRUPT: the file is damaged. */
verso_status vlad_effects_keep(vlad_effects *effects, const char *path, verso_error *error);

#endif
