/* at: 0.7,-1.1,0.25,1.9
 * flags: -fno-inline
 * noise: 2e-6
 * A table of floats that is found by their bits: numbers are integers to be hashed and compared, and the hash is kept
 * beside them; a sum of the hashes of what is no input's makes a number. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { PLACES = 16 };

typedef union key {
    float number;
    uint32_t bits;
} key;

typedef struct place {
    uint32_t hash;
    key key;
    float value;
} place;

static uint32_t hash_of(const key *of) {
    uint32_t hash = of->bits * 2654435761u;
    return hash ^ hash >> 15;
}

static place *find(place *table, key what) {
    uint32_t hash = hash_of(&what), at = hash % PLACES;
    while (table[at].hash != 0 && table[at].key.bits != what.bits)
        at = (at + 1) % PLACES;
    table[at].hash = hash | 1;
    table[at].key = what;
    return &table[at];
}

static float number_of(uint32_t hash) {
    key made;
    made.bits = 0x3f800000u | hash >> 9;
    return made.number;
}

double f(const double *x, size_t n) {
    place table[PLACES] = {0};
    double sum = 0;
    for (size_t i = 0; i < 12; i++) {
        key what = {.number = (float)x[i % n] * (float)(1 + i / n)};
        find(table, what)->value += (float)(x[(i + 1) % n] * sum + 1);
        sum += (double)find(table, what)->value * (double)find(table, what)->key.number;
        key constant = {.number = (float)i + 0.5f};
        sum += (double)number_of(hash_of(&constant)) * x[0];
    }
    return sum;
}
