/* Verso's own options on a compiler's command line, which clang never sees: "--verso-NAME", with a value behind "=" or
 * in the next word. */
#ifndef CC_DRIVER_OWN_OPTIONS_H
#define CC_DRIVER_OWN_OPTIONS_H

#include "cc/driver/arguments.h"

/* Divides `all` into those, which are read into `arguments`, and arguments->words. False after a message in
 * `complaint`. */
bool driver_own_options_read(driver_arguments *arguments, const driver_words *all, driver_words *complaint);

#endif
