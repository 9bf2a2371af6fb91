/* Tests that `verso vlad --check` finds wrong derivatives and disturbs nothing. A wrong derivative cannot be written
 * in VLAD, so the linker replaces `sin` by a faulty one (CMakeLists.txt): its value is right to the bit, its
 * derivative is off by one per cent in one mode, in all, or in all leaves except the first. Corners, jumps and
 * evaluations that fail away from x need no fault. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vlad/check.h"
#include "vlad/run.h"

#define PAIRS "(define (car (cons a b)) a) (define (cdr (cons a b)) b) "

/* ---- The faulty sine ---- */

typedef enum fault { NO_FAULT, IN_FORWARD, IN_REVERSE, IN_BOTH, IN_LATER_LEAVES } fault;

static fault present; /* of the linker's making: there is no other way to hand it on */

vlad_value __real_vlad_number_unary(vlad_numbers *numbers, vlad_operator operation, vlad_value a);
vlad_value __wrap_vlad_number_unary(vlad_numbers *numbers, vlad_operator operation, vlad_value a);

static double error_for(const vlad_numbers *numbers, vlad_value a) {
    bool reverse = vlad_is_kind(a, VLAD_REVERSE);
    switch (present) {
    case IN_FORWARD: return vlad_is_kind(a, VLAD_DUAL) ? 0.01 : 0;
    case IN_REVERSE: return reverse ? 0.01 : 0;
    case IN_BOTH: return 0.01;
    case IN_LATER_LEAVES: return reverse && numbers->levels[numbers->count - 1].first > 0 ? 0.01 : 0;
    default: return 0;
    }
}

/* sin(a) + error (a - a), where the last a is a constant. */
vlad_value __wrap_vlad_number_unary(vlad_numbers *numbers, vlad_operator operation, vlad_value a) {
    vlad_value right = __real_vlad_number_unary(numbers, operation, a);
    if (operation != VLAD_SIN || vlad_is_plain(a) || present == NO_FAULT || right == VLAD_NOTHING)
        return right;
    vlad_value zero = vlad_number_binary(numbers, VLAD_MINUS, a, vlad_number(vlad_number_plain(a)));
    vlad_value off = vlad_number_binary(numbers, VLAD_TIMES, zero, vlad_number(error_for(numbers, a)));
    return vlad_number_binary(numbers, VLAD_PLUS, right, off);
}

/* ---- Running ---- */

typedef struct outcome {
    verso_status status;
    bool refuted;
    char *out, *report; /* standard output and the report of --check; the caller frees them */
} outcome;

static const vlad_evaluator *const evaluators[] = {&vlad_interpreter, &vlad_hybrid};
enum { EVALUATORS = sizeof evaluators / sizeof *evaluators };

