/* The front end of VLAD: from text to core expressions, compared with text (tests/support/vlad_core.h). */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <cmocka.h>

#include "tests/support/folder.h"
#include "tests/support/vlad_core.h"

/* ---- One text ---- */

/* Returns the last expression of a program, or the first line of the error message. The caller frees it. */
static char *read_text(const char *text, bool *good) {
    vlad_sources *sources = vlad_sources_new();
    assert_non_null(sources);
    uint32_t file;
    verso_error error = {0};
    vlad_program program;
    assert_int_equal(vlad_sources_add(sources, "t", text, strlen(text), &file, &error), VERSO_STATUS_OK);
    verso_status status = vlad_read_program(sources, file, &program, &error);
    char *result;
    *good = status == VERSO_STATUS_OK;
    if (status == VERSO_STATUS_OK) {
        assert_true(program.count > 0);
        result = vlad_core_text(program.expressions[program.count - 1]);
    } else {
        assert_true(status == VERSO_STATUS_INVALID ||
                    (status == VERSO_STATUS_IO && strstr(error.message, "cannot read") != NULL));
        assert_int_equal(error.status, status);
        assert_int_equal(program.count, 0);
        result = strdup(error.message);
    }
    vlad_sources_free(sources);
    return result;
}

typedef struct example {
    const char *text, *expected;
} example;

static void compare(const example *examples, size_t count) {
    for (size_t i = 0; i < count; i++) {
        bool good;
        char *found = read_text(examples[i].text, &good);
        if (!good || strcmp(found, examples[i].expected) != 0)
            fail_msg("%s\nexpected %s\nfound    %s", examples[i].text, examples[i].expected, found);
        free(found);
    }
}
#define COMPARE(examples) compare(examples, sizeof(examples) / sizeof *(examples))

static void constants_are_themselves(void **state) {
    (void)state;
    static const example examples[] = {
        {"1", "1"},
        {"-2.5e3", "-2500"},
        {"()", "()"},
        {"#t", "#t"},
        {"'()", "()"},
        {"'#f", "#f"},
        {"'(1 (2 . #t) ())", "(1 . ((2 . #t) . (() . ())))"},
        {"(quote (1 . 2))", "(1 . 2)"},
    };
    COMPARE(examples);
}

static void forms_become_core(void **state) {
    (void)state;
    static const example examples[] = {
        {"(if #t 1 2)", "(if #t 1 2)"},
        {"(cons 1 2)", "(cons 1 2)"},
        {"(cons* 1 2 3)", "(cons 1 (cons 2 3))"},
        {"(cons* 1)", "1"},
        {"(cons*)", "()"},
        {"(list 1 2)", "(cons 1 (cons 2 ()))"},
        {"(list)", "()"},
        {"(and)", "#t"},
        {"(and 1)", "1"},
        {"(and 1 2 3)", "(if 1 (if 2 3 #f) #f)"},
        {"(or)", "#f"},
        {"(or 1)", "1"},
        {"(or 1 2 3)", "(let l0 1 (if or.l0 or.l0 (let l1 2 (if or.l1 or.l1 3))))"},
        {"(cond (else 1))", "1"},
        {"(cond (#f 1) (2 3) (else 4))", "(if #f 1 (if 2 3 4))"},
        {"(lambda (x) x)", "(lambda l0 [] x.l0)"},
        {"(lambda () 1)", "(lambda () [] 1)"},
        {"(lambda (x y z) y)", "(lambda (l0 . (l1 . l2)) [] y.l1)"},
        {"((lambda (x) x) 1)", "(let l0 1 x.l0)"},
        {"((lambda (x y) y) 1 2)", "(let (l0 . l1) (cons 1 2) y.l1)"},
        {"((lambda (x y) y) '(1 . 2))", "(let (l0 . l1) (1 . 2) y.l1)"},
        {"((lambda () 1))", "(let () () 1)"},
        {"(let () 1)", "(let () () 1)"},
        {"(let ((x 1)) x)", "(let l0 1 x.l0)"},
        {"(let ((x 1) (y 2)) (cons x y))", "(let (l0 . l1) (cons 1 2) (cons x.l0 y.l1))"},
        {"(let (((cons a b) 1)) a)", "(let (l0 . l1) 1 a.l0)"},
        {"(let* ((x 1) (x (cons x x))) x)", "(let l0 1 (let l1 (cons x.l0 x.l0) x.l1))"},
        {"(let* () 1)", "1"},
        {"(let loop ((i 1)) (loop i))", "(letrec l0 [] (loop l0 (call loop.s0 i.l0)) (call loop.l0 1))"},
        {"(let loop () (loop))", "(letrec l0 [] (loop () (call loop.s0 ())) (call loop.l0 ()))"},
        {"(let loop ((i 1) (j 2)) i)", "(letrec l0 [] (loop (l0 . l1) i.l0) (call loop.l0 (cons 1 2)))"},
        {"(letrec () 1)", "(letrec l0 [] 1)"},
        {"(letrec ((f (lambda (x) (g x))) (g (lambda (x) (f x)))) (f 1))",
         "(letrec l0 [] (f l0 (call g.s1 x.l0)) (g l0 (call f.s0 x.l0)) (call f.l0 1))"},
        {"(lambda (x) (define (f y) (cons x y)) (f 1))",
         "(lambda l0 [] (letrec l1 [l0] (f l0 (cons x.g0 y.l0)) (call f.l1 1)))"},
        {"(let () (define f (lambda (x) x)) (define ((g a) b) a) (f g))",
         "(let () () (letrec l0 [] (f l0 x.l0) (g l0 (lambda l0 [l0] a.c0)) (call f.l0 g.l1)))"},
    };
    COMPARE(examples);
}

