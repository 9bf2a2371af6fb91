/* Tests VLAD's numbers: every derivative rule against differences; nested derivatives in every mixture of forward and
 * reverse mode against each other; the collector on random graphs; cotangents against a plain array. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "vlad/differentiate.h"

#include <math.h>

static const vlad_operator unary[] = {VLAD_SQRT, VLAD_EXP, VLAD_LOG, VLAD_SIN, VLAD_COS, VLAD_REAL};
static const vlad_operator binary[] = {VLAD_PLUS, VLAD_MINUS, VLAD_TIMES, VLAD_DIVIDE,
                                       VLAD_ATAN, VLAD_EXPT,  VLAD_MODULO};
enum { UNARY = sizeof unary / sizeof *unary, BINARY = sizeof binary / sizeof *binary };

typedef struct setting {
    vlad_heap heap;
    vlad_numbers numbers;
} setting;

static int set_up(void **state) {
    setting *s = calloc(1, sizeof *s);
    assert_non_null(s);
    vlad_heap_open(&s->heap, 0);
    vlad_numbers_open(&s->numbers, &s->heap);
    *state = s;
    return 0;
}

static int tear_down(void **state) {
    setting *s = *state;
    vlad_numbers_close(&s->numbers);
    vlad_heap_close(&s->heap);
    free(s);
    return 0;
}

static uint64_t next_random(uint64_t *seed) {
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

/* ---- Functions of one number: g_i(x), made of each operator ---- */

static vlad_value plain(double number) {
    return vlad_number(number);
}

static vlad_value function(vlad_numbers *numbers, int which, vlad_value x) {
    if (which < UNARY)
        return vlad_number_unary(numbers, unary[which], x);
    which -= UNARY;
    vlad_value square = vlad_number_binary(numbers, VLAD_TIMES, x, x);
    switch (which / BINARY) {
    case 0: return vlad_number_binary(numbers, binary[which % BINARY], x, plain(1.7));
    case 1: return vlad_number_binary(numbers, binary[which % BINARY], plain(2.3), x);
    default: return vlad_number_binary(numbers, binary[which % BINARY], x, square);
    }
}

enum { FUNCTIONS = UNARY + 3 * BINARY };

static double value_at(vlad_numbers *numbers, int which, double x) {
    return vlad_plain(function(numbers, which, plain(x)));
}

/* Takes nested derivatives: each bit of `modes` is one, the last bit the innermost; a set bit is reverse mode. */
static vlad_value derivative(vlad_numbers *numbers, int which, vlad_value x, unsigned order, unsigned modes) {
    vlad_value bundle, result;
    if (order == 0)
        return function(numbers, which, x);
    uint64_t tag = vlad_numbers_tag(numbers);
    if ((modes >> (order - 1) & 1) == 0) {
        assert_int_equal(vlad_bundle(numbers, tag, x, plain(1), &bundle, NULL), VERSO_STATUS_OK);
        vlad_value y = derivative(numbers, which, bundle, order - 1, modes);
        assert_int_equal(vlad_unbundle(numbers, tag, y, &result, NULL), VERSO_STATUS_OK);
        return vlad_object_of(result)->field[1];
    }
    vlad_cotangents cotangents;
    vlad_cotangents_open(&cotangents, numbers);
    assert_true(vlad_level_begin(numbers, tag, true));
    uint32_t level = numbers->count - 1;
    assert_int_equal(vlad_lift(numbers, x, &bundle, NULL), VERSO_STATUS_OK);
    vlad_value y = derivative(numbers, which, bundle, order - 1, modes);
    assert_true(vlad_cotangents_turn(&cotangents, 0, numbers->levels[level].born));
    assert_int_equal(vlad_seed(&cotangents, tag, y, plain(1), NULL), VERSO_STATUS_OK);
    assert_true(vlad_cotangents_sweep(&cotangents, level));
    assert_int_equal(vlad_gather_cotangents(&cotangents, x, &result, NULL), VERSO_STATUS_OK);
    vlad_cotangents_close(&cotangents);
    vlad_level_end(numbers);
    return result;
}

