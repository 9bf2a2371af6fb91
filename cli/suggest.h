/* Finds the word that was probably meant. */
#ifndef CLI_SUGGEST_H
#define CLI_SUGGEST_H

#include <stddef.h>

typedef struct cli_suggestion {
    const char *typed;
    size_t length;
    size_t distance;  /* of the best word so far */
    const char *best; /* NULL: nothing that is near enough to be offered */
} cli_suggestion;

void cli_suggest_begin(cli_suggestion *suggestion, const char *typed, size_t length);
void cli_suggest_word(cli_suggestion *suggestion, const char *word);

#endif
