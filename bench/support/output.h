/* What every measuring program does with its results: files in a folder that is made when it is missing, and a message
 * and an end when something fails. A measuring program is the top of its own program, so it may print and exit. */
#ifndef VERSO_BENCH_OUTPUT_H
#define VERSO_BENCH_OUTPUT_H

#include <stdio.h>
#include <verso/schedule.h>

#define BENCH_PRINTF(text, first) __attribute__((format(printf, text, first)))

/* Prints the message and ends the program with status 1. */
_Noreturn void bench_fail(const char *format, ...) BENCH_PRINTF(1, 2);

/* FOLDER of `program [FOLDER]`, or out/bench. */
const char *bench_folder(int argc, char **argv);

/* A new file FOLDER/NAME. bench_close tells whether all of it was written. */
FILE *bench_create(const char *folder, const char *name);
void bench_close(FILE *file);

/* Zeroed memory, or the end. */
void *bench_alloc(size_t count, size_t size);

/* What a schedule costs, or the end. */
verso_cost bench_cost(const verso_schedule_spec *spec);

#endif
