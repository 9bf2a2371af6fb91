/* Tests the machines of VLAD with every allocation failing once, for each evaluator: NO_MEMORY each time, with a
 * message, and nothing leaks. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "vlad/check.h"
#include "vlad/checkpoint.h"

static const vlad_evaluator *const evaluators[] = {&vlad_interpreter, &vlad_hybrid};

static const char *const programs[] = {
    /* Closures, patterns, vectors, effects. */
    "(define (count n) (if (= n 0) () (cons n (count (- n 1)))))"
    "(define (sum (cons a b)) (if (null? b) a (+ a (sum b))))"
    "(let (((list a b) (list (sum (count 20)) (write-real (read-real)))))"
    "  (vector-map (lambda (x) (* a (+ x b))) (vector-set (vector 1 2 3) 1 4)))",
    /* More than a segment of memory, and a deep structure to walk over. */
    "(define (count n) (if (= n 0) () (cons n (count (- n 1)))))"
    "(define (sum l) (if (null? l) 0 (let (((cons a b) l)) (+ a (sum b)))))"
    "(*j sum (count 3000) 1)",
    /* The driver, players, all of them nested. */
    "(define (cdr (cons a b)) b)"
    "(define (power x n) (if (= n 0) 1 (* x (power x (- n 1)))))"
    "(j* (lambda (x) (cdr (*j (lambda (y) (power y 3)) x 1))) 2 1)"
    "(checkpoint-*j (lambda (x) (write-real (cdr (checkpoint-*j (lambda (y) (* x (power y 2))) x 1)))) 2 1)",
};

static verso_status evaluate(vlad_machine *machine, const vlad_program *program, verso_error *error) {
    for (uint32_t i = 0; i < program->count; i++) {
        vlad_machine_begin(machine, program->expressions[i]);
        if (vlad_machine_run(machine) != VLAD_ENDED)
            return error->status;
    }
    return VERSO_STATUS_OK;
}

/* *checked: whether derivatives are tested; then, whether all tests passed. */
static verso_status run(const char *text, const vlad_evaluator *evaluator, FILE *in, FILE *out, bool *checked,
                        verso_error *error) {
    vlad_sources *sources = vlad_sources_new();
    if (sources == NULL)
        return VERSO_STATUS_NO_MEMORY;
    uint32_t file;
    vlad_program program;
    vlad_effects effects;
    vlad_machine machine = {0};
    vlad_checkpointing how = {.leaf = 20};
    verso_run_options_init(&how.run);
    verso_schedule_spec_init(&how.run.spec, VERSO_KIND_BINARY);
    vlad_checking checking;
    vlad_checking_open(&checking, 1);
    vlad_effects_open(&effects, in, "input", out);
    verso_status status = vlad_sources_add(sources, "t", text, strlen(text), &file, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_read_program(sources, file, &program, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_machine_open(&machine, evaluator, &program, sources, &effects, 0, error);
    if (status == VERSO_STATUS_OK) {
        machine.checkpointing = &how;
        machine.checking = *checked ? &checking : NULL;
        status = evaluate(&machine, &program, error);
        vlad_machine_close(&machine);
    }
    *checked = *checked && vlad_check_holds(&checking);
    vlad_checking_close(&checking);
    vlad_effects_close(&effects);
    vlad_sources_free(sources);
    return status;
}

/* With tests, which do without what they do not get: until they have got everything. */
static void try_every_allocation(const char *text, const vlad_evaluator *evaluator, bool checks) {
    uint64_t before = verso__alloc_live();
    FILE *out = fopen("/dev/null", "w");
    assert_non_null(out);
    verso_status status = VERSO_STATUS_NO_MEMORY;
    bool checked = !checks;
    for (uint64_t n = 1; status == VERSO_STATUS_NO_MEMORY || checked != checks; n++) {
        verso_error error = {0};
        FILE *in = fmemopen((void *)(uintptr_t)"7", 1, "r");
        assert_non_null(in);
        assert_true(n < 100000);
        verso__alloc_fail_at(n);
        checked = checks;
        status = run(text, evaluator, in, out, &checked, &error);
        verso__alloc_fail_at(0);
        fclose(in);
        if (verso__alloc_live() != before || (status != VERSO_STATUS_OK && status != VERSO_STATUS_NO_MEMORY))
            fail_msg("%s\nallocation %llu: %llu blocks left, status %d: %s", text, (unsigned long long)n,
                     (unsigned long long)(verso__alloc_live() - before), (int)status, error.message);
        assert_true(status == VERSO_STATUS_OK || n == 1 || error.message[0] != '\0');
    }
    assert_int_equal(status, VERSO_STATUS_OK);
    fclose(out);
}

static void memory_may_end_anywhere(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof programs / sizeof *programs; i++)
        for (size_t j = 0; j < sizeof evaluators / sizeof *evaluators; j++)
            try_every_allocation(programs[i], evaluators[j], false);
}

static void tests_of_derivatives_do_without(void **state) {
    (void)state;
    const char *text = "(checkpoint-*j (lambda ((cons x l)) (cons (sin x) l)) (cons 1 (list 2 3)) (list 1 0 0))"
                       "(j* (lambda (x) (checkpoint-*j exp x (write-real 1))) 2 1)";
    for (size_t j = 0; j < sizeof evaluators / sizeof *evaluators; j++)
        try_every_allocation(text, evaluators[j], true);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(memory_may_end_anywhere),
                                       cmocka_unit_test(tests_of_derivatives_do_without)};
    return cmocka_run_group_tests_name("machines of VLAD without memory", tests, NULL, NULL);
}
