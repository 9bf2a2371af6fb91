/* What a program does to the world, and asks of it: read-real and write-real. Each happens once, however often an
 * evaluation passes it: the machine says how many effects lie before this one, and what happened before is not done
 * again but remembered. */
#ifndef VLAD_EFFECTS_H
#define VLAD_EFFECTS_H

#include <stdint.h>
#include <stdio.h>
#include <verso/status.h>

typedef struct vlad_effects {
    FILE *in, *out;
    const char *in_name;   /* for messages */
    uint64_t line, column; /* of the next byte of `in`, from 1 */
    uint64_t at;           /* effects before the next one, in the evaluation as it stands: belongs to capsules */
    uint64_t done;         /* that have happened */
    double *values;        /* what was read or written by each */
    size_t room;
} vlad_effects;

void vlad_effects_open(vlad_effects *effects, FILE *in, const char *in_name, FILE *out);
void vlad_effects_close(vlad_effects *effects);
/* A real as a program would write it, between white space. VERSO_INVALID: there is none; the message names line and
 * column. */
verso_status vlad_effects_read(vlad_effects *effects, double *number, verso_error *error);
/* On a line of its own, in the shortest form that reads back as the same bits. */
verso_status vlad_effects_write(vlad_effects *effects, double number, verso_error *error);

#endif
