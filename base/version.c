/* The version as the library carries it, which a program can compare with that of the header it was compiled with. */
#include <verso/version.h>

const char *verso_version(void) {
    return VERSO_VERSION;
}
