/* Implements process.h. A signal that would end this process is passed on to the running command and recorded in
 * session->interrupted; driver_session_close removes the scratch folder and then ends the process by that signal. */
#include "cc/driver/process.h"

#include "cc/driver/response.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Linux limits an argument to 128 KiB and all of them, with the environment, to 2 MiB. Longer commands are passed in a
 * response file. */
enum { LONGEST_WORD = 100 * 1024, LONGEST_LINE = 1024 * 1024 };

static bool is_too_long(const driver_words *command) {
    size_t total = 0;
    for (size_t i = 0; i < command->count; i++) {
        size_t length = strlen(command->at[i]);
        total += length + 1 + sizeof(char *);
        if (length > LONGEST_WORD || total > LONGEST_LINE)
            return true;
    }
    return false;
}

/* Prints an argument, quoted for a shell. */
static void print_word(const char *word) {
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789@%+=:,./-_";
    if (word[0] != '\0' && word[strspn(word, plain)] == '\0') {
        fputs(word, stderr);
        return;
    }
    fputc('\'', stderr);
    for (; *word != '\0'; word++)
        if (*word == '\'')
            fputs("'\\''", stderr);
        else
            fputc(*word, stderr);
    fputc('\'', stderr);
}

/* Returns false after a message if memory was exhausted while the command was made. With --verso-show, prints it. */
static bool is_ready(const driver_session *session, const driver_words *command) {
    if (command->failed || command->count == 0 || session->kept.failed)
        return driver_error(session, "out of memory"), false;
    for (size_t i = 0; session->show && i < command->count; i++) {
        fputc(' ', stderr);
        print_word(command->at[i]);
    }
    if (session->show)
        fputc('\n', stderr);
    fflush(NULL);
    return true;
}

static int cannot_run(const driver_session *session, const char *name, int code) {
    const char *remedy = "";
    if (code == ENOENT && strcmp(name, session->clang) == 0)
        remedy = session->language == DRIVER_CPP ? "; install clang 19, or name a compiler in VERSO_CLANGXX"
                                                 : "; install clang 19, or name a compiler in VERSO_CLANG";
    return driver_error(session, "cannot run '%s': %s%s", name, strerror(code), remedy);
}

/* Gives the command the signal settings that this process had before make_scratch changed them. */
static int restore_signals(const driver_session *session, posix_spawnattr_t *attributes) {
    if (session->scratch == NULL)
        return 0;
    sigset_t restored;
    sigemptyset(&restored);
    if (session->pipe_signal)
        sigaddset(&restored, SIGPIPE);
    int code = posix_spawnattr_setsigmask(attributes, &session->signals);
    if (code == 0)
        code = posix_spawnattr_setsigdefault(attributes, &restored);
    return code == 0 ? posix_spawnattr_setflags(attributes, POSIX_SPAWN_SETSIGMASK | POSIX_SPAWN_SETSIGDEF) : code;
}

static int redirect(posix_spawn_file_actions_t *files, int handle, const char *path) {
    return path == NULL ? 0 : posix_spawn_file_actions_addopen(files, handle, path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
}

static int spawn(driver_session *session, char *const *words, const char *output, const char *errors, pid_t *child) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int code = posix_spawn_file_actions_init(&files);
    if (code != 0)
        return code;
    code = posix_spawnattr_init(&attributes);
    if (code == 0) {
        code = redirect(&files, STDOUT_FILENO, output);
        if (code == 0)
            code = redirect(&files, STDERR_FILENO, errors);
        if (code == 0)
            code = restore_signals(session, &attributes);
        if (code == 0)
            code = posix_spawnp(child, words[0], &files, &attributes, words, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&files);
    return code;
}

/* Waits for the child's end. If there is no scratch folder, no signals are blocked, and waitpid suffices. */
static int wait_for(driver_session *session, pid_t child) {
    sigset_t awaited;
    sigemptyset(&awaited);
    sigaddset(&awaited, SIGINT);
    sigaddset(&awaited, SIGTERM);
    sigaddset(&awaited, SIGHUP);
    sigaddset(&awaited, SIGCHLD);
    int status = 0;
    for (;;) {
        pid_t ended = waitpid(child, &status, session->scratch != NULL ? WNOHANG : 0);
        if (ended == child)
            break;
        if (ended < 0 && errno != EINTR)
            return driver_error(session, "cannot wait for a command: %s", strerror(errno));
        siginfo_t about;
        if (ended != 0 || sigwaitinfo(&awaited, &about) < 0 || about.si_signo == SIGCHLD)
            continue;
        session->interrupted = about.si_signo;
        kill(child, about.si_signo);
    }
    if (session->interrupted != 0)
        return 128 + session->interrupted;
    return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}

/* Writes the arguments to a response file, and makes a command that reads it. */
static bool shorten(driver_session *session, const driver_words *command, driver_words *shortened) {
    const char *path = driver_scratch(session, "words");
    if (path == NULL)
        return false;
    if (!driver_response_write(path, command->at + 1)) {
        driver_error(session, "cannot write '%s': %s", path, strerror(errno));
        return false;
    }
    driver_words_add(shortened, command->at[0]);
    driver_words_print(shortened, "@%s", path);
    return !shortened->failed;
}

int driver_process_run(driver_session *session, const driver_words *command, const char *output, const char *errors) {
    if (session->interrupted != 0)
        return 128 + session->interrupted;
    if (!is_ready(session, command))
        return DRIVER_FAILED;
    driver_words shortened = {0};
    if (is_too_long(command) && !shorten(session, command, &shortened)) {
        driver_words_free(&shortened);
        return DRIVER_FAILED;
    }
    pid_t child;
    char *const *words = shortened.count > 0 ? shortened.at : command->at;
    int code = spawn(session, words, output, errors, &child);
    driver_words_free(&shortened);
    return code == 0 ? wait_for(session, child) : cannot_run(session, command->at[0], code);
}

int driver_process_exec(driver_session *session, const driver_words *command) {
    if (is_too_long(command))
        return driver_process_run(session, command, NULL, NULL);
    if (!is_ready(session, command))
        return DRIVER_FAILED;
    execvp(command->at[0], command->at);
    return cannot_run(session, command->at[0], errno);
}
