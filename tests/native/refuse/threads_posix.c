/* at: 0.7,1.1
 * refused: link
 * message: threads_posix\.c:2[0-9]: .*pthread_create.*thread
 * Threads: two halves of a sum. */
#include <math.h>
#include <pthread.h>
#include <stddef.h>

typedef struct half {
    double in, out;
} half;

static void *work(void *context) {
    half *h = context;
    h->out = sin(h->in) * h->in;
    return NULL;
}

double f(const double *x, size_t n) {
    half halves[2] = {{x[0], 0}, {x[n - 1], 0}};
    pthread_t thread;
    if (pthread_create(&thread, NULL, work, &halves[0]) != 0)
        return 0;
    work(&halves[1]);
    pthread_join(thread, NULL);
    return halves[0].out + halves[1].out;
}
