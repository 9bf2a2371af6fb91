/* The parts of `verso status`: one function for each form of output. */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include <verso/run.h>

#include <stdio.h>

/* Returns "done", "running", "suspended" or "interrupted". */
const char *status_word(const verso_run_status *status);
/* Print the status for reading, and as JSON. */
void status_print_page(FILE *out, const char *directory, const verso_run_status *status);
void status_print_json(FILE *out, const char *directory, const verso_run_status *status);

/* Returns true if the directory is that of `verso vlad --run`, which contains one run per derivative. */
bool status_is_vlad(const char *directory);
/* Prints the status of all runs in such a directory. */
void status_print_vlad(FILE *out, const char *directory, bool json);

#endif
