/* Tests the references of other tests on lists of operations: plays each schedule of the golden data and compares what
 * it counts with the golden data and with the dynamic programs. This test does not use the library. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/wide.h"
#include "tests/support/golden.h"
#include "tests/support/reference.h"

typedef struct replay {
    uint64_t forward, disk_writes, disk_reads, memory, peak, todo;
    uint64_t working; /* VERSO_UNKNOWN: none */
    bool held[2][64]; /* memory, disk */
} replay;

static void replay_op(replay *r, const golden_op *op) {
    bool disk = op->kind >= GOLDEN_WRITE_DISK && op->kind <= GOLDEN_DROP_DISK;
    assert_true(op->a < 64);
    if (op->kind == GOLDEN_WRITE_MEMORY || op->kind == GOLDEN_WRITE_DISK) {
        assert_int_equal(r->working, op->a);
        assert_false(r->held[disk][op->a]);
        r->held[disk][op->a] = true;
        r->disk_writes += disk;
        r->memory += !disk;
        r->peak = r->memory > r->peak ? r->memory : r->peak;
    } else if (op->kind == GOLDEN_FORWARD) {
        assert_int_equal(r->working, op->a);
        assert_true(op->b > op->a);
        r->forward += op->b - op->a;
        r->working = op->b;
    } else if (op->kind == GOLDEN_REVERSE) {
        assert_int_equal(r->working, op->a);
        assert_int_equal(r->todo, op->a + 1);
        r->todo--;
    } else {
        assert_true(r->held[disk][op->a]);
        bool drop = op->kind == GOLDEN_DROP_MEMORY || op->kind == GOLDEN_DROP_DISK;
        r->held[disk][op->a] = !drop;
        r->memory -= drop && !disk;
        r->disk_reads += !drop && disk;
        r->working = drop ? r->working : op->a;
    }
}

static replay replay_all(const golden_schedule *schedule) {
    replay r = {.todo = schedule->steps};
    for (size_t i = 0; i < schedule->op_count; i++)
        replay_op(&r, &schedule->ops[i]);
    assert_int_equal(r.todo, 0);
    assert_true(r.peak <= schedule->slots);
    return r;
}

static void test_operation_lists(void **unused) {
    (void)unused;
    golden_schedules *all = golden_schedules_open("schedules_small");
    for (size_t i = 0; i < all->count; i++) {
        const golden_schedule *s = &all->schedules[i];
        replay r = replay_all(s);
        assert_true(reference_forward_large(s->steps, s->slots) == r.forward);
    }
    golden_schedules_close(all);
    all = golden_schedules_open("disk_schedules_small");
    for (size_t i = 0; i < all->count; i++) {
        const golden_schedule *s = &all->schedules[i];
        replay r = replay_all(s);
        uint64_t makespan = r.forward * s->forward_cost + s->steps * s->backward_cost + r.disk_writes * s->write_cost +
                            r.disk_reads * s->read_cost;
        assert_true(s->has_makespan);
        assert_int_equal(makespan, s->makespan);
        reference_platform x = {s->slots, s->write_cost, s->read_cost, s->forward_cost, s->backward_cost};
        reference_disk table = reference_disk_new(&x, s->steps);
        uint64_t wanted =
            s->period == 0 ? table.opt_inf[s->steps - 1] : reference_disk_a_revolve(&table, s->steps - 1, s->period);
        assert_int_equal(makespan, wanted);
        reference_disk_free(&table);
    }
    golden_schedules_close(all);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_operation_lists)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
