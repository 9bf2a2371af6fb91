/* Implements elf.h. Structures are copied out of the file with memcpy, because objects in an archive are not
 * aligned. */
#include "cc/driver/elf.h"

#include "base/status.h"

#include <elf.h>
#include <string.h>

static verso_status damaged(verso_error *error, const char *name, const char *what) {
    return verso__fail(error, VERSO_STATUS_CORRUPT, "%s is damaged: %s; compile it again", name, what);
}

bool driver_elf_is_object(const void *bytes, size_t size) {
    Elf64_Ehdr header;
    if (size < sizeof header)
        return false;
    memcpy(&header, bytes, sizeof header);
    return memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == ELFCLASS64 &&
           header.e_ident[EI_DATA] == ELFDATA2LSB && header.e_type == ET_REL && header.e_machine == EM_X86_64;
}

/* `index` must be below section_count, so that the header is inside the file. */
static Elf64_Shdr section_at(const driver_elf *elf, size_t index) {
    Elf64_Shdr section;
    memcpy(&section, elf->bytes + elf->sections + index * sizeof section, sizeof section);
    return section;
}

static bool lies_inside(const driver_elf *elf, uint64_t offset, uint64_t size) {
    return offset <= elf->size && size <= elf->size - offset;
}

/* Finds a string table. Returns false unless its last byte is NUL, so that every offset in it begins a valid string. */
static bool string_table(const driver_elf *elf, uint64_t index, const char **strings, size_t *size) {
    if (index >= elf->section_count)
        return false;
    Elf64_Shdr section = section_at(elf, (size_t)index);
    if (section.sh_type != SHT_STRTAB || section.sh_size == 0 ||
        !lies_inside(elf, section.sh_offset, section.sh_size) ||
        elf->bytes[section.sh_offset + section.sh_size - 1] != '\0')
        return false;
    *strings = (const char *)elf->bytes + section.sh_offset;
    *size = (size_t)section.sh_size;
    return true;
}

/* Reads the number of sections and the index of the table of their names. If they do not fit into 16 bits (many
 * sections by -ffunction-sections), they are in the first section header. */
static bool section_numbers(driver_elf *elf, const Elf64_Ehdr *header, uint64_t *names) {
    *names = header->e_shstrndx;
    elf->section_count = header->e_shnum;
    if (!lies_inside(elf, header->e_shoff, sizeof(Elf64_Shdr)))
        return false;
    Elf64_Shdr first = section_at(elf, 0);
    uint64_t count = header->e_shnum == 0 ? first.sh_size : header->e_shnum;
    if (header->e_shstrndx == SHN_XINDEX)
        *names = first.sh_link;
    if (count > (elf->size - header->e_shoff) / sizeof(Elf64_Shdr))
        return false;
    elf->section_count = (size_t)count;
    return true;
}

verso_status driver_elf_open(const void *bytes, size_t size, const char *name, driver_elf *elf, verso_error *error) {
    *elf = (driver_elf){.bytes = bytes, .size = size};
    Elf64_Ehdr header;
    if (!driver_elf_is_object(bytes, size))
        return damaged(error, name, "it is not an object file for x86-64");
    memcpy(&header, bytes, sizeof header);
    elf->sections = header.e_shoff;
    if (header.e_shoff == 0)
        return VERSO_STATUS_OK; /* it has no sections */
    uint64_t names;
    if (header.e_shentsize != sizeof(Elf64_Shdr) || !section_numbers(elf, &header, &names))
        return damaged(error, name, "its section headers are outside of the file");
    if (!string_table(elf, names, &elf->names, &elf->names_size))
        return damaged(error, name, "it has no section names");
    return VERSO_STATUS_OK;
}

verso_status driver_elf_section(const driver_elf *elf, const char *section, const char *name, size_t *index,
                                driver_bytes *found, verso_error *error) {
    *found = (driver_bytes){0};
    while (*index < elf->section_count) {
        Elf64_Shdr header = section_at(elf, (*index)++);
        if (header.sh_type == SHT_NULL || header.sh_type == SHT_NOBITS)
            continue;
        if (header.sh_name >= elf->names_size)
            return damaged(error, name, "the name of a section is outside of the file");
        if (strcmp(elf->names + header.sh_name, section) != 0)
            continue;
        if (!lies_inside(elf, header.sh_offset, header.sh_size))
            return damaged(error, name, "a section is outside of the file");
        if ((header.sh_flags & SHF_COMPRESSED) != 0)
            return damaged(error, name, "a section is compressed");
        *found = (driver_bytes){elf->bytes + header.sh_offset, (size_t)header.sh_size};
        return VERSO_STATUS_OK;
    }
    return VERSO_STATUS_OK;
}

bool driver_elf_locate(const driver_elf *elf, const char *section, size_t *header, size_t *name) {
    for (size_t i = 0; i < elf->section_count; i++) {
        Elf64_Shdr found = section_at(elf, i);
        if (found.sh_name == 0 || found.sh_name >= elf->names_size || strcmp(elf->names + found.sh_name, section) != 0)
            continue;
        *header = (size_t)elf->sections + i * sizeof found;
        *name = (size_t)((const unsigned char *)elf->names - elf->bytes) + found.sh_name;
        return elf->names[found.sh_name - 1] == '\0'; /* else the name is the tail of a longer one */
    }
    return false;
}

static verso_status visit_table(const driver_elf *elf, const Elf64_Shdr *table, const char *name,
                                driver_elf_visit *visit, void *context, verso_error *error) {
    const char *strings;
    size_t strings_size;
    if (table->sh_entsize != sizeof(Elf64_Sym) || !lies_inside(elf, table->sh_offset, table->sh_size))
        return damaged(error, name, "its symbol table is outside of the file");
    if (!string_table(elf, table->sh_link, &strings, &strings_size))
        return damaged(error, name, "it has no symbol names");
    for (uint64_t i = 1; i < table->sh_size / sizeof(Elf64_Sym); i++) {
        Elf64_Sym symbol;
        memcpy(&symbol, elf->bytes + table->sh_offset + i * sizeof symbol, sizeof symbol);
        if (symbol.st_name >= strings_size)
            return damaged(error, name, "the name of a symbol is outside of the file");
        visit(context, strings + symbol.st_name, symbol.st_shndx != SHN_UNDEF);
    }
    return VERSO_STATUS_OK;
}

verso_status driver_elf_symbols(const driver_elf *elf, const char *name, driver_elf_visit *visit, void *context,
                                verso_error *error) {
    for (size_t i = 0; i < elf->section_count; i++) {
        Elf64_Shdr section = section_at(elf, i);
        if (section.sh_type != SHT_SYMTAB)
            continue;
        verso_status status = visit_table(elf, &section, name, visit, context, error);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    return VERSO_STATUS_OK;
}
