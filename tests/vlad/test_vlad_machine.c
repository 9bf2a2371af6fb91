/* Tests interrupted machines: PRIMOPS, INTERRUPT and RESUME of the paper, without derivatives. For each evaluator, at
 * every step of every program: after a capture the evaluation continues to its end undisturbed; resumed from the
 * capsule, it does so again, any number of times; also if memory is collected before every step. Value, bits, steps
 * and messages are the same for all evaluators. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "tests/support/vlad_subject.h"

static const vlad_evaluator *const evaluators[] = {&vlad_interpreter, &vlad_hybrid};
enum { EVALUATORS = sizeof evaluators / sizeof *evaluators };

typedef struct example {
    const char *text, *expected; /* its value, or how the message begins */
    const char *input, *printed;
} example;

#define PAIRS "(define (car (cons a b)) a) (define (cdr (cons a b)) b) "

static const example values[] = {
    {"7", "7", "", ""},
    {"(define (f n) (if (= n 0) 0 (+ n (f (- n 1))))) (f 6)", "21", "", ""},
    {"(define (f n a) (if (= n 0) a (f (- n 1) (* a n)))) (f 5 1)", "120", "", ""},
    {"(let* ((x 3) ((cons a b) (cons x (* x 2)))) (let loop ((i 0) (s 0)) (if (> i b) (cons s a) (loop (+ i 1) "
     "(+ s (* i a))))))",
     "(63 . 3)", "", ""},
    {"(let ((x (+ 1 2)) (y 4)) (let ((z (let ((w (* x y))) (- w x)))) (list x y z)))", "(3 4 9)", "", ""},
    {"(let ((k 2) (u 3)) (letrec ((e (lambda (n) (if (= n 0) (cons k u) (o (- n 1))))) (o (lambda (n) (if (= n 0) u "
     "(e (- n k)))))) (list (e 3) (o 0))))",
     "((2 . 3) 3)", "", ""},
    {"(let ((a 3)) (let ((f (lambda (x) (lambda (y) (- (* a x) y))))) (cons ((f 1) 2) ((f 2) (+ a (* 2 ((f 0) 1)))))))",
     "(1 . 5)", "", ""},
    {"(vector-set (vector 1 (+ 1 1) 3) (- 3 2) (vector-ref (vector-map (lambda (x) (* x x)) (vector 5 6)) 1))",
     "#(1 36 3)", "", ""},
    {"(vector-set (vector 1 2) 0 (list 3 #t ()))", "#((3 #t ()) 2)", "", ""},
    {PAIRS "(j* (lambda (x) (cdr (*j (lambda (y) (* (* x y) (* x y))) 2 1))) 3 1)", "(36 . 24)", "", ""},
    {PAIRS "(*j (lambda (x) (cdr (j* (lambda (y) (* (* x y) (* y y))) x 1))) 2 1)", "(24 . 36)", "", ""},
    {PAIRS "(checkpoint-*j (lambda (x) (let loop ((i 0) (y x)) (if (= i 4) y (loop (+ i 1) (* y x))))) 2 1)",
     "(32 . 80)", "", ""},
    {PAIRS "(checkpoint-*j (lambda (x) (cdr (checkpoint-*j (lambda (y) (* (* x y) (* y y))) x 1))) 2 1)", "(24 . 36)",
     "", ""},
    {PAIRS "(*j (lambda (x) (car (checkpoint-*j (lambda (y) (* (* x y) y)) (* x x) 1))) 2 1)", "(32 . 80)", "", ""},
    {"(*j (lambda (f) (f 2)) (let ((a 3)) (lambda (x) (* a (* a x)))) 1)", "(18 . #[lambda])", "", ""},
    {"(let ((s sin)) (j* (lambda ((cons f v)) (vector-map f v)) (cons s (vector 0 0)) (cons s (vector 1 2))))",
     "(#(0 0) . #(1 2))", "", ""},
    {"(let ((a 2)) (define (g x) (* a (h x))) (define (h x) (+ a x)) (*j (lambda (f) (f 5)) g 1))", "(14 . #[g])", "",
     ""},
    {"(let* ((a (read-real)) (b (write-real (* a 2)))) (checkpoint-*j (lambda (x) (write-real (* x (read-real)))) b "
     "1))",
     "(30 . 5)", "3 5", "6\n30\n"},
    {"(let loop ((i 0)) (if (= i 3) (write-real i) (let ((x (write-real (read-real)))) (loop (+ i 1)))))", "3",
     "4 5 6 7", "4\n5\n6\n3\n"},
};

