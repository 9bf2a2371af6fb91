/* Tests VLAD's vectors against naive ones, which are copied at every update: random updates of random versions, new
 * and old, vectors in vectors, versions inside later versions of themselves, traversals, text, and a collection after
 * every step. Then tests the cost of updates in time and memory, and the state after memory has run out. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vlad/shape.h"
#include "vlad/vector.h"

enum { POOL = 24, LONGEST = 40, DEEPEST = 3, STEPS = 4000, SEEDS = 12 };

/* A naive vector: never changed once it is made, freed at the end. */
typedef struct model {
    struct model *before; /* in the list of all */
    unsigned depth;
    uint64_t length;
    struct {
        double number;
        const struct model *vector; /* NULL: the number */
    } cells[];
} model;

typedef struct game {
    vlad_heap heap;
    vlad_value versions[POOL];
    const model *models[POOL];
    vlad_roots roots;
    model *all;
    uint64_t seed;
} game;

static uint64_t draw(game *g, uint64_t below) {
    g->seed = g->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (g->seed >> 33) % below;
}

static model *new_model(game *g, uint64_t length) {
    model *m = calloc(1, sizeof *m + length * sizeof m->cells[0]);
    assert_non_null(m);
    *m = (model){.before = g->all, .length = length};
    return g->all = m;
}

static void open_game(game *g, uint64_t seed, uint64_t limit) {
    *g = (game){.seed = seed};
    vlad_heap_open(&g->heap, limit);
    g->roots = (vlad_roots){.values = g->versions, .count = POOL};
    vlad_heap_root(&g->heap, &g->roots);
    for (int i = 0; i < POOL; i++)
        g->versions[i] = VLAD_NULL;
}

static void close_game(game *g) {
    vlad_heap_unroot(&g->heap, &g->roots);
    vlad_heap_close(&g->heap);
    for (model *m = g->all; m != NULL; m = g->all) {
        g->all = m->before;
        free(m);
    }
}

/* ---- Comparing ---- */

/* Compares a vector with its model: by reading elements, which settles old versions, or without changing anything. */
static void check(game *g, vlad_value vector, const model *m, bool settle) {
    assert_true(vlad_is_kind(vector, VLAD_VECTOR));
    assert_true(vlad_vector_length(vector) == m->length);
    for (uint64_t i = 0; i < m->length; i++) {
        vlad_value element = vlad_vector_peek(vector, i);
        if (settle)
            assert_true(vlad_vector_elements(&g->heap, vector)[i] == element);
        if (m->cells[i].vector != NULL)
            check(g, element, m->cells[i].vector, settle);
        else
            assert_true(element == vlad_number(m->cells[i].number));
    }
}

static size_t write_model(const model *m, char *text) {
    size_t used = (size_t)sprintf(text, "#(");
    for (uint64_t i = 0; i < m->length; i++) {
        used += (size_t)sprintf(text + used, "%s", i > 0 ? " " : "");
        used += m->cells[i].vector != NULL ? write_model(m->cells[i].vector, text + used)
                                           : (size_t)sprintf(text + used, "%.0f", m->cells[i].number);
    }
    return used + (size_t)sprintf(text + used, ")");
}

static void check_text(vlad_value vector, const model *m) {
    size_t room = 12;
    for (unsigned i = 0; i <= m->depth; i++)
        room *= LONGEST + 2;
    char *wanted = malloc(room), *text = malloc(room);
    assert_true(wanted != NULL && text != NULL);
    write_model(m, wanted);
    assert_string_equal(vlad_value_text(vector, text, room), wanted);
    free(wanted);
    free(text);
}

/* ---- Moves ---- */

static void begin_one(game *g, uint64_t to) {
    uint64_t length = draw(g, 8) == 0 ? draw(g, 3) : 1 + draw(g, LONGEST);
    model *m = new_model(g, length);
    vlad_value *elements, vector = vlad_vector_make(&g->heap, length, &elements);
    assert_true(vector != VLAD_NOTHING);
    for (uint64_t i = 0; i < length; i++) {
        m->cells[i].number = (double)draw(g, 1000);
        elements[i] = vlad_number(m->cells[i].number);
    }
    g->versions[to] = vector;
    g->models[to] = m;
}

