/* Tasks of OpenMP. A task runs when it is created, which is an order that OpenMP allows: tasks that it depends on
 * were created before it. */
#include "native/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct ident ident;
typedef struct task task;
typedef int32_t routine(int32_t thread, task *task);

/* As clang lays out its kmp_task_t. */
struct task {
    void *shared; /* pointers to the variables that the task shares */
    routine *run;
    int32_t part; /* of a task that is not tied to a thread: where it continues */
    routine *destroy;
    void *unused;
    /* Of a taskloop only: */
    uint64_t low, high;
    int64_t step;
    int32_t last;
};

enum { DESTROYS = 8 }; /* in the flags of a task: it has a function that destroys its private variables */

/* What precedes a task in memory. */
typedef struct header {
    bool destroys;
    bool running, again; /* a task that is not tied asks to be run again before it returns */
} header;
enum { HEADER = 16 };
_Static_assert(sizeof(header) <= HEADER, "the task after it is aligned");

static header *header_of(task *task) {
    return (header *)((char *)task - HEADER);
}

task *verso__lib___kmpc_omp_task_alloc(ident *where, int32_t thread, int32_t flags, size_t size, size_t shared,
                                       routine *run) {
    (void)where, (void)thread;
    size = (size + 15) / 16 * 16;
    char *block = verso__native_calloc(1, HEADER + size + shared);
    if (block == NULL)
        verso__native_refuse("there is no memory for a task of OpenMP");
    task *made = (task *)(block + HEADER);
    header_of(made)->destroys = (flags & DESTROYS) != 0;
    made->shared = shared == 0 ? NULL : (char *)made + size;
    made->run = run;
    return made;
}

static void end(int32_t thread, task *task) {
    if (header_of(task)->destroys)
        task->destroy(thread, task);
    verso__native_free(header_of(task));
}

int32_t verso__lib___kmpc_omp_task(ident *where, int32_t thread, task *task) {
    (void)where;
    header *header = header_of(task);
    header->again = true;
    if (header->running)
        return 0;
    header->running = true;
    while (header->again) {
        header->again = false;
        task->run(thread, task);
    }
    end(thread, task);
    return 0;
}

int32_t verso__lib___kmpc_omp_task_with_deps(ident *where, int32_t thread, task *task, int32_t count, void *list,
                                             int32_t more, void *further) {
    (void)count, (void)list, (void)more, (void)further;
    return verso__lib___kmpc_omp_task(where, thread, task);
}

/* Around a task that the caller runs itself. */
void verso__lib___kmpc_omp_task_begin_if0(ident *where, int32_t thread, task *task) {
    (void)where, (void)thread, (void)task;
}

void verso__lib___kmpc_omp_task_complete_if0(ident *where, int32_t thread, task *task) {
    (void)where;
    end(thread, task);
}

void verso__lib___kmpc_omp_wait_deps(ident *where, int32_t thread, int32_t count, void *list, int32_t more,
                                     void *further) {
    (void)where, (void)thread, (void)count, (void)list, (void)more, (void)further;
}

void verso__lib___kmpc_omp_taskwait_deps_51(ident *where, int32_t thread, int32_t count, void *list, int32_t more,
                                            void *further, int32_t nowait) {
    (void)where, (void)thread, (void)count, (void)list, (void)more, (void)further, (void)nowait;
}

int32_t verso__lib___kmpc_omp_taskwait(ident *where, int32_t thread) {
    (void)where, (void)thread;
    return 0;
}

int32_t verso__lib___kmpc_omp_taskyield(ident *where, int32_t thread, int32_t end) {
    (void)where, (void)thread, (void)end;
    return 0;
}

void verso__lib___kmpc_taskgroup(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

void verso__lib___kmpc_end_taskgroup(ident *where, int32_t thread) {
    (void)where, (void)thread;
}

/* ---- Loops of tasks: one task has all iterations; the caller has stored their bounds in it ---- */

void verso__lib___kmpc_taskloop(ident *where, int32_t thread, task *task, int32_t condition, uint64_t *low,
                                uint64_t *high, int64_t step, int32_t no_group, int32_t schedule, uint64_t grain,
                                void (*copy)(struct task *, struct task *, int32_t)) {
    (void)condition, (void)low, (void)high, (void)step, (void)no_group, (void)schedule, (void)grain, (void)copy;
    task->last = 1;
    verso__lib___kmpc_omp_task(where, thread, task);
}

void verso__lib___kmpc_taskloop_5(ident *where, int32_t thread, task *task, int32_t condition, uint64_t *low,
                                  uint64_t *high, int64_t step, int32_t no_group, int32_t schedule, uint64_t grain,
                                  int32_t modifier, void (*copy)(struct task *, struct task *, int32_t)) {
    (void)modifier;
    verso__lib___kmpc_taskloop(where, thread, task, condition, low, high, step, no_group, schedule, grain, copy);
}

/* ---- Reductions over tasks: they change the variable itself ---- */

void *verso__lib___kmpc_taskred_init(int32_t thread, int32_t count, void *data) {
    (void)thread, (void)count;
    return data;
}

void *verso__lib___kmpc_taskred_modifier_init(ident *where, int32_t thread, int32_t is_loop, int32_t count,
                                              void *data) {
    (void)where, (void)thread, (void)is_loop, (void)count;
    return data;
}

void verso__lib___kmpc_task_reduction_modifier_fini(ident *where, int32_t thread, int32_t is_loop) {
    (void)where, (void)thread, (void)is_loop;
}

void *verso__lib___kmpc_task_reduction_get_th_data(int32_t thread, void *group, void *data) {
    (void)thread, (void)group;
    return data;
}
