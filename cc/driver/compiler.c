/* Implements compiler.h. */
#include "cc/driver/compiler.h"

#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Sets `version` to the first line that the compiler prints with -dumpversion; to "" if it prints nothing. Returns
 * false if the compiler cannot be run. */
static bool ask_version(const char *compiler, char *version, size_t size) {
    int ends[2];
    posix_spawn_file_actions_t files;
    if (pipe(ends) != 0)
        return false;
    FILE *from = fdopen(ends[0], "r");
    if (from == NULL || posix_spawn_file_actions_init(&files) != 0) {
        close(ends[1]);
        (void)(from == NULL ? close(ends[0]) : fclose(from));
        return false;
    }
    posix_spawn_file_actions_adddup2(&files, ends[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&files, ends[0]);
    posix_spawn_file_actions_addopen(&files, STDERR_FILENO, "/dev/null", 1, 0);
    char *words[] = {(char *)(uintptr_t)compiler, (char[]){"-dumpversion"}, NULL};
    pid_t child;
    bool run = posix_spawnp(&child, compiler, &files, NULL, words, environ) == 0;
    posix_spawn_file_actions_destroy(&files);
    close(ends[1]);
    version[0] = '\0';
    if (run && fgets(version, (int)size, from) != NULL)
        version[strcspn(version, "\n")] = '\0';
    fclose(from);
    if (run)
        waitpid(child, NULL, 0);
    return run;
}

bool driver_is_compiler_usable(const driver_session *session) {
    char version[64];
    if (!session->chosen || !ask_version(session->clang, version, sizeof version) ||
        strtol(version, NULL, 10) == DRIVER_CLANG_MAJOR)
        return true;
    driver_error(session,
                 "%s names %s, version %s, but Verso needs clang %d: it reads the bitcode of that version only",
                 session->language == DRIVER_CPP ? "VERSO_CLANGXX" : "VERSO_CLANG", session->clang,
                 version[0] == '\0' ? "unknown" : version, DRIVER_CLANG_MAJOR);
    return false;
}