static void update(game *g, uint64_t of, uint64_t to) {
    const model *old = g->models[of];
    if (old->length == 0)
        return;
    uint64_t index = draw(g, old->length), other = draw(g, 4) == 0 ? of : draw(g, POOL);
    bool nested = draw(g, 6) == 0 && g->models[other]->depth < DEEPEST - 1;
    model *m = new_model(g, old->length);
    memcpy(m->cells, old->cells, old->length * sizeof m->cells[0]);
    m->cells[index].number = (double)draw(g, 1000);
    m->cells[index].vector = nested ? g->models[other] : NULL;
    for (uint64_t i = 0; i < m->length; i++)
        if (m->cells[i].vector != NULL && m->cells[i].vector->depth >= m->depth)
            m->depth = m->cells[i].vector->depth + 1;
    vlad_value made = vlad_vector_set(&g->heap, g->versions[of], index,
                                      nested ? g->versions[other] : vlad_number(m->cells[index].number));
    assert_true(made != VLAD_NOTHING);
    g->versions[to] = made;
    g->models[to] = m;
}

static vlad_value same(void *context, vlad_value real, vlad_value other) {
    (void)context;
    assert_true(other == VLAD_NOTHING || other == real);
    return real;
}

/* The copy has an array of its own, and the two are alike. */
static void walk(game *g, uint64_t of, uint64_t to) {
    vlad_value copy;
    assert_int_equal(vlad_shape_map(&g->heap, g->versions[of], VLAD_NOTHING, same, NULL, &copy, NULL), VERSO_STATUS_OK);
    assert_int_equal(vlad_shape_map(&g->heap, g->versions[of], copy, same, NULL, NULL, NULL), VERSO_STATUS_OK);
    g->versions[to] = copy;
    g->models[to] = g->models[of];
}

static void read_some(game *g, uint64_t of) {
    const model *m = g->models[of];
    for (int i = 0; i < 3 && m->length > 0; i++) {
        uint64_t index = draw(g, m->length);
        vlad_value element = vlad_vector_ref(&g->heap, g->versions[of], index);
        if (m->cells[index].vector == NULL)
            assert_true(element == vlad_number(m->cells[index].number));
        else
            check(g, element, m->cells[index].vector, false);
    }
}

static void move(game *g) {
    uint64_t of = draw(g, POOL), to = draw(g, POOL);
    switch (draw(g, 16)) {
    case 0: begin_one(g, to); break;
    case 1: walk(g, of, to); break;
    case 2: check(g, g->versions[of], g->models[of], true); break;
    case 3: check_text(g->versions[of], g->models[of]); break;
    case 4:
    case 5: read_some(g, of); break;
    case 6: /* a stretch of updates, longer than the vector */
        for (uint64_t n = draw(g, 3 * LONGEST); n-- > 0; of = to)
            update(g, of, to);
        break;
    default: update(g, of, to); break;
    }
}

static void versions_are_naive_vectors(void **state) {
    (void)state;
    for (uint64_t seed = 1; seed <= SEEDS; seed++) {
        game g;
        printf("seed %llu\n", (unsigned long long)seed); /* the last one printed is the one that failed */
        open_game(&g, seed, 0);
        for (uint64_t i = 0; i < POOL; i++)
            begin_one(&g, i);
        for (int step = 0; step < STEPS; step++) {
            move(&g);
            if (seed % 2 == 1 || draw(&g, 10) == 0) /* half of the games: at every step */
                assert_int_equal(vlad_heap_collect(&g.heap, NULL), VERSO_STATUS_OK);
            for (uint64_t i = 0; step % 50 == 0 && i < POOL; i++)
                check(&g, g.versions[i], g.models[i], false);
        }
        for (uint64_t i = 0; i < POOL; i++)
            check(&g, g.versions[i], g.models[i], true);
        close_game(&g);
    }
}

/* ---- What it costs ---- */

static void collect_if_wanted(game *g) {
    if (g->heap.wanted)
        assert_int_equal(vlad_heap_collect(&g->heap, NULL), VERSO_STATUS_OK);
}

static vlad_value counted(game *g, uint64_t length) {
    vlad_value *elements, vector = vlad_vector_make(&g->heap, length, &elements);
    assert_true(vector != VLAD_NOTHING);
    for (uint64_t i = 0; i < length; i++)
        elements[i] = vlad_number((double)i);
    return vector;
}