static outcome run(const char *text, const char *input, vlad_settings *settings) {
    outcome o = {0};
    size_t out_size, report_size;
    uint32_t file;
    vlad_program program;
    verso_error error = {0};
    vlad_sources *sources = vlad_sources_new();
    FILE *in = fmemopen((void *)(uintptr_t)input, strlen(input) + 1, "r");
    FILE *out = open_memstream(&o.out, &out_size), *report = open_memstream(&o.report, &report_size);
    assert_true(sources != NULL && in != NULL && out != NULL && report != NULL);
    assert_int_equal(vlad_sources_add(sources, "t", text, strlen(text), &file, &error), VERSO_STATUS_OK);
    if (vlad_read_program(sources, file, &program, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(vlad_settings_schedule(settings, NULL, &error), VERSO_STATUS_OK);
    o.status = vlad_run(sources, &program, NULL, settings, in, out, report, &error);
    o.refuted = settings->refuted;
    if (o.status != VERSO_STATUS_OK)
        fputs(error.message, report);
    fclose(in);
    fclose(out);
    fclose(report);
    vlad_sources_free(sources);
    return o;
}

static outcome run_checked(const char *text, const char *input, const vlad_evaluator *evaluator, uint64_t seed) {
    vlad_settings settings = {.evaluator = evaluator, .checks = true, .seed = seed};
    return run(text, input, &settings);
}

static void release(outcome *o) {
    free(o->out);
    free(o->report);
}

/* For all evaluators and seeds, the report of --check must contain these words and the verdict. */
static void expect(const char *text, const char *input, const char *words, bool pass) {
    for (int i = 0; i < EVALUATORS; i++)
        for (uint64_t seed = 1; seed <= 5; seed++) {
            outcome o = run_checked(text, input, evaluators[i], seed);
            char verdict[32];
            snprintf(verdict, sizeof verdict, "%s (seed %d)", pass ? "PASS" : "FAIL", (int)seed);
            if (o.status != VERSO_STATUS_OK || o.refuted == pass || strstr(o.report, words) == NULL ||
                strstr(o.report, verdict) == NULL)
                fail_msg("%s\nevaluator %d, seed %d, status %d, wanted '%s':\n%s", text, i, (int)seed, (int)o.status,
                         words, o.report);
            release(&o);
        }
}

/* ---- Tests ---- */

/* A function of two numbers to a list, with steps for several leaves. */
#define SINES \
    "(define (f (list a b)) (let loop ((i 0) (y a)) (if (= i 20) (list y (* a b)) (loop (+ i 1) (+ b (sin y)))))) "

static void right_derivatives_pass(void **state) {
    (void)state;
    present = NO_FAULT;
    expect(SINES "(*j f (list 1 2) (list 1 0))", "", "t:1:110  *j", true);
    expect(SINES "(j* f (list 1 2) (list 1 0))", "", "j*", true);
    expect(SINES "(checkpoint-*j f (list 1 2) (list 0 1))", "", "checkpoint-*j", true);
    expect("(*j (lambda (x) (+ 3 (* 2 x))) 5 1)", "", "linear", true);
    expect("(*j (lambda (x) 7) 5 1)", "", "linear", true);
    expect("(*j (lambda (x) (null? x)) 5 #f)", "", "linear", true);
    expect("(*j (lambda (f) (f 2)) (let ((a 3)) (lambda (x) (* a (* a x)))) 1)", "", "order ", true);
    expect("(j* (lambda (x) (vector-map (lambda (y) (exp y)) x)) (vector 1 2) (vector 0 0))", "", "order ", true);
    /* Where the value is zero, there is no noise but that of the derivative. */
    expect("(*j (lambda ((list x y)) (+ (* 0.7 x) (/ y 3))) (list 0 0) 1)", "", "linear", true);
    expect("(*j (lambda (x) (* (sin (* 0.7 x)) (cos x))) 0 1)", "", "order ", true);
    /* A gradient that vanishes, and a value that does. */
    expect("(*j (lambda (x) (* (- x 1) (- x 1))) 1 1)", "", "order ", true);
    /* Operators within f are part of f. */
    expect(PAIRS SINES "(*j (lambda (x) (cdr (checkpoint-*j f x (list 1 1)))) (list 1 2) (list 1 2))", "", "1        1",
           true);
}

static void wrong_derivatives_are_found(void **state) {
    static const char *const operators[] = {"*j", "j*", "checkpoint-*j"};
    (void)state;
    for (size_t i = 0; i < sizeof operators / sizeof *operators; i++) {
        char text[256];
        snprintf(text, sizeof text, SINES "(%s f (list 1 2) (list 1 0))", operators[i]);
        present = IN_FORWARD;
        expect(text, "", "dot product: ", false);
        present = IN_REVERSE;
        expect(text, "", "dot product: ", false);
        present = IN_BOTH;
        expect(text, "", "another derivative", false);
        present = IN_LATER_LEAVES;
        expect(text, "", "by checkpoint-*j", false);
    }
    present = NO_FAULT;
}

static void what_is_not_smooth_is_told(void **state) {
    (void)state;
    expect("(*j (lambda (x) (if (< x 0) (- 0 x) x)) 0 1)", "", "a corner at x", false);
    expect("(*j (lambda (x) (floor x)) 2 1)", "", "the function jumps by", false);
    expect("(*j (lambda (x) (/ (floor (* x 1e6)) 1e6)) 2.0000005 1)", "", "another derivative", false);
    expect("(*j sqrt 0 1)", "", "dot product: ", false);
    expect("(*j (lambda (x) (log (- 0 x))) 1 1)", "", "the function is not finite near x", false);
    /* Only the point itself has a value. */
    expect("(*j (lambda (x) (if (= x 1) x (/ 0 0))) 1 1)", "", "the function is not finite near x", false);
    expect("(define (id x) x) (id 3)", "", "takes no derivative", false);
}

static void what_fails_elsewhere_is_told(void **state) {
    (void)state;
    expect(PAIRS "(*j (lambda (x) (if (= x 1) x (car x))) 1 1)", "", "this parameter takes a pair", false);
    expect("(*j (lambda (x) (if (= x 1) x (list x))) 1 1)", "", "values do not conform", false);
    expect("(define (loop x) (loop x)) (*j (lambda (x) (if (= x 1) x (loop x))) 1 1)", "",
           "the function takes more than 10 times as many steps as at x", false);
    expect("(define (loop x) (loop x)) (*j (lambda (x) (if (= x 1) x (checkpoint-*j loop x 1))) 1 1)", "",
           "the function takes more than 10 times as many steps as at x", false);
    /* Far away only: what is near is tested. */
    expect(PAIRS "(*j (lambda (x) (if (< (* (- x 1) (- x 1)) 1e-6) (* x x) (car x))) 1 1)", "", "order ", true);
    /* More is read elsewhere: the program's own input stays. */
    const char *text = "(*j (lambda (x) (if (= x 1) (* x (read-real)) (* x (+ (read-real) (read-real))))) 1 1) "
                       "(write-real (read-real))";
    expect(text, "5 6 7", "the function reads more numbers here than at x", false);
    outcome o = run_checked(text, "5 6 7", &vlad_interpreter, 1);
    assert_string_equal(o.out, "6\n");
    release(&o);
}

static void places_are_counted(void **state) {
    (void)state;
    const char *text =
        "(define (repeat n x) (if (= n 0) x (repeat (- n 1) (let (((cons y d) (*j exp x 1))) (- x 1e-3))))) "
        "(repeat 100 1) (repeat 28 1)";
    expect(text, "", "t:1:70  *j                 128       14", true);
}

/* Output, also that of the function, is as it is without; with less memory than the tests want, too. */
static void the_program_does_not_notice(void **state) {
    (void)state;
    const char *text = SINES "(define (g (cons a b)) (let loop ((i 0) (y a)) (if (= i (read-real)) y (loop (+ i 1) "
                             "(write-real (* y (sin b))))))) "
                             "(define (show (cons y x)) (write-real y)) "
                             "(define (count n) (if (= n 0) () (cons n (count (- n 1))))) "
                             "(define (sum l) (if (null? l) 0 (let (((cons a b) l)) (+ (* a a) (sum b))))) "
                             "(show (checkpoint-*j g (cons 1 2) 1)) (show (j* g (cons 1 2) (cons 1 1))) "
                             "(show (checkpoint-*j sum (count 3000) 1)) (write-real (read-real))";
    const char *input = "10 20 2 9 9 9 3 99 98";
    for (int i = 0; i < EVALUATORS; i++) {
        int fewer = 0, tested = 0;
        for (uint64_t limit = 300000; limit < 4000000; limit += limit / 16) {
            vlad_settings plain = {.evaluator = evaluators[i], .limit = limit};
            vlad_settings checks = {.evaluator = evaluators[i], .limit = limit, .checks = true};
            outcome without = run(text, input, &plain), with = run(text, input, &checks);
            if (without.status == VERSO_STATUS_OK &&
                (with.status != VERSO_STATUS_OK || strcmp(with.out, without.out) != 0))
                fail_msg("limit %llu: %s", (unsigned long long)limit, with.report);
            fewer += without.status == VERSO_STATUS_OK && with.refuted;
            tested += with.status == VERSO_STATUS_OK && !with.refuted;
            release(&without);
            release(&with);
        }
        if (fewer == 0 || tested == 0)
            fail_msg("evaluator %d: %d with too little memory for the tests, %d with enough", i, fewer, tested);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(right_derivatives_pass),     cmocka_unit_test(wrong_derivatives_are_found),
        cmocka_unit_test(what_is_not_smooth_is_told), cmocka_unit_test(what_fails_elsewhere_is_told),
        cmocka_unit_test(places_are_counted),         cmocka_unit_test(the_program_does_not_notice),
    };
    return cmocka_run_group_tests_name("tests of VLAD's derivatives", tests, NULL, NULL);
}
