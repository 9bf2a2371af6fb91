/* Finds the word that the user probably meant when the typed word is unknown: call verso__suggest_begin, then
 * verso__suggest_word for each known word, then read `best`. */
#ifndef VERSO_BASE_SUGGEST_H
#define VERSO_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

typedef struct verso__suggestion {
    const char *typed;
    size_t length;
    size_t distance;   /* edit distance of the best word so far */
    bool begins_alike; /* the best word begins with the typed letter */
    const char *best;  /* the closest word; NULL if none is close enough to be suggested */
} verso__suggestion;

void verso__suggest_begin(verso__suggestion *suggestion, const char *typed, size_t length);
void verso__suggest_word(verso__suggestion *suggestion, const char *word);

#endif
