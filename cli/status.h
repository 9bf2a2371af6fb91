/* The parts of `verso status`: one function for each way to answer. */
#ifndef CLI_STATUS_H
#define CLI_STATUS_H

#include <verso/run.h>

#include <stdio.h>

/* "done", "running", "suspended" or "interrupted". */
const char *status_word(const verso_run_status *status);
void status_print_page(FILE *out, const char *directory, const verso_run_status *status);
void status_print_json(FILE *out, const char *directory, const verso_run_status *status);

#endif
