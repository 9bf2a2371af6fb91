/* Reading object files: ELF, 64 bits, little endian, x86-64, to be linked. What the driver wants of them is a section's
 * bytes and the names they leave undefined. Files come from anyone: every offset is checked before it is used. */
#ifndef CC_DRIVER_ELF_H
#define CC_DRIVER_ELF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <verso/status.h>

typedef struct driver_elf {
    const unsigned char *bytes; /* borrowed */
    size_t size;
    uint64_t sections; /* where the section headers are */
    size_t section_count;
    const char *names; /* of sections; ends with a NUL */
    size_t names_size;
} driver_elf;

/* A piece of the file. */
typedef struct driver_bytes {
    const unsigned char *bytes;
    size_t size;
} driver_bytes;

/* Whether the bytes begin like an object file that is to be linked: all else (archives, shared libraries, linker
 * scripts, files for other machines) is no concern of driver_elf_open. */
bool driver_elf_is_object(const void *bytes, size_t size);

/* VERSO_CORRUPT when it is damaged; `name` is for the message. */
verso_status driver_elf_open(const void *bytes, size_t size, const char *name, driver_elf *elf, verso_error *error);

/* The next section of that name from *index on; *index is moved past it. `found->bytes` is NULL after the last. */
verso_status driver_elf_section(const driver_elf *elf, const char *section, const char *name, size_t *index,
                                driver_bytes *found, verso_error *error);

/* Where in the file a section's header and its name are; false when there is no such section, or when others use parts
 * of the name. */
bool driver_elf_locate(const driver_elf *elf, const char *section, size_t *header, size_t *name);

/* Calls `visit` with the name of each symbol that the file uses and does not define. */
verso_status driver_elf_undefined(const driver_elf *elf, const char *name,
                                  void (*visit)(void *context, const char *symbol), void *context, verso_error *error);

#endif