static bool is_near(double a, double b, double tolerance) {
    return fabs(a - b) <= tolerance * (1 + fabs(b));
}

static void rules_agree_with_differences(void **state) {
    vlad_numbers *numbers = &((setting *)*state)->numbers;
    for (int which = 0; which < FUNCTIONS; which++)
        for (double x = 0.83; x < 3; x += 0.37) {
            double h = 1e-5, derived = vlad_number_plain(derivative(numbers, which, plain(x), 1, 0));
            double difference = (value_at(numbers, which, x + h) - value_at(numbers, which, x - h)) / (2 * h);
            if (!is_near(derived, difference, 1e-8))
                fail_msg("function %d at %g: %.15g instead of %.15g", which, x, derived, difference);
        }
}

static void all_modes_agree(void **state) {
    vlad_numbers *numbers = &((setting *)*state)->numbers;
    for (int which = 0; which < FUNCTIONS; which++)
        for (unsigned order = 1; order <= 3; order++) {
            double expected = vlad_number_plain(derivative(numbers, which, plain(1.3), order, 0));
            for (unsigned modes = 1; modes < 1U << order; modes++) {
                double other = vlad_number_plain(derivative(numbers, which, plain(1.3), order, modes));
                if (!is_near(other, expected, 1e-13))
                    fail_msg("function %d, order %u, modes %u: %.17g instead of %.17g", which, order, modes, other,
                             expected);
            }
        }
}

/* Where a rule of a textbook would divide by zero. */
static void expt_at_its_edges(void **state) {
    vlad_numbers *numbers = &((setting *)*state)->numbers;
    vlad_value result, bundle;
    static const struct {
        double base, power, base_tangent, power_tangent, derivative;
    } cases[] = {{0, 2, 1, 0, 0},   {0, 1, 1, 0, 1}, {0, 3, 0, 1, 0},
                 {-2, 3, 1, 0, 12}, {2, 0, 1, 0, 0}, {0, 0, 1, 0, 0}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        uint64_t tag = vlad_numbers_tag(numbers);
        vlad_value x = cases[i].base_tangent != 0 ? plain(cases[i].base) : plain(cases[i].power);
        assert_int_equal(vlad_bundle(numbers, tag, x, plain(1), &bundle, NULL), VERSO_STATUS_OK);
        vlad_value y = cases[i].base_tangent != 0
                           ? vlad_number_binary(numbers, VLAD_EXPT, bundle, plain(cases[i].power))
                           : vlad_number_binary(numbers, VLAD_EXPT, plain(cases[i].base), bundle);
        assert_int_equal(vlad_unbundle(numbers, tag, y, &result, NULL), VERSO_STATUS_OK);
        double derived = vlad_plain(vlad_object_of(result)->field[1]);
        if (derived != cases[i].derivative)
            fail_msg("case %zu: %g instead of %g", i, derived, cases[i].derivative);
    }
}

/* ---- The collector ---- */

enum { ROOTS = 50, ROUNDS = 20000 };

/* Each object's value is known from its fields, so a copy can be checked: a pair's first part is the sum of what hangs
 * on its second. */
static double weigh(vlad_value value) {
    double sum = 0;
    for (; vlad_is_kind(value, VLAD_PAIR); value = vlad_object_of(value)->field[1])
        sum += vlad_plain(vlad_object_of(value)->field[0]);
    return sum;
}

static void collections_keep_what_is_alive(void **state) {
    vlad_heap *heap = &((setting *)*state)->heap;
    vlad_value values[ROOTS];
    double sums[ROOTS] = {0};
    uint64_t seed = 20261115;
    vlad_roots roots = {.values = values, .count = ROOTS};
    for (int i = 0; i < ROOTS; i++)
        values[i] = VLAD_NULL;
    vlad_heap_root(heap, &roots);
    for (int i = 0; i < ROUNDS; i++) {
        size_t to = next_random(&seed) % ROOTS, from = next_random(&seed) % ROOTS;
        double number = (double)(next_random(&seed) % 1000);
        bool ends = next_random(&seed) % 10 == 0;
        values[to] = vlad_pair(heap, plain(number), ends ? VLAD_NULL : values[from]);
        sums[to] = number + (ends ? 0 : sums[from]);
        if (i % 500 == 0)
            assert_int_equal(vlad_heap_collect(heap, NULL), VERSO_STATUS_OK);
    }
    for (int i = 0; i < ROOTS; i++)
        assert_true(weigh(values[i]) == sums[i]);
    assert_true(heap->collections > 10);
    vlad_heap_unroot(heap, &roots);
}

