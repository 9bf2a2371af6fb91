/* Tests fixed points in a plain run, compiled by any compiler: number of steps, residual, and failure to converge.
 * tests/native tests their derivatives with `verso cc`. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include <math.h>
#include <pthread.h>
#include <verso/native.h>

typedef struct pair {
    double u[2], factor;
    uint64_t calls;
} pair;

static void turn(void *context) {
    pair *p = context;
    const double first = p->u[0];
    p->u[0] = p->factor * p->u[1] + 1;
    p->u[1] = -p->factor * first;
    p->calls++;
}

static void expect_solution(const pair *p, double within) {
    const double first = 1 / (1 + p->factor * p->factor);
    assert_true(fabs(p->u[0] - first) <= within && fabs(p->u[1] + p->factor * first) <= within);
}

static void converges(void **state) {
    (void)state;
    pair p = {.factor = 0.5};
    const uint64_t steps = verso_fixed_point(turn, &p, p.u, 2, NULL);
    assert_int_equal(steps, p.calls);
    assert_true(steps > 35 && steps < 50); /* 1e-12 = 0.5^40 */
    expect_solution(&p, 1e-12);
    pair q = {.factor = 0.5};
    const uint64_t fewer = verso_fixed_point(
        turn, &q, q.u, 2, &(verso_fixed_point_options){.size = sizeof(verso_fixed_point_options), .tolerance = 1e-3});
    assert_true(fewer > 5 && fewer < 15);
    expect_solution(&q, 1e-3);
}

static void is_there_already(void **state) {
    (void)state;
    pair p = {.u = {1 / 1.25, -0.5 / 1.25}, .factor = 0.5};
    assert_int_equal(verso_fixed_point(turn, &p, p.u, 2, NULL), 2);
    assert_int_equal(verso_fixed_point(turn, &p, NULL, 0, NULL), 2);
}

static void does_not_converge(void **state) {
    (void)state;
    pair around = {.factor = 1}, away = {.factor = 2}, slow = {.factor = 0.5};
    assert_int_equal(verso_fixed_point(turn, &around, around.u, 2, NULL), 0);
    assert_int_equal(around.calls, 1000);
    assert_int_equal(
        verso_fixed_point(turn, &away, away.u, 2,
                          &(verso_fixed_point_options){.size = sizeof(verso_fixed_point_options), .most = 10000}),
        0);
    assert_int_equal(
        verso_fixed_point(turn, &slow, slow.u, 2,
                          &(verso_fixed_point_options){.size = sizeof(verso_fixed_point_options), .most = 10}),
        0);
    assert_int_equal(slow.calls, 10);
    for (int i = 0; i < 2; i++) {
        pair wrong = {.factor = 0.5};
        wrong.u[i] = NAN;
        assert_int_equal(verso_fixed_point(turn, &wrong, wrong.u, 2, NULL), 0);
    }
}

static void *turn_often(void *context) {
    pair *p = context;
    for (int i = 0; i < 1000; i++) {
        p->u[0] = p->u[1] = i;
        if (verso_fixed_point(turn, p, p->u, 2, NULL) == 0)
            return NULL;
    }
    return p;
}

static void in_threads(void **state) {
    (void)state;
    pthread_t threads[4];
    pair pairs[4];
    void *result;
    for (int i = 0; i < 4; i++) {
        pairs[i] = (pair){.factor = 0.1 * (i + 1)};
        assert_int_equal(pthread_create(&threads[i], NULL, turn_often, &pairs[i]), 0);
    }
    for (int i = 0; i < 4; i++) {
        assert_int_equal(pthread_join(threads[i], &result), 0);
        assert_ptr_equal(result, &pairs[i]);
        expect_solution(&pairs[i], 1e-12);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(converges),
        cmocka_unit_test(is_there_already),
        cmocka_unit_test(does_not_converge),
        cmocka_unit_test(in_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
