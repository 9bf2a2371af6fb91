/* The address space, and all system calls about pages. See memory.h.
 *
 * Everything is at fixed addresses: shadow memory, because a cell is found by adding a constant; heap and
 * stack, because a copy of them must be put back where its own pointers point. So the areas are reserved and
 * never moved, and anything else at their addresses is an error that names them. A reserved page costs nothing
 * until it is touched.
 *
 * It relies on Linux: position-independent programs are at 0x55.. or 0x56.., everything else is below 0x7fff..,
 * at most 2 TiB down (vm.mmap_rnd_bits up to 28; for larger values, fixed.c switches random addresses off);
 * MAP_FIXED_NOREPLACE (Linux 4.17). */
#define _GNU_SOURCE 1 /* MAP_FIXED_NOREPLACE, madvise, mincore, RUSAGE_THREAD: none of them is in POSIX */
#include "base/system.h"
#include "native/memory/inside.h"
#include "native/memory/shared.h"

#include <errno.h>
#include <malloc.h>
#include <string.h>

const uint64_t verso__native_covered[VERSO_NATIVE_COVERED][2] = {
    {UINT64_C(0x550000000000), UINT64_C(0x570000000000)},
    {UINT64_C(0x600000000000), UINT64_C(0x620000000000)},
    {UINT64_C(0x7e0000000000), UINT64_C(0x800000000000)},
};

bool verso__native_covers(const void *data, uint64_t size) {
    uint64_t begin = (uintptr_t)data;
    for (size_t i = 0; i < VERSO_NATIVE_COVERED; i++)
        if (begin >= verso__native_covered[i][0] && begin <= verso__native_covered[i][1])
            return size <= verso__native_covered[i][1] - begin;
    return false;
}

/* The planes of one range. */
static const struct {
    verso__native_kind kind;
    bool odd;
} planes[VERSO_NATIVE_SHIFTS] = {
    {VERSO_NATIVE_DOUBLE, false},  {VERSO_NATIVE_DOUBLE, true},  {VERSO_NATIVE_LONG, false}, {VERSO_NATIVE_LONG, true},
    {VERSO_NATIVE_DOUBTED, false}, {VERSO_NATIVE_DOUBTED, true}, {VERSO_NATIVE_FLOAT, false}};

static uint64_t shift_of(size_t plane) {
    uint64_t even = (uint64_t)verso__native_plane_of(planes[plane].kind);
    return planes[plane].odd ? even - (uint64_t)VERSO_SHADOW_ODD : even;
}

bool verso__native_has_cells(const void *cells, uint64_t size) {
    for (size_t i = 0; i < VERSO_NATIVE_SHIFTS; i++)
        if (verso__native_covers(verso__native_address((uintptr_t)cells - shift_of(i)), size))
            return true;
    return false;
}

verso__native_plane verso__native_plane_at(size_t index) {
    const uint64_t *covered = verso__native_covered[index / VERSO_NATIVE_SHIFTS];
    return (verso__native_plane){{verso__native_address(covered[0]), verso__native_address(covered[1])},
                                 planes[index % VERSO_NATIVE_SHIFTS].kind,
                                 shift_of(index % VERSO_NATIVE_SHIFTS)};
}

/* A limit, so that a process that has differentiated once does not occupy most of the machine for ever. */
uint64_t verso__native_kept_most(void) {
    return verso__machine_memory() / 8;
}

verso__native_space_state verso__native_space_now;

bool verso__native_space_is_reserved(void) {
    return verso__native_space_now.reserved;
}

#if VERSO_NATIVE_HERE

#include <elf.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <unistd.h>

/* ---- Pages ---- */

verso_status verso__native_reserve(uint64_t address, uint64_t size, const char *what, verso_error *error) {
    void *wanted = verso__native_address(address);
    void *got = mmap(wanted, size, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got == wanted)
        return VERSO_STATUS_OK;
    int reason = got == MAP_FAILED ? errno : EEXIST;
    if (got != MAP_FAILED)
        munmap(got, size); /* a kernel without MAP_FIXED_NOREPLACE treats the address as a hint */
    if (reason == EEXIST)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "%s needs the addresses from 0x%llx to 0x%llx, and something else is there; run the program "
                           "without sanitizers and valgrind, and with vm.mmap_rnd_bits at 28 or under setarch -R",
                           what, (unsigned long long)address, (unsigned long long)(address + size));
    return verso__fail(
        error, VERSO_STATUS_NO_MEMORY,
        "%s needs %llu GiB of addresses (not of memory), and the system refuses: %s; lift ulimit -v, and "
        "set vm.overcommit_memory to 0 or 1",
        what, (unsigned long long)(size >> 30), strerror(reason));
}

