/* CPS conversion of VLAD, compared with text:
 *
 *   <k f l0 x0>            a limit check that captures these, and a step
 *   x1=E                   the value of a constant, a variable or a lambda
 *   k(E)                   the same, for k
 *   k=[k f l0 x0|x1. T]    k becomes this closure; x1 is its parameter
 *   x0(k x1)  k(+ x0 x1)   a call, an operator
 *   if x0 {T} {T}  bind x0  letrec(l0 {T} ...)
 *   \{T}                   a lambda, with its body */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vlad/cps.h"

typedef struct printer {
    FILE *out;
    const vlad_cps *cps;
} printer;

/* Recursive: for small programs. */
static void put_term(const printer *p, const vlad_cps_term *term);

static void put_captured(const printer *p, const vlad_cps_captured *captured) {
    fprintf(p->out, "k%s", captured->function ? " f" : "");
    for (int set = 0; set < 2; set++)
        for (uint32_t i = 0; i < captured->count[set]; i++)
            fprintf(p->out, " l%u", captured->locals[set][i]);
    for (uint32_t i = 0; i < captured->values; i++)
        fprintf(p->out, " x%u", i);
}

static void put_lambda(const printer *p, const vlad_lambda *lambda) {
    const vlad_cps_term *body = p->cps->lambdas[lambda->number];
    assert_ptr_equal(body->e, lambda->body);
    fputs("\\{", p->out);
    put_term(p, body);
    fputs("}", p->out);
}

static void put_atom(const printer *p, const vlad_expression *e) {
    if (e->kind == VLAD_CONSTANT)
        fprintf(p->out, "%g", vlad_plain(e->is.constant));
    else if (e->kind == VLAD_VARIABLE)
        fprintf(p->out, "%c%u", "lcgs"[e->is.variable.where], e -> is.variable.index);
    else
        put_lambda(p, e->is.lambda);
}

static void put_letrec(const printer *p, const vlad_expression *e) {
    fprintf(p->out, "letrec(l%u", e->first_local);
    for (uint32_t i = 0; i < e->is.letrec->count; i++) {
        putc(' ', p->out);
        put_lambda(p, e->is.letrec->lambdas[i]);
    }
    fputs(") ", p->out);
}

static void put_continuation(const printer *p, const vlad_cps_continuation *k) {
    assert_ptr_equal(p->cps->continuations[k->number], k);
    fputs("k=[", p->out);
    put_captured(p, &k->captured);
    fprintf(p->out, "|x%u. ", k->value);
    put_term(p, k->body);
    fputs("] ", p->out);
}

/* Prints a term without those within it. */
static void put_one(const printer *p, const vlad_cps_term *term) {
    switch (term->kind) {
    case VLAD_CPS_STEP:
        assert_ptr_equal(p->cps->steps[term->value], term);
        putc('<', p->out);
        put_captured(p, &term->is.captured);
        fputs("> ", p->out);
        break;
    case VLAD_CPS_RETURN:
        fputs("k(", p->out);
        put_atom(p, term->e);
        putc(')', p->out);
        break;
    case VLAD_CPS_SET:
        fprintf(p->out, "x%u=", term->value);
        put_atom(p, term->e);
        putc(' ', p->out);
        break;
    case VLAD_CPS_PUSH: put_continuation(p, term->is.continuation); break;
    case VLAD_CPS_CALL: fputs("x0(k x1)", p->out); break;
    case VLAD_CPS_OPERATE:
        fprintf(p->out, "k(%s", vlad_operator_name(term->e->is.operation));
        for (uint32_t i = 0; i < term->value; i++)
            fprintf(p->out, " x%u", i);
        putc(')', p->out);
        break;
    case VLAD_CPS_BRANCH: fputs("if x0 ", p->out); break;
    case VLAD_CPS_MATCH: fputs("bind x0 ", p->out); break;
    case VLAD_CPS_LETREC: put_letrec(p, term->e); break;
    }
}

static void put_term(const printer *p, const vlad_cps_term *term) {
    for (; term != NULL && term->kind != VLAD_CPS_BRANCH; term = term->next)
        put_one(p, term);
    if (term == NULL)
        return;
    put_one(p, term);
    fputs("{", p->out);
    put_term(p, term->next);
    fputs("} {", p->out);
    put_term(p, term->is.otherwise);
    fputs("}", p->out);
}

/* ---- Programs ---- */

/* Returns the converted last expression, which the caller frees. */
static char *convert(const char *text) {
    vlad_sources *sources = vlad_sources_new();
    uint32_t file;
    verso_error error = {0};
    vlad_program program;
    vlad_cps cps;
    char *result;
    size_t size;
    assert_non_null(sources);
    assert_int_equal(vlad_sources_add(sources, "t", text, strlen(text), &file, &error), VERSO_STATUS_OK);
    if (vlad_read_program(sources, file, &program, &error) != VERSO_STATUS_OK)
        fail_msg("%s", error.message);
    assert_int_equal(vlad_cps_convert(sources, &program, &cps, &error), VERSO_STATUS_OK);
    printer p = {open_memstream(&result, &size), &cps};
    assert_non_null(p.out);
    const vlad_cps_term *term = cps.expressions[program.expressions[program.count - 1]->number];
    assert_int_equal(term->kind, VLAD_CPS_STEP);
    for (uint32_t i = 0; i < cps.step_count; i++)
        assert_true(cps.steps[i]->kind == VLAD_CPS_STEP && cps.steps[i]->value == i);
    for (uint32_t i = 0; i < cps.continuation_count; i++)
        assert_int_equal(cps.continuations[i]->number, i);
    put_term(&p, term);
    fclose(p.out);
    vlad_sources_free(sources);
    return result;
}

