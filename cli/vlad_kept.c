/* Implements vlad_kept.h. The program's file name contains a checksum of everything that it is made from. A process
 * that compiles holds the lock compile.lock; it runs in a session of its own, so that it outlives the command that
 * started it. A program is run only if no other user can have written it. */
#include "cli/vlad_kept.h"

#include "base/checksum.h"
#include "cc/driver/places.h"
#include "cli/message.h"
#include "drive/signals.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>
#include <verso/version.h>

static bool is_private(const struct stat *about) {
    return about->st_uid == geteuid() && (about->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

/* Creates the directory if necessary. Returns true if only this user can write to it. (The run itself reports any other
 * problem with the directory.) */
static bool has_private_directory(const char *path) {
    struct stat about;
    (void)mkdir(path, 0700);
    return lstat(path, &about) == 0 && S_ISDIR(about.st_mode) && is_private(&about);
}

static const char *name_program(vlad_compilation *task, const vlad_writer *text) {
    driver_words kept = {0};
    driver_places places = driver_places_find(&kept);
    struct stat about = {0};
    const char *clang = getenv("VERSO_CLANG"), *version = verso_version();
    if (places.library)
        (void)stat(places.library, &about);
    const uint64_t library[] = {(uint64_t)about.st_size, (uint64_t)about.st_mtim.tv_sec,
                                (uint64_t)about.st_mtim.tv_nsec};
    verso_identity identity = verso__checksum_wide(text->text, text->size);
    identity = verso__checksum_chain(identity, library, sizeof library);
    identity = verso__checksum_chain(identity, version, strlen(version));
    if (clang)
        identity = verso__checksum_chain(identity, clang, strlen(clang));
    driver_words_free(&kept);
    return cli_region_print(task->region, "%s/program-%016llx%016llx", task->run, (unsigned long long)identity.words[0],
                            (unsigned long long)identity.words[1]);
}

/* Returns a descriptor of the program; -1 if it does not exist or another user can have written it. */
static int open_program(const char *path) {
    struct stat about;
    int file = open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (file >= 0 && (fstat(file, &about) != 0 || !S_ISREG(about.st_mode) || !is_private(&about))) {
        close(file);
        return -1;
    }
    return file;
}

static void wait_a_little(void) {
    const struct timespec time = {.tv_nsec = 5000000};
    (void)nanosleep(&time, NULL);
}

static int report_suspended(const vlad_compilation *task) {
    fprintf(stderr, "suspended in '%s'; run the same command again to continue\n", task->run);
    return CLI_SUSPENDED;
}

/* Waits until no other process compiles, and takes the lock. On failure, also if a signal arrives, sets *lock to -1 and
 * returns an exit status after a message. */
static int take_lock(const vlad_compilation *task, const char *path, int *lock) {
    *lock = open(path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    if (*lock < 0)
        return cli_failure(task->command, "cannot write '%s': %s", path, strerror(errno));
    while (flock(*lock, LOCK_EX | LOCK_NB) != 0) {
        if (verso__signals_came() != 0 || (errno != EWOULDBLOCK && errno != EINTR)) {
            int status = verso__signals_came() != 0
                             ? report_suspended(task)
                             : cli_failure(task->command, "cannot lock '%s': %s", path, strerror(errno));
            close(*lock);
            *lock = -1;
            return status;
        }
        wait_a_little();
    }
    return CLI_OK;
}

/* Compiles in the child process, in a session of its own. The child shares the lock until it ends. */
static _Noreturn void compile_detached(vlad_compilation *task, const vlad_writer *text, cli_vlad_builder build,
                                       const char *path) {
    (void)setsid();
    (void)verso__signals_leave();
    int nothing = open("/dev/null", O_RDWR | O_CLOEXEC);
    if (nothing >= 0)
        (void)dup2(nothing, STDIN_FILENO), (void)dup2(nothing, STDOUT_FILENO);
    const char *new = cli_region_print(task->region, "%s.new", path);
    (void)unlink(new);
    int status = build(task, text, new);
    if (status == CLI_OK && (chmod(new, 0700) != 0 || rename(new, path) != 0))
        status = cli_failure(task->command, "cannot write '%s': %s", path, strerror(errno));
    if (status != CLI_OK)
        (void)unlink(new);
    fflush(stderr);
    _exit(status);
}

static int compile(vlad_compilation *task, const vlad_writer *text, cli_vlad_builder build, const char *path) {
    int how;
    pid_t child, ended;
    fflush(stderr);
    child = fork();
    if (child < 0)
        return cli_failure(task->command, "cannot compile the program: %s", strerror(errno));
    if (child == 0)
        compile_detached(task, text, build, path);
    while ((ended = waitpid(child, &how, WNOHANG)) == 0 || (ended < 0 && errno == EINTR)) {
        if (verso__signals_came() != 0)
            return report_suspended(task);
        wait_a_little();
    }
    return ended == child && WIFEXITED(how) ? WEXITSTATUS(how) : CLI_FAILED;
}

int cli_vlad_kept(vlad_compilation *task, const vlad_writer *text, cli_vlad_builder build, int *file) {
    *file = -1;
    if (!has_private_directory(task->run))
        return CLI_OK;
    const char *path = name_program(task, text);
    *file = open_program(path);
    if (*file >= 0)
        return CLI_OK;
    int lock;
    int status = take_lock(task, cli_region_print(task->region, "%s/compile.lock", task->run), &lock);
    if (status != CLI_OK)
        return status;
    *file = open_program(path); /* another process may have compiled it meanwhile */
    if (*file < 0)
        status = compile(task, text, build, path);
    if (status == CLI_OK && *file < 0)
        *file = open_program(path);
    close(lock);
    return status;
}
