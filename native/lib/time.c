/* Functions that return times in memory of the C library, where no capsule could hold them: here it is the program's.
 */
#define _GNU_SOURCE
#include <stddef.h>
#include <time.h>

static struct tm broken_down;
static char text[64];

struct tm *verso_lib_gmtime(const time_t *time) {
    return gmtime_r(time, &broken_down);
}

struct tm *verso_lib_localtime(const time_t *time) {
    tzset();
    return localtime_r(time, &broken_down);
}

char *verso_lib_asctime(const struct tm *time) {
    return asctime_r(time, text);
}

char *verso_lib_ctime(const time_t *time) {
    struct tm *local = verso_lib_localtime(time);
    return local == NULL ? NULL : asctime_r(local, text);
}
