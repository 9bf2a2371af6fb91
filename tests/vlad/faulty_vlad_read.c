/* Tests reading VLAD programs with every allocation failing once: NO_MEMORY each time, nothing leaks, and a session
 * continues as if the text had not been entered. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "tests/support/folder.h"
#include "vlad/core.h"

/* Every form, and enough of them that all stacks and tables grow. */
static const char program[] =
    "(define (car (cons car cdr)) car) (define ((curried a) (list b 1 '(2))) (lambda () (curried a b)))"
    "(define (all f x y)"
    "  (define (inner z) (cons* x z (inner y) (all f x y)))"
    "  (let* ((a (or x y #f)) (b (and a #t 1)))"
    "    (let loop ((i 0) (j (vector 1 2 a)))"
    "      (cond ((> i b) (inner j)) ((sqrt i) sqrt) (else (loop (+ i 1) (vector-set j i '(1 (2 . 3)))))))))"
    "(letrec ((even (lambda (n) (if (zero? n) #t (odd (- n 1))))) (odd (lambda (n) (even (- n 1)))))"
    "  (all even ((lambda (x) x) 0.1234567890123456789012345678901234567890123456789012345678901234567890) (lambda (x "
    "y z) (lambda (w) (list x y z w odd atan))) (read-real)))";

static char *long_program(void) {
    enum { COPIES = 60 };
    char *text = malloc(COPIES * 128 + sizeof program), *to = text;
    assert_non_null(text);
    to = stpcpy(to, "(define (many x) (list");
    for (int i = 0; i < COPIES; i++) {
        *to++ = ' ';
        memset(to, '(', 1);
        to = stpcpy(to + 1, "lambda (x) (let ((xxxxx x)) (list ");
        for (int j = 0; j <= i % 40; j++)
            *to++ = (char)('A' + j % 26);
        to = stpcpy(to, " x xxxxx 1 2 3)))");
    }
    stpcpy(to, "))");
    return text;
}

static verso_status read_once(const char *text, verso_error *error) {
    vlad_sources *sources = vlad_sources_new();
    if (sources == NULL)
        return VERSO_STATUS_NO_MEMORY;
    uint32_t file;
    vlad_program p;
    verso_status status = vlad_sources_add(sources, "t", text, strlen(text), &file, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_read_program(sources, file, &p, error);
    vlad_sources_free(sources);
    return status;
}

static void try_every_allocation(const char *text, verso_status expected) {
    verso_status status = VERSO_STATUS_NO_MEMORY;
    uint64_t n = 1;
    for (; status == VERSO_STATUS_NO_MEMORY; n++) {
        verso_error error = {0};
        uint64_t before = verso__alloc_live();
        verso__alloc_fail_at(n);
        status = read_once(text, &error);
        verso__alloc_fail_at(0);
        assert_int_equal(verso__alloc_live(), before);
        assert_true(n < 100000);
        if (error.status != VERSO_STATUS_OK) /* without sources there is no message */
            assert_int_equal(error.status, status);
    }
    assert_int_equal(status, expected);
    assert_true(n > 500); /* each node is one */
}

static void no_allocation_is_taken_for_granted(void **state) {
    (void)state;
    char *longer = long_program();
    try_every_allocation(program, VERSO_STATUS_OK);
    try_every_allocation(longer, VERSO_STATUS_INVALID); /* A is not bound: something is offered without memory, too */
    free(longer);
}

static void a_session_goes_on_without_memory(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "lib.vlad"), text[4096] = "(include \"";
    folder_write(folder, "lib.vlad", "(define (f x) x) (f 1)", strlen("(define (f x) x) (f 1)"));
    path[strlen(path) - strlen(".vlad")] = '\0'; /* which is added */
    strcat(strcat(text, path), "\") (define (g y) (f y)) (g 2)");
    uint64_t before = verso__alloc_live();
    vlad_sources *sources = vlad_sources_new();
    vlad_session *session = vlad_session_new(sources);
    assert_non_null(session);
    verso_status status = VERSO_STATUS_NO_MEMORY;
    for (uint64_t n = 1; status != VERSO_STATUS_OK; n++) {
        uint32_t file = 0;
        vlad_program p = {0};
        verso__alloc_fail_at(n);
        status = vlad_sources_add(sources, "t", text, strlen(text), &file, NULL);
        if (status == VERSO_STATUS_OK)
            status = vlad_session_read(session, file, &p, NULL);
        verso__alloc_fail_at(0);
        assert_true(status == VERSO_STATUS_OK || status == VERSO_STATUS_NO_MEMORY);
        assert_int_equal(p.count, status == VERSO_STATUS_OK ? 2 : 0);
        assert_true(n < 100000);
    }
    vlad_session_free(session);
    vlad_sources_free(sources);
    assert_int_equal(verso__alloc_live(), before);
    free(path);
    folder_remove(folder);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(no_allocation_is_taken_for_granted),
        cmocka_unit_test(a_session_goes_on_without_memory),
    };
    return cmocka_run_group_tests_name("VLAD: reading without memory", tests, NULL, NULL);
}