bool verso__native_protect(char *begin, char *end, bool accessible) {
    return begin >= end || mprotect(begin, (size_t)(end - begin), accessible ? PROT_READ | PROT_WRITE : PROT_NONE) == 0;
}

void verso__native_drop(char *begin, char *end) {
    if (begin < end)
        madvise(begin, (size_t)(end - begin), MADV_DONTNEED); /* cannot fail for Verso's mappings */
}

void verso__native_offer(char *begin, char *end) {
    if (begin < end)
        madvise(begin, (size_t)(end - begin), MADV_FREE);
}

size_t verso__native_resident(char *begin, size_t pages, unsigned char *resident) {
    if (mincore(begin, pages * VERSO_NATIVE_PAGE, resident) != 0)
        memset(resident, 1, pages);
    size_t count = 0;
    for (size_t i = 0; i < pages; i++)
        count += resident[i] & 1;
    return count;
}

/* Reads the page table of this process, a word per page: bit 63 means in memory, bit 62 swapped out, bit 56 not
 * shared with another process (the page of zeros is shared). If `own`, sets flags[i] to whether page i has memory of
 * its own; otherwise to whether it may ever have been written. */
static void read_pagemap(const char *begin, size_t pages, bool own, bool *flags) {
    uint64_t words[512];
    int table = open("/proc/self/pagemap", O_RDONLY | O_CLOEXEC);
    off_t at = (off_t)((uintptr_t)begin / VERSO_NATIVE_PAGE * sizeof *words);
    for (size_t done = 0; done < pages;) {
        size_t count = pages - done < 512 ? pages - done : 512, size = count * sizeof *words;
        bool is_read = table >= 0 && pread(table, words, size, at + (off_t)(done * sizeof *words)) == (ssize_t)size;
        for (size_t i = 0; i < count; i++, done++)
            flags[done] =
                !is_read || (own ? (words[i] >> 62 & 1) != 0 || (words[i] >> 56 & 1) != 0 : words[i] >> 62 != 0);
    }
    if (table >= 0)
        close(table);
}

void verso__native_find_written(const char *begin, size_t pages, bool *written) {
    read_pagemap(begin, pages, false, written);
}

void verso__native_find_owned(const char *begin, size_t pages, bool *owned) {
    read_pagemap(begin, pages, true, owned);
}

uint64_t verso__native_faults(void) {
    struct rusage usage;
    getrusage(RUSAGE_THREAD, &usage); /* cannot fail */
    return (uint64_t)usage.ru_minflt + (uint64_t)usage.ru_majflt;
}

/* Reads the beginning of a system file; `text` is empty if there is none. */
static void read_text(const char *path, char *text, size_t room) {
    int file = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t size = file >= 0 ? read(file, text, room - 1) : 0;
    if (file >= 0)
        close(file);
    text[size > 0 ? size : 0] = '\0';
}

uint64_t verso__native_resident_set(void) {
    char text[128];
    read_text("/proc/self/statm", text, sizeof text);
    const char *second = strchr(text, ' ');
    return second != NULL ? strtoull(second, NULL, 10) * VERSO_NATIVE_PAGE : 0;
}

uint64_t verso__native_resident_private(void) {
    char text[128];
    read_text("/proc/self/statm", text, sizeof text);
    char *at = strchr(text, ' ');
    uint64_t all = at != NULL ? strtoull(at, &at, 10) : 0, shared = at != NULL ? strtoull(at, NULL, 10) : 0;
    struct mallinfo2 heap = mallinfo2();
    uint64_t libraries = heap.arena + heap.hblkhd, own = (all - (shared < all ? shared : all)) * VERSO_NATIVE_PAGE;
    return own - (libraries < own ? libraries : own);
}

uint64_t verso__native_available(void) {
    char text[1024];
    read_text("/proc/meminfo", text, sizeof text);
    static const char key[] = "MemAvailable:";
    const char *line = strstr(text, key);
    return line != NULL ? strtoull(line + sizeof key - 1, NULL, 10) << 10 : UINT64_MAX;
}

