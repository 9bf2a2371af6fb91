/* A program that `verso cc` has not compiled. It loads libraries and differentiates in them:
 *     host LIBRARY LIBRARY C++-LIBRARY DIRECTORY */
#define _GNU_SOURCE 1
#include <dlfcn.h>
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>
#include <verso/native.h>

enum { N = 6, LARGE = 200000 };

typedef struct model {
    void *handle;
    void (*set)(double value);
    double (*value)(const double *x, size_t n);
    verso_status (*gradient)(const double *x, size_t n, double *gradient, verso_error *error);
    verso_status (*march)(const double *x, size_t n, double *gradient, size_t memory, const verso_run_options *run,
                          verso_native_report *report, verso_error *error);
    verso_status (*open)(verso_execution **execution, verso_error *error);
    void (*close)(verso_execution *execution);
    void (*run_options_init)(verso_run_options *options, size_t size);
    double scale;
} model;

static int failed;

#define EXPECT(holds, ...) \
    do { \
        if (!(holds)) { \
            printf("line %d: ", __LINE__); \
            printf(__VA_ARGS__); \
            puts(""); \
            failed = 1; \
        } \
    } while (0)

static void *find(void *handle, const char *name) {
    void *symbol = dlsym(handle, name);
    EXPECT(symbol != NULL, "%s: %s", name, dlerror());
    return symbol;
}

static model load(const char *path, double scale) {
    model m = {.handle = dlopen(path, RTLD_NOW | RTLD_LOCAL), .scale = scale};
    if (m.handle == NULL)
        printf("%s\n", dlerror()), exit(1);
    *(void **)&m.set = find(m.handle, "model_set");
    *(void **)&m.value = find(m.handle, "model_value");
    *(void **)&m.gradient = find(m.handle, "model_gradient");
    *(void **)&m.march = find(m.handle, "model_march");
    *(void **)&m.open = find(m.handle, "model_open");
    *(void **)&m.close = find(m.handle, "model_close");
    *(void **)&m.run_options_init = find(m.handle, "verso_run_options_init_sized");
    return m;
}

static const double point[N] = {0.3, -0.4, 0.5, 0.6, 0.7, -0.8};

/* The derivative of model_value, after model_set(0) and model_set(scale). */
static double exact(double scale, double x, size_t i) {
    return 2 * (scale * sin(x) + (double)(i % 4) * scale) * scale * cos(x);
}

static void expect_gradient(const model *m, const double *x, size_t n, const char *where) {
    double *gradient = malloc(n * sizeof *gradient);
    verso_error error = {0};
    m->set(m->scale);
    verso_status status = m->gradient(x, n, gradient, &error);
    EXPECT(status == VERSO_STATUS_OK, "%s: %s", where, error.message);
    for (size_t i = 0; status == VERSO_STATUS_OK && i < n; i++)
        if (fabs(gradient[i] - exact(m->scale, x[i], i)) > 1e-13 * m->scale * m->scale) {
            EXPECT(false, "%s: derivative %zu is %g, not %g", where, i, gradient[i], exact(m->scale, x[i], i));
            break;
        }
    free(gradient);
}

