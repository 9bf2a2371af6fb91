/* Verso's own options on a compiler's command line, which are not passed to clang: "--verso-NAME", with a value after
 * "=" or in the next argument. */
#ifndef CC_DRIVER_OWN_OPTIONS_H
#define CC_DRIVER_OWN_OPTIONS_H

#include "cc/driver/arguments.h"

/* Reads Verso's own options in `all` into `arguments`, and puts all other arguments into arguments->words. Returns
 * false, with a message in `complaint`, if one of the options is wrong. */
bool driver_own_options_read(driver_arguments *arguments, const driver_words *all, driver_words *complaint);

#endif
