/* Tests capsules: a program with recursion, heap blocks, variable-length arrays, globals and its own rounding mode is
 * suspended at each of its safepoints and resumed from there many times, in any order, after everything that it could
 * see was overwritten. Each time it continues as it did the first time, bit for bit. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native/api/api.h"
#include "native/sweep/inside.h"
#include "tests/support/native_program.h"
#include "tests/support/random_spec.h"

#include <fenv.h>
#include <math.h>

enum { SAFEPOINTS_MOST = 2000, DEPTH = 7 };

static uint64_t seed;

/* ---- The program ---- */

/* What was seen at each safepoint the first time. Not the program's, so not in a capsule. */
static struct {
    uint64_t seen[SAFEPOINTS_MOST];
    uint64_t wrong;
    bool first;
} notes;

typedef struct program {
    double region[4]; /* declared, and outside heap and globals */
    double result;
} program;

static uint64_t hash_of(const void *bytes, size_t size) {
    uint64_t hash = 1469598103934665603u;
    for (size_t i = 0; i < size; i++)
        hash = (hash ^ ((const unsigned char *)bytes)[i]) * 1099511628211u;
    return hash;
}

static void pass(uint64_t count, const void *bytes, size_t size) {
    static const verso__native_site site = {NULL, 0, "program"};
    char *tape = verso__native_safepoint(verso__native_tape() + 100, count, &site);
    uint64_t ordinal = verso__native_walk_now.step;
    uint64_t hash =
        hash_of(bytes, size) + (uintptr_t)bytes + hash_of(&chain_sum, sizeof chain_sum) + (uint64_t)fegetround();
    if (tape != verso__native_tape() || ordinal > SAFEPOINTS_MOST)
        notes.wrong++;
    else if (notes.first)
        notes.seen[ordinal - 1] = hash;
    else
        notes.wrong += notes.seen[ordinal - 1] != hash;
}

static double recurse(program *self, int depth, double x) {
    double variable[depth + 1], *block = verso__native_malloc((size_t)(depth * 100 + 1) * sizeof *block);
    for (int i = 0; i <= depth; i++) {
        variable[i] = sin(x + i) / 3;
        block[i * (depth > 0 ? 100 : 1) / 2] = variable[i] * chain_sum;
        chain_sum += block[i * (depth > 0 ? 100 : 1) / 2];
        self->region[i % 4] += variable[i];
        pass((uint64_t)i, variable, (size_t)(i + 1) * sizeof *variable);
    }
    double sum = variable[depth];
    fesetround(depth % 2 ? FE_UPWARD : FE_TONEAREST);
    for (int i = 0; i < 2 && depth > 0; i++) {
        sum += recurse(self, depth - 1, sum + i) / 7;
        pass(100, &sum, sizeof sum);
    }
    block = verso__native_realloc(block, (size_t)(depth * 300 + 1) * sizeof *block);
    pass(101, block, 8);
    sum += block[0];
    verso__native_free(block);
    return sum;
}

static void run(void *context) {
    program *self = context;
    self->result = recurse(self, DEPTH, 0.5) + chain_sum + self->region[0];
}

/* ---- Moving it about ---- */

static bool go_to(uint64_t step) {
    assert_int_equal(verso__native_walk_to(step, false, NULL), VERSO_STATUS_OK);
    return !verso__native_place_now()->ended;
}

static void overwrite(program *self) {
    verso__native_range heap = verso__native_arena_used();
    char *top = verso__native_stack_top();
    memset(top - 100000, 0xbb, 100000);
    memset(heap.begin, 0xcc, (size_t)(heap.end - heap.begin));
    memset(&chain_sum, 0xdd, sizeof chain_sum);
    memset(self->region, 0xee, sizeof self->region);
    self->result = 0;
}

