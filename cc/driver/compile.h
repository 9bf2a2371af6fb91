/* Compiling: clang with the flags that make an object file differentiable, and nothing else changed. */
#ifndef CC_DRIVER_COMPILE_H
#define CC_DRIVER_COMPILE_H

#include "cc/driver/arguments.h"
#include "cc/driver/places.h"
#include "cc/driver/session.h"

/* The user's line for clang as it is (DRIVER_MODE_PASS), or with those flags (DRIVER_MODE_OBJECT). */
void driver_compile_line(const driver_session *session, const driver_arguments *arguments, const driver_places *places,
                         driver_words *command);

/* Compiles every source among the inputs of a line that links, and puts the object file in its place. Goes on after an
 * error, as clang does; returns the first exit status that is not 0. */
int driver_compile_inputs(driver_session *session, driver_arguments *arguments, const driver_places *places);

#endif
