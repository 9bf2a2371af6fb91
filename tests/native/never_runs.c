/* at: 0.7,-1.1
 * Code that cannot be differentiated and never runs: after a condition, in a loop without iterations, in a function
 * that only such code calls. */
#include <pthread.h>
#include <stddef.h>

static void *work(void *argument) {
    return argument;
}

__attribute__((noinline)) static void start_threads(void) {
    pthread_t thread;
    pthread_create(&thread, NULL, work, NULL);
    pthread_join(thread, NULL);
}

__attribute__((noinline)) static double half(double u) {
    _Float16 small = (_Float16)u;
    return (double)small;
}

double f(const double *x, size_t n) {
    double sum = x[0] * x[1];
    if (n > 1000)
        __asm__ volatile("pause");
    if (n > 2000)
        start_threads();
    for (size_t i = 2; i < n; i++)
        sum += half(x[i]);
    return sum;
}