static void capsules_resume_any_number_of_times(void **state) {
    (void)state;
    if (!native_possible())
        skip();
    program self = {{1, 2, 3, 4}, 0};
    double unused[4];
    verso_array region = {self.region, 4, VERSO_SCALAR_DOUBLE, unused};
    verso__native_job job = {.run = run, .context = &self, .wrt = &region, .wrt_count = 1};
    verso__native_capsule *capsules = calloc(SAFEPOINTS_MOST, sizeof *capsules);
    random_source source = random_from_seed(seed);
    assert_int_equal(verso__native_enter(&job, NULL), VERSO_STATUS_OK);
    verso__native_walk_begin(0);
    notes.first = true;
    chain_sum = 1;
    uint64_t count = 0;
    for (; go_to(count + 1); count++) {
        assert_int_equal(verso__native_capsule_take(&capsules[count], NULL), VERSO_STATUS_OK);
        assert_true(capsules[count].room >= verso__native_capsule_size());
    }
    uint64_t result = hash_of(&self.result, sizeof self.result), sum = hash_of(&chain_sum, sizeof chain_sum);
    assert_true(count > 500 && count < SAFEPOINTS_MOST && notes.wrong == 0);
    notes.first = false;
    for (int i = 0; i < 3000; i++) {
        uint64_t from = random_below(&source, count);
        overwrite(&self);
        verso__native_capsule_restore(&capsules[from]);
        assert_int_equal(verso__native_place_now()->step, from + 1);
        if (random_below(&source, 2)) { /* over a safepoint in between, from which a new capsule is taken */
            uint64_t to = from + 1 + random_below(&source, count - from);
            if (to < count) {
                assert_true(go_to(to + 1));
                assert_int_equal(verso__native_capsule_take(&capsules[to], NULL), VERSO_STATUS_OK);
            }
        }
        assert_false(go_to(VERSO_NATIVE_END));
        assert_int_equal(hash_of(&self.result, sizeof self.result), result);
        assert_int_equal(hash_of(&chain_sum, sizeof chain_sum), sum);
        assert_int_equal(notes.wrong, 0);
        assert_int_equal(fegetround(), FE_TONEAREST); /* the host's own */
    }
    for (uint64_t i = 0; i < count; i++)
        verso__native_capsule_free(&capsules[i]);
    free(capsules);
    verso__native_walk_end();
    verso__native_leave();
}

/* Capsules do not contain derivatives. */
static void derivatives_are_not_in_a_capsule(void **state) {
    (void)state;
    if (!native_possible())
        skip();
    program self = {{1, 2, 3, 4}, 0};
    verso__native_job job = {.run = run, .context = &self};
    verso__native_capsule capsule = {0};
    double *block = verso__native_malloc(100);
    assert_int_equal(verso__native_enter(&job, NULL), VERSO_STATUS_OK);
    chain_sum = 5, block[0] = 6;
    *verso__native_cell(&chain_sum) = 1, *verso__native_cell(block) = 2, verso__native_tape()[0] = 3;
    verso__native_frames()[0] = 4;
    assert_int_equal(verso__native_capsule_take(&capsule, NULL), VERSO_STATUS_OK);
    chain_sum = 15, block[0] = 16;
    *verso__native_cell(&chain_sum) = 11, *verso__native_cell(block) = 12, verso__native_tape()[0] = 13;
    verso__native_frames()[0] = 14;
    verso__native_capsule_restore(&capsule);
    assert_true(chain_sum == 5 && block[0] == 6);
    assert_true(*verso__native_cell(&chain_sum) == 11 && *verso__native_cell(block) == 12);
    assert_true(verso__native_tape()[0] == 13 && verso__native_frames()[0] == 14);
    *verso__native_cell(&chain_sum) = 0, *verso__native_cell(block) = 0;
    verso__native_capsule_free(&capsule);
    verso__native_leave();
    verso__native_free(block);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(capsules_resume_any_number_of_times),
        cmocka_unit_test(derivatives_are_not_in_a_capsule),
    };
    seed = random_seed();
    return cmocka_run_group_tests_name("native capsules", tests, NULL, NULL);
}
