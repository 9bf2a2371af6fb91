/* The C library's random number generators: rand and random share one state, drand48 and its relatives another.
 * See run.h.
 *
 * A run may draw more numbers than fit into a log, so a capsule holds the generators' states instead. They are
 * read and set by POSIX functions: setstate, which leaves the generator's position in the array that it gives
 * up (glibc's first word says how large the array is), and nrand48, seed48 and lcong48. That takes a while, and
 * most programs do not need it. So capsules hold a generator's state only from its first use on; older capsules
 * mean the state that it had then.
 *
 * The array of random() may be in the program's memory, and setstate writes to it: before memory is put back,
 * the generator is moved to an array of Verso's own. A program that gives random() an array of its own leaves
 * the C library's array, and may return to it: so capsules hold the array that it had first, too. */
#include "native/run/run.h"

#include <stdlib.h>
#include <string.h>

static verso__native_generators generators_first; /* the states when a generator was first used */

/* The smallest state of random(), which it uses while it must not use the program's. */
static uint32_t resting[2];

static size_t words_of(const void *array) {
    static const size_t words[] = {2, 8, 16, 32, 64};
    uint32_t first;
    memcpy(&first, array, sizeof first);
    return words[first % 5];
}

static void copy_words(void *to, const void *from) {
    memcpy(to, from, words_of(from) * sizeof(uint32_t));
}

static void take_words(verso__native_generators *to) {
    to->array = setstate((char *)resting);
    copy_words(to->words, to->array);
    setstate(to->array);
    copy_words(to->home, generators_first.taken ? generators_first.array : to->array);
}

static void put_words(const verso__native_generators *from) {
    copy_words(generators_first.array, from->home);
    copy_words(from->array, from->words);
    setstate(from->array);
}

/* x' = a x + c modulo 2^48; c has 16 bits. */
static void take_rand48(verso__native_generators *to) {
    uint16_t constant[3] = {0}, sum[3] = {1}, nothing[3] = {0};
    nrand48(constant);
    nrand48(sum);
    uint64_t factor = (sum[0] | (uint64_t)sum[1] << 16 | (uint64_t)sum[2] << 32) - constant[0];
    memcpy(to->rand48, seed48(nothing), 3 * sizeof *to->rand48);
    for (int i = 0; i < 3; i++)
        to->rand48[3 + i] = (uint16_t)(factor >> 16 * i);
    to->rand48[6] = constant[0];
    lcong48(to->rand48);
}

void verso__native_generators_forget(void) {
    memset(&generators_first, 0, sizeof generators_first);
}

void verso__native_world_random(void) {
    if (generators_first.taken)
        return;
    take_words(&generators_first);
    take_rand48(&generators_first);
    generators_first.taken = 1;
}

void verso__native_generators_take(verso__native_generators *to) {
    to->taken = generators_first.taken;
    if (!to->taken)
        return;
    take_words(to);
    take_rand48(to);
}

void verso__native_generators_leave(const verso__native_generators *next) {
    if (next->taken)
        verso__native_world_random();
    if (generators_first.taken)
        setstate((char *)resting);
}

void verso__native_generators_put(const verso__native_generators *from) {
    if (!generators_first.taken)
        return;
    if (!from->taken)
        from = &generators_first;
    uint16_t parameters[7];
    memcpy(parameters, from->rand48, sizeof parameters);
    put_words(from);
    lcong48(parameters);
}

const verso__native_generators *verso__native_generators_first(void) {
    return &generators_first;
}
