/* Tests the program's heap against a model: blocks do not overlap, keep their contents, are aligned and large enough;
 * and restoring a copy of the arena restores the heap of that moment, addresses included. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "native/api/api.h"
#include "tests/support/native_program.h"
#include "tests/support/random_spec.h"

#include <errno.h>
#include <pthread.h>
#include <sys/wait.h>
#include <unistd.h>

enum { BLOCKS = 3000, OPERATIONS = 2000000 };

static uint64_t seed;

static void require_possible(void) {
    if (!native_possible())
        skip();
}

/* ---- The model ---- */

typedef struct block {
    unsigned char *data; /* NULL: none */
    size_t size;
    uint64_t stamp; /* from which its bytes follow */
} block;

typedef struct model {
    block blocks[BLOCKS];
    random_source source;
    uint64_t stamps;
    size_t bytes; /* in use */
} model;

static unsigned char byte_of(uint64_t stamp, size_t at) {
    return (unsigned char)((stamp * 0x9e3779b97f4a7c15u >> 32) + at * 7 + (at >> 8));
}

/* Small blocks wholly, of large ones both ends and some in between: enough to see an overlap. */
static size_t next_byte(size_t at, size_t size) {
    return at < 300 || at + 300 > size ? at + 1 : at + 301 < size ? at + 97 : at + 1;
}

static void write_block(block *one) {
    for (size_t i = 0; i < one->size; i = next_byte(i, one->size))
        one->data[i] = byte_of(one->stamp, i);
}

/* The first `size` bytes of what was written to a block of `one->size`. */
static void check_block(const block *one, const unsigned char *data, size_t size) {
    for (size_t i = 0; i < one->size; i = next_byte(i, one->size))
        if (i < size && data[i] != byte_of(one->stamp, i))
            fail_msg("byte %zu of the block of %zu at %p has changed", i, one->size, (void *)data);
}

static size_t random_size(random_source *source) {
    switch (random_below(source, 16)) {
    case 0: return random_below(source, 2);
    case 1: return 4096 * (1 + random_below(source, 4)) - random_below(source, 40);
    case 2: return random_below(source, 40000);
    case 3: return random_below(source, 20) == 0 ? random_below(source, 3000000) : 32768 - random_below(source, 40);
    case 4: return random_below(source, 2000);
    default: return random_below(source, 200);
    }
}

static void born(model *model, block *one, void *data, size_t size) {
    assert_non_null(data);
    assert_int_equal((uintptr_t)data % 16, 0);
    assert_true(verso__native_block_size(data) >= size);
    *one = (block){data, size, ++model->stamps};
    model->bytes += size;
    write_block(one);
}

static void make(model *model, block *one) {
    size_t size = random_size(&model->source), alignment = (size_t)1 << random_below(&model->source, 14);
    void *data = NULL;
    switch (random_below(&model->source, 8)) {
    case 0:
        data = verso__native_calloc(size / 8 + 1, 8);
        for (size_t i = 0; i < size; i++)
            assert_int_equal(((unsigned char *)data)[i], 0);
        break;
    case 1:
        data = verso__native_aligned_alloc(alignment, size);
        assert_int_equal((uintptr_t)data % alignment, 0);
        break;
    case 2:
        alignment = alignment < 8 ? 8 : alignment;
        assert_int_equal(verso__native_posix_memalign(&data, alignment, size), 0);
        assert_int_equal((uintptr_t)data % alignment, 0);
        break;
    default: data = verso__native_malloc(size);
    }
    born(model, one, data, size);
}

static void change(model *model, block *one) {
    size_t size = 1 + random_size(&model->source);
    unsigned char *data = verso__native_realloc(one->data, size);
    assert_non_null(data);
    check_block(one, data, one->size < size ? one->size : size);
    model->bytes -= one->size;
    born(model, one, data, size);
}

static void end(model *model, block *one) {
    check_block(one, one->data, one->size);
    if (random_below(&model->source, 50) == 0)
        assert_null(verso__native_realloc(one->data, 0));
    else
        verso__native_free(one->data);
    model->bytes -= one->size;
    one->data = NULL;
}

static void step(model *model) {
    block *one = &model->blocks[random_below(&model->source, BLOCKS)];
    if (one->data == NULL)
        make(model, one);
    else if (random_below(&model->source, 4) == 0)
        change(model, one);
    else
        end(model, one);
}

static void empty(model *model) {
    for (size_t i = 0; i < BLOCKS; i++)
        if (model->blocks[i].data != NULL)
            end(model, &model->blocks[i]);
    assert_int_equal(model->bytes, 0);
}