static void patterns_take_apart(void **state) {
    (void)state;
    static const example examples[] = {
        {"(lambda ((cons a b)) a)", "(lambda (l0 . l1) [] a.l0)"},
        {"(lambda ((cons* a b c)) c)", "(lambda (l0 . (l1 . l2)) [] c.l2)"},
        {"(lambda ((cons* a)) a)", "(lambda l0 [] a.l0)"},
        {"(lambda ((cons*)) 1)", "(lambda () [] 1)"},
        {"(lambda ((list a b)) b)", "(lambda (l0 . (l1 . ())) [] b.l1)"},
        {"(lambda ((list)) 1)", "(lambda () [] 1)"},
        {"(lambda (1 #t () '(2 . 3)) 1)", "(lambda (1 . (#t . (() . (2 . 3)))) [] 1)"},
        {"(lambda ((cons (cons a b) c) (list d)) d)", "(lambda (((l0 . l1) . l2) . (l3 . ())) [] d.l3)"},
    };
    COMPARE(examples);
}

static void primitives_are_operators_or_lambdas(void **state) {
    (void)state;
    static const example examples[] = {
        {"(sqrt 1)", "(sqrt 1)"},
        {"(+ 1 2)", "(+ 1 2)"},
        {"(vector-set 1 2 3)", "(vector-set 1 2 3)"},
        {"(checkpoint-*j sin 2 3)", "(checkpoint-*j (lambda l0 [] (sin x.l0)) 2 3)"},
        {"(read-real)", "(read-real ())"},
        {"(read-real ())", "(read-real ())"},
        {"(vector 1 2)", "(list->vector (cons 1 (cons 2 ())))"},
        {"(vector)", "(list->vector ())"},
        {"(vector 1)", "(list->vector (cons 1 ()))"},
        {"(vector (cons 1 2) (cons 3 4))", "(list->vector (cons (cons 1 2) (cons (cons 3 4) ())))"},
        {"(list->vector '(1))", "(list->vector (1 . ()))"},
        {"sqrt", "(lambda l0 [] (sqrt x.l0))"},
        {"+", "(lambda (l0 . l1) [] (+ x.l0 y.l1))"},
        {"*j", "(lambda (l0 . (l1 . l2)) [] (*j x.l0 y.l1 z.l2))"},
        {"(- 1)", "(call (lambda (l0 . l1) [] (- x.l0 y.l1)) 1)"},
        {"(+ 1 2 3)", "(+ (+ 1 2) 3)"},
        {"(sqrt)", "(call (lambda l0 [] (sqrt x.l0)) ())"},
        {"(lambda (sqrt) (sqrt 1))", "(lambda l0 [] (call sqrt.l0 1))"},
        {"(let ((+ 1)) +)", "(let l0 1 +.l0)"},
        {"(define (sin x) x) (sin 1)", "(letrec l0 [] (sin l0 x.l0) (call sin.l0 1))"},
        {"(define (f x) (sin x)) (define (sin x) x) (f 1)",
         "(letrec l0 [] (f l0 (call sin.s1 x.l0)) (sin l0 x.l0) (call f.l0 1))"},
        {"(define (vector x) x) (vector 1)", "(letrec l0 [] (vector l0 x.l0) (call vector.l0 1))"},
    };
    COMPARE(examples);
}

