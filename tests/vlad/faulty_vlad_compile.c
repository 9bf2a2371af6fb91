/* Tests translating a VLAD program to C with every allocation failing once: NO_MEMORY each time, and nothing leaks.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "vlad/compile.h"

/* All kinds of expressions, in place and not, and patterns that are taken apart. */
static const char program[] =
    "(define (car (cons car cdr)) car) (define (cdr (cons car cdr)) cdr)"
    "(define (map f l) (if (null? l) '() (cons (f (car l)) (map f (cdr l)))))"
    "(define (many a b c d e f g) (if (> a 0) (many (- a 1) b c d e f g) (+ (car (cons b c)) g)))"
    "(define (constants (list 1 #t x)) (let* ((y (* x x)) (z (sqrt y))) (if (and (> y z) (pair? x)) '(1 2) (list y "
    "z))))"
    "(define (outer n) (let loop ((i 0) (v (vector 1 2))) (if (= i n) v (loop (+ i 1) (vector-set v 0 (car (list i "
    "n)))))))"
    "(letrec ((even (lambda (n) (if (zero? n) #t (odd (- n 1))))) (odd (lambda (n) (if (zero? n) #f (even (- n 1))))))"
    "  (cons (map (lambda (x) (cons x (even 3))) '(1 2)) (list (*j (lambda (x) (* x (many x 1 2 3 4 5 6))) 2 1)"
    "    (outer 3) (constants 1 #t 2) (write-real (real 1)) (lambda (x) (lambda (y) (+ x y))))))";

static verso_status compile_once(const vlad_sources *sources, const vlad_program *p, verso_error *error) {
    vlad_writer text = {0};
    verso_status status = vlad_compile(sources, p, &text, error);
    if (status == VERSO_STATUS_OK)
        assert_non_null(strstr(text.text, "int main"));
    vlad_writer_free(&text);
    return status;
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    vlad_sources *sources = vlad_sources_new();
    uint32_t file;
    vlad_program p;
    verso_error error = {0};
    assert_non_null(sources);
    assert_int_equal(vlad_sources_add(sources, "t", program, strlen(program), &file, &error), VERSO_STATUS_OK);
    assert_int_equal(vlad_read_program(sources, file, &p, &error), VERSO_STATUS_OK);
    verso_status status = VERSO_STATUS_NO_MEMORY;
    uint64_t n = 1, before = verso__alloc_live();
    for (; status == VERSO_STATUS_NO_MEMORY; n++) {
        error = (verso_error){0};
        verso__alloc_fail_at(n);
        status = compile_once(sources, &p, &error);
        verso__alloc_fail_at(0);
        assert_int_equal(error.status, status);
        assert_int_equal(verso__alloc_live(), before);
        assert_true(n < 100000);
    }
    assert_int_equal(status, VERSO_STATUS_OK);
    assert_true(n > 50);
    vlad_sources_free(sources);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(no_allocation_is_taken_for_granted)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
