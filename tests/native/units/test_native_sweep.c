/* Tests recording and reversing, in a single pass and in stretches, with the programs of
 * tests/support/native_program.h, whose versions are written by hand. Gradients are compared with tangent mode, and
 * sweeps in stretches with the single pass, bit for bit; every failure leaves everything clean for the next
 * differentiation. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native/api/api.h"
#include "native/memory/inside.h"
#include "tests/support/native_program.h"
#include "tests/support/random_spec.h"

#include <math.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

static verso_error error; /* of the last call that failed */

enum { SIZE = 37 };

static uint64_t seed;

static void require_possible(void) {
    if (!native_possible())
        skip();
}

static double random_number(random_source *source) {
    return (double)random_below(source, 1u << 30) / (1u << 29) - 1;
}

static void fill(random_source *source, double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        x[i] = 0.5 + random_number(source) / 4;
}

static void must(verso_status status) {
    if (status != VERSO_STATUS_OK)
        print_error("%s\n", error.message);
    assert_int_equal(status, VERSO_STATUS_OK);
}

static void same_bits(const double *a, const double *b, size_t n) {
    assert_memory_equal(a, b, n * sizeof *a);
}

/* Cells of everything that the programs use, when nothing is running. */
static void everything_is_clean(const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        assert_true(*verso__native_cell(&x[i]) == 0);
    assert_true(*verso__native_cell(&chain_sum) == 0);
    assert_int_equal(verso__native_now.mode, VERSO_NATIVE_PRIMAL);
    assert_false(verso__native_is_busy());
    assert_null(verso__native_job_now());
}

/* ---- chain ---- */

static void a_gradient_agrees_with_tangent_mode(void **state) {
    (void)state;
    require_possible();
    random_source source = random_from_seed(seed);
    for (int trial = 0; trial < 50; trial++) {
        double x[SIZE], gradient[SIZE], direction[SIZE], derivative, sum = 0, size = 0;
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        fill(&source, x, SIZE);
        fill(&source, direction, SIZE);
        must(verso_gradient(chain, x, SIZE, gradient, NULL, &report, &error));
        assert_true(report.value == chain(x, SIZE));
        assert_int_equal(report.recordings, 1);
        assert_true(report.tape_bytes > SIZE * 40 && report.peak_bytes >= report.tape_bytes);
        must(verso_directional(chain, x, SIZE, direction, &derivative, &report, &error));
        assert_true(report.value == chain(x, SIZE));
        for (size_t i = 0; i < SIZE; i++) {
            sum += gradient[i] * direction[i];
            size += fabs(gradient[i] * direction[i]);
        }
        assert_true(fabs(sum - derivative) <= 1e-13 * size);
        everything_is_clean(x, SIZE);
    }
}

static void a_gradient_agrees_with_differences(void **state) {
    (void)state;
    require_possible();
    double x[3] = {0.3, 0.7, -0.4}, gradient[3];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    must(verso_gradient(chain, x, 3, gradient, NULL, &report, &error));
    for (size_t i = 0; i < 3; i++) {
        double h = 1e-5, value = x[i];
        x[i] = value + h;
        double above = chain(x, 3);
        x[i] = value - h;
        double below = chain(x, 3);
        x[i] = value;
        assert_true(fabs((above - below) / (2 * h) - gradient[i]) < 1e-8);
    }
}

static void cuts_make_no_difference(void **state) {
    (void)state;
    require_possible();
    random_source source = random_from_seed(seed);
    double x[SIZE], whole[SIZE], cut[SIZE];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    fill(&source, x, SIZE);
    must(verso_gradient(chain, x, SIZE, whole, NULL, &report, &error));
    double value = report.value;
    for (uint64_t cuts = 1; cuts < 60; cuts++) {
        double sum = chain_sum = 1, calls = chain_calls = 2;
        chain_asked = 0;
        memset(cut, 0xff, sizeof cut);
        verso__native_cut_next(cuts < 40 ? cuts : UINT64_MAX, cuts + seed);
        must(verso_gradient(chain, x, SIZE, cut, NULL, &report, &error));
        same_bits(whole, cut, SIZE);
        assert_true(report.value == value);
        assert_int_equal(chain_asked, SIZE);
        assert_int_equal(report.safepoints, 2 * SIZE);
        assert_int_equal(report.recordings, cuts < 40 ? cuts + 1 : 2 * SIZE + 1);
        /* Globals are as after one run. */
        assert_true(chain_calls == calls + SIZE && chain_sum > sum);
        everything_is_clean(x, SIZE);
    }
}

