/* libFuzzer target: arbitrary bytes as object files, unchanged and with a corrected header. Everything found must be
 * inside of the file, and damage must be reported with a reason. */
#include "cc/driver/bitcode.h"
#include "cc/driver/elf.h"

#include <elf.h>
#include <stdlib.h>
#include <string.h>

static void require(bool holds) {
    if (!holds)
        abort();
}

static void require_inside(driver_bytes part, driver_bytes whole) {
    require(part.bytes >= whole.bytes && part.size <= whole.size &&
            (size_t)(part.bytes - whole.bytes) <= whole.size - part.size);
}

static void require_reason(verso_status status, const verso_error *error) {
    require(status == VERSO_STATUS_CORRUPT && error->status == status && strstr(error->message, "some.o") != NULL);
}

static void visit(void *context, const char *symbol, bool defined) {
    *(size_t *)context += strlen(symbol) + (defined ? 1 : 2);
}

static void walk_modules(driver_bytes section) {
    driver_bytes rest = section, module;
    for (size_t before = section.size + 1;;) {
        verso_error error;
        verso_status status = driver_bitcode_next(&rest, "some.o", &module, &error);
        if (status != VERSO_STATUS_OK)
            require_reason(status, &error);
        if (status != VERSO_STATUS_OK || module.bytes == NULL)
            return;
        require_inside(module, section);
        require(module.size >= 12 && rest.size < before);
        before = rest.size;
    }
}

static void walk_sections(const driver_elf *elf, const char *name) {
    verso_error error;
    driver_bytes found;
    size_t index = 0, before;
    verso_status status;
    do {
        before = index;
        status = driver_elf_section(elf, name, "some.o", &index, &found, &error);
        if (status == VERSO_STATUS_OK && found.bytes != NULL) {
            require(index > before);
            require_inside(found, (driver_bytes){elf->bytes, elf->size});
            walk_modules(found);
        }
    } while (status == VERSO_STATUS_OK && found.bytes != NULL);
    if (status != VERSO_STATUS_OK)
        require_reason(status, &error);
}

static void run(const uint8_t *data, size_t size) {
    driver_elf elf;
    verso_error error;
    verso_status status = driver_elf_open(data, size, "some.o", &elf, &error);
    require(driver_elf_is_object(data, size) || status != VERSO_STATUS_OK);
    if (status != VERSO_STATUS_OK) {
        require_reason(status, &error);
        return;
    }
    walk_sections(&elf, ".llvm.lto");
    walk_sections(&elf, "");
    size_t header, name;
    if (driver_elf_locate(&elf, ".llvmbc", &header, &name))
        require(header <= size - sizeof(Elf64_Shdr) && name <= size - sizeof ".llvmbc" &&
                memcmp(data + name, ".llvmbc", sizeof ".llvmbc") == 0);
    size_t letters = 0;
    status = driver_elf_symbols(&elf, "some.o", visit, &letters, &error);
    if (status != VERSO_STATUS_OK)
        require_reason(status, &error);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    run(data, size);
    walk_modules((driver_bytes){data, size});
    Elf64_Ehdr header;
    if (size < sizeof header)
        return 0;
    uint8_t *copy = malloc(size);
    if (copy == NULL)
        return 0;
    memcpy(copy, data, size);
    memcpy(&header, data, sizeof header);
    memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_ident[EI_DATA] = ELFDATA2LSB;
    header.e_type = ET_REL;
    header.e_machine = EM_X86_64;
    header.e_shentsize = sizeof(Elf64_Shdr);
    memcpy(copy, &header, sizeof header);
    run(copy, size);
    free(copy);
    return 0;
}