/* ---- The areas ---- */

typedef struct area {
    uint64_t address, size;
    const char *what;
    bool huge; /* use huge pages, because it is used densely from its start */
} area;

enum { AREAS = VERSO_NATIVE_PLANES + 3 };

static area area_of(size_t i) {
    static const area others[AREAS - VERSO_NATIVE_PLANES] = {
        {VERSO_NATIVE_TAPE_AT, VERSO_NATIVE_TAPE_SIZE + VERSO_NATIVE_LASTING_SIZE, "the tape", true},
        {VERSO_NATIVE_FRAMES_AT, VERSO_NATIVE_FRAMES_SIZE, "the stack of the reverse sweep", false},
        {VERSO_NATIVE_STACK_AT, VERSO_NATIVE_STACK_SIZE, "the private stack", false},
    };
    if (i >= VERSO_NATIVE_PLANES)
        return others[i - VERSO_NATIVE_PLANES];
    verso__native_plane plane = verso__native_plane_at(i);
    return (area){(uintptr_t)plane.covered.begin + plane.shift, (uint64_t)(plane.covered.end - plane.covered.begin),
                  "shadow memory", false};
}

static void advise(const area *one) {
    void *begin = verso__native_address(one->address);
    madvise(begin, one->size, MADV_DONTDUMP);
    madvise(begin, one->size, one->huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
}

/* Without this check, a program outside the planes' ranges would use memory without cells. */
verso_status verso__native_check_layout(verso_error *error) {
    int on_the_stack = 0;
    const void *samples[] = {&on_the_stack, &verso__native_space_now, &errno, stdout};
    for (size_t i = 0; i < sizeof samples / sizeof *samples; i++)
        if (!verso__native_covers(samples[i], sizeof(int)))
            return verso__fail(
                error, VERSO_STATUS_INVALID,
                "the program has memory at %p, where Verso has no shadow memory; link it with -pie, and "
                "run it with vm.mmap_rnd_bits at 28 (or under setarch -R) and a limited stack (ulimit -s)",
                samples[i]);
    return VERSO_STATUS_OK;
}

/* The file header of the program, or of the shared library that this run time belongs to, as the linker names it. */
extern const Elf64_Ehdr __ehdr_start __attribute__((weak, visibility("hidden")));

/* Returns the program headers. If the linker does not name the file header, they are those that the kernel passes to
 * every program. */
static const Elf64_Phdr *program_headers(size_t *count) {
    const Elf64_Ehdr *file = &__ehdr_start;
    if (file != NULL) {
        *count = file->e_phnum;
        return (const Elf64_Phdr *)((const char *)file + file->e_phoff);
    }
    const Elf64_Phdr *headers = (const Elf64_Phdr *)getauxval(AT_PHDR);
    *count = headers != NULL ? getauxval(AT_PHNUM) : 0;
    return headers;
}

/* Returns what must be added to the addresses in the headers. They directly follow the file header; a statically linked
 * program has no other way to find this. */
static uint64_t base_of(const Elf64_Phdr *headers, size_t count) {
    for (size_t i = 0; i < count; i++)
        if (headers[i].p_type == PT_LOAD && headers[i].p_offset == 0)
            return (uintptr_t)headers - sizeof(Elf64_Ehdr) - headers[i].p_vaddr;
    return 0;
}

/* Tells generated code where it may read variables and constants of the program: the pages around its variables, as far
 * as there is no gap between them. */
static void tell_variables(void) {
    size_t count;
    const Elf64_Phdr *headers = program_headers(&count);
    const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE), base = base_of(headers, count);
    uint64_t begin = 0, end = 0;
    bool variables = false;
    for (size_t i = 0; i < count; i++) { /* in the order of their addresses */
        if (headers[i].p_type != PT_LOAD || (headers[i].p_flags & PF_R) == 0)
            continue;
        uint64_t first = (base + headers[i].p_vaddr) / page * page;
        if (end == 0 || first > end) {
            if (variables)
                break;
            begin = first;
        }
        end = (base + headers[i].p_vaddr + headers[i].p_memsz + page - 1) / page * page;
        variables |= (headers[i].p_flags & PF_W) != 0;
    }
    verso__native_now.variables = variables ? begin : 0;
    verso__native_now.variables_size = variables ? end - begin : 0;
}