static void variables_are_found(void **state) {
    (void)state;
    static const example examples[] = {
        {"(lambda (x) (lambda (y) (cons x y)))", "(lambda l0 [] (lambda l0 [l0] (cons x.c0 y.l0)))"},
        {"(lambda (x) (lambda (y) (lambda (z) (list z y x))))",
         "(lambda l0 [] (lambda l0 [l0] (lambda l0 [l0 c0] (cons z.l0 (cons y.c0 (cons x.c1 ()))))))"},
        {"(lambda (x) (let ((y 1)) (let ((z 2)) (lambda () (cons z x)))))",
         "(lambda l0 [] (let l1 1 (let l2 2 (lambda () [l2 l0] (cons z.c0 x.c1)))))"},
        {"(lambda (x) (cons (let ((y x)) y) (let ((z x)) z)))", /* numbers are used again */
         "(lambda l0 [] (cons (let l1 x.l0 y.l1) (let l1 x.l0 z.l1)))"},
        {"(lambda (x) (letrec ((f (lambda (y) (lambda (z) (f (g x))))) (g (lambda (w) (list x w f)))) g))",
         "(lambda l0 [] (letrec l1 [l0] (f l0 (lambda l0 [s0 s1 g0] (call f.c0 (call g.c1 x.c2)))) "
         "(g l0 (cons x.g0 (cons w.l0 (cons f.s0 ())))) g.l2))"},
        {"(letrec ((f (lambda (x) (letrec ((g (lambda (y) (f (g x))))) g)))) f)", /* a sibling in an inner group */
         "(letrec l0 [] (f l0 (letrec l1 [s0 l0] (g l0 (call f.g0 (call g.s0 x.g1))) g.l1)) f.l0)"},
        {"(lambda (b) (let loop ((b b)) (loop b)))",
         "(lambda l0 [] (letrec l1 [] (loop l0 (call loop.s0 b.l0)) (call loop.l1 b.l0)))"},
        {"(lambda (loop) (let loop ((i (loop 1))) i))", /* the values do not see the name */
         "(lambda l0 [] (letrec l1 [] (loop l0 i.l0) (call loop.l1 (call loop.l0 1))))"},
    };
    COMPARE(examples);
}

static void definitions_are_a_letrec(void **state) {
    (void)state;
    static const example examples[] = {
        {"(define (car (cons car cdr)) car) (car 1)", "(letrec l0 [] (car (l0 . l1) car.l0) (call car.l0 1))"},
        {"(define (f) (g)) (define (g) (f)) (define (h) 1) (g)",
         "(letrec l0 [] (f () (call g.s1 ())) (g () (call f.s0 ())) (call g.l1 ()))"},
        {"(define (f) 1) 2", "2"},
        {"(define f (lambda (x) x)) (f 1)", "(letrec l0 [] (f l0 x.l0) (call f.l0 1))"},
        {"(define ((f a) b) (cons a b)) f", "(letrec l0 [] (f l0 (lambda l0 [l0] (cons a.c0 b.l0))) f.l0)"},
        {"(define (((f a) b) c) c) f", "(letrec l0 [] (f l0 (lambda l0 [] (lambda l0 [] c.l0))) f.l0)"},
        {"(define (f x) (lambda (y) (f y))) (let ((z 1)) (f z))",
         "(letrec l0 [] (f l0 (lambda l0 [s0] (call f.c0 y.l0))) (let l1 1 (call f.l0 z.l1)))"},
        {"(define (f) (sin 1)) (f) (define (sin x) x) (f)", /* sin is what it is when the expression is met */
         "(letrec l0 [] (f () (call sin.s1 1)) (sin l0 x.l0) (call f.l0 ()))"},
    };
    COMPARE(examples);
}

