/* Runs another program and waits for it.
 *
 * While it runs, the signals that would end this process are blocked, and this process waits for them and for the end
 * of the program with sigwaitinfo. So it can remove its scratch folder before it ends, and needs no signal handler
 * and no global state. If this process is killed (SIGKILL), the kernel kills the program as well, so that it does not
 * hold a lock that the next command needs. */
#define _GNU_SOURCE 1 /* SI_KERNEL: not in POSIX */
#include "cli/process.h"

#include "cli/message.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#ifdef __linux__
#include <sys/prctl.h>
#endif
#include <sys/types.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

static const int ending_signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
enum { ENDING_SIGNALS = sizeof ending_signals / sizeof *ending_signals };

static int redirect(const char *path, int descriptor) {
    int file = open(path, O_WRONLY | O_CREAT | O_TRUNC, 0666);
    if (file < 0 || (file != descriptor && dup2(file, descriptor) < 0))
        return errno;
    if (file != descriptor)
        close(file);
    return 0;
}

/* Runs in the child before exec. Returns 0 or an errno. Checks the parent's id because the parent may have died before
 * prctl. */
static int prepare(const cli_process *process, const sigset_t *mask, pid_t parent) {
    int reason = 0;
#ifdef __linux__
    if (prctl(PR_SET_PDEATHSIG, SIGKILL) != 0 || getppid() != parent)
        return ECANCELED;
#endif
    if (process->errors)
        reason = redirect(process->errors, STDERR_FILENO);
    if (reason == 0 && process->output)
        reason = redirect(process->output, STDOUT_FILENO);
    else if (reason == 0 && !process->shares_output && dup2(STDERR_FILENO, STDOUT_FILENO) < 0)
        reason = errno;
    if (reason == 0 && process->temporary && setenv("TMPDIR", process->temporary, 1) != 0)
        reason = errno;
    if (reason == 0 && sigprocmask(SIG_SETMASK, process->mask ? process->mask : mask, NULL) != 0)
        reason = errno;
    return reason;
}

/* Starts the program. Returns 0 or an errno: the child reports a failure through a pipe, which exec closes. */
static int spawn(const cli_process *process, const sigset_t *mask, pid_t *child) {
    int ends[2], reason = 0;
    pid_t parent = getpid();
    if (pipe(ends) != 0)
        return errno;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    fflush(NULL);
    *child = fork();
    if (*child == 0) {
        reason = prepare(process, mask, parent);
        if (reason == 0) {
            execvp(process->path, (char *const *)process->arguments);
            reason = errno;
        }
        (void)!write(ends[1], &reason, sizeof reason);
        _exit(127);
    }
    if (*child < 0)
        reason = errno;
    close(ends[1]);
    while (*child > 0 && read(ends[0], &reason, sizeof reason) < 0 && errno == EINTR)
        ;
    close(ends[0]);
    if (*child > 0 && reason != 0)
        waitpid(*child, NULL, 0);
    return reason;
}

static double seconds_now(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

/* Like sigwaitinfo, but fails with EAGAIN at time `end`; 0: no limit. */
static int wait_for_signal(const sigset_t *signals, siginfo_t *facts, double end) {
    if (end == 0)
        return sigwaitinfo(signals, facts);
    double left = end - seconds_now();
    if (left < 0)
        left = 0;
    struct timespec time = {.tv_sec = (time_t)left, .tv_nsec = (long)(1e9 * (left - (double)(time_t)left))};
    return sigtimedwait(signals, facts, &time);
}

/* Waits for the end of the program. `signals` must be blocked. Returns 0 or an errno. */
static int wait_for(pid_t child, const sigset_t *signals, double seconds_most, cli_ending *ending) {
    double begin = seconds_now(), end = seconds_most > 0 ? begin + seconds_most : 0;
    for (;;) {
        int facts;
        pid_t ended = waitpid(child, &facts, WNOHANG);
        if (ended == child) {
            ending->seconds = seconds_now() - begin;
            ending->exited = WIFEXITED(facts);
            ending->code = ending->exited ? WEXITSTATUS(facts) : 0;
            ending->signal = ending->exited ? 0 : WTERMSIG(facts);
            return 0;
        }
        if (ended < 0 && errno != EINTR)
            return errno;
        siginfo_t facts_of_signal;
        int signal = wait_for_signal(signals, &facts_of_signal, end);
        if (signal > 0 && signal != SIGCHLD) {
            ending->interrupted = signal;
            if (facts_of_signal.si_code != SI_KERNEL) /* a terminal sends it to the child itself */
                kill(child, signal);
        } else if (signal < 0 && errno == EAGAIN) {
            end = 0;
            kill(child, SIGKILL);
        }
    }
}

void cli_block_endings(sigset_t *before) {
    sigset_t signals;
    sigemptyset(&signals);
    for (size_t i = 0; i < ENDING_SIGNALS; i++)
        sigaddset(&signals, ending_signals[i]);
    sigprocmask(SIG_BLOCK, &signals, before);
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
    pid_t child = -1;
    int reason = spawn(process, &before, &child);
    bool started = reason == 0;
    if (started)
        reason = wait_for(child, &signals, process->seconds_most, ending);
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
