/* See chance.h. The generator is splitmix64. */
#include "chance.h"

#include <stdio.h>
#include <stdlib.h>

chance chance_start(const char *name) {
    const char *wanted = getenv("VERSO_SEED");
    chance dice = {wanted != NULL ? strtoull(wanted, NULL, 0) : 20240229};
    printf("%s: VERSO_SEED=%llu\n", name, (unsigned long long)dice.state);
    return dice;
}

uint64_t chance_next(chance *dice) {
    uint64_t x = dice->state += 0x9e3779b97f4a7c15u;
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9u;
    x = (x ^ x >> 27) * 0x94d049bb133111ebu;
    return x ^ x >> 31;
}

uint64_t chance_between(chance *dice, uint64_t low, uint64_t high) {
    return low + chance_next(dice) % (high - low + 1);
}

bool chance_one_in(chance *dice, uint64_t n) {
    return chance_next(dice) % n == 0;
}

uint64_t chance_cost(chance *dice, uint64_t most) {
    if (chance_one_in(dice, 5))
        return 0;
    uint64_t small = 1;
    while ((small + 1) * (small + 1) <= most)
        small++;
    return chance_between(dice, 1, chance_one_in(dice, 2) ? small : most);
}