static void many_operations_agree_with_a_model(void **state) {
    (void)state;
    require_possible();
    model *one = calloc(1, sizeof *one);
    one->source = random_from_seed(seed);
    size_t most = 0;
    for (int i = 0; i < OPERATIONS; i++) {
        step(one);
        most = one->bytes > most ? one->bytes : most;
        if (i % 500000 == 499999)
            empty(one);
        if (i % 100000 == 54321)
            verso__native_arena_tidy(); /* what is in use stays as it is */
    }
    verso__native_range heap = verso__native_arena_used();
    empty(one);
    free(one);
    /* Nothing is lost to fragments over millions of operations. */
    assert_true((size_t)(heap.end - heap.begin) < 4 * most);
    assert_true((size_t)(verso__native_arena_ever_used().end - heap.begin) < 4 * most);
}

/* ---- Copies ---- */

typedef struct copy {
    char *bytes;
    size_t size;
    model model;
} copy;

static void copy_take(copy *copy, const model *model) {
    verso__native_range heap = verso__native_arena_used();
    copy->size = (size_t)(heap.end - heap.begin);
    copy->bytes = realloc(copy->bytes, copy->size);
    memcpy(copy->bytes, heap.begin, copy->size);
    copy->model = *model;
}

static void copy_restore(const copy *copy, model *model) {
    memcpy(verso__native_arena_used().begin, copy->bytes, copy->size);
    *model = copy->model;
}

static uint64_t addresses(const model *model) {
    uint64_t hash = 0;
    for (size_t i = 0; i < BLOCKS; i++)
        hash = hash * 0x9e3779b97f4a7c15u + (uintptr_t)model->blocks[i].data;
    return hash;
}

static void a_copy_is_the_whole_heap(void **state) {
    (void)state;
    require_possible();
    model *one = calloc(1, sizeof *one);
    copy *kept = calloc(1, sizeof *kept);
    one->source = random_from_seed(seed + 1);
    for (int round = 0; round < 60; round++) {
        for (int i = 0; i < 2000; i++)
            step(one);
        copy_take(kept, one);
        uint64_t first = 0;
        for (int again = 0; again < 3; again++) {
            for (int i = 0; i < 3000; i++)
                step(one);
            if (again == 0)
                first = addresses(one);
            assert_int_equal(addresses(one), first);
            copy_restore(kept, one);
        }
    }
    empty(one);
    free(kept->bytes);
    free(kept);
    free(one);
}

/* ---- Single promises ---- */

static void *made_before_main;

__attribute__((constructor)) static void before_main(void) {
    made_before_main = verso__native_malloc(100);
}

static void calls_before_main_work(void **state) {
    (void)state;
    assert_non_null(made_before_main);
    memset(made_before_main, 1, 100);
    if (native_possible())
        assert_true(((uintptr_t)made_before_main & ~UINT64_C(0xffffffffff)) == VERSO_NATIVE_ARENA_AT);
    verso__native_free(made_before_main);
}

static void what_is_freed_is_used_again(void **state) {
    (void)state;
    require_possible();
    for (size_t size = 1; size < 10000000; size = size * 5 / 4 + 1) {
        verso__native_free(verso__native_malloc(size));
        char *end = verso__native_arena_used().end;
        for (int i = 0; i < 1000; i++)
            verso__native_free(verso__native_malloc(size));
        assert_ptr_equal(verso__native_arena_used().end, end);
    }
}

/* After tidying, the heap depends only on the blocks in use, not on which were freed, in which order, and what they
 * contained. */
static void a_tidy_heap_knows_only_what_is_in_use(void **state) {
    enum { SIZES = 200, ROUNDS = 20 };
    (void)state;
    require_possible();
    unsigned char *blocks[SIZES] = {0}, *first[SIZES] = {0};
    random_source source = random_from_seed(seed);
    for (int round = 0; round < ROUNDS; round++) {
        verso__native_arena_tidy();
        const char *top = verso__native_arena_used().end;
        for (size_t i = 0; i < SIZES; i++) {
            size_t size = 24 + 37 * i * (1 + i % 7 * 3);
            blocks[i] = verso__native_malloc(size);
            first[i] = round == 1 ? blocks[i] : first[i]; /* the first round makes room */
            bool within = round > 0 && (char *)blocks[i] < top;
            for (size_t at = 0; at < size; at++) {
                assert_true(!within || at < 2 * sizeof(void *) || blocks[i][at] == 0); /* lists were in front */
                blocks[i][at] = (unsigned char)(round + 1);
            }
            assert_true(round == 0 || blocks[i] == first[i]);
        }
        for (size_t left = SIZES; left > 0; left--) {
            size_t which = (size_t)random_below(&source, left);
            verso__native_free(blocks[which]);
            blocks[which] = blocks[left - 1];
        }
    }
}

