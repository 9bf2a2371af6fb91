/* The version of Verso. The build reads the three numbers below, so change the version here and nowhere else.
 *
 * Semantic versioning: MAJOR changes when the ABI changes, MINOR when features are added, PATCH when bugs are fixed.
 * While MAJOR is 0, the ABI may change with MINOR, too. The soname has what the ABI depends on: libverso.so.0.2, and
 * from version 1 on libverso.so.1. */
#ifndef VERSO_VERSION_H
#define VERSO_VERSION_H

#include <verso/export.h>

#ifdef __cplusplus
extern "C" {
#endif

#define VERSO_VERSION_MAJOR 0
#define VERSO_VERSION_MINOR 2
#define VERSO_VERSION_PATCH 0

#define VERSO_VERSION_JOIN(major, minor, patch) #major "." #minor "." #patch
#define VERSO_VERSION_TEXT(major, minor, patch) VERSO_VERSION_JOIN(major, minor, patch)
#define VERSO_VERSION VERSO_VERSION_TEXT(VERSO_VERSION_MAJOR, VERSO_VERSION_MINOR, VERSO_VERSION_PATCH) /* "0.2.0" */

/* Returns the version of the library in use, such as "0.2.0": a static string. It may be newer than VERSO_VERSION, the
 * version of the header that the program was compiled with. Cannot fail; any thread may call it. */
VERSO_API const char *verso_version(void);

#ifdef __cplusplus
}
#endif
#endif
