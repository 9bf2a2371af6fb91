/* What a durable run depends on: everything that must be equal in the process that continues it. See facts.h.
 *
 * The facts are the program and its libraries, by their build ids, and their addresses; what is differentiated,
 * and its addresses; and all memory from which the run begins. They are stored one by one, so that a refusal
 * can name the one that differs. */
#define _GNU_SOURCE 1 /* dl_iterate_phdr: not in POSIX */
#include "native/budget/budget.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "native/sweep/ranks.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* The order matters: a fact explains differences of those that follow it. */
typedef enum fact_kind {
    FACT_BUILD,      /* build id of the program */
    FACT_LIBRARY_AT, /* address of a library; key: a checksum of its name */
    FACT_LIBRARY,
    FACT_THREAD_AT, /* address of the C library's memory of this thread */
    FACT_FUNCTION,
    FACT_SHAPE,  /* count and type of an array; key: see region_key */
    FACT_REGION, /* contents of an array */
    FACT_WEIGHTS,
    FACT_GLOBAL,  /* contents of a variable; key: its index */
    FACT_HEAP,    /* contents of a piece of the heap; key: its address */
    FACT_RANDOM,  /* states of the random number generators */
    FACT_CONTEXT, /* address of the context */
    FACT_REGION_AT,
    FACT_RANKS, /* the rank of this process, and the number of ranks */
} fact_kind;

enum { HEAP_PIECES = 1024 };

static void add(verso__native_facts *facts, fact_kind kind, uint64_t key, uint64_t value) {
    if (facts->count == facts->room && !facts->failed) {
        size_t room = facts->room > 0 ? 2 * facts->room : 64;
        verso__native_fact *longer = verso__realloc(facts->list, room, sizeof *longer);
        facts->failed = longer == NULL;
        facts->list = longer != NULL ? longer : facts->list;
        facts->room = longer != NULL ? room : facts->room;
    }
    if (!facts->failed)
        facts->list[facts->count++] = (verso__native_fact){kind, key, value};
}

/* ---- Program and libraries ---- */

#if VERSO_NATIVE_HERE

#include <link.h>
#include <sys/auxv.h>

/* Finds the build id, and sets *id to its first 8 bytes, in the order in which it is usually printed. Returns
 * false if there is none. */
static bool find_build_id(const struct dl_phdr_info *object, uint64_t *id) {
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        const char *at = verso__native_address(object->dlpi_addr + header->p_vaddr), *end = at + header->p_memsz;
        while (header->p_type == PT_NOTE && end - at > (ptrdiff_t)sizeof(ElfW(Nhdr))) {
            const ElfW(Nhdr) *note = (const void *)at;
            const char *name = at + sizeof *note, *value = name + (note->n_namesz + 3) / 4 * 4;
            at = value + (note->n_descsz + 3) / 4 * 4;
            if (note->n_type != NT_GNU_BUILD_ID || note->n_namesz != 4 || memcmp(name, "GNU", 4) != 0 || at > end)
                continue;
            *id = 0;
            for (size_t j = 0; j < note->n_descsz && j < 8; j++)
                *id = *id << 8 | (unsigned char)value[j];
            return true;
        }
    }
    return false;
}

/* Returns a checksum of all read-only memory of the object. */
static uint64_t checksum_of_code(const struct dl_phdr_info *object) {
    verso_identity sum = {{0}};
    for (size_t i = 0; i < object->dlpi_phnum; i++) {
        const ElfW(Phdr) *header = &object->dlpi_phdr[i];
        if (header->p_type == PT_LOAD && (header->p_flags & (PF_R | PF_W)) == PF_R)
            sum = verso__checksum_chain(sum, verso__native_address(object->dlpi_addr + header->p_vaddr),
                                        header->p_filesz);
    }
    return sum.words[0];
}

/* Returns true for the kernel's own object (vDSO), which the program does not point to. */
static bool is_kernels(const struct dl_phdr_info *object) {
    return (uintptr_t)object->dlpi_phdr - getauxval(AT_SYSINFO_EHDR) < VERSO_NATIVE_PAGE;
}

static uint64_t name_key(const char *name) {
    return verso__checksum(name, strlen(name));
}

/* Number of objects that were loaded with the program. dl_iterate_phdr lists them first. */
static size_t loaded_first;

static int count_object(struct dl_phdr_info *object, size_t size, void *count) {
    (void)object, (void)size;
    ++*(size_t *)count;
    return 0;
}

__attribute__((constructor)) static void count_first(void) {
    dl_iterate_phdr(count_object, &loaded_first);
}

typedef struct adding {
    verso__native_facts *facts;
    size_t index, most;
} adding;

