/* Implements archive.h. A header has 60 characters: name[16] date[12] owner[6] group[6] mode[8] size[10] and "`\n";
 * members begin at even offsets. The name field has one of these forms:
 *   "name/"                    GNU and SysV: the name itself
 *   "name   "                  BSD: the name itself
 *   "/123"                     GNU: the name is at offset 123 in the member "//"
 *   "#1/20"                    BSD: the name is the first 20 bytes of the member
 *   "/" "/SYM64/" "__.SYMDEF"  a table of symbols */
#include "cc/driver/archive.h"

#include "base/status.h"

#include <stdint.h>
#include <string.h>

enum { HEADER = 60, SIZE_FIELD = 48, SIZE_DIGITS = 10, END_FIELD = 58, MAGIC = 8 };

static verso_status damaged(verso_error *error, const char *name, const char *what) {
    return verso__fail(error, VERSO_STATUS_CORRUPT, "the archive %s is damaged: %s; make it again", name, what);
}

static bool is_thin(const void *bytes, size_t size) {
    return size >= MAGIC && memcmp(bytes, "!<thin>\n", MAGIC) == 0;
}

bool driver_is_archive(const void *bytes, size_t size) {
    return is_thin(bytes, size) || (size >= MAGIC && memcmp(bytes, "!<arch>\n", MAGIC) == 0);
}

void driver_archive_open(const void *bytes, size_t size, driver_archive *archive) {
    *archive = (driver_archive){.bytes = bytes, .size = size, .thin = is_thin(bytes, size), .next = MAGIC};
}

/* Reads decimal digits at the start of a field. Returns false if there are none or the number is too large. */
static bool read_number(const char *field, size_t width, size_t *number) {
    size_t i = 0;
    *number = 0;
    for (; i < width && field[i] >= '0' && field[i] <= '9'; i++) {
        if (*number > (SIZE_MAX - 9) / 10)
            return false;
        *number = 10 * *number + (size_t)(field[i] - '0');
    }
    return i > 0;
}

static bool begins(const char *field, const char *text) {
    return strncmp(field, text, strlen(text)) == 0;
}

static size_t without_trailing(const char *text, size_t size, char unwanted) {
    while (size > 0 && text[size - 1] == unwanted)
        size--;
    return size;
}

/* GNU: an entry of the table ends with "/\n". The offset may be followed by ":123", an offset in a nested archive. */
static bool long_name(const driver_archive *archive, const char *field, driver_member *member) {
    size_t offset;
    if (!read_number(field + 1, DRIVER_MEMBER_NAME - 1, &offset) || offset >= archive->long_names_size)
        return false;
    const char *start = archive->long_names + offset;
    const char *end = memchr(start, '\n', archive->long_names_size - offset);
    size_t size = end ? (size_t)(end - start) : archive->long_names_size - offset;
    member->name = start;
    member->name_size = size > 0 && start[size - 1] == '/' ? size - 1 : size;
    return true;
}

/* BSD: the name is the beginning of the member, padded with NULs. */
static bool inner_name(const char *field, driver_member *member) {
    size_t size;
    if (!read_number(field + 3, DRIVER_MEMBER_NAME - 3, &size) || member->bytes == NULL || size > member->size)
        return false;
    member->name = (const char *)member->bytes;
    member->name_size = without_trailing(member->name, size, '\0');
    member->bytes += size;
    member->size -= size;
    return true;
}

static bool read_name(const driver_archive *archive, const char *field, driver_member *member) {
    if (field[0] == '/')
        return long_name(archive, field, member);
    if (begins(field, "#1/"))
        return inner_name(field, member);
    const char *slash = memchr(field, '/', DRIVER_MEMBER_NAME);
    member->name = field;
    member->name_size = slash ? (size_t)(slash - field) : without_trailing(field, DRIVER_MEMBER_NAME, ' ');
    return true;
}

/* True for tables, whose content is in the archive even if it is thin. */
static bool is_table(const char *field) {
    return begins(field, "/ ") || begins(field, "// ") || begins(field, "/SYM64/ ");
}

verso_status driver_archive_next(driver_archive *archive, const char *name, driver_member *member, bool *more,
                                 verso_error *error) {
    *more = false;
    while (archive->next < archive->size) {
        if (archive->size - archive->next < HEADER)
            return damaged(error, name, "it ends in the header of a member");
        const char *header = (const char *)archive->bytes + archive->next;
        *member = (driver_member){.header = archive->next};
        if (header[END_FIELD] != '`' || header[END_FIELD + 1] != '\n' ||
            !read_number(header + SIZE_FIELD, SIZE_DIGITS, &member->size))
            return damaged(error, name, "the header of a member is invalid");
        archive->next += HEADER;
        if (!archive->thin || is_table(header)) {
            if (member->size > archive->size - archive->next)
                return damaged(error, name, "it ends in a member");
            member->bytes = archive->bytes + archive->next;
            archive->next += member->size;
            archive->next += archive->next % 2; /* the padding after the last member may be missing */
        }
        if (begins(header, "// ")) {
            archive->long_names = (const char *)member->bytes;
            archive->long_names_size = member->size;
        }
        if (is_table(header))
            continue;
        if (!read_name(archive, header, member))
            return damaged(error, name, "the name of a member is missing");
        if (member->name_size >= 9 && memcmp(member->name, "__.SYMDEF", 9) == 0)
            continue;
        *more = true;
        return VERSO_STATUS_OK;
    }
    return VERSO_STATUS_OK;
}
