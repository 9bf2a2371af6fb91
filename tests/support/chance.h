/* Random numbers that can be had again: a test prints its seed, and VERSO_SEED in the environment replaces it. */
#ifndef VERSO_TESTS_CHANCE_H
#define VERSO_TESTS_CHANCE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

typedef struct chance {
    uint64_t state;
} chance;

/* Prints "NAME: VERSO_SEED=…". Without that variable the seed is always the same. */
chance chance_start(const char *name);
uint64_t chance_next(chance *dice);                                 /* any number of 64 bits */
uint64_t chance_between(chance *dice, uint64_t low, uint64_t high); /* low <= … <= high */
bool chance_one_in(chance *dice, uint64_t n);
/* A cost: 0 one time in five, else up to `most`, as often below the square root of it as above. */
uint64_t chance_cost(chance *dice, uint64_t most);

#endif
