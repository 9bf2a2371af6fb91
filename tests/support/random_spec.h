/* Random specs of every kind, for property tests and fuzzers: often with small sizes and extreme values (no slots,
 * one slot, more slots than steps, distances beyond the end, zero costs, tiers with no slots or unlimited ones), and
 * sometimes impossible.
 *
 * Choices come from a pseudo-random generator or from a fuzzer's bytes, so that both make the same kinds of specs. */
#ifndef VERSO_TESTS_RANDOM_SPEC_H
#define VERSO_TESTS_RANDOM_SPEC_H

#include <verso/schedule.h>

typedef struct random_source {
    uint64_t state;             /* state of the generator */
    const unsigned char *bytes; /* the next bytes to choose by, then zeros; NULL: the generator chooses */
    size_t left;                /* number of bytes left */
} random_source;

/* Returns the seed of this run: VERSO_SEED of the environment, or a fixed one. Prints it to standard output. */
uint64_t random_seed(void);
random_source random_from_seed(uint64_t seed);
random_source random_from_bytes(const unsigned char *bytes, size_t size);

/* Returns a number from 0 to limit - 1; 0 if limit is 0. */
uint64_t random_below(random_source *source, uint64_t limit);

/* Returns a spec of the kind with at most `most_steps` steps; all fields that the kind reads are random. */
verso_schedule_spec random_spec(random_source *source, verso_schedule_kind kind, uint64_t most_steps);

/* Prints all fields to standard error as a C initialiser. */
void random_spec_print(const verso_schedule_spec *spec);

/* For cmocka tests: prints the spec and fails unless the condition is true. */
#define REQUIRE_OF(spec, condition) \
    do { \
        if (!(condition)) { \
            random_spec_print(spec); \
            print_error("does not hold: %s\n", #condition); \
            _fail(__FILE__, __LINE__); \
        } \
    } while (0)

#endif
