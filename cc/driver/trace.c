/* Implements trace.h. Each line of a trace names a file or a member of an archive; the form depends on the linker:
 *     a.o  or  /lib/libc.so.6           all linkers
 *     libb.a                            GNU ld: an archive, before its members
 *     (libb.a)b.o                       GNU ld: a member
 *     libb.a(b.o)                       gold, lld: a member
 *     sub/b.o                           GNU ld: a member of a thin archive
 *     -lb (/usr/lib/libb.so)            GNU ld before 2.36
 *     trace: a.o                        mold
 * Names may contain spaces and parentheses, so a line is interpreted by what exists: a file that can be opened, or an
 * archive that has such a member. Any other line is output of the linker that the user asked for. */
#include "cc/driver/trace.h"

#include "base/alloc.h"
#include "base/status.h"
#include "cc/driver/archive.h"

#include <errno.h>
#include <string.h>

typedef struct reading {
    driver_session *session;
    const driver_arguments *arguments;
    const driver_mapping *library; /* libverso.a; NULL: none */
    driver_trace *trace;
    verso_error *error;
} reading;

static const char *last_part(const char *path, size_t *size) {
    for (size_t i = *size; i > 0; i--)
        if (path[i - 1] == '/') {
            *size -= i;
            return path + i;
        }
    return path;
}

const char *driver_thin_path(driver_words *kept, const char *archive, const char *name, size_t name_size) {
    const char *slash = strrchr(archive, '/');
    if (slash == NULL || name[0] == '/')
        return driver_words_add_part(kept, name, name_size);
    return driver_words_print(kept, "%.*s/%.*s", (int)(slash - archive), archive, (int)name_size, name);
}

static bool is_same_text(const char *one, size_t one_size, const char *other, size_t other_size) {
    return one_size == other_size && memcmp(one, other, one_size) == 0;
}

/* True if the trace's `name` means this member. For a member of a thin archive, linkers print its whole path or only
 * the last part. */
static bool has_name(const driver_archive *archive, const driver_member *member, const char *name, size_t name_size) {
    if (!archive->thin)
        return is_same_text(member->name, member->name_size, name, name_size);
    size_t stored_size = member->name_size;
    const char *stored = last_part(member->name, &stored_size);
    const char *printed = last_part(name, &name_size);
    return is_same_text(stored, stored_size, printed, name_size);
}

/* ---- Units ---- */

static verso_status add_unit(reading *reading, driver_unit unit) {
    driver_trace *trace = reading->trace;
    if (trace->count == trace->capacity) {
        size_t capacity = trace->capacity == 0 ? 64 : 2 * trace->capacity;
        driver_unit *units = verso__realloc(trace->units, capacity, sizeof *units);
        if (units == NULL)
            return verso__fail(reading->error, VERSO_STATUS_NO_MEMORY, "out of memory");
        trace->units = units;
        trace->capacity = capacity;
    }
    verso_status status = driver_unit_read(&unit, reading->error);
    if (status == VERSO_STATUS_OK)
        trace->units[trace->count++] = unit;
    return status;
}

/* Returns what the file at `path` was made from (driver_argument.source); NULL if it is the user's own. */
static const char *origin(const reading *reading, const char *path) {
    for (size_t i = 0; i < reading->arguments->count; i++) {
        const driver_argument *argument = &reading->arguments->at[i];
        if (argument->source != NULL && strcmp(argument->text, path) == 0)
            return argument->source;
    }
    return NULL;
}

static verso_status add_file(reading *reading, const driver_mapping *file) {
    driver_words *kept = &reading->session->kept;
    for (size_t i = 0; i < reading->trace->count; i++)
        if (reading->trace->units[i].file == file && reading->trace->units[i].member == NULL)
            return VERSO_STATUS_OK;
    const char *path = driver_words_add(kept, file->path);
    const char *source = origin(reading, path);
    return add_unit(
        reading, (driver_unit){.path = path, .label = source ? source : path, .file = file, .content = file->content});
}

/* Returns how many members of that name the trace has so far. */
static size_t count_traced(const driver_trace *trace, const driver_mapping *file, const char *name, size_t name_size) {
    size_t count = 0;
    for (size_t i = 0; i < trace->count; i++)
        count += trace->units[i].file == file && trace->units[i].member != NULL &&
                 is_same_text(trace->units[i].member, strlen(trace->units[i].member), name, name_size);
    return count;
}

