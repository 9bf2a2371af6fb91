/* The number of elements that a pointer parameter points to. The user gives it as `double x[3 * n]` or
 * `rev_length(f, x, 3 * n);`. */
#ifndef REV_LENGTH_H
#define REV_LENGTH_H

#include "rev/program.h"

/* Returns the element type of a pointer or array, of nested arrays that of the innermost; any other type itself. */
const rev_type *rev_element(const rev_type *type);
/* True if the parameter is neither a pointer nor an array. */
bool rev_by_value(const rev_variable *parameter);
/* Returns the number of elements (of type rev_element) that a pointer or array parameter points to, as a C
 * expression; NULL if it is unknown. Refuses lengths that cannot be computed from integers passed by value. */
const char *rev_length_of(rev_program *program, const rev_function *function, const rev_variable *parameter);
/* True if rev_length_of returns a length. Refuses nothing. */
bool rev_length_known(rev_program *program, const rev_function *function, const rev_variable *parameter);
/* Reports each rev_length(...) that names an unknown function or parameter. */
void rev_check_lengths(rev_program *program);

#endif