/* Memory of the host of all kinds. */
static void test_memory(const model *m, const double *early) {
    static double global[N];
    double local[N], *large = malloc(LARGE * sizeof *large), *small = malloc(sizeof point);
    double *mapped = mmap(NULL, sizeof point, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    memcpy(global, point, sizeof point);
    memcpy(local, point, sizeof point);
    memcpy(small, point, sizeof point);
    memcpy(mapped, point, sizeof point);
    for (size_t i = 0; i < LARGE; i++)
        large[i] = (double)i / LARGE;
    expect_gradient(m, point, N, "constants");
    expect_gradient(m, early, N, "heap before the library was loaded");
    expect_gradient(m, global, N, "globals");
    expect_gradient(m, local, N, "stack");
    expect_gradient(m, small, N, "heap");
    expect_gradient(m, mapped, N, "a mapping");
    expect_gradient(m, large, LARGE, "a large array");
    munmap(mapped, sizeof point);
    free(large);
    free(small);
}

/* Within a budget, the same bits. */
static void test_budget(const model *m) {
    double whole[N], within[N];
    verso_error error = {0};
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    EXPECT(m->march(point, N, whole, 0, NULL, NULL, &error) == VERSO_STATUS_OK, "%s", error.message);
    EXPECT(m->march(point, N, within, 1700000, NULL, &report, &error) == VERSO_STATUS_OK, "%s", error.message);
    EXPECT(memcmp(whole, within, sizeof whole) == 0, "a budget changes bits");
    EXPECT(report.steps > 1, "the run was not divided: %s", report.schedule);
}

/* ---- Threads ---- */

typedef struct work {
    const model *m;
    size_t memory;
    double expected[N];
} work;

static void *repeat(void *context) {
    const work *w = context;
    double gradient[N], x[N];
    verso_error error = {0};
    memcpy(x, point, sizeof x);
    for (int i = 0; i < 5; i++) {
        verso_status status = w->m->march(x, N, gradient, w->memory, NULL, NULL, &error);
        EXPECT(status == VERSO_STATUS_OK, "thread: %s", error.message);
        EXPECT(memcmp(gradient, w->expected, sizeof gradient) == 0, "thread: other bits");
    }
    return NULL;
}

/* The same sums may be in another order if x is in memory of another kind, so x is on the stack here, too. */
static void expect_later(work *w) {
    double x[N];
    verso_error error = {0};
    memcpy(x, point, sizeof x);
    EXPECT(w->m->march(x, N, w->expected, 0, NULL, NULL, &error) == VERSO_STATUS_OK, "%s", error.message);
}

static void test_threads(const model *one, const model *other) {
    work all[4] = {{.m = one}, {.m = other}, {.m = one, .memory = 1700000}, {.m = other, .memory = 1700000}};
    pthread_t threads[4];
    for (int i = 0; i < 4; i++)
        expect_later(&all[i]);
    for (int i = 0; i < 4; i++)
        pthread_create(&threads[i], NULL, repeat, &all[i]);
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

/* ---- Nested calls ---- */

static const model *nested_in;
static verso_status nested_status;
static int nested_calls;

static void call_nested(void *context, const verso_progress *progress) {
    double gradient[N];
    (void)context, (void)progress;
    nested_status = nested_in->gradient(point, N, gradient, NULL);
    nested_calls++;
}

static void test_nested(const model *m, const model *other) {
    verso_run_options run;
    double gradient[N], expected[N];
    verso_error error = {0};
    m->run_options_init(&run, sizeof run);
    run.automatic = true;
    run.progress = call_nested;
    m->march(point, N, expected, 0, NULL, NULL, NULL);
    for (int i = 0; i < 2; i++) {
        nested_in = i == 0 ? m : other;
        nested_calls = 0;
        EXPECT(m->march(point, N, gradient, 1700000, &run, NULL, &error) == VERSO_STATUS_OK, "%s", error.message);
        EXPECT(nested_calls > 0 && nested_status == VERSO_STATUS_STATE, "a nested call: %d calls, status %d",
               nested_calls, nested_status);
        EXPECT(memcmp(gradient, expected, sizeof gradient) == 0, "a nested call changes bits");
    }
}

static void *open_another(void *context) {
    verso_error error = {0};
    double gradient[N];
    EXPECT(((const model *)context)->gradient(point, N, gradient, &error) == VERSO_STATUS_STATE &&
               strstr(error.message, "is open") != NULL,
           "an open execution: %s", error.message);
    return NULL;
}

static void test_execution(const model *m, model *other) {
    verso_execution *execution;
    verso_error error = {0};
    pthread_t thread;
    EXPECT(m->open(&execution, &error) == VERSO_STATUS_OK, "%s", error.message);
    if (execution == NULL)
        return;
    pthread_create(&thread, NULL, open_another, other);
    pthread_join(thread, NULL);
    m->close(execution);
    expect_gradient(other, point, N, "after an execution");
}

/* ---- Processes ---- */

static void expect_child(const model *one, const model *other, const char *when) {
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        failed = 0;
        expect_gradient(one, point, N, when);
        expect_gradient(other, point, N, when);
        test_budget(other);
        fflush(NULL);
        _exit(failed);
    }
    int status = 0;
    waitpid(child, &status, 0);
    EXPECT(status == 0, "a child %s: status %d", when, status);
}

static void test_fork(const model *one, const model *other) {
    work w = {.m = one};
    pthread_t thread;
    expect_child(one, other, "of an idle process");
    expect_later(&w);
    pthread_create(&thread, NULL, repeat, &w);
    usleep(2000);
    for (int i = 0; i < 3; i++)
        expect_child(one, other, "while another thread differentiates");
    pthread_join(thread, NULL);
    expect_gradient(one, point, N, "after fork");
}

static void test_durable(const model *m, const char *directory) {
    verso_run_options run;
    double gradient[N];
    verso_error error = {0};
    m->run_options_init(&run, sizeof run);
    run.automatic = true;
    run.directory = directory;
    EXPECT(m->march(point, N, gradient, 0, &run, NULL, &error) == VERSO_STATUS_INVALID &&
               strstr(error.message, "shared library") != NULL,
           "a durable run: %s", error.message);
}

static void test_cpp(const char *path) {
    void *handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    verso_status (*gradient_of)(const double *, size_t, double *, verso_error *);
    double gradient[N];
    verso_error error = {0};
    if (handle == NULL)
        printf("%s\n", dlerror()), exit(1);
    *(void **)&gradient_of = find(handle, "cpp_gradient");
    for (int k = 0; k < 2; k++) {
        EXPECT(gradient_of(point, N, gradient, &error) == VERSO_STATUS_OK, "C++: %s", error.message);
        for (size_t i = 0; i < N; i++)
            EXPECT(fabs(gradient[i] - 8 * sin(point[i]) * cos(point[i])) < 1e-14, "C++: derivative %zu", i);
    }
    dlclose(handle);
}

int main(int argc, char **argv) {
    double *early = malloc(sizeof point);
    if (argc != 5)
        return 2;
    memcpy(early, point, sizeof point);
    model one = load(argv[1], 2), other = load(argv[2], 5);
    test_memory(&one, early);
    test_memory(&other, early);
    test_budget(&one);
    test_budget(&other);
    test_threads(&one, &other);
    test_nested(&one, &other);
    test_execution(&one, &other);
    test_fork(&one, &other);
    test_durable(&one, argv[4]);
    test_cpp(argv[3]);
    for (int i = 0; i < 3; i++) {
        dlclose(one.handle);
        expect_gradient(&other, point, N, "after dlclose");
        one = load(argv[1], 2);
        expect_gradient(&one, point, N, "loaded again");
    }
    free(early);
    return failed;
}
