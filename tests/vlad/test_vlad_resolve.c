/* Tests the resolution on random VLAD programs: every variable is found where the generator meant it to be, in an
 * environment that contains only what the expression declares as needed; and neither the declared sets nor the
 * captures of lambdas contain more than a naive computation finds. `test_vlad_resolve SEED` tries that seed alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vlad/core.h"

enum { PROGRAMS = 1000, DEPTH = 7, TEXT = 1 << 16, SCOPE = 512, NAMES = 7, DEFINITIONS = 4, LOCALS = 512 };

/* ---- The generator ----
 *
 * A variable is known by the column of what binds it: its place in a pattern, or the place of its lambda. The text is
 * one line. */

typedef struct generator {
    uint64_t random;
    char text[TEXT];
    size_t size;
    uint32_t meant[TEXT];  /* by column: which variable is mentioned there, as a number; 0: none is */
    uint32_t column[TEXT]; /* by that number: what binds it */
    uint32_t variables;    /* so far */
    int names[SCOPE];      /* of variables in scope, the innermost last */
    uint32_t scope[SCOPE], bound;
    uint32_t definitions[DEFINITIONS];
} generator;

static unsigned roll(generator *g, unsigned sides) {
    g->random ^= g->random << 13;
    g->random ^= g->random >> 7;
    g->random ^= g->random << 17;
    return (unsigned)((g->random >> 16) % sides);
}

static uint32_t here(const generator *g) {
    return (uint32_t)g->size + 1;
}

__attribute__((format(printf, 2, 3))) static void say(generator *g, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    int length = vsnprintf(g->text + g->size, TEXT - g->size, format, arguments);
    va_end(arguments);
    assert_true(length >= 0 && g->size + (size_t)length < TEXT);
    g->size += (size_t)length;
}

static void bind(generator *g, int name, uint32_t variable) {
    assert_true(g->bound < SCOPE);
    g->names[g->bound] = name;
    g->scope[g->bound++] = variable;
}

static void expression(generator *g, int depth);

static void mention(generator *g) {
    if (g->bound == 0 || roll(g, 8) == 0) {
        unsigned i = roll(g, DEFINITIONS);
        g->meant[here(g)] = g->definitions[i];
        say(g, "definition%u", i);
        return;
    }
    int name = g->names[roll(g, g->bound)];
    uint32_t i = g->bound;
    while (g->names[i - 1] != name)
        i--;
    g->meant[here(g)] = g->scope[i - 1];
    say(g, "%c", 'a' + name);
}

/* A pattern whose names are not among those that were taken; they are put aside until they are bound. */
typedef struct taken {
    bool is[NAMES];
    int names[NAMES];
    uint32_t variables[NAMES], count;
} taken;

static uint32_t new_variable(generator *g, uint32_t column) {
    g->column[++g->variables] = column;
    return g->variables;
}

static void pattern(generator *g, taken *t, int depth) {
    unsigned kind = roll(g, 8);
    if (depth > 0 && kind < 3) {
        static const char *const words[] = {"cons", "cons*", "list"};
        say(g, "(%s ", words[kind]);
        pattern(g, t, depth - 1);
        say(g, " ");
        pattern(g, t, depth - 1);
        say(g, ")");
        return;
    }
    int name = (int)roll(g, NAMES);
    if (kind == 7 || t->is[name]) {
        say(g, "1");
        return;
    }
    t->is[name] = true;
    t->names[t->count] = name;
    t->variables[t->count++] = new_variable(g, here(g));
    say(g, "%c", 'a' + name);
}

static void bind_all(generator *g, const taken *t) {
    for (uint32_t i = 0; i < t->count; i++)
        bind(g, t->names[i], t->variables[i]);
}

static void letrec(generator *g, int depth, bool as_definitions);

static void body(generator *g, int depth) {
    if (depth > 1 && roll(g, 6) == 0)
        letrec(g, depth, true);
    else
        expression(g, depth);
}

/* "p ...) body)", with the scope as it was afterwards. */
static void rest_of_lambda(generator *g, int depth) {
    uint32_t before = g->bound;
    taken t = {0};
    for (unsigned i = roll(g, 3); i > 0; i--) {
        pattern(g, &t, 2);
        say(g, " ");
    }
    say(g, ") ");
    bind_all(g, &t);
    body(g, depth - 1);
    say(g, ")");
    g->bound = before;
}