static int add_object(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    adding *adding = context;
    verso__native_facts *facts = adding->facts;
    uint64_t id, key = name_key(object->dlpi_name);
    if (adding->index++ >= adding->most || is_kernels(object))
        return 0;
    if (!find_build_id(object, &id))
        id = checksum_of_code(object);
    bool program = object->dlpi_name[0] == '\0';
    if (!program)
        add(facts, FACT_LIBRARY_AT, key, object->dlpi_addr);
    add(facts, program ? FACT_BUILD : FACT_LIBRARY, key, id);
    return 0;
}

/* MPI loads libraries of its own when it begins, at addresses that depend on time. The program has no pointers to
 * them. */
static void add_objects(verso__native_facts *facts) {
    adding adding = {facts, 0, verso__native_ranks_run() ? loaded_first : SIZE_MAX};
    dl_iterate_phdr(add_object, &adding);
}

typedef struct wanted_name {
    uint64_t key;
    const char *name;
} wanted_name;

static int match_name(struct dl_phdr_info *object, size_t size, void *context) {
    (void)size;
    wanted_name *wanted = context;
    if (name_key(object->dlpi_name) == wanted->key)
        wanted->name = object->dlpi_name;
    return 0;
}

static const char *library_name(uint64_t key) {
    wanted_name wanted = {key, "a library"};
    dl_iterate_phdr(match_name, &wanted);
    return wanted.name;
}

#else

static void add_objects(verso__native_facts *facts) {
    (void)facts;
}

static const char *library_name(uint64_t key) {
    (void)key;
    return "a library";
}

#endif

/* ---- What is differentiated ---- */

static uint64_t checksum_of(const void *bytes, size_t size) {
    return size == 0 ? 0 : verso__checksum(bytes, size);
}

/* The key of an array: arrays of `of` have odd keys. */
static uint64_t region_key(size_t index, bool of) {
    return 2 * (uint64_t)index + of;
}

static void add_regions(verso__native_facts *facts, const verso_array *regions, size_t count, bool of) {
    for (size_t i = 0; i < count; i++) {
        size_t size = regions[i].count * verso__native_scalar_size(regions[i].type);
        uint64_t key = region_key(i, of);
        add(facts, FACT_SHAPE, key, regions[i].count << 2 | regions[i].type);
        add(facts, FACT_REGION, key, checksum_of(regions[i].data, size));
        if (of)
            add(facts, FACT_WEIGHTS, key, checksum_of(regions[i].derivative, regions[i].count * sizeof(double)));
    }
}

static void add_job(verso__native_facts *facts) {
    const verso__native_job *job = verso__native_job_now();
    uint64_t weight;
    memcpy(&weight, &job->weight, sizeof weight);
    add(facts, FACT_FUNCTION, 0, job->run != NULL ? (uintptr_t)job->run : (uintptr_t)job->f);
    add_regions(facts, job->wrt, job->wrt_count, false);
    add_regions(facts, job->of, job->of_count, true);
    add(facts, FACT_WEIGHTS, 0, weight);
}

/* Capsules leave out arrays of derivatives in the heap, so these must have the same addresses. */
static void add_addresses(verso__native_facts *facts, const verso_array *regions, size_t count, bool of) {
    for (size_t i = 0; i < count; i++) {
        uint64_t derivative = (uintptr_t)regions[i].derivative;
        bool in_heap = derivative - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE;
        add(facts, FACT_REGION_AT, region_key(i, of), (uintptr_t)regions[i].data);
        add(facts, FACT_REGION_AT, region_key(i, of), in_heap ? derivative : 0);
    }
}

static void add_places(verso__native_facts *facts) {
    const verso__native_job *job = verso__native_job_now();
    add(facts, FACT_CONTEXT, 0, (uintptr_t)job->context);
    add_addresses(facts, job->wrt, job->wrt_count, false);
    add_addresses(facts, job->of, job->of_count, true);
}

/* ---- Memory ---- */

static void add_globals(verso__native_facts *facts) {
    for (uint64_t i = 0; i < verso__native_global_count; i++)
        add(facts, FACT_GLOBAL, i,
            verso__native_handles_checksum(verso__native_globals[i].data, verso__native_globals[i].size));
}

static size_t heap_piece(size_t size) {
    return (size / HEAP_PIECES / VERSO_NATIVE_PAGE + 1) * VERSO_NATIVE_PAGE;
}

static void add_heap(verso__native_facts *facts) {
    verso__native_range heap = verso__native_arena_used();
    size_t piece = heap_piece((size_t)(heap.end - heap.begin));
    for (char *at = heap.begin; at < heap.end; at += piece)
        add(facts, FACT_HEAP, (uintptr_t)at,
            verso__native_handles_checksum(at, (size_t)(heap.end - at) < piece ? (size_t)(heap.end - at) : piece));
}

