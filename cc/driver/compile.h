/* Compiles with clang, with additional flags that put bitcode into the object files. */
#ifndef CC_DRIVER_COMPILE_H
#define CC_DRIVER_COMPILE_H

#include "cc/driver/arguments.h"
#include "cc/driver/places.h"
#include "cc/driver/session.h"

/* Executes a command line that does not link. Returns the exit status; may instead replace the process by clang. */
int driver_compile(driver_session *session, const driver_arguments *arguments, const driver_places *places);

/* Compiles every source among the inputs of a command line that links, and replaces it by the object file. Continues
 * after an error, as clang does; returns the first exit status that is not 0. */
int driver_compile_inputs(driver_session *session, driver_arguments *arguments, const driver_places *places);

#endif