static void lambda(generator *g, int depth) {
    say(g, "(lambda (");
    rest_of_lambda(g, depth);
}

/* One to three lambdas and a body: as (letrec ...), or as definitions at the head of a body. */
static void letrec(generator *g, int depth, bool as_definitions) {
    uint32_t before = g->bound, count = 1 + roll(g, 3);
    int first = (int)roll(g, NAMES);
    for (uint32_t i = 0; i < count; i++)
        bind(g, (first + (int)i) % NAMES, new_variable(g, 0));
    if (!as_definitions)
        say(g, "(letrec (");
    for (uint32_t i = 0; i < count; i++) {
        say(g, as_definitions ? "(define " : "(%c ", 'a' + g->names[before + i]);
        g->column[g->scope[before + i]] = here(g);
        if (as_definitions) {
            say(g, "(%c ", 'a' + g->names[before + i]);
            rest_of_lambda(g, depth);
            say(g, " ");
        } else {
            lambda(g, depth);
            say(g, ") ");
        }
    }
    if (!as_definitions)
        say(g, ") ");
    expression(g, depth - 1);
    if (!as_definitions)
        say(g, ")");
    g->bound = before;
}

/* let, let*, or a named let. */
static void let(generator *g, int depth, unsigned kind) {
    uint32_t before = g->bound, loop = 0;
    int name = (int)roll(g, NAMES);
    if (kind == 2)
        loop = new_variable(g, here(g));
    static const char *const words[] = {"let", "let*", "let"};
    say(g, "(%s ", words[kind]);
    if (kind == 2) {
        g->meant[here(g)] = loop; /* the name is what is called, too */
        say(g, "%c ", 'a' + name);
    }
    say(g, "(");
    taken t = {0};
    for (unsigned i = roll(g, 4); i > 0; i--) {
        say(g, "(");
        if (kind == 1)
            t = (taken){0};
        pattern(g, &t, 2);
        say(g, " ");
        expression(g, depth - 1);
        say(g, ") ");
        if (kind == 1)
            bind_all(g, &t);
    }
    say(g, ") ");
    if (kind == 2)
        bind(g, name, loop);
    if (kind != 1)
        bind_all(g, &t);
    body(g, depth - 1);
    say(g, ")");
    g->bound = before;
}

static void form(generator *g, int depth, const char *word, int parts) {
    say(g, "(%s", word);
    for (int i = 0; i < parts; i++) {
        say(g, " ");
        expression(g, depth - 1);
    }
    say(g, ")");
}

static void expression(generator *g, int depth) {
    unsigned kind = depth > 0 && g->size < TEXT / 2 ? roll(g, 16) : 15;
    switch (kind) {
    case 0: form(g, depth, "if", 3); break;
    case 1: form(g, depth, "+", 2); break;
    case 2: form(g, depth, "list", 3); break;
    case 3: form(g, depth, "vector-set", 3); break;
    case 4: form(g, depth, "or", 3); break;
    case 5: form(g, depth, "sin", 1); break;
    case 6:
    case 7: lambda(g, depth); break;
    case 8:
    case 9:
    case 10: let(g, depth, kind - 8); break;
    case 11: letrec(g, depth, false); break;
    case 12: /* a call, perhaps of a lambda in its place */
    case 13:
        say(g, "(");
        if (kind == 12)
            lambda(g, depth);
        else
            expression(g, depth - 1);
        say(g, " ");
        expression(g, depth - 1);
        say(g, ")");
        break;
    case 14: say(g, "1"); break;
    default: mention(g); break;
    }
}

static void program(generator *g) {
    for (int i = 0; i < DEFINITIONS; i++)
        g->definitions[i] = new_variable(g, 0);
    for (int i = 0; i < DEFINITIONS; i++) {
        say(g, "(define ");
        g->column[g->definitions[i]] = here(g);
        say(g, "(definition%d ", i);
        rest_of_lambda(g, DEPTH - 2);
        say(g, " ");
    }
    for (unsigned i = 1 + roll(g, 2); i > 0; i--) {
        expression(g, DEPTH);
        say(g, " ");
    }
}