/* ---- Messages ---- */

static const example wrong_programs[] = {
    {"(if 1 2)", "t:1:1: `if` needs a test and two branches\n  (if 1 2)\n  ^"},
    {"(if 1 2 3 4)", "t:1:1: `if` needs a test and two branches"},
    {"foo", "t:1:1: unbound variable `foo`\n  foo\n  ^"},
    {"(define (counter x) x)\n(conter 1)", "t:2:2: unbound variable `conter`; did you mean `counter`?"},
    {"(lambda (height) (sin heigth))", "t:1:23: unbound variable `heigth`; did you mean `height`?"},
    {"(define (f height) (sin heigth)) (f 1)", "unbound variable `heigth`; did you mean `height`?"},
    {"(lamda (x) x)", "t:1:2: unbound variable `lamda`; did you mean `lambda`?"},
    {"(define (f) (g)) (f) (define (g) 1)", "t:1:14: unbound variable `g`"},
    {"(define (f) (ggg))", "t:1:14: unbound variable `ggg`"},
    {"(checkpoint*j sin 1 2)", "unbound variable `checkpoint*j`; did you mean `checkpoint-*j`?"},
    {"\"s\"", "t:1:1: a string is not a value: it is allowed only in (include \"file\")"},
    {"(sin . 1)", "expected a list without a `.`"},
    {"(sin 1 . 2)", "expected a list without a `.`"},
    {"(quote 1 2)", "`quote` needs one datum"},
    {"'x", "t:1:2: a quoted name is not a value"},
    {"'(1 \"s\")", "t:1:5: a quoted string is not a value"},
    {"(cons 1)", "`cons` needs two parts"},
    {"(lambda ((cons a)) 1)", "t:1:10: `cons` needs two parts"},
    {"if", "`if` is a keyword, not a value"},
    {"(sin cons)", "t:1:6: `cons` is a keyword, not a value"},
    {"(else 1)", "`else` is allowed only in the last clause of a `cond`"},
    {"(sin (define x 1))", "`define` is allowed only at the top level or at the beginning of a body"},
    {"(sin (include \"x\"))", "`include` is allowed only at the top level"},
    {"(cond)", "`cond` needs a clause (else ...) at its end"},
    {"(cond (1 2))", "t:1:12: `cond` needs a clause (else ...) at its end"},
    {"(cond (1))", "a clause of `cond` is a test and an expression"},
    {"(cond (else 1) (2 3))", "the clause of `else` must be the last one"},
    {"(lambda (x))", "`lambda` needs a list of parameters and a body"},
    {"(lambda x x)", "t:1:9: expected a list of parameters"},
    {"((lambda (x . y) x) 1)", "t:1:10: expected a list of parameters"},
    {"(lambda (x x) x)", "t:1:12: `x` is bound twice here; the first one is at 1:10"},
    {"(let ((x 1) (x 2)) x)", "`x` is bound twice here"},
    {"(letrec ((f (lambda () 1)) (f (lambda () 2))) f)", "`f` is bound twice here"},
    {"(lambda (if) 1)", "`if` is a keyword and cannot be bound"},
    {"(lambda ((car x)) 1)", "expected a pattern: a name, a constant, (cons p p), (cons* p ...) or (list p ...)"},
    {"(lambda (\"s\") 1)", "expected a pattern"},
    {"(lambda ((cons a . b)) 1)", "expected a pattern"},
    {"(let)", "`let` needs a list of bindings ((name value) ...) and a body"},
    {"(let ((x 1)))", "`let` needs a list of bindings"},
    {"(let f)", "`let` needs a list of bindings"},
    {"(let f ((x 1)))", "`let` needs a list of bindings"},
    {"(let* 1 2)", "`let*` needs a list of bindings"},
    {"(letrec 1 2)", "`letrec` needs a list of bindings"},
    {"(let (x) x)", "t:1:7: expected a binding (name value)"},
    {"(let ((x)) x)", "expected a binding (name value)"},
    {"(let if ((x 1)) x)", "`if` is a keyword and cannot be bound"},
    {"(letrec ((f 1)) f)", "t:1:13: `letrec` binds lambda expressions only"},
    {"(letrec ((1 (lambda () 1))) 2)", "expected a name to bind"},
    {"(lambda () 1 2)", "t:1:14: expected `)`: a body is definitions and one expression"},
    {"(lambda () (define (f) 1))", "expected an expression: a body does not end with a definition"},
    {"(define x)", "`define` needs a name and a lambda expression, or (name p ...) and a body"},
    {"(define x 1)", "t:1:11: only a lambda expression can be defined"},
    {"(define x (lambda () 1) 2)", "expected `)`: `define` gives a name one value"},
    {"(define if (lambda () 1))", "`if` is a keyword and cannot be defined"},
    {"(define (1 x) 1)", "expected a name to define"},
    {"(define (f . x) 1)", "expected a list of parameters"},
    {"(define (f) 1)\n(define (f) 2)", "t:2:10: `f` is defined twice; first at t:1:10"},
    {"vector", "`vector` takes any number of arguments and is not a value; `list->vector` is"},
    {"(include 1)", "`include` needs the name of a file in quotes"},
    {"(include \"no/such/file\")", "t:1:10: cannot read `no/such/file.vlad`: No such file or directory"},
    {"(sin 1", "expected `)` to close the `(` at 1:1"},
};

