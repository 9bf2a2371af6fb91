/* Classifies input files by the value of -x or by their suffix, as clang does. */
#ifndef CC_DRIVER_INPUTS_H
#define CC_DRIVER_INPUTS_H

#include "cc/driver/arguments.h"

/* Returns the kind of an input. `language` is the value of -x; NULL: not given. */
driver_input driver_input_of(const char *path, const char *language);
/* Returns true if the input goes through the preprocessor and may therefore include headers. */
bool driver_input_reads_headers(const char *path, const char *language);
/* Returns the last part of a path without its suffix: "heat" for "src/heat.c". The string is kept in `kept`. */
const char *driver_base_name(driver_words *kept, const char *path);

#endif
