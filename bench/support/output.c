/* See output.h. */
#include "bench/support/output.h"
#include "schedule/cost.h"

#include <errno.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { PATH_BYTES = 4096 };

_Noreturn void bench_fail(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("bench: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
    exit(EXIT_FAILURE);
}

const char *bench_folder(int argc, char **argv) {
    return argc > 1 ? argv[1] : "out/bench";
}

/* Makes all folders of the path. */
static void make_folders(char *path) {
    for (char *slash = strchr(path + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
        *slash = '\0';
        if (mkdir(path, 0777) != 0 && errno != EEXIST)
            bench_fail("cannot make the folder %s: %s", path, strerror(errno));
        *slash = '/';
    }
}

FILE *bench_create(const char *folder, const char *name) {
    char path[PATH_BYTES];
    int length = snprintf(path, sizeof path, "%s/%s", folder, name);
    if (length < 0 || (size_t)length >= sizeof path)
        bench_fail("the name %s/%s is too long", folder, name);
    make_folders(path);
    FILE *file = fopen(path, "w");
    if (!file)
        bench_fail("cannot write %s: %s", path, strerror(errno));
    return file;
}

void bench_close(FILE *file) {
    bool failed = ferror(file);
    if (fclose(file) != 0 || failed)
        bench_fail("cannot write a file");
}

void *bench_alloc(size_t count, size_t size) {
    void *block = calloc(count > 0 ? count : 1, size);
    if (!block)
        bench_fail("out of memory");
    return block;
}

verso__cost bench_cost(const verso_schedule_spec *spec) {
    verso_schedule *schedule = NULL;
    verso__cost cost = {0};
    verso_error error;
    verso_status status = verso_schedule_new(spec, &schedule, &error);
    if (status == VERSO_STATUS_OK)
        status = verso__schedule_cost(schedule, &cost, &error);
    if (status != VERSO_STATUS_OK)
        bench_fail("%s: %s", verso_kind_word(spec->kind), error.message);
    verso_schedule_free(schedule);
    return cost;
}
