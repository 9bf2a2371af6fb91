/* What kind of input a file is, by the language that was named or by its name, as clang has it. */
#ifndef CC_DRIVER_INPUTS_H
#define CC_DRIVER_INPUTS_H

#include "cc/driver/arguments.h"

/* `language` is what -x said; NULL: nothing. */
driver_input driver_input_of(const char *path, const char *language);
/* Whether it goes through the preprocessor, so that where headers are matters. */
bool driver_input_reads_headers(const char *path, const char *language);
/* The last part of a path without its ending: "heat" of "src/heat.c". */
const char *driver_base_name(driver_words *kept, const char *path);

#endif