/* Finds the which-th member of that name (from 0), and sets *count to the number of members of that name. */
static verso_status find_member(reading *reading, const driver_mapping *file, const char *name, size_t name_size,
                                size_t which, driver_member *found, size_t *count) {
    driver_archive archive;
    driver_archive_open(file->content.bytes, file->content.size, &archive);
    *count = 0;
    for (bool more = true; more;) {
        driver_member member;
        verso_status status = driver_archive_next(&archive, file->path, &member, &more, reading->error);
        if (status != VERSO_STATUS_OK)
            return status;
        if (!more || !has_name(&archive, &member, name, name_size))
            continue;
        if ((*count)++ == which)
            *found = member;
    }
    return VERSO_STATUS_OK;
}

/* Returns the member with the same offset in the archive at `path`; `member` itself if there is none. */
static driver_member member_at_place(reading *reading, const char *path, const driver_member *member) {
    const driver_mapping *file = driver_mapping_open(&reading->session->files, path);
    if (file == NULL || !driver_is_archive(file->content.bytes, file->content.size))
        return *member;
    driver_archive archive;
    driver_archive_open(file->content.bytes, file->content.size, &archive);
    driver_member candidate;
    for (bool more; driver_archive_next(&archive, path, &candidate, &more, NULL) == VERSO_STATUS_OK && more;)
        if (candidate.header == member->header)
            return candidate;
    return *member;
}

/* Returns the label of a member, "heat.a(step.o)". For a copy whose members were renamed, uses the original's names. */
static const char *member_label(reading *reading, const driver_mapping *file, const driver_member *member) {
    const char *path = origin(reading, file->path);
    driver_member named = path != NULL ? member_at_place(reading, path, member) : *member;
    return driver_words_print(&reading->session->kept, "%s(%.*s)", path != NULL ? path : file->path,
                              (int)named.name_size, named.name);
}

static verso_status add_member(reading *reading, const driver_mapping *file, const char *name, size_t name_size,
                               bool *known) {
    size_t traced = count_traced(reading->trace, file, name, name_size), count;
    driver_member member = {0};
    verso_status status = find_member(reading, file, name, name_size, traced, &member, &count);
    *known = count > 0;
    if (status != VERSO_STATUS_OK || traced >= count)
        return status;
    driver_words *kept = &reading->session->kept;
    driver_unit unit = {.path = driver_words_add(kept, file->path),
                        .member = driver_words_add_part(kept, name, name_size),
                        .label = member_label(reading, file, &member),
                        .file = file,
                        .content = {member.bytes, member.size}};
    if (member.bytes == NULL) {
        const char *path = driver_thin_path(kept, file->path, member.name, member.name_size);
        const driver_mapping *outside = driver_mapping_open(&reading->session->files, path);
        if (outside == NULL)
            return verso__fail(reading->error, VERSO_STATUS_IO, "cannot read '%s', a member of the thin archive %s: %s",
                               path, file->path, strerror(errno));
        unit.content = outside->content;
    }
    return add_unit(reading, unit);
}

/* ---- Lines ---- */

static bool is_shared_library(driver_bytes content) {
    return content.size > 18 && memcmp(content.bytes, "\177ELF", 4) == 0 && content.bytes[16] == 3;
}

static verso_status read_file_line(reading *reading, const driver_mapping *file) {
    if (driver_is_archive(file->content.bytes, file->content.size))
        return VERSO_STATUS_OK; /* its members follow */
    if (is_shared_library(file->content)) {
        driver_words_add(&reading->trace->shared, file->path);
        return VERSO_STATUS_OK;
    }
    return add_file(reading, file);
}

/* Returns the archive that this part of a line names; NULL if it is not an archive, or with errno ENOMEM if memory is
 * exhausted. */
static const driver_mapping *archive_named(reading *reading, const char *start, size_t size) {
    driver_words path = {0};
    driver_words_add_part(&path, start, size);
    errno = path.failed ? ENOMEM : 0;
    const driver_mapping *file =
        path.failed || size == 0 ? NULL : driver_mapping_open(&reading->session->files, path.at[0]);
    driver_words_free(&path);
    return file != NULL && driver_is_archive(file->content.bytes, file->content.size) ? file : NULL;
}

/* True for libverso.a, also that of another installation. */
static bool is_own_library(const reading *reading, const driver_mapping *file) {
    size_t size = strlen(file->path);
    return (reading->library != NULL && driver_mapping_is_same(file, reading->library)) ||
           strcmp(last_part(file->path, &size), "libverso.a") == 0;
}

