/* Output of the measuring programs: files in a folder, which is made if it is missing, and a message and exit status
 * 1 if something fails. */
#ifndef VERSO_BENCH_OUTPUT_H
#define VERSO_BENCH_OUTPUT_H

#include "schedule/cost.h"

#include <stdio.h>
#include <verso/schedule.h>

#define BENCH_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Prints the message and ends the program with status 1. */
_Noreturn void bench_fail(const char *format, ...) BENCH_PRINTF(1, 2);

/* Returns FOLDER of `program [FOLDER]`, or out/bench. */
const char *bench_folder(int argc, char **argv);

/* Creates the file FOLDER/NAME. bench_close fails unless all of it was written. */
FILE *bench_create(const char *folder, const char *name);
void bench_close(FILE *file);

/* Returns zeroed memory; ends the program if there is none. */
void *bench_alloc(size_t count, size_t size);

/* Returns the cost of a schedule; ends the program on failure. */
verso__cost bench_cost(const verso_schedule_spec *spec);

#endif
