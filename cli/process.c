/* Running another program and waiting for it.
 *
 * While it runs, the signals that would end us are blocked and waited for together with its end, so that there is
 * always somebody who removes the scratch folder. No handler, hence no global state. */
#include "cli/process.h"

#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ; /* POSIX lets no header declare it */

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

static int spawn(const cli_process *process, const sigset_t *mask, pid_t *child) {
    posix_spawn_file_actions_t files;
    posix_spawnattr_t attributes;
    int reason = posix_spawn_file_actions_init(&files);
    if (reason != 0)
        return reason;
    reason = posix_spawnattr_init(&attributes);
    if (reason != 0) {
        posix_spawn_file_actions_destroy(&files);
        return reason;
    }
    const int flags = O_WRONLY | O_CREAT | O_TRUNC;
    if (process->errors)
        reason = posix_spawn_file_actions_addopen(&files, STDERR_FILENO, process->errors, flags, 0666);
    if (reason == 0 && process->output)
        reason = posix_spawn_file_actions_addopen(&files, STDOUT_FILENO, process->output, flags, 0666);
    else if (reason == 0 && !process->shares_output)
        reason = posix_spawn_file_actions_adddup2(&files, STDERR_FILENO, STDOUT_FILENO);
    if (reason == 0)
        reason = posix_spawnattr_setsigmask(&attributes, mask);
    if (reason == 0)
        reason = posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGMASK);
    if (reason == 0)
        reason = posix_spawnp(child, process->path, &files, &attributes, (char *const *)process->arguments, environ);
    posix_spawnattr_destroy(&attributes);
    posix_spawn_file_actions_destroy(&files);
    return reason;
}

/* `signals` are blocked: its end and ours come out of sigwaitinfo. */
static int wait_for(pid_t child, const sigset_t *signals, cli_ending *ending) {
    for (;;) {
        int facts;
        pid_t ended = waitpid(child, &facts, WNOHANG);
        if (ended == child) {
            ending->exited = WIFEXITED(facts);
            ending->code = ending->exited ? WEXITSTATUS(facts) : 0;
            ending->signal = ending->exited ? 0 : WTERMSIG(facts);
            return 0;
        }
        if (ended < 0 && errno != EINTR)
            return errno;
        int signal = sigwaitinfo(signals, NULL);
        if (signal > 0 && signal != SIGCHLD) {
            ending->interrupted = signal;
            kill(child, signal);
        }
    }
}

int cli_process_run(const cli_command *command, const cli_process *process, cli_ending *ending) {
    sigset_t signals, before;
    *ending = (cli_ending){0};
    sigemptyset(&signals);
    sigaddset(&signals, SIGCHLD);
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        sigaddset(&signals, ending_signals[i]);
    struct sigaction usual = {.sa_handler = SIG_DFL}, children;
    sigemptyset(&usual.sa_mask);
    if (sigaction(SIGCHLD, &usual, &children) != 0 || sigprocmask(SIG_BLOCK, &signals, &before) != 0)
        return cli_failure(command, "cannot wait for other programs: %s", strerror(errno));
    pid_t child;
    int reason = spawn(process, &before, &child);
    bool started = reason == 0;
    if (started)
        reason = wait_for(child, &signals, ending);
    sigprocmask(SIG_SETMASK, &before, NULL);
    sigaction(SIGCHLD, &children, NULL);
    if (reason != 0)
        return cli_failure(command, "cannot %s '%s': %s", started ? "wait for" : "run", process->path,
                           strerror(reason));
    return CLI_OK;
}

void cli_end_interrupted(int number) {
    if (number == 0)
        return;
    fflush(stdout);
    signal(number, SIG_DFL);
    raise(number);
}
