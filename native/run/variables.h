/* The program's variables, and lists of ranges that are sorted by address. */
#ifndef NATIVE_RUN_VARIABLES_H
#define NATIVE_RUN_VARIABLES_H

#include "native/memory/memory.h"

/* Sorts a list by address. */
void verso__native_ranges_sort(verso__native_range *list, size_t count);
/* Returns the range of a sorted list, whose ranges do not overlap, that contains `address`; empty: none does. */
verso__native_range verso__native_ranges_find(const verso__native_range *list, size_t count, const char *address);
/* Returns the program's variables, sorted, until verso__native_variables_forget. Gives up if there is no memory. Must
 * be called on the private stack. */
const verso__native_range *verso__native_variables(size_t *count);
/* Returns the variable that contains `address`; empty: none does. */
verso__native_range verso__native_variable_at(const char *address);
/* Frees the list. */
void verso__native_variables_forget(void);

#endif