/* ---- Naive sets ---- */

typedef struct mask {
    bool is[LOCALS];
} mask;

static void add_pattern(const vlad_pattern *p, bool add, mask *m, uint32_t *most) {
    if (p->kind == VLAD_TAKE) {
        add_pattern(p->first, add, m, most);
        add_pattern(p->second, add, m, most);
    } else if (p->kind == VLAD_BIND) {
        assert_true(p->local < LOCALS);
        m->is[p->local] = add;
        if (most != NULL && *most < p->local + 1)
            *most = p->local + 1;
    }
}

static void add_references(const vlad_reference *references, uint32_t count, vlad_where where, mask *m) {
    for (uint32_t i = 0; i < count; i++)
        if (references[i].where == where) {
            assert_true(references[i].index < LOCALS);
            m->is[references[i].index] = true;
        }
}

static int parts_of(const vlad_expression *e) {
    static const int parts[] = {[VLAD_APPLICATION] = 2, [VLAD_LET] = 2,     [VLAD_IF] = 3,    [VLAD_UNARY] = 1,
                                [VLAD_BINARY] = 2,      [VLAD_TERNARY] = 3, [VLAD_LETREC] = 1};
    return e->kind == VLAD_CONSTANT || e->kind == VLAD_VARIABLE || e->kind == VLAD_LAMBDA ? 0 : parts[e->kind];
}

/* Adds the variables of one kind that an expression uses from its environment. Locals that it binds itself are not part
 * of its environment. */
static void add_used(const vlad_expression *e, vlad_where where, mask *m) {
    if (e->kind == VLAD_VARIABLE)
        add_references(&e->is.variable, 1, where, m);
    if (e->kind == VLAD_LAMBDA)
        add_references(e->is.lambda->captured, e->is.lambda->captured_count, where, m);
    if (e->kind == VLAD_LETREC)
        add_references(e->is.letrec->group, e->is.letrec->group_count, where, m);
    int parts = parts_of(e);
    for (int i = 0; i < parts; i++) {
        mask inner = {0};
        add_used(e->parts[i], where, &inner);
        if (where == VLAD_LOCAL && e->kind == VLAD_LET && i == 1)
            add_pattern(e->is.pattern, false, &inner, NULL);
        for (uint32_t j = 0; where == VLAD_LOCAL && e->kind == VLAD_LETREC && j < e->is.letrec->count; j++)
            inner.is[e->first_local + j] = false;
        for (int j = 0; j < LOCALS; j++)
            m->is[j] |= inner.is[j];
    }
}

static void expect_set(const uint32_t *items, uint32_t count, const mask *m) {
    uint32_t at = 0;
    for (uint32_t i = 0; i < LOCALS; i++)
        if (m->is[i]) {
            assert_true(at < count);
            assert_int_equal(items[at++], i);
        }
    assert_int_equal(at, count);
}

/* The locals that parts `first` and on need. */
static mask after(const vlad_expression *e, int first) {
    mask m = {0};
    for (int i = first; i < parts_of(e); i++)
        add_used(e->parts[i], VLAD_LOCAL, &m);
    if (e->kind == VLAD_LET)
        add_pattern(e->is.pattern, false, &m, NULL);
    return m;
}

static void check_sets(const vlad_expression *e) {
    mask needed = {0}, nothing = {0};
    add_used(e, VLAD_LOCAL, &needed);
    expect_set(e->needed, e->needed_count, &needed);
    int parts = parts_of(e);
    mask kept[2] = {after(e, 1), after(e, 2)};
    if (parts < 2)
        kept[0] = nothing;
    if (e->kind != VLAD_TERNARY)
        kept[1] = nothing;
    for (int i = 0; i < 2; i++)
        expect_set(e->kept[i], e->kept_count[i], &kept[i]);
}

/* ---- Environments ---- */

typedef struct environment {
    uint32_t locals[LOCALS]; /* the column of the variable in each local; 0: empty */
    uint32_t captured[LOCALS], captured_count;
    bool in_letrec;
    const vlad_letrec *letrec;
    uint32_t most; /* locals of the frame */
} environment;