/* From here on, capsules hold the generators' states. */
static void add_generators(verso__native_facts *facts) {
    verso__native_world_random();
    const verso__native_generators *now = verso__native_generators_first();
    add(facts, FACT_RANDOM, 0, checksum_of(now->words, sizeof now->words));
    add(facts, FACT_RANDOM, 1, checksum_of(now->rand48, sizeof now->rand48));
}

/* ---- All facts ---- */

verso_status verso__native_facts_gather(verso__native_facts *facts, verso_error *error) {
    *facts = (verso__native_facts){0};
    add_objects(facts);
    add(facts, FACT_RANKS, 0, verso__native_ranks_fact());
    add(facts, FACT_THREAD_AT, 0, (uintptr_t)&errno);
    add_job(facts);
    add_globals(facts);
    add_heap(facts);
    add_generators(facts);
    add_places(facts);
    return facts->failed
               ? verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the list of what a durable run depends on")
               : VERSO_STATUS_OK;
}

void verso__native_facts_free(verso__native_facts *facts) {
    verso__dealloc(facts->list);
    *facts = (verso__native_facts){0};
}

static const verso__native_fact *fact_at(const verso__native_facts *facts, size_t index) {
    static const verso__native_fact none = {UINT64_MAX, 0, 0};
    return index < facts->count ? &facts->list[index] : &none;
}

static const char *global_name(uint64_t key) {
    return key < verso__native_global_count ? verso__native_globals[key].name : "?";
}

/* "x", "wrt[2]" */
static const char *region_name(uint64_t key, char name[32]) {
    if (verso__native_job_now()->run == NULL)
        return "x";
    snprintf(name, 32, "%s[%llu]", key % 2 != 0 ? "of" : "wrt", (unsigned long long)(key / 2));
    return name;
}

static void explain(const verso__native_fact *before, const verso__native_fact *now, char *text, size_t size) {
    fact_kind kind = (fact_kind)(before->kind < now->kind ? before->kind : now->kind);
    uint64_t key = now->kind == kind ? now->key : before->key;
    char name[32];
    switch (kind) {
    case FACT_BUILD:
        snprintf(text, size, "another build of the program began it (build id %016llx..., this one is %016llx...)",
                 (unsigned long long)before->value, (unsigned long long)now->value);
        break;
    case FACT_LIBRARY_AT:
        snprintf(text, size,
                 "%s is at another address than when it began, or other libraries are loaded; has the environment "
                 "changed, or the limit of the stack (ulimit -s)?",
                 library_name(key));
        break;
    case FACT_LIBRARY: snprintf(text, size, "it began with another version of %s", library_name(key)); break;
    case FACT_THREAD_AT:
        snprintf(text, size, "the C library has its memory at another address than when it began");
        break;
    case FACT_FUNCTION: snprintf(text, size, "it began with the derivative of another function"); break;
    case FACT_SHAPE: snprintf(text, size, "it began with a different number of inputs or outputs"); break;
    case FACT_RANDOM:
        snprintf(text, size,
                 "the generator of random numbers is in another state than when it began; seed it with the same number "
                 "in every process");
        break;
    case FACT_CONTEXT:
        snprintf(text, size, "the context is at another address than when it began; put it into static or heap memory");
        break;
    case FACT_RANKS:
        snprintf(text, size, "it began with %llu ranks, as rank %llu, and this is rank %llu of %llu",
                 (unsigned long long)(before->value >> 32), (unsigned long long)(uint32_t)before->value,
                 (unsigned long long)(uint32_t)now->value, (unsigned long long)(now->value >> 32));
        break;
    case FACT_REGION_AT:
        snprintf(text, size, "%s is at another address than when it began; put it into static or heap memory",
                 region_name(key, name));
        break;
    case FACT_REGION:
        snprintf(text, size, "%s contains different numbers than when it began", region_name(key, name));
        break;
    case FACT_WEIGHTS:
        snprintf(text, size, "the derivatives of its outputs differ from those with which it began");
        break;
    case FACT_GLOBAL:
        snprintf(text, size,
                 "the variable '%s' has another value than when it began; every process must reach this call in the "
                 "same way",
                 global_name(key));
        break;
    case FACT_HEAP:
        snprintf(
            text, size,
            "the heap differs from the one with which it began, near 0x%llx; every process must reach this call in "
            "the same way",
            (unsigned long long)key);
        break;
    }
}

bool verso__native_facts_differ(const verso__native_facts *before, const verso__native_facts *now, char *text,
                                size_t size) {
    size_t most = before->count > now->count ? before->count : now->count;
    for (size_t i = 0; i < most; i++) {
        const verso__native_fact *one = fact_at(before, i), *other = fact_at(now, i);
        if (one->kind == other->kind && one->key == other->key && one->value == other->value)
            continue;
        explain(one, other, text, size);
        return true;
    }
    return false;
}