static const example failures[] = {
    {"(let ((f 3)) (f 4))", "t:1:14: not a function: 3", "", ""},
    {"(define (f n) (if (= n 0) (+ 1 #t) (* 2 (f (- n 1))))) (f 4)", "t:1:27: `+` needs real numbers, not #t", "", ""},
    {"(let (((cons a 1) (cons 1 (+ 1 1)))) a)", "t:1:16: this parameter takes 1, not 2", "", ""},
    {"((lambda ((cons a b)) a) (* 2 3))", "t:1:17: this parameter takes a pair, not 6", "", ""},
    {"(j* (lambda (x) x) (list 1 2) (list 1))", "t:1:1: values do not conform: (2) and ()", "", ""},
    {"(*j (lambda (x) (cons x x)) 1 1)", "t:1:1: values do not conform", "", ""},
    {"(checkpoint-*j (lambda (x) (cons x x)) 1 1)", "t:1:1: values do not conform", "", ""},
    {"(*j (lambda (x) (checkpoint-*j (lambda (y) (y x)) x 1)) 1 1)", "t:1:44: not a function: 1", "", ""},
    {"(vector-map 3 (vector 1))", "t:1:1: not a function: 3", "", ""},
    {"(vector-ref (vector 1 2) (+ 1 1))", "t:1:1: there is no element 2 in a vector of 2", "", ""},
    {"(+ (read-real) (read-real))", "input:1:2: `read-real` finds no number", "1", ""},
    {"(write-real (read-real ()))", "input:1:1: `read-real` expects a number, not `x`", "x", ""},
    {"(+ 1 (sqrt (list 1 (lambda (x) x))))", "t:1:6: `sqrt` needs a real number, not (1 #[lambda])", "", ""},
};

static void require_printed(vlad_subject *s, const example *e) {
    fflush(s->out);
    assert_string_equal(s->printed != NULL ? s->printed : "", e->printed);
}

/* Runs `steps` steps; the capsule there is resumed twice. */
static void interrupt_at(vlad_subject *s, uint64_t steps, vlad_ending whole) {
    vlad_subject_begin(s);
    vlad_ending part = vlad_subject_run(s, steps);
    assert_int_equal(part.outcome, VLAD_INTERRUPTED);
    assert_int_equal(part.steps, steps);
    vlad_subject_capture(s);
    vlad_subject_require_same(s, whole, vlad_subject_run(s, VLAD_FOR_EVER));
    for (int i = 0; i < 2; i++) {
        vlad_subject_resume(s, steps);
        vlad_subject_require_same(s, whole, vlad_subject_run(s, VLAD_FOR_EVER));
    }
}

/* Interrupted in front of each step on the way. */
static void step_through(vlad_subject *s, vlad_ending whole) {
    vlad_subject_begin(s);
    for (uint64_t steps = 0; steps < whole.steps; steps++) {
        assert_int_equal(vlad_subject_run(s, steps).outcome, VLAD_INTERRUPTED);
        vlad_subject_capture(s);
        vlad_subject_resume(s, steps);
    }
    vlad_subject_require_same(s, whole, vlad_subject_run(s, VLAD_FOR_EVER));
}

/* *whole: of the evaluator before; with no steps: there was none. */
static void try_example(const example *e, const vlad_evaluator *evaluator, bool collect, vlad_ending *whole) {
    vlad_subject s;
    vlad_subject_open(&s, evaluator, e->text, e->input);
    s.machine.heap.always = s.machine.heap.wanted = collect;
    vlad_subject_begin(&s);
    vlad_ending ending = vlad_subject_run(&s, VLAD_FOR_EVER);
    if (whole->steps != 0)
        vlad_subject_require_same(&s, *whole, ending);
    *whole = ending;
    if (ending.outcome != VLAD_ENDED || strcmp(ending.text, e->expected) != 0)
        fail_msg("%s\nexpected %s\nfound    %s", e->text, e->expected, ending.text);
    for (uint64_t steps = 0; steps < ending.steps; steps++)
        interrupt_at(&s, steps, ending);
    step_through(&s, ending);
    require_printed(&s, e);
    assert_true(!collect || s.machine.heap.collections > ending.steps);
    vlad_subject_close(&s);
}

