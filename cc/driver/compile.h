/* Compiling: clang with the flags that make an object file differentiable, and nothing else changed. */
#ifndef CC_DRIVER_COMPILE_H
#define CC_DRIVER_COMPILE_H

#include "cc/driver/arguments.h"
#include "cc/driver/places.h"
#include "cc/driver/session.h"

/* Carries out a line that does not link. Returns the exit status, or becomes clang. */
int driver_compile(driver_session *session, const driver_arguments *arguments, const driver_places *places);

/* Compiles every source among the inputs of a line that links, and puts the object file in its place. Goes on after an
 * error, as clang does; returns the first exit status that is not 0. */
int driver_compile_inputs(driver_session *session, driver_arguments *arguments, const driver_places *places);

#endif
