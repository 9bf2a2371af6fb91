/* Modules on their way to object files, each in a process of its own: LLVM's optimiser and code generator take nearly
 * all of the time, know nothing of threads, and the modules do not depend on one another. Some modules go in parts
 * (split.c). A child's failure comes back as text through a pipe. `ld -r` makes one object of all, so that nobody else
 * needs to know. A job may start as soon as its module is ready, while others are still being made. */
#include "cc/program.h"

#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

/* In the child. Never returns. */
static void do_job(cc_unit *unit, const cc_job *job, const char *object, int message) {
    if (setjmp(unit->give_up) == 0) {
        cc_use_module(unit, job->module);
        if (job->part.of > 0)
            cc_keep_part(unit, &job->part);
        job->optimise(unit);
        cc_emit(unit, object);
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

static void start(cc_unit *unit, const cc_job *job, cc_child *started) {
    int ends[2];
    if (pipe(ends) != 0)
        cc_give_up(unit, VERSO_IO, "there is no pipe for another process: %s", strerror(errno));
    fflush(NULL); /* what is buffered must not come out of every child */
    started->process = fork();
    if (started->process < 0) {
        started->process = 0;
        cc_give_up(unit, VERSO_IO, "there is no room for another process: %s", strerror(errno));
    }
    if (started->process == 0) {
        close(ends[0]);
        do_job(unit, job, started->object, ends[1]);
    }
    close(ends[1]);
    started->message = ends[0];
}

/* Waits for any child to end. A message is shorter than what a pipe holds, so nobody waits for it to be read. The first
 * failure is kept. */
static void finish_one(cc_unit *unit) {
    cc_jobs *jobs = &unit->program->jobs;
    int status = 0;
    pid_t process = waitpid(-1, &status, 0);
    cc_child *ended = jobs->children;
    while (ended < jobs->children + jobs->count && ended->process != process)
        ended++;
    if (process <= 0 || ended == jobs->children + jobs->count)
        cc_give_up(unit, VERSO_IO, "another process is lost: %s", strerror(errno));
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
    char *arguments[CC_JOBS_MOST + 5] = {"ld", "-r", "-o", cc_print(unit, "%s", object)};
    for (size_t i = 0; i < jobs->count; i++)
        arguments[i + 4] = jobs->children[i].object;
    if (run_linker(arguments) != 0)
        cc_give_up(unit, VERSO_IO, "ld cannot make %s of its parts; is it installed?", object);
}

size_t cc_processors(void) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    return processors > 1 ? (size_t)processors : 1;
}

void cc_start_job(cc_unit *unit, const cc_job *job) {
    cc_jobs *jobs = &unit->program->jobs;
    if (job->module == NULL)
        return;
    while (jobs->running >= cc_processors())
        finish_one(unit);
    cc_child *child = &jobs->children[jobs->count];
    *child = (cc_child){.object = cc_print(unit, "%s.%zu.o", unit->program->request->object, jobs->count)};
    jobs->count++;
    start(unit, job, child);
    jobs->running++;
}

void cc_finish_jobs(cc_unit *unit) {
    while (unit->program->jobs.running > 0)
        finish_one(unit);
    if (unit->program->jobs.failure != NULL)
        cc_give_up(unit, VERSO_IO, "%s", unit->program->jobs.failure);
    combine(unit, unit->program->request->object);
}

void cc_forget_jobs(cc_program *program) {
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
