/* Finds the functions that a source file names in VERSO_CUSTOM_ADJOINT or VERSO_ADJOINT, which clang must not inline,
 * and uses of exceptions. The text is searched without preprocessing. */
#ifndef CC_DRIVER_NAMED_H
#define CC_DRIVER_NAMED_H

#include "cc/driver/elf.h"
#include "cc/driver/words.h"

#include <stdbool.h>

/* Adds the names to `names`. A name too many only prevents inlining of that function; if a name is missed (in a
 * header, by a macro), the transformer prints a message with the remedy. */
void driver_named_adjoints(driver_bytes text, driver_words *names);
/* Returns whether the text contains the words throw, try or catch. */
bool driver_names_exceptions(driver_bytes text);

#endif
