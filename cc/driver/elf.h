/* Reads relocatable object files (ELF, 64 bits, little endian, x86-64): the bytes of a section, and the names of
 * symbols. Files are untrusted input: every offset is checked before it is used. */
#ifndef CC_DRIVER_ELF_H
#define CC_DRIVER_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

typedef struct driver_elf {
    const unsigned char *bytes; /* the whole file; owned by the caller */
    size_t size;                /* in bytes */
    uint64_t sections;          /* offset of the section headers */
    size_t section_count;       /* number of section headers */
    const char *names;          /* table of section names; its last byte is NUL */
    size_t names_size;          /* in bytes */
} driver_elf;

/* A part of a file, or a whole file. */
typedef struct driver_bytes {
    const unsigned char *bytes;
    size_t size;
} driver_bytes;

/* Returns true if the bytes begin like a relocatable object file for x86-64: not an archive, a shared library, a linker
 * script or a file for another machine. */
bool driver_elf_is_object(const void *bytes, size_t size);

/* Opens an object file. Fails with VERSO_STATUS_CORRUPT if it is damaged; `name` is its name for the message. */
verso_status driver_elf_open(const void *bytes, size_t size, const char *name, driver_elf *elf, verso_error *error);

/* Finds the next section of this name from *index on, and moves *index past it. Sets found->bytes to NULL after the
 * last. Fails like driver_elf_open. */
verso_status driver_elf_section(const driver_elf *elf, const char *section, const char *name, size_t *index,
                                driver_bytes *found, verso_error *error);

/* Sets *header and *name to the offsets of a section's header and of its name. Returns false if there is no such
 * section or another section shares the bytes of the name. */
bool driver_elf_locate(const driver_elf *elf, const char *section, size_t *header, size_t *name);

/* Calls `visit` with the name of each symbol and whether the file defines it. Fails like driver_elf_open. */
typedef void driver_elf_visit(void *context, const char *symbol, bool defined);
verso_status driver_elf_symbols(const driver_elf *elf, const char *name, driver_elf_visit *visit, void *context,
                                verso_error *error);

#endif