static void equal_safepoints_are_distinguished(void **state) {
    (void)state;
    require_possible();
    double x[1] = {3}, whole[1], cut[1];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    must(verso_gradient(quiet, x, 1, whole, NULL, &report, &error));
    assert_true(whole[0] == 6 * 479001600.0);
    for (uint64_t i = 0; i < 200; i++) {
        verso__native_cut_next(i < 100 ? 1 + i % QUIET_SAFEPOINTS : UINT64_MAX, seed + i);
        must(verso_gradient(quiet, x, 1, cut, NULL, &report, &error));
        same_bits(whole, cut, 1);
        assert_int_equal(report.safepoints, QUIET_SAFEPOINTS);
        assert_int_equal(quiet_misplaced, 0);
    }
}

/* ---- walk: memory is read and written in place, some of it outside the heap, floats among it ---- */

typedef struct walk_place {
    double *state;
    float floats[2]; /* one at a multiple of 8, one not */
    size_t odd;
} walk_place;

static void walk_vjp(walk_place *place, const double *weights, size_t size, uint64_t cuts, double *gradient,
                     verso_native_report *report) {
    walk_state walk_context = {place->state, &place->floats[place->odd], size, 5};
    double *of_weights = calloc(size + 1, sizeof *of_weights);
    memcpy(of_weights, weights, (size + 1) * sizeof *of_weights);
    verso_array wrt[] = {{place->state, size, VERSO_SCALAR_DOUBLE, gradient},
                         {&place->floats[place->odd], 1, VERSO_SCALAR_FLOAT, gradient + size}};
    verso_array of[] = {{place->state, size, VERSO_SCALAR_DOUBLE, of_weights},
                        {&place->floats[place->odd], 1, VERSO_SCALAR_FLOAT, of_weights + size}};
    verso__native_cut_next(cuts, seed);
    must(verso_vjp(walk, &walk_context, wrt, 2, of, 2, NULL, report, &error));
    assert_memory_equal(of_weights, weights, (size + 1) * sizeof *of_weights);
    free(of_weights);
}

static void a_run_may_write_what_it_reads(void **state) {
    (void)state;
    require_possible();
    random_source source = random_from_seed(seed);
    enum { N = 6 };
    double on_stack[N], *in_heap = verso__native_malloc(N * sizeof *in_heap);
    for (int trial = 0; trial < 24; trial++) {
        double start[N], weights[N + 1], end[N], whole[N + 1], cut[N + 1];
        walk_place place = {trial % 2 ? on_stack : in_heap, {0}, (size_t)trial / 2 % 2};
        verso_native_report report = VERSO_NATIVE_REPORT_INIT;
        fill(&source, start, N);
        fill(&source, weights, N + 1);
        memcpy(place.state, start, sizeof start);
        place.floats[place.odd] = 1.25f;
        walk_vjp(&place, weights, N, 0, whole, &report);
        memcpy(end, place.state, sizeof end);
        float float_end = place.floats[place.odd];
        assert_true(memcmp(end, start, sizeof end) != 0);
        memcpy(place.state, start, sizeof start);
        place.floats[place.odd] = 1.25f;
        walk_vjp(&place, weights, N, trial < 8 ? 3 : UINT64_MAX, cut, &report);
        same_bits(whole, cut, N + 1);
        assert_memory_equal(end, place.state, sizeof end);
        assert_true(float_end == place.floats[place.odd]);

        /* The dot-product test by hand. */
        double tangent_of[N + 1], directions[N + 1], left = 0, right = 0;
        fill(&source, directions, N + 1);
        memcpy(place.state, start, sizeof start);
        place.floats[place.odd] = 1.25f;
        verso_array wrt[] = {{place.state, N, VERSO_SCALAR_DOUBLE, directions},
                             {&place.floats[place.odd], 1, VERSO_SCALAR_FLOAT, directions + N}};
        verso_array of[] = {{place.state, N, VERSO_SCALAR_DOUBLE, tangent_of},
                            {&place.floats[place.odd], 1, VERSO_SCALAR_FLOAT, tangent_of + N}};
        walk_state context = {place.state, &place.floats[place.odd], N, 5};
        must(verso_jvp(walk, &context, wrt, 2, of, 2, &report, &error));
        for (size_t i = 0; i <= N; i++) {
            left += tangent_of[i] * weights[i];
            right += whole[i] * directions[i];
        }
        assert_true(fabs(left - right) < 1e-6); /* the cell of the float is a float */
        everything_is_clean(place.state, N);
        assert_true(*verso__native_float_cell(&place.floats[place.odd]) == 0);
    }
    verso__native_free(in_heap);
}

