/* Makes journals whose records and contents are chosen by arbitrary bytes, with valid checksums, and continues runs
 * from them. For tests and for the fuzzer: does not use cmocka; a failure aborts. */
#ifndef VERSO_TESTS_MADE_JOURNAL_H
#define VERSO_TESTS_MADE_JOURNAL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Begins runs of several kinds of schedules in a temporary folder, and suspends them. made_end removes them. */
void made_begin(void);
void made_end(void);

/* Continues one of the runs from the journal that the bytes make. Returns true if it ends with the right bits, false
 * if it ends with an error that has a message. Aborts if it does neither, takes too many steps, or changes files
 * outside of the directory. */
bool made_try(const uint8_t *data, size_t size);

#endif
