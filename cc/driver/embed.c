/* Implements embed.h. The section is renamed for two reasons: LLVM's plugins for nm, ar and ranlib would read ".llvmbc"
 * instead of the object's symbols, and fail if they are of another version; and linkers would copy it into programs.
 * No bytes are moved: the new name is shorter, and the flag is a bit in the section header. */
#include "cc/driver/embed.h"

#include "cc/driver/mapping.h"

#include <elf.h>
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#define CLANG_SECTION ".llvmbc"
_Static_assert(sizeof DRIVER_EMBEDDED_SECTION <= sizeof CLANG_SECTION, "the new name must fit where the old one was");

static bool write_at(int file, const void *bytes, size_t size, size_t offset) {
    ssize_t written = pwrite(file, bytes, size, (off_t)offset);
    if (written >= 0 && (size_t)written != size)
        errno = EIO;
    return written == (ssize_t)size;
}

static bool change(const char *path, const driver_elf *elf, size_t header, size_t name) {
    Elf64_Shdr section;
    memcpy(&section, elf->bytes + header, sizeof section);
    section.sh_flags |= SHF_EXCLUDE;
    int file = open(path, O_WRONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool written = write_at(file, DRIVER_EMBEDDED_SECTION, sizeof DRIVER_EMBEDDED_SECTION, name) &&
                   write_at(file, &section, sizeof section, header);
    int code = errno;
    bool closed = close(file) == 0;
    if (!written)
        errno = code;
    return written && closed;
}

bool driver_embed_rename(const char *path) {
    driver_mappings files = {0};
    const driver_mapping *file = driver_mapping_open(&files, path);
    driver_elf elf;
    size_t header, name;
    bool done = true;
    if (file != NULL && driver_elf_is_object(file->content.bytes, file->content.size) &&
        driver_elf_open(file->content.bytes, file->content.size, path, &elf, NULL) == VERSO_STATUS_OK &&
        driver_elf_locate(&elf, CLANG_SECTION, &header, &name))
        done = change(path, &elf, header, name);
    driver_mappings_close(&files);
    return done;
}
