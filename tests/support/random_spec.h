/* Random specs of every kind, for property tests and fuzzers: tiny sizes often, edge values often (no slots, one slot,
 * more slots than steps, distances beyond the end, costs of zero, tiers without room or without limit), and now and
 * then a request that is impossible.
 *
 * Choices come from a generator, or from a fuzzer's bytes, so that both meet the same specs. */
#ifndef VERSO_TESTS_RANDOM_SPEC_H
#define VERSO_TESTS_RANDOM_SPEC_H

#include <verso/schedule.h>

typedef struct random_source {
    uint64_t state;             /* of the generator */
    const unsigned char *bytes; /* NULL: the generator chooses; else these do, and zeros once they are used up */
    size_t left;
} random_source;

/* The seed of this run: VERSO_SEED, or else always the same. Says on standard output which it is. */
uint64_t random_seed(void);
random_source random_from_seed(uint64_t seed);
random_source random_from_bytes(const unsigned char *bytes, size_t size);

/* 0 … limit - 1; 0 for limit 0. */
uint64_t random_below(random_source *source, uint64_t limit);

/* A spec of the kind with at most `most_steps` steps, all fields that the kind reads chosen. */
verso_schedule_spec random_spec(random_source *source, verso_schedule_kind kind, uint64_t most_steps);

/* All fields, on standard error, as a C initialiser. */
void random_spec_print(const verso_schedule_spec *spec);

/* In cmocka tests: unless the condition holds, prints the spec and fails. */
#define REQUIRE_OF(spec, condition) \
    do { \
        if (!(condition)) { \
            random_spec_print(spec); \
            print_error("does not hold: %s\n", #condition); \
            _fail(__FILE__, __LINE__); \
        } \
    } while (0)

#endif
