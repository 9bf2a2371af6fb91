/* What code compiled with -fopenmp calls, so that it links where the OpenMP run time is not installed. */
#include <stdarg.h>
#include <stdint.h>

void __kmpc_fork_call(void *where, int32_t count, void (*body)(int32_t *, int32_t *, ...), ...);
void __kmpc_for_static_init_8u(void *where, int32_t thread, int32_t schedule, int32_t *last, uint64_t *lower,
                               uint64_t *upper, int64_t *stride, int64_t increment, int64_t chunk);
void __kmpc_for_static_fini(void *where, int32_t thread);
int32_t __kmpc_global_thread_num(void *where);
int32_t __kmpc_reduce_nowait(void *where, int32_t thread, int32_t count, uint64_t size, void *data,
                             void (*combine)(void *, void *), int32_t *lock);
void __kmpc_end_reduce_nowait(void *where, int32_t thread, int32_t *lock);

void __kmpc_fork_call(void *where, int32_t count, void (*body)(int32_t *, int32_t *, ...), ...) {
    int32_t thread = 0;
    void *arguments[3] = {0};
    va_list list;
    (void)where;
    va_start(list, body);
    for (int32_t i = 0; i < count && i < 3; i++)
        arguments[i] = va_arg(list, void *);
    va_end(list);
    body(&thread, &thread, arguments[0], arguments[1], arguments[2]);
}

void __kmpc_for_static_init_8u(void *where, int32_t thread, int32_t schedule, int32_t *last, uint64_t *lower,
                               uint64_t *upper, int64_t *stride, int64_t increment, int64_t chunk) {
    (void)where, (void)thread, (void)schedule, (void)lower, (void)upper, (void)stride, (void)increment, (void)chunk;
    *last = 1;
}

void __kmpc_for_static_fini(void *where, int32_t thread) {
    (void)where, (void)thread;
}

int32_t __kmpc_global_thread_num(void *where) {
    (void)where;
    return 0;
}

int32_t __kmpc_reduce_nowait(void *where, int32_t thread, int32_t count, uint64_t size, void *data,
                             void (*combine)(void *, void *), int32_t *lock) {
    (void)where, (void)thread, (void)count, (void)size, (void)data, (void)combine, (void)lock;
    return 1;
}

void __kmpc_end_reduce_nowait(void *where, int32_t thread, int32_t *lock) {
    (void)where, (void)thread, (void)lock;
}
