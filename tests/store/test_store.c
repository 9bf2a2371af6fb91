/* Tests stores with random sequences of valid and invalid calls against a model of what must be held: both stores,
 * with every combination of threads, compression, durability and limits. The file store is also closed and opened
 * again in between. Then tests the guarantees of the memory store. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include <verso/store.h>

#include "tests/support/folder.h"
#include "tests/support/random_spec.h"

enum { NAMES = 14, SIZE_MAX_OF_ALL = 3000, HEADER = 104 };

static uint64_t seed;

/* ---- What is tested ---- */

typedef struct setting {
    const char *title;
    bool files, background, durable;
    int compression;
    uint64_t memory, disk; /* for memory stores: memory is the budget */
    uint64_t calls;
} setting;

static const setting settings[] = {
    {.title = "memory", .calls = 60000},
    {.title = "memory, tight", .memory = 9000, .calls = 60000},
    {.title = "files, foreground", .files = true, .calls = 3000},
    {.title = "files, foreground, durable", .files = true, .durable = true, .calls = 400},
    {.title = "files, foreground, tight", .files = true, .memory = 4000, .disk = 9000, .calls = 3000},
    {.title = "files, foreground, zstd", .files = true, .compression = 1, .memory = 4000, .calls = 3000},
    {.title = "files, background", .files = true, .background = true, .calls = 4000},
    {.title = "files, background, durable", .files = true, .background = true, .durable = true, .calls = 400},
    {.title = "files, background, tight",
     .files = true,
     .background = true,
     .memory = 6000,
     .disk = 9000,
     .calls = 4000},
    {.title = "files, background, very tight", .files = true, .background = true, .memory = 3000, .calls = 4000},
    {.title = "files, background, zstd",
     .files = true,
     .background = true,
     .compression = 1,
     .memory = 8000,
     .calls = 4000},
    {.title = "files, background, durable, zstd",
     .files = true,
     .background = true,
     .durable = true,
     .compression = 5,
     .calls = 400},
};

/* ---- The model ---- */

typedef enum condition { ABSENT, RESERVED, HELD, LENT } condition;

typedef struct item {
    verso_capsule_name name;
    condition condition;
    size_t size;
    uint64_t content; /* from which its bytes follow */
    unsigned char *bytes;
} item;

typedef struct model {
    const setting *setting;
    random_source source;
    const char *folder;
    verso_store store;
    item items[NAMES];
    item *lent;
    uint64_t contents;
    uint64_t writes, reads;
} model;

