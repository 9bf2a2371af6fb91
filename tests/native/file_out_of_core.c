/* at: random:6:0.2:1.4
 * A state that is kept in a file from one step to the next, as by programs whose data do not fit into memory. */
#define _XOPEN_SOURCE 700
#include <fcntl.h>
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
#include <unistd.h>

enum { STATES = 6, STEPS = 40 };

__attribute__((noinline)) static void step(const char *path, double strength) {
    double state[STATES];
    int file = open(path, O_RDWR);
    if (read(file, state, sizeof state) != sizeof state)
        abort();
    for (int i = 0; i < STATES; i++)
        state[i] += 0.05 * strength * sin(state[(i + 1) % STATES]);
    if (pwrite(file, state, sizeof state, 0) != sizeof state)
        abort();
    close(file);
}

double f(const double *x, size_t n) {
    char path[] = "/tmp/verso-core-XXXXXX";
    double state[STATES], sum = 0;
    int file = mkstemp(path);
    if (n != STATES || write(file, x, sizeof state) != sizeof state)
        abort();
    close(file);
    for (int i = 0; i < STEPS; i++)
        step(path, 1 + 0.1 * i);
    file = open(path, O_RDONLY);
    if (read(file, state, sizeof state) != sizeof state)
        abort();
    close(file);
    unlink(path);
    for (size_t i = 0; i < n; i++)
        sum += state[i] * state[i];
    return sum;
}