static void wrong_programs_are_refused_in_words(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof wrong_programs / sizeof *wrong_programs; i++) {
        bool good;
        char *found = read_text(wrong_programs[i].text, &good);
        if (good || strstr(found, wrong_programs[i].expected) == NULL)
            fail_msg("%s\nexpected %s\nfound    %s", wrong_programs[i].text, wrong_programs[i].expected, found);
        free(found);
    }
}

/* ---- Files ---- */

/* Reads a program from a file of a folder. Returns its last expression, or the error message; the caller frees it. */
static char *read_file(const char *folder, const char *name, uint32_t *expressions) {
    vlad_sources *sources = vlad_sources_new();
    char *path = folder_path(folder, name);
    uint32_t file;
    bool again;
    verso_error error = {0};
    vlad_program program = {0};
    verso_status status = vlad_sources_open(sources, path, UINT32_MAX, &file, &again, &error);
    if (status == VERSO_STATUS_OK)
        status = vlad_read_program(sources, file, &program, &error);
    *expressions = program.count;
    char *result =
        status == VERSO_STATUS_OK ? vlad_core_text(program.expressions[program.count - 1]) : strdup(error.message);
    free(path);
    vlad_sources_free(sources);
    return result;
}

static void put_file(const char *folder, const char *name, const char *text) {
    folder_write(folder, name, text, strlen(text));
}

static void expect_file(const char *folder, const char *name, uint32_t expressions, const char *expected) {
    uint32_t count;
    char *found = read_file(folder, name, &count);
    if (strstr(found, expected) == NULL)
        fail_msg("%s\nexpected %s\nfound    %s", name, expected, found);
    assert_int_equal(count, expressions);
    free(found);
}

static void files_are_included_once(void **state) {
    (void)state;
    char *folder = folder_new(), *inner = folder_path(folder, "inner");
    assert_int_equal(mkdir(inner, 0777), 0);
    put_file(folder, "main", "(include \"inner/one\") (include \"inner/two.txt\") (include \"inner/one.vlad\") (f 1)");
    put_file(folder, "inner/one.vlad", "(define (f x) (g x)) 5");
    put_file(folder, "inner/two.txt", "(include \"../inner/one\") (define (g x) x)");
    expect_file(folder, "main", 2, "(letrec l0 [] (f l0 (call g.s1 x.l0)) (g l0 x.l0) (call f.l0 1))");

    put_file(folder, "self.vlad", "(include \"inner/back\") 1");
    put_file(folder, "inner/back.vlad", "\n(include \"../self\")");
    expect_file(folder, "self.vlad", 0, "inner/back.vlad:2:10: `../self.vlad` includes itself\n  (include");

    put_file(folder, "open.vlad", "(include \"inner/cut\")");
    put_file(folder, "inner/cut.vlad", "(sin\n");
    expect_file(folder, "open.vlad", 0, "inner/cut.vlad:1:5: expected `)` to close the `(` at 1:1");
    expect_file(folder, "none.vlad", 0, "cannot read `");
    expect_file(folder, "inner", 0, "cannot read `"); /* a folder */

    put_file(folder, "twice.vlad", "(include \"inner/one\") (define (f) 1)");
    expect_file(folder, "twice.vlad", 0, "`f` is defined twice; first at ");
    free(inner);
    folder_remove(folder);
}