typedef struct example {
    const char *text, *expected;
} example;

static const example examples[] = {
    {"1", "<k> k(1)"},
    {"(+ 1 2)", "<k> <k> x0=1 <k x0> x1=2 k(+ x0 x1)"},
    {"(sin (cos 1))", "<k> k=[k|x0. k(sin x0)] <k> <k> x0=1 k(cos x0)"},
    {"(lambda (x) x)", "<k> k(\\{<k l0> k(l0)})"},
    {"(lambda (x) (x 1))", "<k> k(\\{<k l0> <k l0> x0=l0 <k x0> x1=1 x0(k x1)})"},
    {"(lambda (x) (lambda (y) (- y x)))", /* x is reached through f */
     "<k> k(\\{<k l0> k(\\{<k f l0> <k f l0> x0=l0 <k f x0> x1=c0 k(- x0 x1)})})"},
    {"(lambda (x y) (- (x y) y))", /* y is kept, x is not */
     "<k> k(\\{<k l0 l1> k=[k l1|x0. <k l1 x0> x1=l1 k(- x0 x1)] <k l0 l1> <k l1 l0> x0=l0 <k l1 x0> x1=l1 x0(k x1)})"},
    {"(lambda (v) (vector-set v (sin 1) (cos 2)))", /* values are captured, too */
     "<k> k(\\{<k l0> <k l0> x0=l0 k=[k x0|x1. k=[k x0 x1|x2. k(vector-set x0 x1 x2)] <k> <k> x0=2 k(cos x0)] "
     "<k> <k> x0=1 k(sin x0)})"},
    {"(lambda (x) (if x 1 x))", "<k> k(\\{<k l0> <k l0 l0> x0=l0 if x0 {<k> k(1)} {<k l0> k(l0)}})"},
    {"(lambda (x) (if (zero? x) 1 (sin x)))",
     "<k> k(\\{<k l0> k=[k l0|x0. if x0 {<k> k(1)} {<k l0> <k l0> x0=l0 k(sin x0)}] <k l0> <k l0> x0=l0 k(zero? x0)})"},
    {"(let ((x 1)) x)", "<k> <k> <k> x0=1 bind x0 <k l0> k(l0)"}, /* three steps before it is bound */
    {"(let loop ((i 1)) (loop i))",
     "<k> letrec(l0 \\{<k f l0> <k f l0> x0=s0 <k l0 x0> x1=l0 x0(k x1)}) <k l0> <k l0> x0=l0 <k x0> x1=1 x0(k x1)"},
    {"(lambda (x) (letrec ((f (lambda (y) x))) (f f)))", /* the group is reached through f */
     "<k> k(\\{<k l0> letrec(l1 \\{<k f> k(g0)}) <k l1> <k l1 l1> x0=l1 <k l1 x0> x1=l1 x0(k x1)})"},
    {"(lambda (x) (lambda () (letrec ((f (lambda (y) x))) f)))",
     "<k> k(\\{<k l0> k(\\{<k f> letrec(l0 \\{<k f> k(g0)}) <k l0> k(l0)})})"},
};

static void programs_are_converted(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof examples / sizeof *examples; i++) {
        char *found = convert(examples[i].text);
        if (strcmp(found, examples[i].expected) != 0)
            fail_msg("%s\nexpected %s\nfound    %s", examples[i].text, examples[i].expected, found);
        free(found);
    }
}

/* Operators within one another. */
static void conversion_needs_no_stack(void **state) {
    (void)state;
    enum { NESTED = 300000 };
    char *text = malloc(8 * NESTED), *end = text;
    assert_non_null(text);
    for (int i = 0; i < NESTED; i++)
        end = stpcpy(end, "(sin ");
    *end++ = '1';
    memset(end, ')', NESTED);
    end[NESTED] = '\0';
    vlad_sources *sources = vlad_sources_new();
    uint32_t file;
    vlad_program program;
    vlad_cps cps;
    verso_error error = {0};
    assert_non_null(sources);
    assert_int_equal(vlad_sources_add(sources, "t", text, strlen(text), &file, &error), VERSO_STATUS_OK);
    assert_int_equal(vlad_read_program(sources, file, &program, &error), VERSO_STATUS_OK);
    assert_int_equal(vlad_cps_convert(sources, &program, &cps, &error), VERSO_STATUS_OK);
    const vlad_cps_term *term = cps.expressions[program.expressions[0]->number];
    unsigned pushed = 0;
    for (; term != NULL; term = term->next)
        pushed += term->kind == VLAD_CPS_PUSH;
    assert_int_equal(pushed, NESTED - 1);
    vlad_sources_free(sources);
    free(text);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(programs_are_converted),
        cmocka_unit_test(conversion_needs_no_stack),
    };
    return cmocka_run_group_tests_name("CPS conversion", tests, NULL, NULL);
}