verso_status verso__native_space_reserve(verso_error *error) {
    if (verso__native_space_now.reserved)
        return VERSO_STATUS_OK;
    verso_status status = verso__native_check_layout(error);
    if (status == VERSO_STATUS_OK && !verso__native_arena_ready()) {
        status = verso__native_shared_find(error); /* fails again, with the reason, if that was it */
        if (status == VERSO_STATUS_OK)
            status =
                verso__fail(error, VERSO_STATUS_INVALID,
                            "the heap could not be placed at 0x%llx, because something else is there or the system has "
                            "no addresses left; run the program without sanitizers and valgrind, and lift ulimit -v",
                            (unsigned long long)VERSO_NATIVE_ARENA_AT);
    }
    if (status == VERSO_STATUS_OK && verso__native_shared_now->areas) { /* by another run time of the process */
        verso__native_space_now.reserved = true;
        tell_variables();
        return VERSO_STATUS_OK;
    }
    size_t done = 0;
    for (; status == VERSO_STATUS_OK && done < AREAS; done++) {
        area one = area_of(done);
        status = verso__native_reserve(one.address, one.size, one.what, error);
        if (status != VERSO_STATUS_OK)
            break;
        advise(&one);
    }
    if (status == VERSO_STATUS_OK) {
        verso__native_space_now.reserved = verso__native_shared_now->areas = true;
        tell_variables();
        return VERSO_STATUS_OK;
    }
    while (done-- > 0)
        munmap(verso__native_address(area_of(done).address), area_of(done).size);
    return status;
}

verso__native_range verso__native_program(void) {
    verso__native_range *program = &verso__native_space_now.program;
    if (program->end != NULL)
        return *program;
    size_t count;
    const Elf64_Phdr *headers = program_headers(&count);
    verso__native_range *code = &verso__native_space_now.code;
    uint64_t base = base_of(headers, count), least = UINT64_MAX, most = 0;
    for (size_t i = 0; i < count; i++) {
        if (headers[i].p_type != PT_LOAD)
            continue;
        uint64_t end = headers[i].p_vaddr + headers[i].p_memsz;
        least = headers[i].p_vaddr < least ? headers[i].p_vaddr : least;
        most = end > most ? end : most;
    }
    if (least < most)
        *program = (verso__native_range){verso__native_address(base + least), verso__native_address(base + most)};
    for (size_t i = 0; i < count; i++)
        if (headers[i].p_type == PT_LOAD && (headers[i].p_flags & PF_X) != 0)
            *code = (verso__native_range){verso__native_address(base + headers[i].p_vaddr),
                                          verso__native_address(base + headers[i].p_vaddr + headers[i].p_memsz)};
    return *program;
}

verso__native_range verso__native_program_code(void) {
    (void)verso__native_program();
    return verso__native_space_now.code;
}

#else

verso_status verso__native_reserve(uint64_t address, uint64_t size, const char *what, verso_error *error) {
    (void)address, (void)size;
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "%s: gradients of compiled programs need Linux on x86-64, without sanitizers", what);
}

verso_status verso__native_space_reserve(verso_error *error) {
    return verso__native_reserve(0, 0, "verso cc", error);
}

bool verso__native_protect(char *begin, char *end, bool accessible) {
    (void)begin, (void)end, (void)accessible;
    return false;
}

void verso__native_drop(char *begin, char *end) {
    memset(begin, 0, (size_t)(end - begin));
}

void verso__native_offer(char *begin, char *end) {
    (void)begin, (void)end;
}

size_t verso__native_resident(char *begin, size_t pages, unsigned char *resident) {
    (void)begin;
    memset(resident, 1, pages);
    return pages;
}

void verso__native_find_written(const char *begin, size_t pages, bool *written) {
    (void)begin;
    memset(written, true, pages * sizeof *written);
}

void verso__native_find_owned(const char *begin, size_t pages, bool *owned) {
    verso__native_find_written(begin, pages, owned);
}

uint64_t verso__native_faults(void) {
    return 0;
}

uint64_t verso__native_resident_set(void) {
    return 0;
}

uint64_t verso__native_resident_private(void) {
    return 0;
}

uint64_t verso__native_available(void) {
    return UINT64_MAX;
}

verso__native_range verso__native_program(void) {
    return (verso__native_range){NULL, NULL};
}

verso__native_range verso__native_program_code(void) {
    return (verso__native_range){NULL, NULL};
}

#endif