static void the_listings_of_the_paper_are_read(void **state) {
    (void)state;
    char *folder = folder_path(VERSO_TEST_DATA, "../../examples/vlad");
    expect_file(folder, "listing2.vlad", 1,
                "(ilog2 l0 (floor (/ (log n.l0) (log 2)))) (f (l0 . l1) (letrec l2 [l0 s2 l1] (outer (l0 . l1) "
                "(if (> i.l0 n.g0) y.l1 (call outer.s0 (cons (+ i.l0 1) (let l2 (expt 2 (- (call ilog2.g1 n.g0) ");
    expect_file(folder, "listing2.vlad", 1,
                "(let l4 (read-real ()) (let l5 (read-real ()) (let l6 (read-real ()) (let l7 (checkpoint-*j (lambda "
                "l0 [l3 l4] (call f.c0 (cons n.c1 x.l0))) x.l5 y-grave.l6) (cons (write-real (call car.l0 result.l7)) "
                "(write-real (call cdr.l1 result.l7)))))))");
    expect_file(folder, "listing4.vlad", 1,
                "(write-real (call determinant.l9 (call cdr.l1 (checkpoint-*j determinant.l9 (call identity-matrix.l8 "
                "(read-real ())) 1)))))");
    free(folder);
}

/* ---- Sessions ---- */

typedef struct conversation {
    vlad_sources *sources;
    vlad_session *session;
    verso_error error;
} conversation;

static verso_status say(conversation *c, const char *text, vlad_program *program) {
    uint32_t file;
    assert_int_equal(vlad_sources_add(c->sources, "repl", text, strlen(text), &file, NULL), VERSO_STATUS_OK);
    return vlad_session_read(c->session, file, program, &c->error);
}

static void say_and_get(conversation *c, const char *text, const char *expected) {
    vlad_program program;
    verso_status status = say(c, text, &program);
    if (status != VERSO_STATUS_OK)
        fail_msg("%s: %s", text, c->error.message);
    char *found = vlad_core_text(program.expressions[program.count - 1]);
    assert_string_equal(found, expected);
    free(found);
}

static void sessions_remember_definitions(void **state) {
    (void)state;
    conversation c = {.sources = vlad_sources_new()};
    c.session = vlad_session_new(c.sources);
    vlad_program program;
    assert_int_equal(say(&c, "(define (f x) (g x))", &program), VERSO_STATUS_OK);
    assert_int_equal(program.count, 0);
    assert_int_equal(say(&c, "(f 1)", &program), VERSO_STATUS_INVALID);
    assert_non_null(strstr(c.error.message, "unbound variable `g`"));
    assert_int_equal(say(&c, "(define (g x)", &program), VERSO_STATUS_STATE);
    assert_int_equal(c.error.status, VERSO_STATUS_STATE);
    assert_int_equal(say(&c, "(define (g x) 1) (define (h x)", &program), VERSO_STATUS_STATE);
    assert_int_equal(say(&c, "(define (g x) 1) (f 1) (if)", &program),
                     VERSO_STATUS_INVALID); /* all of it is forgotten */
    assert_int_equal(say(&c, "(f 1)", &program), VERSO_STATUS_INVALID);
    assert_int_equal(say(&c, "(define (g x) x)", &program), VERSO_STATUS_OK);
    say_and_get(&c, "(f 1)", "(letrec l0 [] (f l0 (call g.s1 x.l0)) (g l0 x.l0) (call f.l0 1))");
    assert_int_equal(say(&c, "#|", &program), VERSO_STATUS_STATE);
    assert_int_equal(say(&c, "'", &program), VERSO_STATUS_STATE);
    assert_int_equal(say(&c, "(1 . ", &program), VERSO_STATUS_STATE);
    assert_int_equal(say(&c, "\"", &program), VERSO_STATUS_INVALID);
    assert_int_equal(say(&c, "(lambda (x) y)", &program), VERSO_STATUS_INVALID); /* x is bound no more */
    assert_int_equal(say(&c, "x", &program), VERSO_STATUS_INVALID);
    say_and_get(&c, "5", "5");
    vlad_session_free(c.session);
    vlad_sources_free(c.sources);
}

