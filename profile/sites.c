/* See sites.h. */
#include "profile/sites.h"

#include "base/quantity.h"
#include "base/status.h"

#include <string.h>

/* ---- Reading ---- */

enum { WORDS = 4 };

typedef struct word {
    const char *text;
    size_t length;
} word;

static bool is_space(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

/* Splits a line into words and returns their number; WORDS + 1 if there are more than WORDS. */
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

static bool matches(const word *word, const char *text) {
    return is_word(word, "*") || is_word(word, text);
}

/* Returns the place as a single word: the part after the last blank ("function f" becomes "f"). */
static const char *short_place(const char *where) {
    const char *space = strrchr(where, ' ');
    return space != NULL ? space + 1 : where;
}

/* Removes "#NUMBER" from the end of a place. Returns false if there is none. */
static bool take_number(word *place, uint64_t *number) {
    size_t at = place->length;
    uint64_t unit = 1;
    *number = 0;
    while (at > 0 && place->text[at - 1] >= '0' && place->text[at - 1] <= '9' && unit < UINT64_MAX / 100) {
        *number += unit * (uint64_t)(place->text[--at] - '0');
        unit *= 10;
    }
    if (at == place->length || at == 0 || place->text[at - 1] != '#')
        return false;
    place->length = at - 1;
    return true;
}

static int shown_length(const word *word) {
    return word->length < 100 ? (int)word->length : 100;
}

static verso_status fail_unknown_call(const char *name, unsigned line, const word words[WORDS], verso_error *error) {
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "%s:%u: the program has no call of '%.*s' by '%.*s' at '%.*s'; `verso profile` writes a file "
                       "with the calls that it has",
                       name, line, shown_length(&words[2]), words[2].text, shown_length(&words[1]), words[1].text,
                       shown_length(&words[3]), words[3].text);
}

/* A text that is being read. */
typedef struct reading {
    verso_site *sites;
    size_t count;
    verso__plan *plan;
    const char *name;
    verso_error *error;
} reading;

static verso_status read_bytes(const reading *r, unsigned number, const word *text, uint64_t *bytes) {
    const char *wrong = verso__bytes_read(text->text, text->length, bytes);
    return wrong == NULL ? VERSO_STATUS_OK
                         : verso__fail(r->error, VERSO_STATUS_INVALID, "%s:%u: '%.*s' %s", r->name, number,
                                       shown_length(text), text->text, wrong);
}

/* Returns whether the line is about the plan; if so, applies it and sets *status. */
static bool read_plan(const reading *r, unsigned number, const word *words, size_t said, verso_status *status) {
    verso__plan plan = *r->plan;
    if (said == 2 && is_word(&words[0], "memory")) {
        *status = read_bytes(r, number, &words[1], &plan.memory);
    } else if (said == 4 && is_word(&words[0], "step")) {
        *status = read_bytes(r, number, &words[1], &plan.leaf);
        if (*status == VERSO_STATUS_OK)
            *status = read_bytes(r, number, &words[2], &plan.tape);
        if (*status == VERSO_STATUS_OK)
            *status = read_bytes(r, number, &words[3], &plan.capsule);
    } else {
        return false;
    }
    if (*status == VERSO_STATUS_OK)
        *r->plan = plan;
    return true;
}

static verso_status fail_fixed(const reading *r, unsigned number, const verso_site *site) {
    if (site->never)
        return verso__fail(
            r->error, VERSO_STATUS_INVALID,
            "%s:%u: calls of '%s' cannot be checkpointed: the source marks it VERSO_NOCHECKPOINT; remove "
            "the mark or this line",
            r->name, number, site->callee);
    return verso__fail(r->error, VERSO_STATUS_INVALID,
                       "%s:%u: calls of '%s' are always checkpointed: the source marks it VERSO_CHECKPOINT, or its "
                       "adjoint is in one piece; remove the mark or this line",
                       r->name, number, site->callee);
}

