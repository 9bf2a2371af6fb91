/* The version of the library, which a program can compare with the version of the header that it was compiled
 * with. */
#include <verso/version.h>

const char *verso_version(void) {
    return VERSO_VERSION;
}
