/* Golden data in JSON: arrays of schedules, each with its parameters and its list of operations ["F", 0, 4]. */
#include "golden.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>
#include <jansson.h>

enum { PATH_BYTES = 512 };

static const struct {
    const char *word;
    golden_op_kind kind;
} words[] = {
    {"W", GOLDEN_WRITE_MEMORY}, {"Wm", GOLDEN_WRITE_MEMORY}, {"R", GOLDEN_READ_MEMORY}, {"Rm", GOLDEN_READ_MEMORY},
    {"D", GOLDEN_DROP_MEMORY},  {"Dm", GOLDEN_DROP_MEMORY},  {"Wd", GOLDEN_WRITE_DISK}, {"Rd", GOLDEN_READ_DISK},
    {"Dd", GOLDEN_DROP_DISK},   {"F", GOLDEN_FORWARD},       {"B", GOLDEN_REVERSE},
};

static golden_op read_op(const json_t *op, const char *path, size_t schedule) {
    golden_op result = {GOLDEN_REVERSE, 0, 0};
    const char *word = json_string_value(json_array_get(op, 0));
    size_t i = 0;
    while (i < sizeof words / sizeof *words && (word == NULL || strcmp(word, words[i].word) != 0))
        i++;
    if (i == sizeof words / sizeof *words)
        fail_msg("%s: schedule %zu has an unknown operation \"%s\"", path, schedule, word == NULL ? "" : word);
    result.kind = words[i].kind;
    size_t wanted = result.kind == GOLDEN_FORWARD ? 3 : 2;
    if (json_array_size(op) != wanted)
        fail_msg("%s: schedule %zu: \"%s\" takes %zu numbers", path, schedule, word, wanted - 1);
    result.a = (uint64_t)json_integer_value(json_array_get(op, 1));
    result.b = (uint64_t)json_integer_value(json_array_get(op, 2));
    return result;
}

static uint64_t number(const json_t *object, const char *name, uint64_t otherwise) {
    const json_t *value = json_object_get(object, name);
    return value == NULL ? otherwise : (uint64_t)json_integer_value(value);
}

static void read_schedule(const json_t *object, golden_schedule *schedule, const char *path, size_t index) {
    const json_t *kind = json_object_get(object, "kind");
    const char *word = json_string_value(kind != NULL ? kind : json_object_get(object, "rule"));
    const json_t *ops = json_object_get(object, "ops");
    bool chain = json_object_get(object, "l") != NULL;
    if (word == NULL || !json_is_array(ops) || (!chain && json_object_get(object, "n") == NULL))
        fail_msg("%s: schedule %zu has no kind, no size or no operations", path, index);
    snprintf(schedule->kind, sizeof schedule->kind, "%s", word);
    schedule->steps = chain ? number(object, "l", 0) + 1 : number(object, "n", 0);
    schedule->slots = number(object, chain ? "c_m" : "c", 0);
    schedule->write_cost = number(object, "w_d", 0);
    schedule->read_cost = number(object, "r_d", 0);
    schedule->forward_cost = number(object, "u_f", 1);
    schedule->backward_cost = number(object, "u_b", 0);
    schedule->period = number(object, "m_X", 0);
    schedule->has_makespan = json_object_get(object, "makespan") != NULL;
    schedule->makespan = number(object, "makespan", 0);
    schedule->op_count = json_array_size(ops);
    schedule->ops = calloc(schedule->op_count + 1, sizeof *schedule->ops);
    assert_non_null(schedule->ops);
    for (size_t i = 0; i < schedule->op_count; i++)
        schedule->ops[i] = read_op(json_array_get(ops, i), path, index);
}

golden_schedules *golden_schedules_open(const char *name) {
    char path[PATH_BYTES];
    snprintf(path, sizeof path, "%s/golden/%s.json", VERSO_TEST_DATA, name);
    json_error_t error;
    json_t *root = json_load_file(path, 0, &error);
    if (!json_is_array(root))
        fail_msg("%s:%d: %s", path, error.line, root == NULL ? error.text : "is no array");
    golden_schedules *all = calloc(1, sizeof *all);
    assert_non_null(all);
    all->count = json_array_size(root);
    all->schedules = calloc(all->count + 1, sizeof *all->schedules);
    assert_non_null(all->schedules);
    for (size_t i = 0; i < all->count; i++)
        read_schedule(json_array_get(root, i), &all->schedules[i], path, i);
    json_decref(root);
    return all;
}

void golden_schedules_close(golden_schedules *all) {
    for (size_t i = 0; i < all->count; i++)
        free(all->schedules[i].ops);
    free(all->schedules);
    free(all);
}