static void large_blocks_grow_in_place_and_give_their_memory_back(void **state) {
    (void)state;
    require_possible();
    char *block = verso__native_malloc(20000000), *first = block;
    for (size_t size = 20000000; size < 300000000; size += 10000000) {
        block = verso__native_realloc(block, size);
        assert_ptr_equal(block, first); /* no block follows it */
        memset(block, 1, size);
    }
    block = verso__native_realloc(block, 50000);
    assert_ptr_equal(block, first);
    assert_true(verso__native_arena_used().end - first < 60000);
    unsigned char resident[1000];
    assert_int_equal(verso__native_resident(first - (uintptr_t)first % 4096 + 100000000 / 4096 * 4096, 1, resident), 0);
    /* New memory is zero without being written, used memory is zero because it is written. */
    char *zero = verso__native_calloc(200000000, 1);
    assert_int_equal(verso__native_resident(zero - (uintptr_t)zero % 4096 + 150000000 / 4096 * 4096, 1, resident), 0);
    for (size_t i = 0; i < 200000000; i += 4001)
        assert_int_equal(zero[i], 0);
    verso__native_free(zero);
    verso__native_free(block);
}

static void blocks_of_the_c_library_go_to_it(void **state) {
    (void)state;
    char *block = malloc(100);
    memcpy(block, "text", 5);
    assert_true(verso__native_block_size(block) >= 100);
    block = verso__native_realloc(block, 100000);
    assert_string_equal(block, "text");
    verso__native_free(block);
    verso__native_free(NULL);
    assert_int_equal(verso__native_block_size(NULL), 0);
}

static void what_cannot_be_is_refused(void **state) {
    (void)state;
    require_possible();
    void *block = &block;
    volatile size_t most = SIZE_MAX;
    errno = 0;
    assert_null(verso__native_malloc(most));
    assert_int_equal(errno, ENOMEM);
    assert_null(verso__native_malloc(UINT64_C(1) << 41)); /* more than the arena has */
    assert_null(verso__native_calloc(most / 2, 3));
    assert_null(verso__native_aligned_alloc(64, most - 100));
    errno = 0;
    assert_null(verso__native_aligned_alloc(48, 10));
    assert_int_equal(errno, EINVAL);
    assert_int_equal(verso__native_posix_memalign(&block, 4, 10), EINVAL);
    assert_int_equal(verso__native_posix_memalign(&block, 64, most - 100), ENOMEM);
    assert_ptr_equal(block, &block);
    char *kept = verso__native_malloc(10);
    assert_null(verso__native_realloc(kept, most));
    assert_null(verso__native_realloc(kept, UINT64_C(1) << 41));
    verso__native_free(kept);
    verso__native_free(kept); /* twice: nothing happens */
    assert_true(verso__native_malloc(10) != verso__native_malloc(10));
}

/* ---- Threads ---- */

static void *work(void *argument) {
    model *one = calloc(1, sizeof *one);
    one->source = random_from_seed(seed + (uintptr_t)argument);
    for (int i = 0; i < 200000; i++)
        step(one);
    empty(one);
    free(one);
    return NULL;
}

static void threads_share_the_heap(void **state) {
    (void)state;
    require_possible();
    pthread_t threads[4];
    for (uintptr_t i = 0; i < 4; i++)
        assert_int_equal(pthread_create(&threads[i], NULL, work, (void *)i), 0);
    for (int i = 0; i < 20; i++) { /* the heap of a child works, even if another thread was using it during fork */
        pid_t child = fork();
        assert_true(child >= 0);
        if (child == 0) {
            alarm(20);
            _exit(verso__native_malloc(1000) != NULL ? 0 : 1);
        }
        int status = 1;
        waitpid(child, &status, 0);
        assert_int_equal(status, 0);
    }
    for (int i = 0; i < 4; i++)
        pthread_join(threads[i], NULL);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(calls_before_main_work),
        cmocka_unit_test(what_is_freed_is_used_again),
        cmocka_unit_test(a_tidy_heap_knows_only_what_is_in_use),
        cmocka_unit_test(many_operations_agree_with_a_model),
        cmocka_unit_test(a_copy_is_the_whole_heap),
        cmocka_unit_test(large_blocks_grow_in_place_and_give_their_memory_back),
        cmocka_unit_test(blocks_of_the_c_library_go_to_it),
        cmocka_unit_test(what_cannot_be_is_refused),
        cmocka_unit_test(threads_share_the_heap),
    };
    seed = random_seed();
    return cmocka_run_group_tests_name("native arena", tests, NULL, NULL);
}
