/* See child.h. */
#include "bench/support/child.h"
#include "bench/support/output.h"

#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* A read from a pipe may return fewer bytes than requested. */
static bool receive(int from, void *result, size_t size) {
    char *at = result;
    for (ssize_t got; size > 0; at += got, size -= (size_t)got)
        if ((got = read(from, at, size)) <= 0)
            return false;
    return true;
}

bool bench_in_child(void (*measure)(const void *task, void *result), const void *task, void *result, size_t size) {
    int ends[2], status = 0;
    if (pipe(ends) != 0)
        bench_fail("cannot make a pipe");
    fflush(NULL);
    pid_t child = fork();
    if (child < 0)
        bench_fail("cannot start a process");
    if (child == 0) {
        measure(task, result);
        _exit(write(ends[1], result, size) == (ssize_t)size ? 0 : 1);
    }
    close(ends[1]);
    bool received = receive(ends[0], result, size);
    close(ends[0]);
    return waitpid(child, &status, 0) == child && status == 0 && received;
}

double bench_peak_bytes(void) {
    char line[256];
    double kilobytes = 0;
    FILE *status = fopen("/proc/self/status", "r");
    if (!status)
        bench_fail("/proc/self/status cannot be read");
    while (fgets(line, sizeof line, status))
        if (sscanf(line, "VmHWM: %lf kB", &kilobytes) == 1)
            break;
    fclose(status);
    return 1024 * kilobytes;
}

double bench_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

uint64_t bench_hash(const double *numbers, size_t count) {
    uint64_t sum = 14695981039346656037u, bits;
    for (size_t i = 0; i < count; i++) {
        memcpy(&bits, &numbers[i], sizeof bits);
        sum = (sum ^ bits) * 1099511628211u;
        sum ^= sum >> 29;
    }
    return sum;
}
