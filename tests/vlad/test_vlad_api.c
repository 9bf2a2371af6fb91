/* Tests verso/vlad.h: programs that are interrupted at every step and resumed from copies, several times and in any
 * order, take the same steps, print the same lines and have the same value as undisturbed ones. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <verso/vlad.h>

/* Effects, several expressions, derivatives of all kinds, vectors. */
static const char text[] = "(define (cdr (cons a b)) b)\n"
                           "(define (f x) (let loop ((i 0) (y x)) (if (= i 3) y (loop (+ i 1) (* y (sin y))))))\n"
                           "(define (d x) (cdr (j* f x 1)))\n"
                           "(write-real (+ (read-real) (d 1)))\n"
                           "(write-real (cdr (*j d (write-real 2) 1)))\n"
                           "(let ((v (vector-set (vector 1 2 3) 1 (read-real))))\n"
                           "  (list (cdr (checkpoint-*j (lambda (x) (* (d x) (d x))) 1 1)) v))\n";
static const char input[] = "1 41";

typedef struct subject {
    FILE *in, *out;
    char *printed;
    size_t printed_size;
    verso_vlad *program;
    verso_error error;
} subject;

static void open_subject(subject *s, const char *program, const char *typed, uint64_t limit) {
    *s = (subject){.in = fmemopen((void *)(uintptr_t)typed, strlen(typed), "r")};
    s->out = open_memstream(&s->printed, &s->printed_size);
    assert_true(s->in != NULL && s->out != NULL);
    verso_status status = verso_vlad_open("t", program, s->in, s->out, limit, &s->program, &s->error);
    if (status != VERSO_STATUS_OK)
        fail_msg("%s", s->error.message);
}

static void close_subject(subject *s) {
    verso_vlad_close(s->program);
    fclose(s->in);
    fclose(s->out);
    free(s->printed);
}

/* Runs `steps` steps and returns whether the program has ended. */
static bool go(subject *s, uint64_t steps) {
    bool ended;
    if (verso_vlad_run(s->program, steps, &ended, &s->error) != VERSO_STATUS_OK)
        fail_msg("%s", s->error.message);
    return ended;
}

static void expect_same(subject *whole, subject *other) {
    char expected[500], found[500];
    assert_int_equal(verso_vlad_steps(other->program), verso_vlad_steps(whole->program));
    assert_string_equal(verso_vlad_value(other->program, found, sizeof found),
                        verso_vlad_value(whole->program, expected, sizeof expected));
    fflush(whole->out);
    fflush(other->out);
    assert_string_equal(other->printed, whole->printed);
}

static void run_whole(subject *whole) {
    char value[10] = "x";
    open_subject(whole, text, input, 0);
    assert_string_equal(verso_vlad_value(whole->program, value, sizeof value), "");
    assert_true(go(whole, UINT64_MAX));
    assert_true(go(whole, 1));                 /* it has ended */
    for (size_t size = 0; size <= 4; size++) { /* too small for a value: nothing is written beyond the buffer */
        memset(value, 'x', sizeof value);
        verso_vlad_value(whole->program, value, size);
        assert_int_equal(value[size], 'x');
    }
}

static void any_step_interrupts(void **state) {
    (void)state;
    subject whole, s;
    run_whole(&whole);
    uint64_t steps = verso_vlad_steps(whole.program);
    assert_true(steps > 100);
    open_subject(&s, text, input, 0);
    for (uint64_t i = 0; i < steps; i++) {
        assert_int_equal(verso_vlad_steps(s.program), i);
        assert_int_equal(go(&s, 1), i == steps - 1);
    }
    assert_true(go(&s, 1));
    expect_same(&whole, &s);
    close_subject(&s);
    close_subject(&whole);
}

static void copies_resume_any_number_of_times(void **state) {
    (void)state;
    enum { COPIES = 40 };
    subject whole, s;
    run_whole(&whole);
    uint64_t steps = verso_vlad_steps(whole.program), every = steps / (COPIES - 1);
    verso_vlad_copy *copies[COPIES];
    open_subject(&s, text, input, 0);
    for (int i = 0; i < COPIES; i++) {
        assert_int_equal(verso_vlad_capture(s.program, &copies[i], &s.error), VERSO_STATUS_OK);
        assert_true(verso_vlad_copy_size(copies[i]) > 0);
        go(&s, every);
    }
    for (int round = 0; round < 3; round++)
        for (int i = 0; i < COPIES; i++) {
            verso_vlad_copy *copy = copies[i * 17 % COPIES];
            assert_int_equal(verso_vlad_resume(s.program, copy, &s.error), VERSO_STATUS_OK);
            if (round < 2 || i < COPIES - 1)
                go(&s, every / 2); /* some are left on the way */
            if (round != 1) {
                assert_true(go(&s, UINT64_MAX));
                expect_same(&whole, &s);
            }
        }
    for (int i = 0; i < COPIES; i++)
        verso_vlad_copy_free(copies[i]);
    verso_vlad_copy_free(NULL);
    close_subject(&s);
    close_subject(&whole);
}

static void failures_can_be_left(void **state) {
    (void)state;
    subject s;
    bool ended;
    verso_vlad_copy *copy, *none;
    open_subject(&s, "(write-real 1) (write-real (+ 1 (read-real)))", "x", 0);
    assert_int_equal(verso_vlad_capture(s.program, &copy, &s.error), VERSO_STATUS_OK);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(verso_vlad_run(s.program, UINT64_MAX, &ended, &s.error), VERSO_STATUS_INVALID);
        assert_false(ended);
        assert_non_null(strstr(s.error.message, "`read-real` expects a number, not `x`"));
    }
    assert_int_equal(verso_vlad_capture(s.program, &none, &s.error), VERSO_STATUS_STATE);
    assert_int_equal(verso_vlad_resume(s.program, copy, &s.error), VERSO_STATUS_OK);
    assert_false(go(&s, 2));
    verso_vlad_copy_free(copy);
    close_subject(&s);
}

static void failures_to_open_are_reported(void **state) {
    (void)state;
    verso_vlad *program;
    verso_error error;
    assert_int_equal(verso_vlad_open("t", "(f 1)", stdin, stdout, 0, &program, &error), VERSO_STATUS_INVALID);
    assert_null(program);
    assert_non_null(strstr(error.message, "t:1:2: unbound variable `f`"));
    assert_int_equal(verso_vlad_open("/nowhere/t.vlad", NULL, stdin, stdout, 0, &program, &error), VERSO_STATUS_IO);
    verso_vlad_close(NULL);
}

static void memory_has_a_limit(void **state) {
    (void)state;
    subject s;
    bool ended;
    open_subject(&s, "(define (f n) (if (= n 0) '() (cons n (f (- n 1))))) (f 1000000)", "", 1000000);
    assert_int_equal(verso_vlad_run(s.program, UINT64_MAX, &ended, &s.error), VERSO_STATUS_NO_MEMORY);
    assert_non_null(strstr(s.error.message, "more than 1000000 bytes"));
    close_subject(&s);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_step_interrupts),  cmocka_unit_test(copies_resume_any_number_of_times),
        cmocka_unit_test(failures_can_be_left), cmocka_unit_test(failures_to_open_are_reported),
        cmocka_unit_test(memory_has_a_limit),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
