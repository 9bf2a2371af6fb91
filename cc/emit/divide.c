/* Divides a module into parts, which are optimised and kept in the cache one by one. A part should stay the same when
 * other parts of the program change. So functions that come from the same file of the program are in the same part, and
 * which files share a part depends on their names alone; large files are divided by the names of their functions. The
 * numbers of parts are powers of two, so they rarely change with the size of the program. Reading the module takes some
 * time for each part, in proportion to the module, so parts of a very large program are larger.
 *
 * Reverse functions are not in the same parts as recording functions, because they need other passes: combining scalar
 * operations into vector operations (SLP) makes recording code faster, like the program itself, but makes adjoint code
 * slower, because its values come from distant places in memory. */
#include "base/checksum.h"
#include "cc/emit/emit.h"
#include "cc/ir/program.h"
#include "cc/ir/small.h"
#include "cc/ir/surgery.h"
#include "cc/reverse/reverse.h"

#include <llvm-c/BitWriter.h>
#include <llvm-c/Comdat.h>
#include <string.h>

/* ---- Origins ---- */

static bool ends_with(const char *name, const char *end) {
    size_t length = strlen(name), wanted = strlen(end);
    return length >= wanted && strcmp(name + length - wanted, end) == 0;
}

static bool is_reverse(LLVMValueRef function) {
    return ends_with(LLVMGetValueName(function), ".reverse");
}

/* Returns the attribute of a function, and for f.reverse that of f.record; NULL: none. LLVM has each attribute once in
 * a context, so equal origins are equal pointers. */
static LLVMAttributeRef origin_of(cc_unit *unit, LLVMModuleRef module, LLVMValueRef function) {
    const char *name = LLVMGetValueName(function);
    if (is_reverse(function)) {
        LLVMValueRef record =
            LLVMGetNamedFunction(module, cc_print(unit, "%.*s.record", (int)(strlen(name) - strlen(".reverse")), name));
        function = record == NULL ? function : record;
    }
    return LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, CC_ORIGIN,
                                         (unsigned)strlen(CC_ORIGIN));
}

/* ---- Sites ---- */

/* Several parts refer to the sites, and the run time compares their addresses. Each site is in a COMDAT group of
 * its own, because the run time finds call sites by their section: a second copy would count as another site. */
void cc_share_sites(cc_unit *unit) {
    for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
        if (strstr(LLVMGetValueName(g), CC_SITE_INFIX) && LLVMGetInitializer(g)) {
            LLVMSetLinkage(g, LLVMLinkOnceODRLinkage);
            LLVMSetVisibility(g, LLVMHiddenVisibility);
            LLVMSetComdat(g, LLVMGetOrInsertComdat(unit->module, LLVMGetValueName(g)));
        }
}

/* ---- Small functions ---- */

static bool is_small(LLVMValueRef function) {
    return !LLVMIsDeclaration(function) && ends_with(LLVMGetValueName(function), CC_APART);
}

/* Most parts call the same small functions, so these are in one part, for all. Recording and tangent code have their
 * own, because the same name may stand for calls of different functions of the run time. */
static void share_small(cc_unit *unit, LLVMModuleRef module, const char *version) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f)) {
        if (!is_small(f))
            continue;
        const char *name = LLVMGetValueName(f);
        name = cc_print(unit, "%.*s.%s" CC_APART, (int)(strlen(name) - strlen(CC_APART)), name, version);
        LLVMSetValueName2(f, name, strlen(name));
        LLVMSetLinkage(f, LLVMExternalLinkage);
        LLVMSetVisibility(f, LLVMHiddenVisibility);
    }
}

/* ---- Parts ---- */

enum { PARTS_FEW = 16 }; /* parts are made larger where they would be more than about twice as many */

/* Functions that are divided among `parts` parts: those of one large file, or of all small ones. */
typedef struct group {
    size_t instructions;
    size_t parts;   /* a power of two; 0: not yet known */
    size_t *number; /* of each part, plus 1; 0: it has no functions so far */
} group;

typedef struct division {
    cc_unit *unit;
    LLVMModuleRef module;
    bool (*wanted)(LLVMValueRef function); /* says which functions are being divided */
    cc_map file_of;                        /* origin -> index in `files` */
    group *files;                          /* functions by origin */
    size_t file_count, file_capacity;
    group small;  /* functions of all small files */
    size_t part;  /* approximate number of instructions of a part */
    size_t count; /* number of parts so far */
} division;

static bool is_version(LLVMValueRef function) {
    return !LLVMIsDeclaration(function) && LLVMGetLinkage(function) != LLVMInternalLinkage && !is_small(function);
}

static bool is_quick(LLVMValueRef function) {
    return is_version(function) &&
           LLVMGetStringAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, CC_QUICK,
                                         (unsigned)strlen(CC_QUICK)) != NULL;
}

static bool is_recording(LLVMValueRef function) {
    return is_version(function) && !is_reverse(function) && !is_quick(function);
}

