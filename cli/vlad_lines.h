/* Lines that a person types: with editing and history on a terminal (libedit), plainly otherwise. */
#ifndef CLI_VLAD_LINES_H
#define CLI_VLAD_LINES_H

#include <signal.h>

typedef struct cli_lines cli_lines;

typedef enum cli_line_outcome {
    CLI_LINE_READ,
    CLI_LINE_DROPPED, /* Ctrl-C */
    CLI_LINES_ENDED,  /* Ctrl-D, or the end of the input */
} cli_line_outcome;

/* From the standard input, of which there is one: so there is one at a time. Ctrl-C does not end the process from now
 * on. NULL: there is no memory, or the terminal is not one that can be used. */
cli_lines *cli_lines_open(const char *program);
/* Saves the history. */
void cli_lines_close(cli_lines *lines);
/* *line ends with a newline, and is good until the next one. */
cli_line_outcome cli_lines_next(cli_lines *lines, const char *prompt, const char **line);

/* Not 0: Ctrl-C was typed. Whoever has noticed says so. */
extern volatile sig_atomic_t cli_lines_interrupt;
void cli_lines_noticed(void);

#endif
