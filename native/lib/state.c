/* Functions of the C library that keep state between calls. The state is in variables here, which belong to the
 * program: so it is part of capsules, and a run that is put back finds it as it was. All code of the program
 * calls these functions, differentiated or not, so that there is one state (cc/lower/library.c). */
#define _GNU_SOURCE
#include "native/state.h"

#include <errno.h>
#include <search.h>
#include <stdlib.h>
#include <string.h>

/* ---- Words ---- */

char *verso__lib_strtok(char *text, const char *separators) {
    static char *rest;
    char *word = text != NULL ? text : rest;
    if (word == NULL)
        return NULL;
    word += strspn(word, separators);
    rest = word + strcspn(word, separators);
    if (*word == '\0')
        return NULL;
    if (*rest != '\0')
        *rest++ = '\0';
    return word;
}

/* ---- A table by names ---- */

static struct {
    ENTRY *entries;
    size_t room, count;
} table;

int verso__lib_hcreate(size_t most) {
    if (table.entries != NULL || most > SIZE_MAX / 2 - 4)
        return 0;
    size_t room = most + most / 2 + 3; /* with free entries, so that a search ends */
    table.entries = verso__native_calloc(room, sizeof *table.entries);
    table.room = table.entries != NULL ? room : 0;
    table.count = 0;
    if (table.entries == NULL)
        errno = ENOMEM;
    return table.entries != NULL;
}

void verso__lib_hdestroy(void) {
    verso__native_free(table.entries);
    table.entries = NULL;
    table.room = table.count = 0;
}

static ENTRY *place_of(const char *key) {
    uint64_t hash = 14695981039346656037u; /* FNV-1a */
    for (const char *letter = key; *letter != '\0'; letter++)
        hash = (hash ^ (unsigned char)*letter) * 1099511628211u;
    size_t at = hash % table.room;
    while (table.entries[at].key != NULL && strcmp(table.entries[at].key, key) != 0)
        at = (at + 1) % table.room;
    return &table.entries[at];
}

ENTRY *verso__lib_hsearch(ENTRY item, ACTION action) {
    ENTRY *place = table.entries != NULL ? place_of(item.key) : NULL;
    if (place != NULL && place->key != NULL)
        return place;
    if (action == FIND || place == NULL || table.count + 1 == table.room) {
        errno = action == FIND ? ESRCH : ENOMEM;
        return NULL;
    }
    *place = item;
    table.count++;
    return place;
}

/* ---- Digits ---- */

char *verso__lib_l64a(long number) {
    static const char letters[] = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz";
    static char digits[8];
    uint32_t left = (uint32_t)number;
    size_t count = 0;
    for (; left != 0; left >>= 6)
        digits[count++] = letters[left & 63];
    digits[count] = '\0';
    return digits;
}