/* ---- Custom adjoints ---- */

static void custom_adjoints_are_called_as_they_were_promised(void **state) {
    (void)state;
    require_possible();
    double x[3] = {1, -2, 0.5}, gradient[3], direction[3] = {1, 10, 100}, derivative;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    must(verso_gradient(cubes, x, 3, gradient, NULL, &report, &error));
    for (size_t i = 0; i < 3; i++)
        assert_true(gradient[i] == 3 * x[i] * x[i]);
    must(verso_directional(cubes, x, 3, direction, &derivative, &report, &error));
    assert_true(derivative == 3 + 120 + 75);
    assert_int_equal(cubes_modes_wrong, 0);
    verso_native_options options = {.size = sizeof(verso_native_options), .tape_limit = 4096};
    double *many = calloc(1000, sizeof *many), *gradients = calloc(1000, sizeof *gradients);
    assert_int_equal(verso_gradient(cubes, many, 1000, gradients, &options, &report, &error), VERSO_STATUS_NO_MEMORY);
    assert_non_null(strstr(error.message, "tape_limit"));
    free(many);
    free(gradients);
    must(verso_gradient(cubes, x, 3, gradient, NULL, &report, &error));
}

static void cells_are_asked_for_inside_only(void **state) {
    (void)state;
    require_possible();
    double x = 1, gradient;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    must(verso_gradient(wrong, &x, 1, &gradient, NULL, &report, &error));
    assert_null(verso__native_adjoint_cells((char *)&x + 1));
    assert_null(verso__native_adjoint_cells((void *)(uintptr_t)16));
    verso_call call = {0};
    verso_keep(&call, &x, sizeof x);
    assert_int_equal(call.kept_bytes, 0);
}

/* ---- What is refused ---- */

static void expect(double x, uint64_t cuts, size_t tape_limit, verso_status status, const char *text) {
    double gradient = 5;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_native_options options = {.size = sizeof(verso_native_options), .tape_limit = tape_limit};
    verso__native_cut_next(cuts, 0);
    verso_status got = verso_gradient(troubled, &x, 1, &gradient, &options, &report, &error);
    if (got != status || strstr(error.message, text) == NULL)
        print_error("%g: %s: %s\n", x, verso_status_name(got), error.message);
    assert_int_equal(got, status);
    assert_int_equal(error.status, status);
    assert_non_null(strstr(error.message, text));
    assert_true(gradient == 5);
    everything_is_clean(&x, 1);
    /* And the next one works. */
    x = 3;
    must(verso_gradient(troubled, &x, 1, &gradient, NULL, &report, &error));
    assert_true(gradient == 1);
    everything_is_clean(&x, 1);
}

