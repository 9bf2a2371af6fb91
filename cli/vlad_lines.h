/* Reads the lines that a user types: on a terminal with editing and history (libedit), else plainly. */
#ifndef CLI_VLAD_LINES_H
#define CLI_VLAD_LINES_H

#include <signal.h>
#include <stddef.h>

typedef struct cli_lines cli_lines;

typedef enum cli_line_outcome {
    CLI_LINE_READ,    /* a line was read */
    CLI_LINE_DROPPED, /* the user typed Ctrl-C; the line is discarded */
    CLI_LINES_ENDED,  /* the user typed Ctrl-D, or the input ended */
} cli_line_outcome;

/* Begins to read standard input; only one cli_lines may exist at a time. From now on Ctrl-C does not end the process.
 * Returns NULL if memory is exhausted or the terminal cannot be used. */
cli_lines *cli_lines_open(const char *program);
/* Saves the history and frees `lines`. */
void cli_lines_close(cli_lines *lines);
/* Reads a line. *line ends with a newline, and is valid until the next call. */
cli_line_outcome cli_lines_next(cli_lines *lines, const char *prompt, const char **line);

/* Sets the words that Tab completes: `word` returns word number `index` of them, and NULL after the last one. */
typedef const char *cli_lines_word(const void *context, size_t index);
void cli_lines_complete(cli_lines *lines, cli_lines_word *word, const void *context);

/* Not 0 if the user typed Ctrl-C. Code that reacts to it calls cli_lines_clear_interrupt, which resets it. */
extern volatile sig_atomic_t cli_lines_interrupt;
void cli_lines_clear_interrupt(void);

#endif