static bool is_adjoint(LLVMValueRef function) {
    return is_version(function) && is_reverse(function) && !is_quick(function);
}

static size_t count_instructions(LLVMValueRef function) {
    size_t count = 0;
    for (LLVMValueRef at = cc_first(function); at; at = cc_next(at))
        count++;
    return count;
}

static group *file_of(division *d, LLVMValueRef function) {
    LLVMAttributeRef origin = origin_of(d->unit, d->module, function);
    const void *key = origin == NULL ? (const void *)d : (const void *)origin;
    ptrdiff_t index = cc_map_get(&d->file_of, key);
    if (index != CC_NOT_FOUND)
        return &d->files[index];
    cc_reserve(d->unit, &d->files, &d->file_capacity, d->file_count + 1, sizeof *d->files);
    d->files[d->file_count] = (group){0};
    cc_map_put(d->unit, &d->file_of, key, d->file_count);
    return &d->files[d->file_count++];
}

static bool is_large(const division *d, const group *file) {
    return file->instructions > d->part;
}

static void set_parts(division *d, group *group) {
    group->parts = 1;
    while (group->parts * d->part < group->instructions)
        group->parts *= 2;
    group->number = cc_alloc(d->unit, group->parts, sizeof *group->number);
}

static size_t part_in(division *d, group *group, const char *name) {
    if (group->parts == 0)
        set_parts(d, group);
    size_t *number = &group->number[verso__checksum(name, strlen(name)) % group->parts];
    if (*number == 0)
        *number = ++d->count;
    return *number - 1;
}

static size_t part_for(division *d, LLVMValueRef function) {
    group *file = file_of(d, function);
    if (is_large(d, file))
        return part_in(d, file, LLVMGetValueName(function));
    LLVMAttributeRef origin = origin_of(d->unit, d->module, function);
    unsigned length = 0;
    const char *name = origin == NULL ? "" : LLVMGetStringAttributeValue(origin, &length);
    return part_in(d, &d->small, cc_print(d->unit, "%.*s", (int)length, name));
}

static void choose_size(division *d) {
    size_t instructions = 0;
    for (size_t i = 0; i < d->file_count; i++)
        instructions += d->files[i].instructions;
    while (d->part * PARTS_FEW < instructions)
        d->part *= 2;
}

size_t cc_divide_some(cc_unit *unit, LLVMModuleRef module, bool (*wanted)(LLVMValueRef function), size_t instructions,
                      size_t first, size_t *part_of) {
    division d = {.unit = unit, .module = module, .wanted = wanted, .part = instructions, .count = first};
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        if (d.wanted(f))
            file_of(&d, f)->instructions += count_instructions(f);
    choose_size(&d);
    for (size_t i = 0; i < d.file_count; i++)
        d.small.instructions += is_large(&d, &d.files[i]) ? 0 : d.files[i].instructions;
    size_t index = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f), index++)
        if (d.wanted(f))
            part_of[index] = part_for(&d, f);
    return d.count;
}

size_t *cc_new_parts(cc_unit *unit, LLVMModuleRef module, cc_code *code) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        code->functions++;
    size_t *part_of = cc_alloc(unit, code->functions, sizeof *part_of);
    for (size_t i = 0; i < code->functions; i++)
        part_of[i] = (size_t)CC_EVERY_PART;
    code->part_of = part_of;
    return part_of;
}

void cc_write_code(cc_unit *unit, LLVMModuleRef module, cc_code *code) {
    code->bitcode = LLVMWriteBitcodeToMemoryBuffer(module);
    unit->program->written[unit->program->written_count++] = code->bitcode;
}

static bool has_quick(LLVMModuleRef module) {
    for (LLVMValueRef f = LLVMGetFirstFunction(module); f != NULL; f = LLVMGetNextFunction(f))
        if (is_quick(f))
            return true;
    return false;
}

/* An instruction of a quick function takes LLVM about a quarter of the time of another one, so others are in smaller
 * parts: otherwise a change of one file would make the main loop of an interpreter anew. */
enum { SMALLER = 4 };

cc_code *cc_divide(cc_unit *unit, LLVMModuleRef module, const char *version) {
    share_small(unit, module, version);
    cc_code *code = cc_alloc(unit, 1, sizeof *code);
    size_t *part_of = cc_new_parts(unit, module, code), instructions = unit->program->request->part;
    code->reverse = cc_divide_some(unit, module, is_small, SIZE_MAX / 2, 0, part_of);
    size_t slow = has_quick(module) ? instructions / SMALLER + 1 : instructions;
    code->reverse = cc_divide_some(unit, module, is_recording, slow, code->reverse, part_of);
    code->quick = cc_divide_some(unit, module, is_adjoint, slow, code->reverse, part_of);
    code->parts = cc_divide_some(unit, module, is_quick, instructions, code->quick, part_of);
    cc_write_code(unit, module, code);
    return code;
}