typedef struct checker {
    const generator *g;
    bool *numbers, *lambdas, *letrecs; /* seen */
    const vlad_program *program;
} checker;

static uint32_t look(const environment *v, vlad_reference r) {
    switch (r.where) {
    case VLAD_LOCAL: return assert_true(r.index < LOCALS), v->locals[r.index];
    case VLAD_CAPTURED: return assert_true(!v->in_letrec && r.index < v->captured_count), v->captured[r.index];
    case VLAD_GROUP: return assert_true(v->in_letrec && r.index < v->captured_count), v->captured[r.index];
    case VLAD_SIBLING:
        assert_true(v->in_letrec && r.index < v->letrec->count);
        return v->letrec->lambdas[r.index]->place.column;
    }
    return 0;
}

static void bind_columns(environment *v, const vlad_pattern *p) {
    if (p->kind == VLAD_TAKE) {
        bind_columns(v, p->first);
        bind_columns(v, p->second);
    } else if (p->kind == VLAD_BIND) {
        v->locals[p->local] = p->place.column;
    }
    mask ignored;
    add_pattern(p, true, &ignored, &v->most);
}

static environment only(const environment *v, const uint32_t *items, uint32_t count) {
    environment less = *v;
    memset(less.locals, 0, sizeof less.locals);
    for (uint32_t i = 0; i < count; i++)
        less.locals[items[i]] = v->locals[items[i]];
    return less;
}

/* Captured variables are all different. */
static environment enter(const environment *v, const vlad_reference *references, uint32_t count) {
    environment inside = {.captured_count = count};
    assert_true(count <= LOCALS);
    for (uint32_t i = 0; i < count; i++) {
        inside.captured[i] = look(v, references[i]);
        assert_true(inside.captured[i] != 0);
        for (uint32_t j = 0; j < i; j++)
            assert_true(inside.captured[i] != inside.captured[j]);
    }
    return inside;
}

static uint32_t check(const checker *c, const vlad_expression *e, environment v);

static void mark(bool *seen, uint32_t number, uint32_t limit) {
    assert_true(number < limit && !seen[number]);
    seen[number] = true;
}

static void check_lambda(const checker *c, const vlad_lambda *lambda, environment inside) {
    mark(c->lambdas, lambda->number, c->program->lambdas);
    bind_columns(&inside, lambda->parameter);
    assert_int_equal(check(c, lambda->body, inside), lambda->locals);
}

static void check_all_used(const mask *used, uint32_t count) {
    for (uint32_t i = 0; i < LOCALS; i++)
        assert_true(used->is[i] == (i < count));
}

static void check_letrec(const checker *c, const vlad_letrec *letrec, const environment *v) {
    mark(c->letrecs, letrec->number, c->program->letrecs);
    environment inside = enter(v, letrec->group, letrec->group_count);
    inside.in_letrec = true;
    inside.letrec = letrec;
    mask used = {0};
    for (uint32_t i = 0; i < letrec->count; i++) {
        const vlad_lambda *lambda = letrec->lambdas[i];
        assert_true(lambda->letrec == letrec && lambda->index == i && lambda->captured_count == 0);
        check_lambda(c, lambda, inside);
        add_used(lambda->body, VLAD_GROUP, &used);
    }
    check_all_used(&used, letrec->group_count);
}

static void check_variable(const checker *c, const vlad_expression *e, const environment *v) {
    uint32_t found = look(v, e->is.variable), column = e->place.column;
    if (strcmp(e->name, "or") == 0) /* the temporary is where its value is */
        assert_int_equal(found, column);
    else
        assert_int_equal(found, c->g->column[c->g->meant[column]]);
    assert_true(found != 0);
}

