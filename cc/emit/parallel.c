/* Makes object files of the parts of modules, each in a process of its own. LLVM's optimiser and code generator take
 * nearly all of the time and cannot use threads, and the parts do not depend on each other. `ld -r` combines the
 * results into one object file, so that callers see only that one. A job starts as soon as its module is ready,
 * while other modules are still being made. A child reports a failure as text through a pipe.
 *
 * A child first looks for its object file in the cache (keys.c). */
#include "cc/emit/emit.h"
#include "cc/front/front.h"
#include "cc/ir/program.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* ---- In the child ---- */

/* Makes the object file, or takes it from the cache. */
static void make_object(cc_unit *unit, const cc_code *code, size_t part, const cc_recipe *recipe, const char *object) {
    const driver_cache *cache = &unit->program->jobs.cache;
    LLVMMemoryBufferRef bitcode = cc_extract_part(unit, code, part);
    verso_identity key = cc_part_key(unit, recipe, bitcode);
    if (driver_cache_take(cache, key, object))
        return;
    cc_read_part(unit, bitcode);
    recipe->optimise(unit);
    cc_emit(unit, object);
    driver_cache_keep(cache, key, object);
}

/* Does a job. Never returns. */
static void do_job(cc_unit *unit, const cc_code *code, size_t part, const cc_recipe *recipe, const char *object,
                   int message) {
    if (setjmp(unit->give_up) == 0) {
        make_object(unit, code, part, recipe, object);
        _exit(0);
    }
    const char *text = unit->error->message;
    while (*text != '\0') {
        ssize_t wrote = write(message, text, strlen(text));
        if (wrote <= 0)
            break;
        text += wrote;
    }
    _exit(1);
}

/* ---- Processes ---- */

static void start(cc_unit *unit, const cc_code *code, size_t part, const cc_recipe *recipe, cc_child *started) {
    int ends[2];
    if (pipe(ends) != 0)
        cc_give_up(unit, VERSO_STATUS_IO, "cannot create a pipe for another process: %s", strerror(errno));
    fflush(NULL); /* otherwise each child would write buffered output again */
    started->process = fork();
    if (started->process < 0) {
        started->process = 0;
        cc_give_up(unit, VERSO_STATUS_IO, "cannot start another process: %s", strerror(errno));
    }
    if (started->process == 0) {
        close(ends[0]);
        do_job(unit, code, part, recipe, started->object, ends[1]);
    }
    close(ends[1]);
    started->message = ends[0];
}

/* Waits for any child to end, and keeps the message of the first one that failed. A message is shorter than the
 * capacity of a pipe, so the child does not block until it is read. */
static void finish_one(cc_unit *unit) {
    cc_jobs *jobs = &unit->program->jobs;
    int status = 0;
    pid_t process = waitpid(-1, &status, 0);
    cc_child *ended = jobs->children;
    while (ended < jobs->children + jobs->count && ended->process != process)
        ended++;
    if (process <= 0 || ended == jobs->children + jobs->count)
        cc_give_up(unit, VERSO_STATUS_IO, "waiting for another process failed: %s", strerror(errno));
    char text[VERSO_MESSAGE_MAX] = "";
    ssize_t got = read(ended->message, text, sizeof text - 1);
    close(ended->message);
    ended->process = 0;
    jobs->running--;
    if ((WIFEXITED(status) && WEXITSTATUS(status) == 0) || jobs->failure != NULL)
        return;
    jobs->failure = got > 0
                        ? cc_print(unit, "%s", text)
                        : cc_print(unit, "LLVM ended unexpectedly (status %d) while it made %s", status, ended->object);
}

static int run_linker(char **arguments) {
    extern char **environ;
    pid_t process;
    int status = 0;
    if (posix_spawnp(&process, arguments[0], NULL, NULL, arguments, environ) != 0 || waitpid(process, &status, 0) < 0)
        return -1;
    return status;
}

static void combine(cc_unit *unit, const char *object) {
    const cc_jobs *jobs = &unit->program->jobs;
    char **arguments = cc_alloc(unit, jobs->count + 5, sizeof *arguments);
    arguments[0] = cc_print(unit, "ld");
    arguments[1] = cc_print(unit, "-r");
    arguments[2] = cc_print(unit, "-o");
    arguments[3] = cc_print(unit, "%s", object);
    for (size_t i = 0; i < jobs->count; i++)
        arguments[i + 4] = jobs->children[i].object;
    if (run_linker(arguments) != 0)
        cc_give_up(unit, VERSO_STATUS_IO, "ld cannot combine the parts of %s; is ld installed?", object);
}

size_t cc_processors(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 1 ? (size_t)processors : 1;
}

void cc_start_job(cc_unit *unit, const cc_code *code, size_t part, const cc_recipe *recipe) {
    cc_jobs *jobs = &unit->program->jobs;
    while (jobs->running >= cc_processors())
        finish_one(unit);
    cc_reserve(unit, &jobs->children, &jobs->capacity, jobs->count + 1, sizeof *jobs->children);
    cc_child *child = &jobs->children[jobs->count];
    *child = (cc_child){.object = cc_print(unit, "%s.%zu.o", unit->program->request->object, jobs->count)};
    jobs->count++;
    start(unit, code, part, recipe, child);
    jobs->running++;
}

void cc_finish_jobs(cc_unit *unit) {
    cc_jobs *jobs = &unit->program->jobs;
    while (jobs->running > 0)
        finish_one(unit);
    if (jobs->failure != NULL)
        cc_give_up(unit, VERSO_STATUS_IO, "%s", jobs->failure);
    combine(unit, unit->program->request->object);
}

void cc_forget_jobs(cc_program *program) {
    driver_cache_close(&program->jobs.cache);
    for (size_t i = 0; i < program->jobs.count; i++) {
        const cc_child *child = &program->jobs.children[i];
        if (child->process > 0) {
            kill(child->process, SIGKILL);
            waitpid(child->process, NULL, 0);
            close(child->message);
        }
        unlink(child->object);
    }
}
