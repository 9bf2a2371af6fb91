/* See suggest.h. Suggests the word with the least edit distance, if at most about a third of the letters are
 * wrong.
 *
 * The distance counts insertions, deletions, replacements and swaps of neighbouring letters, the usual typing
 * errors. Of two words at the same distance, the one with the typed first letter is preferred, because the
 * first letter is seldom wrong. */
#include "base/suggest.h"

#include <stdbool.h>
#include <string.h>

enum { LETTERS_MAX = 32 }; /* longer than any known word */

static size_t least(size_t a, size_t b) {
    return a < b ? a : b;
}

static size_t edit_distance(const char *a, size_t a_length, const char *b, size_t b_length) {
    size_t rows[3][LETTERS_MAX + 1]; /* the last three rows of the table, used in rotation */
    for (size_t j = 0; j <= b_length; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_length; i++) {
        size_t *row = rows[i % 3], *above = rows[(i + 2) % 3], *second = rows[(i + 1) % 3];
        row[0] = i;
        for (size_t j = 1; j <= b_length; j++) {
            row[j] = least(least(above[j], row[j - 1]) + 1, above[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], second[j - 2] + 1);
        }
    }
    return rows[a_length % 3][b_length];
}

void verso__suggest_begin(verso__suggestion *suggestion, const char *typed, size_t length) {
    *suggestion =
        (verso__suggestion){.typed = typed, .length = length, .distance = length / 3 + 2, .begins_alike = true};
}

void verso__suggest_word(verso__suggestion *suggestion, const char *word) {
    size_t length = strlen(word);
    if (length > LETTERS_MAX || suggestion->length > LETTERS_MAX)
        return;
    size_t distance = edit_distance(suggestion->typed, suggestion->length, word, length);
    bool begins_alike = suggestion->length > 0 && suggestion->typed[0] == word[0];
    if (distance < suggestion->distance ||
        (distance == suggestion->distance && begins_alike && !suggestion->begins_alike)) {
        suggestion->distance = distance;
        suggestion->begins_alike = begins_alike;
        suggestion->best = word;
    }
}
