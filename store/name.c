/* See name.h. */
#include "store/name.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const char *const words[] = {
#define WORD(name, word, meaning) word,
    VERSO_CAPSULE_LIST(WORD)
#undef WORD
};

bool verso__capsule_known(verso_capsule_kind kind) {
    return (unsigned)kind < VERSO_CAPSULE_KINDS;
}

const char *verso__capsule_word(verso_capsule_kind kind) {
    return verso__capsule_known(kind) ? words[kind] : "capsule";
}

void verso__file_name_write(const char *prefix, verso_capsule_kind kind, uint64_t step, char *text) {
    (void)snprintf(text, VERSO_FILE_NAME_MAX, "%s%s-%020" PRIu64, prefix, verso__capsule_word(kind), step);
}

/* Checks a name by writing it again and comparing: only exact names of capsule files are accepted. */
bool verso__file_name_read(const char *text, verso_capsule_name *name) {
    const char *digits = strrchr(text, '-');
    if (digits == NULL)
        return false;
    uint64_t step = 0;
    for (const char *at = digits + 1; *at >= '0' && *at <= '9'; at++)
        step = 10 * step + (uint64_t)(*at - '0');
    for (int kind = 0; kind < VERSO_CAPSULE_KINDS; kind++) {
        char again[VERSO_FILE_NAME_MAX];
        verso__file_name_write("", (verso_capsule_kind)kind, step, again);
        if (strcmp(text, again) == 0) {
            *name = (verso_capsule_name){.kind = (verso_capsule_kind)kind, .step = step};
            return true;
        }
    }
    return false;
}
