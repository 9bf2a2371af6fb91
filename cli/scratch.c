/* Implements scratch.h: scratch folders, and reading and writing of whole files. */
#include "cli/scratch.h"

#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { DIRECTORIES_OPEN = 8 };

static int open_kept(const cli_command *command, cli_region *region, const char *keep, cli_scratch *scratch) {
    if (mkdir(keep, 0777) != 0 && errno != EEXIST)
        return cli_failure(command, "cannot create the folder '%s': %s", keep, strerror(errno));
    scratch->path = cli_region_copy(region, keep, strlen(keep));
    scratch->kept = true;
    return CLI_OK;
}

int cli_scratch_open(const cli_command *command, cli_region *region, const char *keep, cli_scratch *scratch) {
    *scratch = (cli_scratch){0};
    if (keep)
        return open_kept(command, region, keep, scratch);
    const char *parent = getenv("TMPDIR");
    char *path = cli_region_print(region, "%s/verso-XXXXXX", parent && parent[0] ? parent : "/tmp");
    if (!mkdtemp(path))
        return cli_failure(command, "cannot create the folder '%s': %s; set TMPDIR to a writable folder", path,
                           strerror(errno));
    scratch->path = path;
    return CLI_OK;
}

char *cli_scratch_file(const cli_scratch *scratch, cli_region *region, const char *name) {
    return cli_region_print(region, "%s/%s", scratch->path, name);
}

static int remove_entry(const char *path, const struct stat *facts, int kind, struct FTW *place) {
    (void)facts, (void)kind, (void)place;
    remove(path); /* failures are ignored: leftover files do no harm */
    return 0;
}

void cli_scratch_close(cli_scratch *scratch) {
    if (scratch->path && !scratch->kept)
        nftw(scratch->path, remove_entry, DIRECTORIES_OPEN, FTW_DEPTH | FTW_PHYS);
    *scratch = (cli_scratch){0};
}

/* Reads to the end of a stream, whose size need not be known (a pipe). */
static char *read_stream(cli_region *region, FILE *stream, size_t *size) {
    size_t room = (size_t)1 << 16, count = 0;
    char *bytes = cli_region_alloc(region, room + 1, 1);
    for (size_t got; (got = fread(bytes + count, 1, room - count, stream)) > 0;) {
        count += got;
        if (count == room) {
            char *larger = cli_region_alloc(region, 2 * room + 1, 1);
            memcpy(larger, bytes, count);
            bytes = larger;
            room *= 2;
        }
    }
    bytes[count] = '\0';
    *size = count;
    return ferror(stream) ? NULL : bytes;
}

/* Reads and closes the stream. Returns NULL, with errno set, on failure and if `stream` is NULL. */
static char *read_and_close(cli_region *region, FILE *stream, size_t *size) {
    if (!stream)
        return NULL;
    errno = 0;
    char *bytes = read_stream(region, stream, size);
    int reason = errno;
    fclose(stream);
    errno = reason;
    return bytes;
}

char *cli_file_read(cli_region *region, const char *path, size_t *size) {
    return read_and_close(region, fopen(path, "rb"), size);
}

char *cli_file_read_own(cli_region *region, const char *path, size_t *size) {
    struct stat facts;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file < 0)
        return NULL;
    FILE *stream = fstat(file, &facts) == 0 && S_ISREG(facts.st_mode) ? fdopen(file, "rb") : NULL;
    if (!stream)
        close(file);
    return read_and_close(region, stream, size);
}

int cli_file_write(const cli_command *command, const char *path, const void *bytes, size_t size) {
    FILE *stream = fopen(path, "wb");
    bool written = stream && fwrite(bytes, 1, size, stream) == size;
    if (stream && fclose(stream) != 0)
        written = false;
    if (!written)
        return cli_failure(command, "cannot write '%s': %s", path, strerror(errno));
    return CLI_OK;
}