/* Copies would be 8 terabytes. */
static void an_update_takes_constant_time(void **state) {
    (void)state;
    enum { LENGTH = 1000000 };
    game g;
    open_game(&g, 1, 0);
    g.versions[0] = counted(&g, LENGTH);
    for (uint64_t i = 0; i < LENGTH; i++) {
        uint64_t at = (i * 7919) % LENGTH;
        vlad_value sum = vlad_number(vlad_plain(vlad_vector_ref(&g.heap, g.versions[0], at)) + 1);
        g.versions[0] = vlad_vector_set(&g.heap, g.versions[0], at, sum);
        collect_if_wanted(&g);
    }
    for (uint64_t i = 0; i < LENGTH; i += 1000)
        assert_true(vlad_vector_peek(g.versions[0], i) == vlad_number((double)i + 1));
    close_game(&g);
}

/* Reading the version before, as an exchange of two elements does, takes constant time, too. */
static void the_version_before_is_near(void **state) {
    (void)state;
    enum { LENGTH = 1000000 };
    game g;
    open_game(&g, 1, 0);
    g.versions[0] = counted(&g, LENGTH);
    for (uint64_t i = 0; i < LENGTH / 2; i++) {
        uint64_t other = LENGTH - 1 - i;
        vlad_value old = g.versions[0];
        vlad_value once = vlad_vector_set(&g.heap, old, i, vlad_vector_ref(&g.heap, old, other));
        g.versions[0] = vlad_vector_set(&g.heap, once, other, vlad_vector_ref(&g.heap, old, i));
        collect_if_wanted(&g);
    }
    for (uint64_t i = 0; i < LENGTH; i += 1000)
        assert_true(vlad_vector_peek(g.versions[0], i) == vlad_number((double)(LENGTH - 1 - i)));
    close_game(&g);
}

/* Old versions that are kept do not keep all differences since. */
static void old_versions_cost_some_copies(void **state) {
    (void)state;
    enum { LENGTH = 1000, UPDATES = 1000000 };
    game g;
    open_game(&g, 1, 0);
    g.versions[0] = counted(&g, LENGTH);
    for (uint64_t i = 0; i < UPDATES; i++) {
        if (i % (UPDATES / (POOL - 1)) == 0)
            g.versions[1 + i / (UPDATES / (POOL - 1)) % (POOL - 1)] = g.versions[0];
        g.versions[0] = vlad_vector_set(&g.heap, g.versions[0], i % LENGTH, vlad_number((double)i));
        collect_if_wanted(&g);
    }
    assert_int_equal(vlad_heap_collect(&g.heap, NULL), VERSO_STATUS_OK);
    assert_true(g.heap.bytes < (uint64_t)POOL * LENGTH * 8 * 8); /* differences alone would be 40 MB */
    close_game(&g);
}

static void without_memory_nothing_changes(void **state) {
    (void)state;
    enum { LENGTH = 5000 };
    for (uint64_t limit = 100000; limit < 2000000; limit += 37000) {
        game g;
        open_game(&g, 1, limit);
        vlad_value *elements, vector = vlad_vector_make(&g.heap, LENGTH, &elements), made = vector;
        if (vector != VLAD_NOTHING) {
            for (uint64_t i = 0; i < LENGTH; i++)
                elements[i] = vlad_number((double)i);
            for (uint64_t i = 0; made != VLAD_NOTHING; i++) /* of old versions, and of new ones */
                made = vlad_vector_set(&g.heap, i % 3 == 0 ? vector : made, i % LENGTH, VLAD_TRUE);
            for (uint64_t i = 0; i < LENGTH; i++)
                assert_true(vlad_vector_peek(vector, i) == vlad_number((double)i));
        }
        assert_true(g.heap.exhausted && g.heap.peak <= limit);
        close_game(&g);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(versions_are_naive_vectors),     cmocka_unit_test(an_update_takes_constant_time),
        cmocka_unit_test(the_version_before_is_near),     cmocka_unit_test(old_versions_cost_some_copies),
        cmocka_unit_test(without_memory_nothing_changes),
    };
    return cmocka_run_group_tests_name("vectors", tests, NULL, NULL);
}
