/* Finds the memory of the program that pointers lead to. See run.h.
 *
 * A pointer into the heap leads to the whole block that it points into, a pointer into a variable to that
 * variable. The extent of a variable on a stack is known only if the compiler knew it; otherwise a fixed number
 * of bytes from the pointer on counts. An object that contains the address of another object leads there, too.
 * Every word that looks like an address is treated as one: at worst, too much memory is compared. Memory of
 * libraries is not followed. */
#include "native/run/inside.h"

#include "base/alloc.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Bytes of a stack from a pointer on that count as its object; those of them that are searched for pointers;
 * maximum number of objects of one call. */
enum { STACK_REACH = 64 << 10, STACK_SCANNED = 512, OBJECTS_MOST = 1 << 22 };

_Noreturn static void no_memory(void) {
    verso__native_give_up(VERSO_STATUS_NO_MEMORY, "%s: no memory to determine what it changes",
                          verso__native_world_now.call->where);
}

bool verso__native_is_variable(const void *address) {
    return verso__native_variable_at(address).begin != NULL;
}

/* ---- The set ---- */

void verso__native_objects_begin(verso__native_objects *objects) {
    if (objects->count > 0)
        memset(objects->table, 0, objects->table_room * sizeof *objects->table);
    objects->count = objects->followed = objects->bytes = 0;
    objects->calls = false;
    objects->stack = objects->caller = (verso__native_range){NULL, NULL};
}

void verso__native_objects_free(verso__native_objects *objects) {
    verso__dealloc(objects->list);
    verso__dealloc(objects->table);
    *objects = (verso__native_objects){0};
}

/* Returns the entry of the hash table for the object at `begin`, which may be empty. */
static uint32_t *place_of(const verso__native_objects *objects, const char *begin) {
    size_t at = (size_t)(((uintptr_t)begin >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20) & (objects->table_room - 1);
    while (objects->table[at] != 0 && objects->list[objects->table[at] - 1].begin != begin)
        at = (at + 1) & (objects->table_room - 1);
    return &objects->table[at];
}

static void grow(verso__native_objects *objects) {
    size_t room = objects->room > 0 ? 2 * objects->room : 32;
    verso__native_object *list = room <= OBJECTS_MOST ? verso__realloc(objects->list, room, sizeof *list) : NULL;
    uint32_t *table = list == NULL ? NULL : verso__alloc(2 * room, sizeof *table);
    if (list != NULL)
        objects->list = list;
    if (table == NULL)
        no_memory();
    verso__dealloc(objects->table);
    objects->room = room;
    objects->table = table;
    objects->table_room = 2 * room;
    for (size_t i = 0; i < objects->count; i++)
        *place_of(objects, objects->list[i].begin) = (uint32_t)(i + 1);
}

void verso__native_objects_add_range(verso__native_objects *objects, char *begin, char *end) {
    if (begin >= end)
        return;
    if (objects->count == objects->room)
        grow(objects);
    uint32_t *place = place_of(objects, begin);
    if (*place != 0) {
        verso__native_object *there = &objects->list[*place - 1];
        if (there->end < end)
            there->end = end;
        return;
    }
    objects->list[objects->count++] = (verso__native_object){.begin = begin, .end = end};
    *place = (uint32_t)objects->count;
}

/* ---- Pointers ---- */

static bool is_within(const char *address, verso__native_range range) {
    return address >= range.begin && address < range.end;
}

static void scan(verso__native_objects *objects, const char *begin, const char *end);

/* Extends the part of a stack that counts as an object. */
static void add_stack(verso__native_objects *objects, verso__native_range *part, char *address, char *top) {
    address -= (uintptr_t)address % sizeof(void *);
    char *end = top - address > STACK_REACH ? address + STACK_REACH : top;
    if (is_within(address, *part) && end <= part->end)
        return;
    if (part->end == NULL)
        *part = (verso__native_range){address, end};
    part->begin = address < part->begin ? address : part->begin;
    part->end = end > part->end ? end : part->end;
    scan(objects, address, end - address > STACK_SCANNED ? address + STACK_SCANNED : end);
}

static bool add_region(verso__native_objects *objects, char *address, const verso_array *regions, size_t count) {
    for (size_t i = 0; i < count; i++) {
        char *data = regions[i].data;
        verso__native_range all = {data, data + regions[i].count * verso__native_scalar_size(regions[i].type)};
        if (is_within(address, all)) {
            verso__native_objects_add_range(objects, all.begin, all.end);
            return true;
        }
    }
    return false;
}

static void add_variables(verso__native_objects *objects) {
    size_t count;
    const verso__native_range *variables = verso__native_variables(&count);
    for (size_t i = 0; i < count; i++)
        verso__native_objects_add_range(objects, variables[i].begin, variables[i].end);
}

/* A function that can call the program may change all its variables. */
static void add_function(verso__native_objects *objects) {
    if (objects->calls)
        return;
    objects->calls = true;
    add_variables(objects);
}

/* Excludes the frames of Verso's own functions, which change. */
static verso__native_range stack_in_use(void) {
    return (verso__native_range){__builtin_frame_address(0), verso__native_stack_top()};
}

void verso__native_objects_add(verso__native_objects *objects, char *pointer) {
    const verso__native_job *job = verso__native_job_now();
    verso__native_range found = {NULL, NULL}, stack = stack_in_use(), caller = verso__native_caller();
    if ((uintptr_t)pointer - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE)
        found = verso__native_arena_block(pointer);
    else if (is_within(pointer, stack))
        add_stack(objects, &objects->stack, pointer, stack.end);
    else if (is_within(pointer, verso__native_program_code()))
        add_function(objects);
    else if (is_within(pointer, verso__native_program()))
        found = verso__native_variable_at(pointer);
    else if (add_region(objects, pointer, job->wrt, job->wrt_count) ||
             add_region(objects, pointer, job->of, job->of_count))
        return;
    else if (is_within(pointer, caller))
        add_stack(objects, &objects->caller, pointer, caller.end);
    verso__native_objects_add_range(objects, found.begin, found.end);
}

/* Most words are not addresses, so the first test is cheap. */
static void scan(verso__native_objects *objects, const char *begin, const char *end) {
    begin += -(uintptr_t)begin % sizeof(char *);
    for (; end - begin >= (ptrdiff_t)sizeof(char *); begin += sizeof(char *)) {
        char *word;
        memcpy(&word, begin, sizeof word);
        if ((uintptr_t)word >> 44 == VERSO_NATIVE_ARENA_AT >> 44 || (uintptr_t)word >> 44 == 0x5 ||
            (uintptr_t)word >> 44 == 0x7)
            verso__native_objects_add(objects, word);
    }
}

void verso__native_objects_follow(verso__native_objects *objects) {
    int before = errno;
    for (; objects->followed < objects->count; objects->followed++)
        scan(objects, objects->list[objects->followed].begin, objects->list[objects->followed].end);
    verso__native_objects_add_range(objects, objects->stack.begin, objects->stack.end);
    verso__native_objects_add_range(objects, objects->caller.begin, objects->caller.end);
    objects->followed = objects->count;
    errno = before;
}
