/* at: 0.7,1.1,0.25
 * refused: link
 * flags: -fno-inline
 * message: thread_local\.c:[0-9]+: .*level is thread-local.*drop _Thread_local
 * Variables of one thread: state that is neither on the stack, nor on the heap, nor an ordinary global. */
#include <errno.h>
#include <math.h>
#include <pthread.h>
#include <stddef.h>
#include <stdlib.h>

static _Thread_local double level, history[4];
static _Thread_local int rounds;

static double smooth(double u) {
    level = 0.7 * level + 0.3 * u * history[rounds & 3];
    history[rounds++ & 3] = sin(level + u);
    return level;
}

/* Never called: but a program that can make threads keeps its thread-local variables. */
int start_thread(pthread_t *thread, void *(*run)(void *)) {
    return pthread_create(thread, NULL, run, NULL);
}

double f(const double *x, size_t n) {
    double sum = 0;
    level = x[0];
    rounds = 0;
    for (int i = 0; i < 4; i++)
        history[i] = x[(size_t)i % n];
    for (int i = 0; i < 9; i++)
        sum += smooth(x[(size_t)i % n]) * history[i & 3];
    errno = 0;
    sum *= strtod("1e999", NULL) > 1 && errno == ERANGE ? x[1] : 1;
    return sum + level;
}