static void refusals_are_errors_and_leave_nothing_behind(void **state) {
    (void)state;
    require_possible();
    for (uint64_t cuts = 0; cuts < 2; cuts++)
        for (int i = 0; i < 20; i++) {
            expect(-1, cuts, 0, VERSO_STATUS_INVALID, "troubled.c:1: refused");
            expect(0.5, cuts, 0, VERSO_STATUS_INVALID, "troubled.c:2: a derivative is lost");
            expect(8, cuts, 0, VERSO_STATUS_INVALID, "no shadow memory");
            expect(9, cuts, 0, VERSO_STATUS_INVALID, "no shadow memory");
        }
    double x = -1, direction = 1, derivative = 5;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    assert_int_equal(verso_directional(troubled, &x, 1, &direction, &derivative, &report, &error),
                     VERSO_STATUS_INVALID);
    assert_string_equal(error.message, "troubled.c:1: refused");
    assert_true(derivative == 5);
    everything_is_clean(&x, 1);
}

/* A stack of 16 MiB: the one that there is takes seconds to fill. */
static void shorten_stack(void) {
    double x = 3, gradient;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    must(verso_gradient(troubled, &x, 1, &gradient, NULL, &report, &error));
    char *lowest = verso__native_stack_top() - (16 << 20);
    assert_true(verso__native_stack_raise(lowest));
}

static void the_ends_of_stack_and_tape_are_errors(void **state) {
    (void)state;
    require_possible();
    shorten_stack();
    expect(200, 0, 0, VERSO_STATUS_NO_MEMORY, "stack");
    expect(50, 0, 1 << 20, VERSO_STATUS_NO_MEMORY, "tape_limit");
    expect(50, 1, 5000, VERSO_STATUS_NO_MEMORY, "tape_limit");
    double x = 50, gradient;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    must(verso_gradient(troubled, &x, 1, &gradient, NULL, &report, &error)); /* the limit is gone */
}

static sigjmp_buf back;
static volatile sig_atomic_t program_faults;

static void program_handler(int signal) {
    (void)signal;
    program_faults++;
    siglongjmp(back, 1);
}

static void crash(void) {
    double x = 7, gradient;
    (void)verso_gradient(troubled, &x, 1, &gradient, NULL, NULL, NULL);
}

/* The program's handler leaves the differentiation by a long jump, so what can be said afterwards is little: it was
 * called. Hence a process of its own. */
static void other_faults_go_where_they_went_before(void **state) {
    (void)state;
    require_possible();
    for (int with_handler = 0; with_handler < 2; with_handler++) {
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            signal(SIGSEGV, with_handler ? program_handler : SIG_DFL);
            if (with_handler && sigsetjmp(back, 1) != 0)
                _exit(program_faults == 1 ? 42 : 1);
            crash();
            _exit(2);
        }
        int status = 0;
        assert_int_equal(waitpid(child, &status, 0), child);
        if (with_handler)
            assert_true(WIFEXITED(status) && WEXITSTATUS(status) == 42);
        else
            assert_true(WIFSIGNALED(status) && WTERMSIG(status) == SIGSEGV);
    }
}

static void a_handler_of_the_program_is_restored(void **state) {
    (void)state;
    require_possible();
    struct sigaction mine = {.sa_handler = program_handler}, now;
    stack_t before = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16}, after;
    sigaction(SIGSEGV, &mine, NULL);
    assert_int_equal(sigaltstack(&before, NULL), 0);
    expect(200, 0, 0, VERSO_STATUS_NO_MEMORY, "stack");
    sigaction(SIGSEGV, NULL, &now);
    assert_true(now.sa_handler == program_handler);
    assert_int_equal(sigaltstack(NULL, &after), 0);
    assert_ptr_equal(after.ss_sp, before.ss_sp);
    signal(SIGSEGV, SIG_DFL);
    sigaltstack(&(stack_t){.ss_flags = SS_DISABLE}, NULL);
    free(before.ss_sp);
}

