/* Keys of the cache: checksums of everything that decides what an object file contains. That includes the programs
 * that make it, this one and LLVM's library, since another build or version may make other code of the same input. */
#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "cc/emit/emit.h"
#include "cc/ir/program.h"

#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

/* Returns the path of the file that this process has mapped for LLVM's library; "" if it is not a library. */
static const char *library_path(cc_unit *unit) {
    FILE *maps = fopen("/proc/self/maps", "r");
    char line[4096];
    const char *found = "";
    while (maps != NULL && found[0] == '\0' && fgets(line, sizeof line, maps) != NULL) {
        char *path = strchr(line, '/');
        if (path == NULL || strstr(path, "libLLVM") == NULL)
            continue;
        path[strcspn(path, "\n")] = '\0';
        found = cc_print(unit, "%s", path);
    }
    if (maps != NULL)
        fclose(maps);
    return found;
}

/* Reading all of LLVM's library would take longer than a small link, so its size and time stand for it: installing
 * another one changes them. */
static verso_identity add_library(cc_unit *unit, verso_identity sum) {
    unsigned version[3];
    struct stat about;
    LLVMGetVersion(&version[0], &version[1], &version[2]);
    sum = verso__checksum_chain(sum, version, sizeof version);
    if (stat(library_path(unit), &about) != 0)
        return sum;
    const uint64_t facts[] = {(uint64_t)about.st_size, (uint64_t)about.st_ino, (uint64_t)about.st_mtim.tv_sec,
                              (uint64_t)about.st_mtim.tv_nsec};
    return verso__checksum_chain(sum, facts, sizeof facts);
}

static bool identify_maker(cc_unit *unit, verso_identity *maker) {
    char *bytes;
    size_t size;
    if (verso__file_whole(verso__system_current(), "/proc/self/exe", &bytes, &size, NULL) != VERSO_STATUS_OK)
        return false;
    *maker = add_library(unit, verso__checksum_wide(bytes, size));
    verso__dealloc(bytes);
    return true;
}

void cc_open_cache(cc_unit *unit) {
    cc_jobs *jobs = &unit->program->jobs;
    if (identify_maker(unit, &jobs->maker))
        jobs->cache = driver_cache_open();
}

static verso_identity add_text(verso_identity sum, const char *text) {
    return verso__checksum_chain(sum, text == NULL ? "" : text, text == NULL ? 1 : strlen(text) + 1);
}

/* ---- Parts ---- */

verso_identity cc_part_key(const cc_unit *unit, const cc_recipe *recipe, LLVMMemoryBufferRef bitcode) {
    const cc_program *program = unit->program;
    const uint64_t facts[] = {(uint64_t)program->request->optimise,
                              program->request->debug,
                              program->kinds,
                              program->packs,
                              program->fast,
                              program->single,
                              program->names_driver,
                              program->doubts};
    verso_identity sum = add_text(program->jobs.maker, recipe->name);
    sum = add_text(sum, program->request->cpu);
    sum = verso__checksum_chain(sum, facts, sizeof facts);
    return verso__checksum_chain(sum, LLVMGetBufferStart(bitcode), LLVMGetBufferSize(bitcode));
}

/* ---- Whole programs ---- */

static verso_identity add_names(verso_identity sum, const char *const *names, size_t count) {
    sum = verso__checksum_chain(sum, &count, sizeof count);
    for (size_t i = 0; i < count; i++)
        sum = add_text(sum, names[i]);
    return sum;
}

static verso_identity program_key(const cc_program *program) {
    const cc_request *request = program->request;
    const uint64_t facts[] = {(uint64_t)request->optimise,
                              request->debug,
                              request->exports,
                              request->shared,
                              request->strip,
                              request->part,
                              request->check_reload,
                              request->input_count};
    verso_identity sum = add_text(program->jobs.maker, "whole");
    sum = add_text(sum, request->cpu);
    sum = verso__checksum_chain(sum, facts, sizeof facts);
    sum = add_names(sum, request->inactive, request->inactive_count);
    sum = add_names(sum, request->pure, request->pure_count);
    for (size_t i = 0; i < request->input_count; i++) {
        sum = add_text(sum, request->inputs[i].name);
        sum = verso__checksum_chain(sum, &request->inputs[i].size, sizeof request->inputs[i].size);
        sum = verso__checksum_chain(sum, request->inputs[i].bitcode, request->inputs[i].size);
    }
    return sum;
}

/* A program whose transformation prints something must be transformed to print it. */
static bool is_silent(const cc_unit *unit) {
    const cc_request *request = unit->program->request;
    return request->dump == NULL && !request->externals && cc_diagnostics(unit)[0] == '\0';
}

bool cc_take_program(cc_unit *unit) {
    const cc_program *program = unit->program;
    return program->jobs.cache.folder != NULL && is_silent(unit) &&
           driver_cache_take(&program->jobs.cache, program_key(program), program->request->object);
}

void cc_keep_program(cc_unit *unit) {
    const cc_program *program = unit->program;
    if (program->jobs.cache.folder == NULL)
        return;
    if (is_silent(unit))
        driver_cache_keep(&program->jobs.cache, program_key(program), program->request->object);
    driver_cache_trim(&program->jobs.cache);
}
