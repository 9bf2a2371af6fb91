/* at: 0.7,1.1,0.25
 * refused: link
 * flags: -fno-inline
 * message: thread_local\.c:[0-9]+: .*level is thread-local.*drop _Thread_local
 * Variables of one thread: state that is neither on the stack, nor on the heap, nor an ordinary global. */
#include <math.h>
#include <pthread.h>
#include <stddef.h>

static _Thread_local double level;

/* Never called: but a program that can make threads keeps its thread-local variables. */
int start_thread(pthread_t *thread, void *(*run)(void *)) {
    return pthread_create(thread, NULL, run, NULL);
}

static void keep(double u) {
    level = u;
}

double f(const double *x, size_t n) {
    keep(x[0]);
    return sin(level) * x[n - 1];
}