/* Checks an expression. Returns the greatest number of locals in its frame. */
static uint32_t check(const checker *c, const vlad_expression *e, environment v) {
    mark(c->numbers, e->number, c->program->numbers);
    check_sets(e);
    v = only(&v, e->needed, e->needed_count);
    if (e->kind == VLAD_VARIABLE)
        check_variable(c, e, &v);
    if (e->kind == VLAD_LAMBDA) {
        const vlad_lambda *lambda = e->is.lambda;
        assert_null(lambda->letrec);
        check_lambda(c, lambda, enter(&v, lambda->captured, lambda->captured_count));
        mask used = {0};
        add_used(lambda->body, VLAD_CAPTURED, &used);
        check_all_used(&used, lambda->captured_count);
    }
    if (e->kind == VLAD_LETREC) {
        check_letrec(c, e->is.letrec, &v);
        for (uint32_t i = 0; i < e->is.letrec->count; i++)
            v.locals[e->first_local + i] = e->is.letrec->lambdas[i]->place.column;
        if (v.most < e->first_local + e->is.letrec->count)
            v.most = e->first_local + e->is.letrec->count;
    }
    uint32_t most = v.most;
    for (int i = 0; i < parts_of(e); i++) {
        environment inner = v;
        if (i > 0 && (e->kind != VLAD_IF || i == 1)) /* both branches have what the first has */
            v = inner = only(&v, e->kept[i - 1], e->kept_count[i - 1]);
        if (e->kind == VLAD_LET && i == 1)
            bind_columns(&inner, e->is.pattern);
        uint32_t found = check(c, e->parts[i], inner);
        most = most < found ? found : most;
    }
    return most;
}

static void check_program(const generator *g, const vlad_program *p) {
    checker c = {.g = g, .program = p};
    c.numbers = calloc(p->numbers + 1, 1);
    c.lambdas = calloc(p->lambdas + 1, 1);
    c.letrecs = calloc(p->letrecs + 1, 1);
    assert_true(c.numbers != NULL && c.lambdas != NULL && c.letrecs != NULL);
    for (uint32_t i = 0; i < p->count; i++)
        assert_int_equal(check(&c, p->expressions[i], (environment){0}), p->locals[i]);
    for (uint32_t i = 0; i < p->numbers; i++)
        assert_true(c.numbers[i]);
    for (uint32_t i = 0; i < p->lambdas; i++)
        assert_true(c.lambdas[i]);
    for (uint32_t i = 0; i < p->letrecs; i++)
        assert_true(c.letrecs[i]);
    free(c.numbers);
    free(c.lambdas);
    free(c.letrecs);
}

static uint64_t first_seed = 1, seeds = PROGRAMS, last_seed;

static int tell_seed(void **state) {
    (void)state;
    printf("last seed: %llu\n", (unsigned long long)last_seed); /* the one that failed, if one did */
    return 0;
}

static void random_programs_are_resolved(void **state) {
    (void)state;
    generator *g = malloc(sizeof *g);
    assert_non_null(g);
    uint64_t expressions = 0;
    printf("seeds %llu to %llu\n", (unsigned long long)first_seed, (unsigned long long)(first_seed + seeds - 1));
    for (uint64_t seed = first_seed; seed < first_seed + seeds; seed++) {
        memset(g, 0, sizeof *g);
        g->random = seed * UINT64_C(0x9e3779b97f4a7c15);
        program(g);
        vlad_sources *sources = vlad_sources_new();
        uint32_t file;
        vlad_program p;
        verso_error error = {0};
        assert_int_equal(vlad_sources_add(sources, "random", g->text, g->size, &file, NULL), VERSO_STATUS_OK);
        if (seeds == 1)
            printf("%s\n", g->text);
        last_seed = seed;
        if (vlad_read_program(sources, file, &p, &error) != VERSO_STATUS_OK)
            fail_msg("seed %llu: %s", (unsigned long long)seed, error.message);
        check_program(g, &p);
        expressions += p.numbers;
        vlad_sources_free(sources);
    }
    printf("%llu expressions\n", (unsigned long long)expressions);
    assert_true(seeds == 1 || expressions > 100 * seeds);
    free(g);
}

int main(int count, char **arguments) {
    if (count > 1) {
        first_seed = strtoull(arguments[1], NULL, 10);
        seeds = 1;
    }
    const struct CMUnitTest tests[] = {cmocka_unit_test_teardown(random_programs_are_resolved, tell_seed)};
    return cmocka_run_group_tests_name("VLAD: random programs", tests, NULL, NULL);
}