static void try_all(bool collect) {
    for (size_t i = 0; i < sizeof values / sizeof *values; i++) {
        vlad_ending whole = {.steps = 0};
        for (int j = 0; j < EVALUATORS; j++)
            try_example(&values[i], evaluators[j], collect, &whole);
    }
}

static void evaluations_go_on_from_every_step(void **state) {
    (void)state;
    try_all(false);
}

static void evaluations_go_on_while_memory_is_collected(void **state) {
    (void)state;
    try_all(true);
}

/* ---- Failures ---- */

/* Interrupts the program after `steps` steps (VLAD_FOR_EVER: never) and resumes it. */
static vlad_ending fail_after(const example *e, const vlad_evaluator *evaluator, uint64_t steps) {
    vlad_subject s;
    vlad_subject_open(&s, evaluator, e->text, e->input);
    vlad_subject_begin(&s);
    vlad_ending ending = vlad_subject_run(&s, steps);
    if (ending.outcome == VLAD_INTERRUPTED) {
        vlad_subject_capture(&s);
        vlad_subject_resume(&s, steps);
        ending = vlad_subject_run(&s, VLAD_FOR_EVER);
    }
    vlad_subject_close(&s);
    return ending;
}

static void failures_are_the_same(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof failures / sizeof *failures; i++) {
        const example *e = &failures[i];
        const vlad_subject about = {.text = e->text};
        vlad_ending whole = fail_after(e, evaluators[0], VLAD_FOR_EVER);
        assert_int_equal(whole.outcome, VLAD_FAILED);
        if (strncmp(whole.text, e->expected, strlen(e->expected)) != 0)
            fail_msg("%s\nexpected %s\nfound    %s", e->text, e->expected, whole.text);
        for (int j = 0; j < EVALUATORS; j++)
            for (uint64_t steps = 0; steps <= whole.steps; steps++)
                vlad_subject_require_same(&about, whole, fail_after(e, evaluators[j], steps));
    }
}

/* ---- A function, applied ---- */

static void functions_are_applied(void **state) {
    (void)state;
    for (int i = 0; i < EVALUATORS; i++) {
        vlad_subject s;
        vlad_subject_open(&s, evaluators[i], "(let ((a 3)) (lambda (x) (- (* a x) 1)))", "");
        vlad_subject_begin(&s);
        assert_string_equal(vlad_subject_run(&s, VLAD_FOR_EVER).text, "#[lambda]");
        s.machine.steps = 0;
        s.machine.registers[VLAD_SPARE_TOO] = s.machine.registers[VLAD_RESULT];
        assert_int_equal(vlad_machine_apply(&s.machine, s.machine.registers[VLAD_SPARE_TOO], vlad_number(4)),
                         VERSO_STATUS_OK);
        vlad_subject_capture(&s); /* not begun */
        vlad_ending ending = vlad_subject_run(&s, VLAD_FOR_EVER);
        assert_string_equal(ending.text, "11");
        assert_int_equal(ending.steps, 5);
        vlad_subject_capture(&s); /* ended */
        vlad_subject_resume(&s, ending.steps);
        vlad_subject_require_same(&s, ending, vlad_subject_run(&s, VLAD_FOR_EVER));
        assert_int_equal(vlad_machine_apply(&s.machine, vlad_number(3), vlad_number(4)), VERSO_STATUS_INVALID);
        assert_string_equal(s.error.message, "not a function: 3");
        vlad_subject_close(&s);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(evaluations_go_on_from_every_step),
        cmocka_unit_test(evaluations_go_on_while_memory_is_collected),
        cmocka_unit_test(failures_are_the_same),
        cmocka_unit_test(functions_are_applied),
    };
    return cmocka_run_group_tests_name("machines of VLAD", tests, NULL, NULL);
}