/* Reads "(ARCHIVE)MEMBER" and "ARCHIVE(MEMBER)": tries every parenthesis. *known: the line is one of these. */
static verso_status read_member_line(reading *reading, const char *line, bool *known) {
    size_t size = strlen(line);
    bool leading = line[0] == '(', trailing = size > 0 && line[size - 1] == ')';
    verso_status status = VERSO_STATUS_OK;
    for (size_t i = 1; i < size && status == VERSO_STATUS_OK && !*known; i++) {
        const driver_mapping *file = NULL;
        errno = 0;
        if (leading && line[i] == ')')
            file = archive_named(reading, line + 1, i - 1);
        else if (trailing && line[i] == '(')
            file = archive_named(reading, line, i);
        if (file == NULL && errno == ENOMEM)
            return verso__fail(reading->error, VERSO_STATUS_NO_MEMORY, "out of memory");
        if (file == NULL)
            continue;
        if (is_own_library(reading, file))
            *known = true;
        else
            status = add_member(reading, file, line + i + 1, leading ? size - i - 1 : size - i - 2, known);
    }
    return status;
}

/* Returns the part of the line that is a name, without "trace: " and "-lb (...)". */
static const char *named_part(driver_words *kept, const char *line) {
    if (strncmp(line, "trace: ", 7) == 0)
        return line + 7;
    const char *open = strchr(line, '(');
    size_t size = strlen(line);
    if (strncmp(line, "-l", 2) == 0 && open != NULL && line[size - 1] == ')')
        return driver_words_add_part(kept, open + 1, (size_t)(line + size - 1 - (open + 1)));
    return line;
}

static verso_status read_line(reading *reading, const char *line) {
    const char *name = named_part(&reading->session->kept, line);
    const driver_mapping *file = driver_mapping_open(&reading->session->files, name);
    if (file != NULL)
        return read_file_line(reading, file);
    if (errno == ENOMEM)
        return verso__fail(reading->error, VERSO_STATUS_NO_MEMORY, "out of memory");
    bool known = false;
    verso_status status = read_member_line(reading, name, &known);
    if (!known && status == VERSO_STATUS_OK)
        driver_words_add(&reading->trace->other, line);
    return status;
}

/* Sets trace->ambiguous if fewer members of a name were linked than the archive has. */
static verso_status find_ambiguity(reading *reading) {
    driver_trace *trace = reading->trace;
    for (size_t i = 0; i < trace->count && trace->ambiguous == NULL; i++) {
        const driver_unit *unit = &trace->units[i];
        if (unit->member == NULL)
            continue;
        size_t size = strlen(unit->member), count;
        driver_member member;
        verso_status status = find_member(reading, unit->file, unit->member, size, SIZE_MAX, &member, &count);
        if (status != VERSO_STATUS_OK)
            return status;
        if (count_traced(trace, unit->file, unit->member, size) < count)
            trace->ambiguous = unit->file;
    }
    return VERSO_STATUS_OK;
}

verso_status driver_trace_read(driver_session *session, const driver_arguments *arguments, const char *library,
                               driver_bytes text, driver_trace *trace, verso_error *error) {
    *trace = (driver_trace){0};
    reading reading = {.session = session,
                       .arguments = arguments,
                       .library = library != NULL ? driver_mapping_open(&session->files, library) : NULL,
                       .trace = trace,
                       .error = error};
    verso_status status = VERSO_STATUS_OK;
    for (size_t at = 0; at < text.size && status == VERSO_STATUS_OK;) {
        const char *start = (const char *)text.bytes + at;
        const char *end = memchr(start, '\n', text.size - at);
        size_t size = end != NULL ? (size_t)(end - start) : text.size - at;
        driver_words line = {0};
        driver_words_add_part(&line, start, size);
        if (!line.failed)
            status = read_line(&reading, line.at[0]);
        else
            status = verso__fail(error, VERSO_STATUS_NO_MEMORY, "out of memory");
        driver_words_free(&line);
        at += size + 1;
    }
    if (status == VERSO_STATUS_OK)
        status = find_ambiguity(&reading);
    if (status == VERSO_STATUS_OK && (session->kept.failed || trace->shared.failed || trace->other.failed))
        status = verso__fail(error, VERSO_STATUS_NO_MEMORY, "out of memory");
    return status;
}

void driver_trace_free(driver_trace *trace) {
    verso__dealloc(trace->units);
    driver_words_free(&trace->shared);
    driver_words_free(&trace->other);
    *trace = (driver_trace){0};
}

bool driver_trace_differentiates(const driver_trace *trace) {
    for (size_t i = 0; i < trace->count; i++)
        if (trace->units[i].differentiates)
            return true;
    return false;
}

bool driver_trace_uses_library(const driver_trace *trace) {
    for (size_t i = 0; i < trace->count; i++)
        if (trace->units[i].uses_library)
            return true;
    return false;
}