#define REQUIRE(model, condition) \
    do { \
        if (!(condition)) { \
            print_error("%s, VERSO_SEED=%llu: does not hold: %s\n", (model)->setting->title, (unsigned long long)seed, \
                        #condition); \
            _fail(__FILE__, __LINE__); \
        } \
    } while (0)

#define REQUIRE_OK(model, call, error) \
    do { \
        if ((call) != VERSO_STATUS_OK) { \
            print_error("%s, VERSO_SEED=%llu: %s: %s\n", (model)->setting->title, (unsigned long long)seed, #call, \
                        (error).message); \
            _fail(__FILE__, __LINE__); \
        } \
    } while (0)

/* Compressible, so that lengths in memory and on the disk differ. */
static void fill(const item *item, unsigned char *bytes) {
    random_source source = random_from_seed(item->content);
    for (size_t i = 0; i < item->size; i += 16) {
        unsigned char byte = (unsigned char)random_below(&source, 256);
        memset(bytes + i, byte, item->size - i < 16 ? item->size - i : 16);
    }
}

static bool has(const item *item, const void *bytes, size_t size) {
    unsigned char expected[SIZE_MAX_OF_ALL + 1];
    fill(item, expected);
    return size == item->size && memcmp(bytes, expected, size) == 0;
}

static uint64_t bytes_in(const model *model, condition least, condition most, uint64_t header) {
    uint64_t sum = 0;
    for (size_t i = 0; i < NAMES; i++)
        if (model->items[i].condition >= least && model->items[i].condition <= most)
            sum += model->items[i].size + header;
    return sum;
}

/* Returns the bytes of buffers that only the caller can free. */
static uint64_t bound(const model *model) {
    if (!model->setting->files)
        return bytes_in(model, RESERVED, LENT, 0);
    return bytes_in(model, RESERVED, RESERVED, 0) + (model->lent != NULL ? model->lent->size : 0);
}

static bool names_number(const verso_error *error, uint64_t number) {
    char text[32];
    (void)snprintf(text, sizeof text, "%llu", (unsigned long long)number);
    return strstr(error->message, text) != NULL;
}

static void open_store(model *model) {
    const setting *setting = model->setting;
    verso_error error = {0};
    if (!setting->files) {
        REQUIRE_OK(model, verso_store_memory_open(setting->memory, &model->store, &error), error);
        return;
    }
    const verso_file_store_options options = {
        .size = sizeof(verso_file_store_options),
        .directory = model->folder,
        .program = {{seed, 1}},
        .run = {{2, 3}},
        .memory = setting->memory,
        .disk = setting->disk,
        .compression = setting->compression,
        .durable = setting->durable,
        .foreground = !setting->background,
    };
    REQUIRE_OK(model, verso_store_file_open(&options, &model->store, &error), error);
    REQUIRE(model, model->store.durable == setting->durable);
}

/* ---- Calls ---- */

static void try_reserve(model *model, item *item) {
    void *bytes = NULL;
    verso_error error = {0};
    const setting *setting = model->setting;
    size_t size = (size_t)(random_below(&model->source, 3) == 0 ? random_below(&model->source, SIZE_MAX_OF_ALL + 1)
                                                                : 500 * (1 + (uint64_t)item->name.kind));
    uint64_t on_disk = bytes_in(model, RESERVED, LENT, HEADER);
    bool fits = setting->memory == 0 || bound(model) + size <= setting->memory;
    bool disk_fits = setting->disk == 0 || on_disk + size + HEADER <= setting->disk;
    verso_status status = model->store.operations->reserve(model->store.self, &item->name, size, &bytes, &error);
    if (!fits || !disk_fits) {
        REQUIRE(model, status == VERSO_STATUS_IMPOSSIBLE && error.status == status);
        REQUIRE(model, names_number(&error, disk_fits ? bound(model) + size : on_disk + size + HEADER));
        return;
    }
    REQUIRE_OK(model, status, error);
    REQUIRE(model, bytes != NULL && (uintptr_t)bytes % _Alignof(max_align_t) == 0);
    item->condition = RESERVED;
    item->size = size;
    item->bytes = bytes;
    item->content = ++model->contents;
}

static void try_commit(model *model, item *item) {
    verso_error error = {0};
    if (random_below(&model->source, 5) == 0) {
        model->store.operations->cancel(model->store.self, &item->name);
        item->condition = ABSENT;
        return;
    }
    fill(item, item->bytes);
    REQUIRE_OK(model, model->store.operations->commit(model->store.self, &item->name, &error), error);
    item->condition = HELD;
    model->writes++;
}

static void try_borrow(model *model, item *item) {
    const void *bytes;
    size_t size;
    verso_error error = {0};
    if (model->lent != NULL)
        return;
    bool fits =
        !model->setting->files || model->setting->memory == 0 || bound(model) + item->size <= model->setting->memory;
    verso_status status = model->store.operations->borrow(model->store.self, &item->name, &bytes, &size, &error);
    if (status == VERSO_STATUS_IMPOSSIBLE && !fits) /* it may be lent nevertheless while it is being written */
        return;
    REQUIRE_OK(model, status, error);
    REQUIRE(model, has(item, bytes, size));
    item->condition = LENT;
    item->bytes = (unsigned char *)(uintptr_t)bytes;
    model->lent = item;
    model->reads++;
}

static void try_release(model *model, item *item) {
    REQUIRE(model, has(item, item->bytes, item->size)); /* it stayed what it was */
    model->store.operations->release(model->store.self, &item->name);
    item->condition = HELD;
    model->lent = NULL;
}

static void try_discard(model *model, item *item) {
    verso_error error = {0};
    REQUIRE_OK(model, model->store.operations->discard(model->store.self, &item->name, &error), error);
    item->condition = ABSENT;
}

/* Makes a call out of order: it must be refused, and change nothing. */
static void try_wrong_call(model *model, const item *item) {
    const verso_store_operations *operations = model->store.operations;
    void *self = model->store.self, *room;
    const void *bytes;
    size_t size;
    verso_error error = {0};
    verso_status status = VERSO_STATUS_STATE;
    switch (random_below(&model->source, 6)) {
    case 0:
        status = item->condition == ABSENT ? status : operations->reserve(self, &item->name, 1, &room, &error);
        break;
    case 1: status = item->condition == RESERVED ? status : operations->commit(self, &item->name, &error); break;
    case 2:
        status = item->condition == HELD ? status : operations->borrow(self, &item->name, &bytes, &size, &error);
        break;
    case 3: status = item->condition == HELD ? status : operations->discard(self, &item->name, &error); break;
    case 4:
        if (item->condition != RESERVED)
            operations->cancel(self, &item->name);
        break;
    default:
        if (item->condition != LENT)
            operations->release(self, &item->name);
    }
    REQUIRE(model, status == VERSO_STATUS_STATE);
}

/* ---- Looking at it ---- */

static void check_usage(model *model) {
    verso_store_usage usage;
    model->store.operations->usage(model->store.self, &usage);
    const setting *setting = model->setting;
    REQUIRE(model, usage.writes == model->writes && usage.reads == model->reads);
    REQUIRE(model, usage.memory <= usage.memory_peak && usage.bytes <= usage.bytes_peak);
    REQUIRE(model, setting->memory == 0 || usage.memory_peak <= setting->memory);
    REQUIRE(model, setting->disk == 0 || usage.bytes_peak <= setting->disk);
    REQUIRE(model, usage.memory >= bound(model));
    if (!setting->files)
        REQUIRE(model, usage.bytes == bytes_in(model, HELD, LENT, 0) && usage.bytes_written + usage.bytes_read == 0);
}

static void check_sync(model *model) {
    verso_error error = {0};
    verso_store_usage usage;
    if (!model->setting->files) {
        REQUIRE(model, model->store.operations->sync == NULL && model->store.operations->list == NULL);
        return;
    }
    REQUIRE_OK(model, model->store.operations->sync(model->store.self, &error), error);
    model->store.operations->usage(model->store.self, &usage);
    uint64_t expected = bytes_in(model, HELD, LENT, HEADER);
    REQUIRE(model, model->setting->compression != 0 || usage.bytes == expected);
    REQUIRE(model, folder_count(model->folder, ".writing-") == 0);
    size_t held = 0;
    for (size_t i = 0; i < NAMES; i++)
        held += model->items[i].condition >= HELD;
    REQUIRE(model, folder_count(model->folder, "") == held);
}

typedef struct listing {
    const model *model;
    verso_capsule_name last;
    size_t count;
} listing;

static verso_status visit(void *context, const verso_capsule_name *name) {
    listing *list = context;
    const model *model = list->model;
    if (list->count++ > 0)
        REQUIRE(model, list->last.kind < name->kind || (list->last.kind == name->kind && list->last.step < name->step));
    list->last = *name;
    for (size_t i = 0; i < NAMES; i++)
        if (model->items[i].name.kind == name->kind && model->items[i].name.step == name->step)
            REQUIRE(model, model->items[i].condition >= HELD);
    return VERSO_STATUS_OK;
}

static void check_list(model *model) {
    if (!model->setting->files)
        return;
    listing list = {.model = model};
    verso_error error = {0};
    REQUIRE_OK(model, model->store.operations->list(model->store.self, visit, &list, &error), error);
    size_t held = 0;
    for (size_t i = 0; i < NAMES; i++)
        held += model->items[i].condition >= HELD;
    REQUIRE(model, list.count == held);
}

/* Closing releases reserved and borrowed buffers; capsules in files stay. */
static void reopen(model *model) {
    if (!model->setting->files)
        return;
    verso_store_close(&model->store);
    for (size_t i = 0; i < NAMES; i++) {
        if (model->items[i].condition == RESERVED)
            model->items[i].condition = ABSENT;
        if (model->items[i].condition == LENT)
            model->items[i].condition = HELD;
    }
    model->lent = NULL;
    model->writes = model->reads = 0;
    open_store(model);
}

/* ---- A random walk ---- */

static void act_on(model *model, item *item) {
    if (random_below(&model->source, 12) == 0) {
        try_wrong_call(model, item);
        return;
    }
    switch (item->condition) {
    case ABSENT: try_reserve(model, item); break;
    case RESERVED: try_commit(model, item); break;
    case LENT: try_release(model, item); break;
    case HELD:
        if (model->store.operations->expect != NULL && random_below(&model->source, 4) == 0)
            model->store.operations->expect(model->store.self, &item->name);
        else if (random_below(&model->source, 3) == 0)
            try_discard(model, item);
        else
            try_borrow(model, item);
    }
}

static void random_calls(void **state) {
    model model = {.setting = *state, .source = random_from_seed(seed)};
    char *folder = folder_new();
    model.folder = folder;
    for (size_t i = 0; i < NAMES; i++)
        model.items[i].name = (verso_capsule_name){i % 3 == 0 ? VERSO_CAPSULE_ADJOINT : VERSO_CAPSULE_STATE,
                                                   i / 2 * UINT64_C(1000000007) * (i % 5), i};
    for (size_t i = 0; i < NAMES; i++) /* distinct steps */
        model.items[i].name.step += i;
    open_store(&model);
    for (uint64_t i = 0; i < model.setting->calls; i++) {
        act_on(&model, &model.items[random_below(&model.source, NAMES)]);
        check_usage(&model);
        if (random_below(&model.source, 50) == 0)
            check_sync(&model);
        if (random_below(&model.source, 50) == 0)
            check_list(&model);
        if (random_below(&model.source, 200) == 0)
            reopen(&model);
    }
    verso_store_close(&model.store);
    folder_remove(folder);
}

/* ---- Memory ---- */

static const verso_store_operations *memory_store(uint64_t budget, verso_store *store) {
    assert_int_equal(verso_store_memory_open(budget, store, NULL), VERSO_STATUS_OK);
    assert_false(store->durable);
    return store->operations;
}

static void a_budget_holds_what_it_says(void **state) {
    (void)state;
    verso_store store;
    const verso_store_operations *operations = memory_store(1000, &store);
    verso_store_usage usage;
    verso_error error = {0};
    void *bytes;
    for (uint64_t i = 0; i < 10; i++) {
        const verso_capsule_name name = {VERSO_CAPSULE_STATE, i, i};
        assert_int_equal(operations->reserve(store.self, &name, 100, &bytes, NULL), VERSO_STATUS_OK);
        assert_int_equal(operations->commit(store.self, &name, NULL), VERSO_STATUS_OK);
    }
    const verso_capsule_name more = {VERSO_CAPSULE_STATE, 10, 10};
    assert_int_equal(operations->reserve(store.self, &more, 1, &bytes, &error), VERSO_STATUS_IMPOSSIBLE);
    assert_true(names_number(&error, 1001));
    for (uint64_t i = 0; i < 10; i++)
        assert_int_equal(operations->discard(store.self, &(verso_capsule_name){VERSO_CAPSULE_STATE, i, i}, NULL),
                         VERSO_STATUS_OK);
    operations->usage(store.self, &usage);
    assert_int_equal(usage.memory, 1000); /* kept for the next ones */
    assert_int_equal(usage.bytes, 0);
    assert_int_equal(operations->reserve(store.self, &more, 1000, &bytes, &error),
                     VERSO_STATUS_OK); /* not in the way */
    operations->cancel(store.self, &more);
    assert_int_equal(operations->reserve(store.self, &more, 1001, &bytes, &error), VERSO_STATUS_IMPOSSIBLE);
    assert_true(names_number(&error, 1001));
    operations->usage(store.self, &usage);
    assert_int_equal(usage.memory_peak, 1000);
    verso_store_close(&store);
    assert_null(store.operations);
    verso_store_close(&store); /* nothing */
}

static void extreme_sizes_and_slots(void **state) {
    (void)state;
    verso_store store;
    const verso_store_operations *operations = memory_store(0, &store);
    const verso_capsule_name far = {VERSO_CAPSULE_STATE, 1, UINT64_MAX}, near = {VERSO_CAPSULE_ADJOINT, 1, 100000};
    const verso_capsule_name strange = {(verso_capsule_kind)7, 1, 0};
    const void *seen;
    size_t size = 1;
    void *bytes;
    assert_int_equal(operations->reserve(store.self, &far, 8, &bytes, NULL), VERSO_STATUS_NO_MEMORY);
    assert_int_equal(operations->reserve(store.self, &near, SIZE_MAX, &bytes, NULL), VERSO_STATUS_NO_MEMORY);
    assert_int_equal(operations->reserve(store.self, &near, 0, &bytes, NULL), VERSO_STATUS_OK);
    assert_non_null(bytes);
    assert_int_equal(operations->commit(store.self, &near, NULL), VERSO_STATUS_OK);
    assert_int_equal(operations->borrow(store.self, &near, &seen, &size, NULL), VERSO_STATUS_OK);
    assert_int_equal(size, 0);
    operations->release(store.self, &near);
    assert_int_equal(operations->reserve(store.self, &strange, 8, &bytes, NULL), VERSO_STATUS_INVALID);
    assert_int_equal(operations->discard(store.self, &strange, NULL), VERSO_STATUS_INVALID);
    operations->cancel(store.self, &strange);
    verso_store_close(&store);
}

/* A slot holds one step; borrowing another step from it is refused with a message. */
static void a_slot_knows_its_step(void **state) {
    (void)state;
    verso_store store;
    const verso_store_operations *operations = memory_store(0, &store);
    const verso_capsule_name name = {VERSO_CAPSULE_STATE, 5, 3}, other = {VERSO_CAPSULE_STATE, 6, 3};
    const void *seen;
    size_t size;
    void *bytes;
    verso_error error = {0};
    assert_int_equal(operations->reserve(store.self, &name, 8, &bytes, NULL), VERSO_STATUS_OK);
    assert_int_equal(operations->commit(store.self, &other, &error), VERSO_STATUS_STATE);
    assert_int_equal(operations->commit(store.self, &name, NULL), VERSO_STATUS_OK);
    assert_int_equal(operations->borrow(store.self, &other, &seen, &size, &error), VERSO_STATUS_STATE);
    assert_string_equal(error.message, "cannot borrow state 6: slot 3 holds state 5");
    assert_int_equal(operations->reserve(store.self, &other, 8, &bytes, &error), VERSO_STATUS_STATE);
    verso_store_close(&store);
}

int main(void) {
    enum { SETTINGS = sizeof settings / sizeof *settings };
    struct CMUnitTest tests[SETTINGS + 3] = {
        cmocka_unit_test(a_budget_holds_what_it_says),
        cmocka_unit_test(extreme_sizes_and_slots),
        cmocka_unit_test(a_slot_knows_its_step),
    };
    for (size_t i = 0; i < SETTINGS; i++)
        tests[3 + i] =
            (struct CMUnitTest){settings[i].title, random_calls, NULL, NULL, (void *)(uintptr_t)&settings[i]};
    seed = random_seed();
    return cmocka_run_group_tests_name("stores", tests, NULL, NULL);
}
