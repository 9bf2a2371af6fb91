/* at: 0.7,1.1,0.25
 * durable: getenv returns memory of the C library
 * flags: -fno-inline
 * Calls that write structs, or several things: files' attributes, pipes, patterns, directories, times. */
#define _GNU_SOURCE
#include <fcntl.h>
#include <math.h>
#include <poll.h>
#include <regex.h>
#include <signal.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/select.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <time.h>
#include <unistd.h>

static double smooth(const double *x, size_t n, double weight) {
    double sum = 0;
    for (size_t i = 0; i < n; i++)
        sum += sin(weight * x[i]) * x[i];
    return sum;
}

static double through_a_pipe(const double *x, size_t n) {
    int ends[2];
    double sent[2] = {0.5, 1.5}, got[3] = {x[0], x[1], x[2]}, sum = 0;
    fd_set readable;
    struct timeval soon = {0, 1000};
    if (pipe(ends) != 0)
        return 0;
    struct pollfd waiting = {.fd = ends[0], .events = POLLIN};
    sum += smooth(x, n, poll(&waiting, 1, 0) + 0.25);
    if (write(ends[1], sent, sizeof sent) != sizeof sent)
        return 0;
    sum += smooth(x, n, poll(&waiting, 1, 0) + (waiting.revents & POLLIN ? 0.5 : 0));
    FD_ZERO(&readable);
    FD_SET(ends[0], &readable);
    sum += smooth(x, n, select(ends[0] + 1, &readable, NULL, NULL, &soon) + (FD_ISSET(ends[0], &readable) ? 1 : 0));
    sum += smooth(x, n, (double)read(ends[0], got, sizeof got) / 8);
    for (int i = 0; i < 3; i++)
        sum += smooth(x, n, got[i]) * got[i]; /* the third keeps its derivative */
    close(ends[0]);
    close(ends[1]);
    return sum;
}

static double matched(const double *x, size_t n) {
    regex_t pattern;
    regmatch_t match[2];
    double sum = 0;
    if (regcomp(&pattern, "b([0-9]+)", REG_EXTENDED) != 0)
        return 0;
    for (const char *text = "a1b22c333b4"; regexec(&pattern, text, 2, match, 0) == 0; text += match[0].rm_eo)
        sum += smooth(x, n, atof(text + match[1].rm_so));
    regfree(&pattern);
    return sum;
}

static double named(const double *x, size_t n) {
    char name[] = "/tmp/verso_world_XXXXXX";
    struct stat attributes;
    int file = mkstemp(name);
    double sum = 0;
    if (file < 0 || ftruncate(file, 24) != 0)
        return 0;
    sum += smooth(x, n, stat(name, &attributes) == 0 ? (double)attributes.st_size : 0);
    sum += smooth(x, n, fstat(file, &attributes) == 0 ? 1 + (double)attributes.st_size : 0);
    sum += smooth(x, n, lseek(file, 0, SEEK_END) == 24 ? 0.5 : 0);
    close(file);
    unlink(name);
    return sum + smooth(x, n, access(name, F_OK) != 0 ? 0.75 : 0);
}

static double settings(const double *x, size_t n) {
    struct utsname machine;
    struct rlimit limit;
    sigset_t blocked;
    time_t then = 86400 * 365;
    double sum = smooth(x, n, uname(&machine) == 0 && strcmp(machine.sysname, "Linux") == 0 ? 0.25 : 0);
    sum += smooth(x, n, getrlimit(RLIMIT_NOFILE, &limit) == 0 && limit.rlim_cur > 2 ? 0.375 : 0);
    sum += smooth(x, n, sigprocmask(SIG_BLOCK, NULL, &blocked) == 0 ? sigismember(&blocked, SIGUSR2) : 1);
    setenv("VERSO_WORLD", "1.75", 1);
    sum += smooth(x, n, atof(getenv("VERSO_WORLD")));
    unsetenv("VERSO_WORLD");
    struct tm *parts = gmtime(&then);
    sum += smooth(x, n, parts->tm_year / 70.0); /* read after what may be put back */
    char *text = asctime(parts);
    sum += smooth(x, n, (double)strlen(text));
    return sum + smooth(x, n, parts->tm_mday + (text[0] == 'F' ? 0.5 : 0));
}

double f(const double *x, size_t n) {
    return through_a_pipe(x, n) + matched(x, n) + named(x, n) + settings(x, n);
}