static void garbage_is_given_back(void **state) {
    vlad_heap *heap = &((setting *)*state)->heap;
    vlad_value value = VLAD_NULL;
    vlad_roots roots = {.values = &value, .count = 1};
    vlad_heap_root(heap, &roots);
    for (int i = 0; i < 3000000; i++) {
        value = vlad_pair(heap, plain(i), VLAD_NULL);
        if (heap->wanted)
            assert_int_equal(vlad_heap_collect(heap, NULL), VERSO_STATUS_OK);
    }
    assert_true(heap->peak < 8 << 20);
    assert_true(vlad_plain(vlad_object_of(value)->field[0]) == 2999999);
    vlad_heap_unroot(heap, &roots);
}

static void a_limit_is_kept(void **state) {
    (void)state;
    vlad_heap heap;
    verso_error error;
    vlad_value list = VLAD_NULL;
    vlad_roots roots = {.values = &list, .count = 1};
    vlad_heap_open(&heap, 4 << 20);
    vlad_heap_root(&heap, &roots);
    verso_status status = VERSO_STATUS_OK;
    while (status == VERSO_STATUS_OK) {
        vlad_value longer = vlad_pair(&heap, plain(1), list);
        list = longer == VLAD_NOTHING ? list : longer;
        if (heap.wanted)
            status = vlad_heap_collect(&heap, &error);
    }
    assert_int_equal(status, VERSO_STATUS_NO_MEMORY);
    assert_non_null(strstr(error.message, "more than 4194304 bytes"));
    assert_true(heap.peak <= 4 << 20 && heap.peak > 2 << 20);
    vlad_heap_unroot(&heap, &roots);
    vlad_heap_close(&heap);
}

/* ---- Cotangents ---- */

static void the_table_is_an_array(void **state) {
    vlad_numbers *numbers = &((setting *)*state)->numbers;
    enum { NUMBERS = 3000, STRETCH = 37 };
    double expected[NUMBERS] = {0};
    uint64_t seed = 7;
    vlad_cotangents cotangents;
    vlad_cotangents_open(&cotangents, numbers);
    for (uint64_t end = NUMBERS; end > 0;) {
        uint64_t first = end > STRETCH ? end - STRETCH : 0;
        assert_true(vlad_cotangents_turn(&cotangents, first, end));
        for (uint64_t i = first; i < end; i++) {
            vlad_value found = vlad_cotangents_of(&cotangents, i);
            assert_true((found == VLAD_NOTHING ? 0 : vlad_plain(found)) == expected[i]);
        }
        for (int i = 0; i < 100; i++) {
            uint64_t number = next_random(&seed) % end;
            double term = (double)(next_random(&seed) % 100);
            expected[number] += term;
            assert_true(vlad_cotangents_add(&cotangents, number, plain(term)));
        }
        end = first;
    }
    assert_int_equal(cotangents.used, 0);
    vlad_cotangents_close(&cotangents);
}

int main(void) {
#define IN_A_SETTING(test) cmocka_unit_test_setup_teardown(test, set_up, tear_down)
    const struct CMUnitTest tests[] = {
        IN_A_SETTING(rules_agree_with_differences),
        IN_A_SETTING(all_modes_agree),
        IN_A_SETTING(expt_at_its_edges),
        IN_A_SETTING(collections_keep_what_is_alive),
        IN_A_SETTING(garbage_is_given_back),
        IN_A_SETTING(a_limit_is_kept),
        IN_A_SETTING(the_table_is_an_array),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