static double nested(const double *x, size_t n) {
    double gradient = 0;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_status status = verso_gradient(chain, x, n, &gradient, NULL, &report, &error);
    return status == VERSO_STATUS_STATE && error.message[0] != '\0' ? 1 : 0;
}

static void arguments_are_checked(void **state) {
    (void)state;
    require_possible();
    double x[4] = {1, 2, 3, 4}, d[4];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    assert_int_equal(verso_gradient(NULL, x, 4, d, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_int_equal(verso_gradient(chain, NULL, 4, d, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "wrt[0] has 4 numbers and no data"));
    assert_int_equal(verso_gradient(chain, x, 4, NULL, NULL, NULL, NULL), VERSO_STATUS_INVALID);
    assert_int_equal(verso_directional(chain, x, 4, x, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_int_equal(verso_gradient(chain, (double *)(uintptr_t)4096, 4, d, NULL, &report, &error),
                     VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "no shadow memory"));
    assert_int_equal(verso_gradient(chain, x, SIZE_MAX / 4, d, NULL, &report, &error), VERSO_STATUS_INVALID);
    verso_array region = {(char *)x + 2, 1, VERSO_SCALAR_FLOAT, d};
    assert_int_equal(verso_vjp(walk, NULL, &region, 1, NULL, 0, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "multiple of 4"));
    region.data = x, region.type = (verso_scalar)7;
    assert_int_equal(verso_vjp(walk, NULL, NULL, 0, &region, 1, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "of[0].type is 7"));
    assert_int_equal(verso_vjp(walk, NULL, NULL, 1, NULL, 0, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_int_equal(verso_gradient(foreign, x, 4, d, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "verso cc"));
    verso__native_cut_next(2, 0);
    assert_int_equal(verso_gradient(foreign, x, 4, d, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_int_equal(
        verso_directional((double (*)(const double *, size_t))(void (*)(void))sin, x, 4, x, d, &report, &error),
        VERSO_STATUS_INVALID);
    assert_non_null(strstr(error.message, "shared library"));
    assert_int_equal(verso_gradient(nested, x, 4, d, NULL, &report, &error), VERSO_STATUS_INVALID);
    assert_true(report.value == 1);
    everything_is_clean(x, 4);
    must(verso_gradient(chain, x, 0, NULL, NULL, &report, &error)); /* of no numbers */
}

/* Repeated small gradients keep their pages, so that they take little more time than the function itself. */
static void many_small_gradients_are_cheap(void **state) {
    (void)state;
    require_possible();
    double x[2] = {0.5, 0.25}, gradient[2];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    for (int i = 0; i < 3; i++)
        must(verso_gradient(chain, x, 2, gradient, NULL, &report, &error));
    uint64_t faults = verso__native_faults();
    for (int i = 0; i < 10000; i++)
        must(verso_gradient(chain, x, 2, gradient, NULL, &report, &error));
    assert_true(verso__native_faults() - faults < 100); /* pages are kept */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_gradient_agrees_with_tangent_mode),
        cmocka_unit_test(a_gradient_agrees_with_differences),
        cmocka_unit_test(cuts_make_no_difference),
        cmocka_unit_test(equal_safepoints_are_distinguished),
        cmocka_unit_test(a_run_may_write_what_it_reads),
        cmocka_unit_test(custom_adjoints_are_called_as_they_were_promised),
        cmocka_unit_test(cells_are_asked_for_inside_only),
        cmocka_unit_test(refusals_are_errors_and_leave_nothing_behind),
        cmocka_unit_test(the_ends_of_stack_and_tape_are_errors),
        cmocka_unit_test(other_faults_go_where_they_went_before),
        cmocka_unit_test(a_handler_of_the_program_is_restored),
        cmocka_unit_test(arguments_are_checked),
        cmocka_unit_test(many_small_gradients_are_cheap),
    };
    seed = random_seed();
    return cmocka_run_group_tests_name("native sweep", tests, NULL, NULL);
}
