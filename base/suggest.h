/* Finds the word that was probably meant. */
#ifndef VERSO_BASE_SUGGEST_H
#define VERSO_BASE_SUGGEST_H

#include <stddef.h>

typedef struct verso_suggestion {
    const char *typed;
    size_t length;
    size_t distance;  /* of the best word so far */
    const char *best; /* NULL: nothing that is near enough to be offered */
} verso_suggestion;

void verso_suggest_begin(verso_suggestion *suggestion, const char *typed, size_t length);
void verso_suggest_word(verso_suggestion *suggestion, const char *word);

#endif
