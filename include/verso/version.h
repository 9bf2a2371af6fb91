/* The version of Verso. The build reads it from here, so this is the only place to change it.
 * Semantic: MAJOR changes with the ABI (and names the soname), MINOR adds, PATCH repairs. */
#ifndef VERSO_VERSION_H
#define VERSO_VERSION_H

#include <verso/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VERSO_VERSION_MAJOR 0
#define VERSO_VERSION_MINOR 1
#define VERSO_VERSION_PATCH 0

#define VERSO_VERSION_JOIN(major, minor, patch) #major "." #minor "." #patch
#define VERSO_VERSION_TEXT(major, minor, patch) VERSO_VERSION_JOIN(major, minor, patch)
#define VERSO_VERSION VERSO_VERSION_TEXT(VERSO_VERSION_MAJOR, VERSO_VERSION_MINOR, VERSO_VERSION_PATCH) /* "0.1.0" */

/* The version of the library that is running, which may be newer than the header a program was compiled with. */
VERSO_API const char *verso_version(void);

#ifdef __cplusplus
}
#endif
#endif
