/* The public side of checkpointed calls: which there are, switching them, and the text that says which are on
 * (verso.sites). See verso/native.h; callsites.c does the work.
 *
 *     # a line for each call: on or off, the caller, the callee, where
 *     on  step    solve   ice.c:120
 *     off solve   matvec  ice.c:88
 *     off *       norm    *
 *
 * `*` stands for anything, so the last line is about all calls of `norm`. Lines count from the first to the last. A
 * line that is about no call at all is an error: the program is another one than the text was made for. */
#define _GNU_SOURCE /* strverscmp */
#include "native/native.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/text.h"

#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

static int compare_sites(const void *a, const void *b) {
    const verso_native_callsite *one = *(verso_native_callsite *const *)a, *other = *(verso_native_callsite *const *)b;
    int order = strverscmp(one->where, other->where);
    if (order == 0)
        order = strcmp(one->caller, other->caller);
    return order != 0 ? order : (one->number > other->number) - (one->number < other->number);
}

/* Made when somebody asks first. NULL: there is no memory, or there are none. */
static verso_native_callsite **sorted(void) {
    size_t count;
    verso_native_callsite *sites = verso_native_callsites(&count), **list = verso_native_runtime.sites;
    if (list != NULL || count == 0)
        return list;
    list = verso_alloc(count, sizeof(verso_native_callsite *));
    if (list == NULL)
        return NULL;
    for (size_t i = 0; i < count; i++)
        list[i] = &sites[i];
    qsort(list, count, sizeof(verso_native_callsite *), compare_sites);
    return verso_native_runtime.sites = list;
}

size_t verso_site_count(void) {
    size_t count;
    verso_native_callsites(&count);
    return sorted() != NULL ? count : 0;
}

static void turn(verso_native_callsite *site, bool on) {
    if (site->on != VERSO_NATIVE_SITE_ALWAYS)
        site->on = on;
}

verso_site verso_site_get(size_t index) {
    const verso_native_callsite *site = sorted()[index];
    return (verso_site){site->caller, site->callee,  site->where,
                        site->number, site->on != 0, site->on == VERSO_NATIVE_SITE_ALWAYS};
}

void verso_site_set(size_t index, bool on) {
    turn(sorted()[index], on);
}

uint32_t verso_native_site_number(size_t index) {
    size_t count;
    return (uint32_t)(sorted()[index] - verso_native_callsites(&count));
}

/* ---- Text ---- */

enum { WORDS = 4 };

typedef struct word {
    const char *text;
    size_t length;
} word;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* The words of a line, and how many there are: one more than WORDS when there are too many. */
static size_t split(const char *line, size_t length, word words[WORDS]) {
    size_t count = 0, at = 0;
    for (;;) {
        while (at < length && is_space(line[at]))
            at++;
        if (at == length || line[at] == '#')
            return count;
        size_t begin = at;
        while (at < length && !is_space(line[at]))
            at++;
        if (count == WORDS)
            return WORDS + 1;
        words[count++] = (word){line + begin, at - begin};
    }
}

static bool is_word(const word *word, const char *text) {
    return strlen(text) == word->length && memcmp(word->text, text, word->length) == 0;
}

static bool fits(const word *word, const char *text) {
    return is_word(word, "*") || is_word(word, text);
}

/* A place may have spaces in it ("function f"), which a word has not. */
static bool fits_where(const word *word, const char *where) {
    const char *space = strrchr(where, ' ');
    return fits(word, space != NULL ? space + 1 : where);
}

static int shown(const word *word) {
    return word->length < 100 ? (int)word->length : 100;
}

static verso_status read_line(const char *name, unsigned number, const char *line, size_t length, verso_error *error) {
    word words[WORDS];
    size_t count = split(line, length, words), found = 0, sites = verso_site_count();
    if (count == 0)
        return VERSO_OK;
    bool on = is_word(&words[0], "on");
    if (count != WORDS || (!on && !is_word(&words[0], "off")))
        return verso_fail(error, VERSO_INVALID, "%s:%u: expected `on` or `off`, a caller, a callee and a place.", name,
                          number);
    for (size_t i = 0; i < sites; i++) {
        verso_native_callsite *site = sorted()[i];
        if (fits(&words[1], site->caller) && fits(&words[2], site->callee) && fits_where(&words[3], site->where)) {
            turn(site, on);
            found++;
        }
    }
    if (found == 0)
        return verso_fail(
            error, VERSO_INVALID,
            "%s:%u: the program has no call of '%.*s' by '%.*s' at '%.*s'; verso_site_get tells those that "
            "it has.",
            name, number, shown(&words[2]), words[2].text, shown(&words[1]), words[1].text, shown(&words[3]),
            words[3].text);
    return VERSO_OK;
}

verso_status verso_sites_switch(const char *name, const char *text, verso_error *error) {
    verso_status status = VERSO_OK;
    for (unsigned number = 1; status == VERSO_OK && *text != '\0'; number++) {
        size_t length = strcspn(text, "\n");
        status = read_line(name, number, text, length, error);
        text += length + (text[length] == '\n');
    }
    return status;
}

/* ---- Files ---- */

static verso_status read_all(verso_file *file, char **text, verso_error *error) {
    uint64_t size;
    size_t got;
    verso_status status = verso_file_size(file, &size, error);
    if (status != VERSO_OK)
        return status;
    *text = verso_alloc(size + 1, 1);
    if (*text == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for the %llu bytes of %s.", (unsigned long long)size,
                          file->path);
    return verso_file_read(file, *text, size, &got, error);
}

verso_status verso_sites_read(const char *path, verso_error *error) {
    verso_file file;
    char *text = NULL;
    verso_status status = verso_file_open(&verso_system_machine, path, O_RDONLY, &file, error);
    if (status != VERSO_OK)
        return status;
    status = read_all(&file, &text, error);
    (void)verso_file_close(&file, NULL);
    if (status == VERSO_OK)
        status = verso_sites_switch(path, text, error);
    verso_dealloc(text);
    return status;
}
