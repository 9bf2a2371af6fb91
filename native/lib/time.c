/* Functions that return times in memory of the C library, which capsules do not hold: here the memory is the
 * program's. */
#define _GNU_SOURCE
#include <stddef.h>
#include <time.h>

static struct tm broken_down;
static char text[64];

struct tm *verso__lib_gmtime(const time_t *time) {
    return gmtime_r(time, &broken_down);
}

struct tm *verso__lib_localtime(const time_t *time) {
    tzset();
    return localtime_r(time, &broken_down);
}

char *verso__lib_asctime(const struct tm *time) {
    return asctime_r(time, text);
}

char *verso__lib_ctime(const time_t *time) {
    struct tm *local = verso__lib_localtime(time);
    return local == NULL ? NULL : asctime_r(local, text);
}
