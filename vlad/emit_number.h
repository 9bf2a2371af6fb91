/* The part of the compiler that handles numbers: operators, and versions of loops for numbers of known kinds. See
 * emit.h. */
#ifndef VLAD_EMIT_NUMBER_H
#define VLAD_EMIT_NUMBER_H

#include "vlad/emit.h"

/* emit_number.c: Emits code for an operator that yields its value immediately. Returns false, and emits nothing, for
 * any other operator. */
bool vlad_emit_operate(vlad_emitter *g, const vlad_expression *e, vlad_form *forms, vlad_form *result);
/* Writes the C expression of a number's double, the primal of one with a derivative, to `text`, and returns `text`. */
const char *vlad_emit_double(const vlad_form *form, char *text);

/* emit_version.c: Emits versions of a loop, and the code that chooses one; both are added to the texts. */
void vlad_emit_versions(vlad_emitter *g, vlad_work work, vlad_writer *choice, vlad_writer *versions);
/* Emits the next iteration within a version. Returns false if a general call must follow. */
bool vlad_emit_again(vlad_emitter *g, const vlad_lambda *lambda, vlad_form *locals, vlad_form closure);
/* Returns the form of a captured number in the current version; NULL: it is not in a C variable. */
const vlad_form *vlad_version_number(const vlad_emitter *g, const vlad_reference *reference);
/* True if the counters of the topmost level are in C variables: code that leaves the version must store them. */
bool vlad_version_counts(const vlad_emitter *g);

/* emit_value.c: Emits code that makes the value a word, unless it is a number. */
vlad_form vlad_emit_simple(vlad_emitter *g, vlad_form form);
vlad_form vlad_emit_pair(vlad_emitter *g, vlad_form first, vlad_form second);

#endif
