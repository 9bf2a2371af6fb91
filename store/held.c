/* See held.h. A hash table with chained buckets, whose number is doubled when there are more capsules than buckets.
 * If there is no memory for more buckets, the chains become longer; that is not an error. */
#include "store/held.h"

#include "base/alloc.h"

#include <stdlib.h>

static size_t bucket_of(const verso__held_table *table, const verso_capsule_name *name) {
    uint64_t mixed = (name->step * 2 + (uint64_t)name->kind) * UINT64_C(0x9E3779B97F4A7C15);
    return (size_t)(mixed >> 32) & (table->bucket_count - 1);
}

static bool same(const verso_capsule_name *a, const verso_capsule_name *b) {
    return a->kind == b->kind && a->step == b->step;
}

verso__held *verso__held_find(const verso__held_table *table, const verso_capsule_name *name) {
    if (table->bucket_count == 0)
        return NULL;
    verso__held *held = table->buckets[bucket_of(table, name)];
    while (held != NULL && !same(&held->name, name))
        held = held->next;
    return held;
}

static void link_in(verso__held_table *table, verso__held *held) {
    verso__held **bucket = &table->buckets[bucket_of(table, &held->name)];
    held->next = *bucket;
    *bucket = held;
}

/* Returns false only if there is no memory for the first buckets. */
static bool grow(verso__held_table *table) {
    verso__held_table larger = {.bucket_count = table->bucket_count > 0 ? 2 * table->bucket_count : 64,
                                .count = table->count};
    larger.buckets = verso__alloc(larger.bucket_count, sizeof(verso__held *));
    if (larger.buckets == NULL)
        return table->bucket_count > 0;
    for (size_t i = 0; i < table->bucket_count; i++)
        for (verso__held *held = table->buckets[i], *next; held != NULL; held = next) {
            next = held->next;
            link_in(&larger, held);
        }
    verso__dealloc(table->buckets);
    *table = larger;
    return true;
}

verso__held *verso__held_add(verso__held_table *table, const verso_capsule_name *name) {
    if (table->count >= table->bucket_count && !grow(table))
        return NULL;
    verso__held *held = verso__alloc(1, sizeof *held);
    if (held == NULL)
        return NULL;
    held->name = *name;
    link_in(table, held);
    table->count++;
    return held;
}

void verso__held_remove(verso__held_table *table, verso__held *held) {
    verso__held **at = &table->buckets[bucket_of(table, &held->name)];
    while (*at != held)
        at = &(*at)->next;
    *at = held->next;
    table->count--;
    verso__dealloc(held);
}

static int by_kind_and_step(const void *left, const void *right) {
    const verso_capsule_name *a = left, *b = right;
    if (a->kind != b->kind)
        return a->kind < b->kind ? -1 : 1;
    return (a->step > b->step) - (a->step < b->step);
}

verso_capsule_name *verso__held_names(const verso__held_table *table, size_t *count) {
    *count = 0;
    verso_capsule_name *names = verso__alloc(table->count, sizeof *names);
    if (names == NULL)
        return NULL;
    for (size_t i = 0; i < table->bucket_count; i++)
        for (const verso__held *held = table->buckets[i]; held != NULL; held = held->next)
            if (!held->reserved)
                names[(*count)++] = held->name;
    qsort(names, *count, sizeof *names, by_kind_and_step);
    return names;
}

void verso__held_free(verso__held_table *table) {
    for (size_t i = 0; i < table->bucket_count; i++)
        for (verso__held *held = table->buckets[i], *next; held != NULL; held = next) {
            next = held->next;
            verso__dealloc(held);
        }
    verso__dealloc(table->buckets);
    *table = (verso__held_table){0};
}
