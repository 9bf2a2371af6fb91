/* Replaces mangled names in texts for users: _Z3addRSt6vectorIdE by add(std::vector<double>&), and flang's
 * _QMoceanPstep by ocean::step. Files that are read back (verso.sites, profiles) and JSON keep the mangled names, which
 * contain no spaces. */
#ifndef CC_DRIVER_DEMANGLE_H
#define CC_DRIVER_DEMANGLE_H

#include <stdbool.h>

/* Returns a copy of the text with demangled names, which the caller frees with free; NULL if memory is exhausted. If
 * `html` is true, escapes <, > and & in the names. */
char *driver_demangled(const char *text, bool html);

#endif
