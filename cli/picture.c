/* Writes texts of the library to files.
 *
 * The text goes to a temporary file in the same folder, which is renamed to the given path when it is complete. So a
 * failure leaves no partial file and does not change an existing one. If the path is not a regular file (a pipe,
 * /dev/null), it is written to directly. */
#define _XOPEN_SOURCE 700 /* realpath */

#include "cli/picture.h"

#include "cli/message.h"

#include <verso/picture.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

typedef struct picture_file {
    FILE *stream;
    char *target;    /* the path, with symbolic links resolved; NULL if written directly */
    char *temporary; /* path of the temporary file; NULL if written directly */
} picture_file;

static verso_status write_text(void *context, const char *text, size_t size) {
    return fwrite(text, 1, size, context) == size ? VERSO_STATUS_OK : VERSO_STATUS_IO;
}

/* The permissions that fopen would give a new file. */
static mode_t usual_mode(void) {
    mode_t mask = umask(0);
    umask(mask);
    return (mode_t)0666 & ~mask;
}

static int open_temporary(picture_file *file, mode_t mode) {
    static const char suffix[] = ".XXXXXX";
    size_t length = strlen(file->target);
    file->temporary = malloc(length + sizeof suffix);
    if (!file->temporary)
        return -1;
    memcpy(file->temporary, file->target, length);
    memcpy(file->temporary + length, suffix, sizeof suffix);
    int descriptor = mkstemp(file->temporary);
    if (descriptor < 0) {
        free(file->temporary);
        file->temporary = NULL;
        return -1;
    }
    file->stream = fchmod(descriptor, mode) == 0 ? fdopen(descriptor, "w") : NULL;
    if (!file->stream) {
        int reason = errno;
        close(descriptor);
        errno = reason;
    }
    return file->stream ? 0 : -1;
}

static int open_picture(picture_file *file, const char *path) {
    struct stat facts;
    bool exists = stat(path, &facts) == 0;
    if (exists && !S_ISREG(facts.st_mode)) {
        file->stream = fopen(path, "w");
        return file->stream ? 0 : -1;
    }
    file->target = exists ? realpath(path, NULL) : strdup(path);
    if (!file->target)
        return -1;
    return open_temporary(file, exists ? facts.st_mode & (mode_t)0777 : usual_mode());
}

/* Closes the file and, if `keep` is true, renames it to its target. Returns 0 on success; -1 with errno otherwise. */
static int close_picture(picture_file *file, bool keep) {
    int result = 0, reason = 0;
    if (file->stream) {
        bool failed = ferror(file->stream) != 0;
        if (fclose(file->stream) != 0 || failed) {
            reason = errno;
            result = -1;
        }
    }
    if (file->temporary && keep && result == 0 && rename(file->temporary, file->target) != 0) {
        reason = errno;
        result = -1;
    }
    if (file->temporary && (!keep || result != 0))
        unlink(file->temporary);
    free(file->temporary);
    free(file->target);
    errno = reason;
    return result;
}

int cli_write_text(const cli_command *command, const char *path, cli_writer *write, void *context) {
    verso_error error = {0};
    if (strcmp(path, "-") == 0) {
        verso_status status = write(context, write_text, stdout, &error);
        /* cli_finish_output reports a failed write to stdout. */
        return status == VERSO_STATUS_OK || status == VERSO_STATUS_IO ? CLI_OK
                                                                      : cli_library_error(command, status, &error);
    }
    picture_file file = {0};
    if (open_picture(&file, path) != 0) {
        int reason = errno;
        close_picture(&file, false);
        return cli_failure(command, "cannot write '%s': %s", path, strerror(reason));
    }
    errno = 0;
    verso_status status = write(context, write_text, file.stream, &error);
    int reason = errno;
    if (close_picture(&file, status == VERSO_STATUS_OK) != 0)
        return cli_failure(command, "cannot write '%s': %s", path, strerror(errno ? errno : EIO));
    if (status == VERSO_STATUS_IO)
        return cli_failure(command, "cannot write '%s': %s", path, strerror(reason ? reason : EIO));
    return status == VERSO_STATUS_OK ? CLI_OK : cli_library_error(command, status, &error);
}

typedef struct drawing {
    const verso_schedule_spec *spec;
    bool page;
} drawing;

static verso_status draw(void *context, verso_sink sink, void *to, verso_error *error) {
    const drawing *drawn = context;
    return drawn->page ? verso_picture_html(drawn->spec, sink, to, error)
                       : verso_picture_svg(drawn->spec, sink, to, error);
}

int cli_draw(const cli_command *command, const verso_schedule_spec *spec, const char *path, bool page) {
    return cli_write_text(command, path, draw, &(drawing){spec, page});
}