static void sessions_read_a_corrected_file_again(void **state) {
    (void)state;
    char *folder = folder_new(), *path = folder_path(folder, "lib.vlad"), text[4096];
    conversation c = {.sources = vlad_sources_new()};
    c.session = vlad_session_new(c.sources);
    vlad_program program;
    put_file(folder, "lib.vlad", "(define (f x) x) (if)");
    snprintf(text, sizeof text, "(include \"%s\") 1", path);
    assert_int_equal(say(&c, text, &program), VERSO_STATUS_INVALID);
    put_file(folder, "lib.vlad", "(define (f x) 7)");
    say_and_get(&c, text, "1");
    say_and_get(&c, text, "1"); /* not included twice */
    say_and_get(&c, "(f 1)", "(letrec l0 [] (f l0 7) (call f.l0 1))");
    vlad_session_free(c.session);
    vlad_sources_free(c.sources);
    free(path);
    folder_remove(folder);
}

/* ---- Depth and length ---- */

enum { MANY = 1000000, LESS = MANY / 10 }; /* all forms are tried with LESS, which takes less time */

/* `count` times `open`, the middle, `count` times `close`. */
static char *nested(const char *open, const char *middle, const char *close, size_t count) {
    size_t before = strlen(open), after = strlen(close), inside = strlen(middle);
    char *text = malloc(count * (before + after) + inside + 1), *to = text;
    assert_non_null(text);
    for (size_t i = 0; i < count; i++, to += before)
        memcpy(to, open, before);
    memcpy(to, middle, inside);
    to += inside;
    for (size_t i = 0; i < count; i++, to += after)
        memcpy(to, close, after);
    *to = '\0';
    return text;
}

static verso_status read_large(char *text, uint32_t *numbers, verso_error *error) {
    vlad_sources *sources = vlad_sources_new();
    uint32_t file;
    vlad_program program;
    assert_int_equal(vlad_sources_add(sources, "large", text, strlen(text), &file, NULL), VERSO_STATUS_OK);
    verso_status status = vlad_read_program(sources, file, &program, error);
    *numbers = program.numbers;
    vlad_sources_free(sources);
    free(text);
    return status;
}

typedef struct large {
    const char *open, *middle, *close;
    size_t count;
    uint32_t each, more; /* expressions: for each of `count`, and besides; 0: it is refused */
} large;

static void expect_large(const large *l, char *text) {
    uint32_t numbers, expected = l->each * (uint32_t)l->count + l->more;
    verso_error error = {0};
    verso_status status = read_large(text, &numbers, &error);
    if (numbers != expected || (status == VERSO_STATUS_OK) != (expected > 0))
        fail_msg("%s: %u expressions, %s", l->open, numbers, error.message);
}

