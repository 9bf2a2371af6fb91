/* See record.h. The file contains: a magic number, a version, the identity, the numbers of words and bytes, the
 * words, the bytes, and a checksum of all that. */
#include "vlad/record.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/words.h"
#include "vlad/writer.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>

#define MARK UINT64_C(0x3130657364616c76) /* "vladse01" */

enum { VERSION = 1, HEAD_WORDS = 6 };

static verso_status damaged(verso_error *error) {
    return verso__fail(error, VERSO_STATUS_CORRUPT, "it is damaged");
}

verso_status vlad_record_parse(const char *file, size_t size, vlad_record *record, verso_error *error) {
    verso__words words = {.at = (const unsigned char *)file, .left = size};
    *record = (vlad_record){0};
    if (size < (HEAD_WORDS + 1) * VERSO_WORD)
        return damaged(error);
    const unsigned char *sum = (const unsigned char *)file + size - VERSO_WORD;
    if (verso__get_word(&sum) != verso__checksum(file, size - VERSO_WORD))
        return damaged(error);
    bool ours = verso__take_word(&words) == MARK && verso__take_word(&words) == VERSION;
    record->identity.words[0] = verso__take_word(&words);
    record->identity.words[1] = verso__take_word(&words);
    uint64_t count = verso__take_word(&words), bytes = verso__take_word(&words), left = words.left - VERSO_WORD;
    if (!ours || count > VLAD_RECORD_WORDS || count * VERSO_WORD > left || bytes != left - count * VERSO_WORD)
        return damaged(error);
    record->word_count = (size_t)count;
    for (size_t i = 0; i < count; i++)
        record->words[i] = verso__take_word(&words);
    if (bytes == 0)
        return VERSO_STATUS_OK;
    record->bytes = verso__alloc((size_t)bytes, 1);
    if (record->bytes == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a capsule of %llu bytes",
                           (unsigned long long)bytes);
    record->size = (size_t)bytes;
    memcpy(record->bytes, words.at, record->size);
    return VERSO_STATUS_OK;
}

/* Links and special files are refused: another user may have put them there. */
static verso_status read_file(const char *path, char **bytes, size_t *size, verso_error *error) {
    verso__file file;
    uint64_t length = 0;
    verso_status status = verso__file_open_own(&verso__system_machine, path, O_RDONLY, &file, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = verso__file_size(&file, &length, error);
    if (status == VERSO_STATUS_OK && (*bytes = verso__alloc((size_t)length + 1, 1)) == NULL)
        status = verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a capsule of %llu bytes",
                             (unsigned long long)length);
    if (status == VERSO_STATUS_OK)
        status = verso__file_read(&file, *bytes, (size_t)length, size, error);
    (void)verso__file_close(&file, NULL);
    return status;
}

verso_status vlad_record_read(const char *path, vlad_record *record, bool *there, verso_error *error) {
    char *bytes = NULL;
    size_t size = 0;
    verso_error why = {0};
    *record = (vlad_record){0};
    struct stat facts;
    *there = lstat(path, &facts) == 0 || errno != ENOENT;
    verso_status status = *there ? read_file(path, &bytes, &size, error) : VERSO_STATUS_OK;
    if (status != VERSO_STATUS_OK || !*there) {
        verso__dealloc(bytes);
        return status;
    }
    status = vlad_record_parse(bytes, size, record, &why);
    verso__dealloc(bytes);
    return status == VERSO_STATUS_OK ? status : verso__fail(error, status, "%s: %s", path, why.message);
}

static unsigned char *layout(const vlad_record *record, size_t *size) {
    *size = (HEAD_WORDS + record->word_count + 1) * VERSO_WORD + record->size;
    unsigned char *bytes = verso__alloc(*size, 1), *to = bytes;
    if (bytes == NULL)
        return NULL;
    verso__put_word(&to, MARK);
    verso__put_word(&to, VERSION);
    verso__put_identity(&to, record->identity);
    verso__put_word(&to, record->word_count);
    verso__put_word(&to, record->size);
    for (size_t i = 0; i < record->word_count; i++)
        verso__put_word(&to, record->words[i]);
    if (record->size > 0)
        memcpy(to, record->bytes, record->size);
    to += record->size;
    verso__put_word(&to, verso__checksum(bytes, *size - VERSO_WORD));
    return bytes;
}

static verso_status write_new(const char *path, const unsigned char *bytes, size_t size, verso_error *error) {
    verso__file file = {.handle = -1};
    verso_status status = verso__file_remove(&verso__system_machine, path, error); /* left by a process that died */
    if (status == VERSO_STATUS_OK)
        status = verso__file_open_own(&verso__system_machine, path, O_WRONLY | O_CREAT | O_EXCL, &file, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_write(&file, bytes, size, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_sync(&file, error);
    verso_status closed = verso__file_close(&file, status == VERSO_STATUS_OK ? error : NULL);
    return status == VERSO_STATUS_OK ? closed : status;
}

verso_status vlad_record_write(const char *path, const vlad_record *record, verso_error *error) {
    size_t size;
    unsigned char *bytes = layout(record, &size);
    char *folder = verso__path_parent(path);
    vlad_writer new = {0};
    vlad_write(&new, "%s.new", path);
    verso_status status = bytes == NULL || folder == NULL || new.failed
                              ? verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a capsule as bytes")
                              : write_new(new.text, bytes, size, error);
    if (status == VERSO_STATUS_OK)
        status = verso__file_rename(&verso__system_machine, new.text, path, error);
    if (status == VERSO_STATUS_OK)
        status = verso__directory_sync(&verso__system_machine, folder, error);
    verso__dealloc(bytes);
    verso__dealloc(folder);
    vlad_writer_free(&new);
    return status;
}

void vlad_record_free(vlad_record *record) {
    verso__dealloc(record->bytes);
    *record = (vlad_record){0};
}
