/* How many elements a pointer parameter leads to: `double x[3 * n]`, `rev_length(f, x, 3 * n);`. */
#ifndef REV_LENGTH_H
#define REV_LENGTH_H

#include "rev/program.h"

/* What one element is: arrays are taken apart. */
const rev_type *rev_element(const rev_type *type);
bool rev_by_value(const rev_variable *parameter);
/* The number of such elements behind a pointer or an array, as C; NULL: it is not known. Refuses what cannot be
 * computed from integers that are passed by value. */
const char *rev_length_of(rev_program *program, const rev_function *function, const rev_variable *parameter);
/* Declarations name what there is. */
void rev_check_lengths(rev_program *program);

#endif