static void depth_and_length_are_limited_by_memory_only(void **state) {
    (void)state;
    static const large texts[] = {
        {"(", "()", ")", MANY, 2, 1}, /* calls of (), without arguments */
        {"(", "", "", MANY, 0, 0},
        {"", "1", ")", MANY, 0, 0},
        {"(+ 1 ", "1", ")", MANY, 2, 1},
        {"(lambda (x) ", "x", ")", MANY, 1, 1},
        {"'(", "1", ")", MANY, 0, 0},
        {"(sin ", "1", ")", LESS, 1, 1},
        {"(+ (sin 1) ", "1", ")", LESS, 3, 1},
        {"(lambda () ", "1", ")", LESS, 1, 1},
        {"(let ((x 1)) ", "x", ")", LESS, 2, 1},
        {"(let f ((x 1)) ", "x", ")", LESS, 4, 1},
        {"(let () (define (f) 1) ", "1", ")", LESS, 4, 1},
        {"(letrec ((f (lambda () ", "1", "))) 1)", LESS, 2, 1},
        {"(if 1 2 ", "3", ")", LESS, 3, 1},
        {"(or 1 ", "2", ")", LESS, 5, 1},
        {"(cond (1 2) (else ", "3", "))", LESS, 3, 1},
        {"(quote ", "1", ")", LESS, 0, 0},
        {"((lambda (x) ", "1", ") 2)", LESS, 2, 1},
        {"#;", "1 ", "2 ", LESS, 0, 1},
        {"#|", " 1", "", LESS, 0, 0},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        expect_large(&texts[i], nested(texts[i].open, texts[i].middle, texts[i].close, texts[i].count));
}

static void long_forms_are_no_worse(void **state) {
    (void)state;
    static const large texts[] = {
        {"(list", " 1", ")", MANY, 2, 1},
        {"((lambda (x) (list", " x", ")) 1)", MANY, 2, 3},
        {"'(", " 1", ")", MANY, 0, 1},
        {"(define (f) 1)", " 1", "", MANY, 1, 0},
        {"(cons*", " 1", ")", LESS, 2, UINT32_MAX}, /* one less */
        {"(vector", " 1", ")", LESS, 2, 2},
        {"(sin '(1", " (2 . 3)", "))", LESS, 0, 2},
        {"(and", " 1", ")", LESS, 3, (uint32_t)-2},
        {"(or", " 1", ")", LESS, 5, (uint32_t)-4},
        {"(cond", " (1 2)", "(else 3))", LESS, 3, 1},
        {"(let* (", "(x 1)", ") x)", LESS, 2, 1},
        {"(lambda ((list", " 1", ")) 2)", LESS, 0, 2},
        {"(define (f x) x) (f (list", " 'f", "))", LESS, 0, 0},
    };
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
        char *middle = nested(texts[i].middle, "", "", texts[i].count);
        size_t size = strlen(texts[i].open) + strlen(middle) + strlen(texts[i].close) + 1;
        char *text = malloc(size);
        assert_non_null(text);
        snprintf(text, size, "%s%s%s", texts[i].open, middle, texts[i].close);
        free(middle);
        expect_large(&texts[i], text);
    }
}

/* A program that would take memory in proportion to the square of its length is refused quickly. */
static void environments_without_bounds_are_refused(void **state) {
    (void)state;
    enum { COUNT = 20000 };
    static const char *const forms[] = {"(let ((x%d 1)) ", "(lambda (x%d) "};
    for (int form = 0; form < 2; form++) {
        char *text = malloc((size_t)COUNT * 64), *to = text;
        assert_non_null(text);
        for (int i = 0; i < COUNT; i++)
            to += sprintf(to, form == 0 ? forms[0] : forms[1], i);
        to += sprintf(to, "(list");
        for (int i = 0; i < COUNT; i++)
            to += sprintf(to, " x%d", i);
        memset(to, ')', COUNT + 1);
        to[COUNT + 1] = '\0';
        uint32_t numbers;
        verso_error error = {0};
        assert_int_equal(read_large(text, &numbers, &error), VERSO_STATUS_INVALID);
        assert_non_null(strstr(error.message, "too many variables are needed at once around here"));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(constants_are_themselves),
        cmocka_unit_test(forms_become_core),
        cmocka_unit_test(patterns_take_apart),
        cmocka_unit_test(primitives_are_operators_or_lambdas),
        cmocka_unit_test(variables_are_found),
        cmocka_unit_test(definitions_are_a_letrec),
        cmocka_unit_test(wrong_programs_are_refused_in_words),
        cmocka_unit_test(files_are_included_once),
        cmocka_unit_test(the_listings_of_the_paper_are_read),
        cmocka_unit_test(sessions_remember_definitions),
        cmocka_unit_test(sessions_read_a_corrected_file_again),
        cmocka_unit_test(depth_and_length_are_limited_by_memory_only),
        cmocka_unit_test(long_forms_are_no_worse),
        cmocka_unit_test(environments_without_bounds_are_refused),
    };
    return cmocka_run_group_tests_name("VLAD: expansion", tests, NULL, NULL);
}