static verso_status read_line(const reading *r, unsigned number, const word line) {
    word words[WORDS];
    verso_site *sites = r->sites;
    const verso_site *fixed = NULL;
    size_t switched = 0, said = split(line.text, line.length, words);
    uint64_t picked;
    verso_status status = VERSO_STATUS_OK;
    if (said == 0 || read_plan(r, number, words, said, &status))
        return status;
    bool on = is_word(&words[0], "on");
    if (said != WORDS || (!on && !is_word(&words[0], "off")))
        return verso__fail(r->error, VERSO_STATUS_INVALID,
                           "%s:%u: expected `on` or `off`, a caller, a callee and a place; or `memory` or `step`, and "
                           "bytes",
                           r->name, number);
    word place = words[3];
    bool one = take_number(&place, &picked);
    for (size_t i = 0; i < r->count; i++) {
        if (matches(&words[1], sites[i].caller) && matches(&words[2], sites[i].callee) &&
            matches(&place, short_place(sites[i].where)) && (!one || sites[i].number == picked)) {
            if (on ? !sites[i].never : !sites[i].always)
                sites[i].on = on, switched++;
            else
                fixed = &sites[i];
        }
    }
    if (switched == 0 && fixed == NULL)
        return fail_unknown_call(r->name, number, words, r->error);
    return switched == 0 && !is_word(&words[2], "*") ? fail_fixed(r, number, fixed) : VERSO_STATUS_OK;
}

verso_status verso__sites_apply(verso_site *sites, size_t count, const char *name, const char *text, verso__plan *plan,
                                verso_error *error) {
    const reading r = {.sites = sites, .count = count, .plan = plan, .name = name, .error = error};
    verso_status status = VERSO_STATUS_OK;
    for (unsigned number = 1; status == VERSO_STATUS_OK && *text != '\0'; number++) {
        size_t length = strcspn(text, "\n");
        status = read_line(&r, number, (word){text, length});
        text += length + (text[length] == '\n');
    }
    return status;
}

/* ---- Writing ---- */

bool verso__site_is_one_of_several(const verso_site *sites, size_t count, size_t index) {
    const verso_site *site = &sites[index];
    for (size_t i = 0; i < count; i++)
        if (i != index && strcmp(sites[i].caller, site->caller) == 0 && strcmp(sites[i].callee, site->callee) == 0 &&
            strcmp(short_place(sites[i].where), short_place(site->where)) == 0)
            return true;
    return false;
}

void verso__sites_put(const verso_site *sites, size_t count, const verso__plan *plan, verso__text *text) {
    size_t caller = 0, callee = 0;
    for (size_t i = 0; i < count; i++) {
        caller = strlen(sites[i].caller) > caller ? strlen(sites[i].caller) : caller;
        callee = strlen(sites[i].callee) > callee ? strlen(sites[i].callee) : callee;
    }
    verso__text_string(text, "# Which calls are checkpointed: on or off, the caller, the callee, where.\n"
                             "# VERSO_SITES names this file to the program.\n");
    for (size_t i = 0; i < count; i++) {
        verso__text_print(text, "%-3s  %-*s  %-*s  %s",
                          (sites[i].on || sites[i].always) && !sites[i].never ? "on" : "off", (int)caller,
                          sites[i].caller, (int)callee, sites[i].callee, short_place(sites[i].where));
        if (verso__site_is_one_of_several(sites, count, i))
            verso__text_print(text, "#%llu", (unsigned long long)sites[i].number);
        verso__text_string(text, "\n");
    }
    if (plan->memory > 0)
        verso__text_print(text,
                          "# Within this budget in bytes (as VERSO_MEMORY), in steps of a schedule.\n"
                          "memory %llu\n",
                          (unsigned long long)plan->memory);
    if (plan->memory > 0 && plan->leaf > 0)
        verso__text_print(
            text,
            "# A step: bytes of recording with all calls off, bytes with the calls above, bytes of a capsule.\n"
            "step %llu %llu %llu\n",
            (unsigned long long)plan->leaf, (unsigned long long)plan->tape, (unsigned long long)plan->capsule);
}
