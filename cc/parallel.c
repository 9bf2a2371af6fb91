/* Modules on their way to object files, each in a process of its own: LLVM's optimiser and code generator take nearly
 * all of the time, know nothing of threads, and the modules do not depend on one another. Some modules go in parts
 * (split.c). A child's failure comes back as text through a pipe. `ld -r` makes one object of all, so that nobody else
 * needs to know. */
#include "cc/program.h"

#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

typedef struct child {
    pid_t process; /* 0: none */
    int message;   /* where to read what went wrong */
    char *object;
} child;

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

static void start(cc_unit *unit, const cc_job *job, child *started) {
    int ends[2];
    if (pipe(ends) != 0)
        cc_give_up(unit, VERSO_IO, "there is no pipe for another process: %s", strerror(errno));
    started->process = fork();
    if (started->process < 0)
        cc_give_up(unit, VERSO_IO, "there is no room for another process: %s", strerror(errno));
    if (started->process == 0) {
        close(ends[0]);
        do_job(unit, job, started->object, ends[1]);
    }
    close(ends[1]);
    started->message = ends[0];
}

/* Waits for any child to end. A message is shorter than what a pipe holds, so nobody waits for it to be read. The first
 * failure is kept in *failure. */
static void finish_one(cc_unit *unit, child *children, const char **failure) {
    int status = 0;
    pid_t process = waitpid(-1, &status, 0);
    child *ended = children;
    while (ended < children + CC_JOBS_MOST && ended->process != process)
        ended++;
    if (process <= 0 || ended == children + CC_JOBS_MOST)
        cc_give_up(unit, VERSO_IO, "another process is lost: %s", strerror(errno));
    char text[VERSO_MESSAGE_MAX] = "";
    ssize_t got = read(ended->message, text, sizeof text - 1);
    close(ended->message);
    ended->process = 0;
    if ((WIFEXITED(status) && WEXITSTATUS(status) == 0) || *failure != NULL)
        return;
    *failure = got > 0 ? cc_print(unit, "%s", text)
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

static void combine(cc_unit *unit, const child *children, size_t count, const char *object) {
    char *arguments[CC_JOBS_MOST + 5] = {"ld", "-r", "-o", cc_print(unit, "%s", object)};
    size_t next = 4;
    for (size_t i = 0; i < count; i++)
        if (children[i].object != NULL)
            arguments[next++] = children[i].object;
    if (run_linker(arguments) != 0)
        cc_give_up(unit, VERSO_IO, "ld cannot make %s of its parts; is it installed?", object);
}

void cc_do_jobs(cc_unit *unit, const cc_job *jobs, size_t count, const char *object) {
    long processors = sysconf(_SC_NPROCESSORS_ONLN);
    child children[CC_JOBS_MOST] = {{0}};
    const char *failure = NULL;
    size_t running = 0;
    fflush(NULL); /* what is buffered must not come out of every child */
    for (size_t i = 0; i < count && i < CC_JOBS_MOST; i++) {
        if (jobs[i].module == NULL)
            continue;
        children[i].object = cc_print(unit, "%s.%zu.o", object, i);
        for (; running >= (size_t)(processors > 1 ? processors : 1); running--)
            finish_one(unit, children, &failure);
        start(unit, &jobs[i], &children[i]);
        running++;
    }
    for (; running > 0; running--)
        finish_one(unit, children, &failure);
    if (failure == NULL)
        combine(unit, children, count, object);
    for (size_t i = 0; i < count && i < CC_JOBS_MOST; i++)
        if (children[i].object != NULL)
            unlink(children[i].object);
    if (failure != NULL)
        cc_give_up(unit, VERSO_IO, "%s", failure);
}
