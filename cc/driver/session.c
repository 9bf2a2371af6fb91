/* Implements session.h. While there is a scratch folder, signals that end a process are blocked and handled by
 * process.c, and SIGPIPE is ignored, so that the folder is removed however the session ends. */
#include "cc/driver/session.h"

#include <dirent.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static void print_message(const driver_session *session, const char *kind, const char *format, va_list arguments) {
    fprintf(stderr, "verso %s: %s: ", driver_session_name(session), kind);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
}

int driver_error(const driver_session *session, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(session, "error", format, arguments);
    va_end(arguments);
    return DRIVER_FAILED;
}

void driver_note(const driver_session *session, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    print_message(session, "note", format, arguments);
    va_end(arguments);
}

const char *driver_session_name(const driver_session *session) {
    static const char *const names[] = {[DRIVER_C] = "cc", [DRIVER_CPP] = "c++", [DRIVER_FORTRAN] = "fc"};
    return names[session->language];
}

void driver_session_open(driver_session *session, driver_language language) {
    bool cpp = language == DRIVER_CPP;
    *session = (driver_session){.language = language};
    signal(SIGCHLD, SIG_DFL); /* if the parent process ignored it, waitpid would not work */
    const char *chosen = getenv(cpp ? "VERSO_CLANGXX" : "VERSO_CLANG");
    session->chosen = chosen != NULL && chosen[0] != '\0';
    session->clang = session->chosen ? chosen : cpp ? "clang++-19" : "clang-19";
}

/* Returns TMPDIR, or "/tmp" if it is not a folder or contains a colon: the transformer's arguments have the form
 * PATH:LABEL. */
static const char *temporary_folder(void) {
    const char *folder = getenv("TMPDIR");
    struct stat about;
    if (folder == NULL || folder[0] == '\0' || strchr(folder, ':') != NULL || stat(folder, &about) != 0 ||
        !S_ISDIR(about.st_mode))
        return "/tmp";
    return folder;
}

static bool make_scratch(driver_session *session) {
    char *path = (char *)(uintptr_t)driver_words_print(&session->kept, "%s/verso-cc-XXXXXX", temporary_folder());
    if (session->kept.failed)
        return driver_error(session, "out of memory"), false;
    sigset_t ending;
    sigemptyset(&ending);
    sigaddset(&ending, SIGINT);
    sigaddset(&ending, SIGTERM);
    sigaddset(&ending, SIGHUP);
    sigaddset(&ending, SIGCHLD);
    sigprocmask(SIG_BLOCK, &ending, &session->signals);
    if (mkdtemp(path) == NULL) {
        sigprocmask(SIG_SETMASK, &session->signals, NULL);
        driver_error(session, "cannot create the folder '%s': %s; set TMPDIR to a writable folder", path,
                     strerror(errno));
        return false;
    }
    struct sigaction ignore = {.sa_handler = SIG_IGN}, before;
    sigaction(SIGPIPE, &ignore, &before);
    session->pipe_signal = before.sa_handler == SIG_DFL;
    session->scratch = path;
    return true;
}

const char *driver_scratch(driver_session *session, const char *name) {
    if (session->scratch == NULL && !make_scratch(session))
        return NULL;
    const char *path = driver_words_print(&session->kept, "%s/%s", session->scratch, name);
    if (session->kept.failed) {
        driver_error(session, "out of memory");
        return NULL;
    }
    return path;
}

/* Removes the scratch folder, which contains no subfolders. */
static void remove_scratch(const char *path) {
    DIR *folder = opendir(path);
    if (folder != NULL) {
        for (struct dirent *entry; (entry = readdir(folder)) != NULL;)
            if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
                unlinkat(dirfd(folder), entry->d_name, 0);
        closedir(folder);
    }
    rmdir(path);
}

void driver_session_close(driver_session *session) {
    int interrupted = session->interrupted;
    if (session->scratch != NULL) {
        if (session->keep)
            driver_note(session, "temporary files are kept in %s", session->scratch);
        else
            remove_scratch(session->scratch);
        sigprocmask(SIG_SETMASK, &session->signals, NULL);
    }
    driver_mappings_close(&session->files);
    driver_words_free(&session->kept);
    if (interrupted != 0)
        raise(interrupted);
}
