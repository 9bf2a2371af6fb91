/* A process that may not have as many addresses as Verso reserves: the call ends with a message, not the process. */
#include "expect.h"

#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <verso/native.h>

static double f(const double *x, size_t n) {
    return x[0] * x[n - 1];
}

/* In a process of its own: exit status 0 when the gradient is refused with these words under the limit. */
static int under_limit(rlim_t value, const char *words) {
    pid_t child = fork();
    int status = 1;
    if (child == 0) {
        double x[2] = {0.7, 1.1}, gradient[2];
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        setrlimit(RLIMIT_AS, &(struct rlimit){value, value});
        verso_status answer = verso_gradient(f, x, 2, gradient, NULL, &report, &error);
        if (answer == VERSO_STATUS_OK || !strstr(error.message, words))
            printf("\n    %s: %s", verso_status_name(answer), error.message);
        fflush(stdout);
        _exit(answer == VERSO_STATUS_OK || !strstr(error.message, words));
    }
    waitpid(child, &status, 0);
    return status;
}

int main(void) {
    EXPECT(under_limit((rlim_t)1 << 30, "ulimit -v") == 0, "few addresses");
    printf(failed ? "\n" : " addresses\n");
    return failed;
}
