/* Checks that the compiler that the environment names (VERSO_CLANG, VERSO_CLANGXX) is of the right version. */
#ifndef CC_DRIVER_COMPILER_H
#define CC_DRIVER_COMPILER_H

#include "cc/driver/session.h"

/* The version of clang whose bitcode the transformer reads. */
enum { DRIVER_CLANG_MAJOR = 19 };

/* Returns false after printing a message if the compiler has another version. Returns true if the environment names no
 * compiler, and if the compiler cannot be run, which is reported when it is used. */
bool driver_is_compiler_usable(const driver_session *session);

#endif
