/* The C library's generators of random numbers: rand and random have one state, drand48 and its kin another. See
 * native.h.
 *
 * A run may draw more numbers than fit into a log, so a capsule holds the generators' states instead. They are read and
 * set by what POSIX has for that: setstate, which leaves the generator's place in the array that it gives up (glibc's
 * first word says how many there are in all), and nrand48, seed48 and lcong48. That takes a while, and most programs
 * have no use for it: so from the first call on that concerns a generator, a capsule holds its state; those that are
 * older mean the one that it had then.
 *
 * The array may lie in the program's memory, and setstate writes to it: before memory is put back the generator leaves
 * it for one of ours. A program that gives random an array of its own leaves the C library's, and may come back to it:
 * that one, which it had first, is held besides. */
#include "native/native.h"

#include <stdlib.h>
#include <string.h>

/* One number, the simplest kind: what the generator uses while it must not use the program's. */
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

static void take_words(verso_native_generators *to) {
    to->array = setstate((char *)resting);
    copy_words(to->words, to->array);
    setstate(to->array);
    copy_words(to->home, verso_native_runtime.generators.taken ? verso_native_runtime.generators.array : to->array);
}

static void put_words(const verso_native_generators *from) {
    copy_words(verso_native_runtime.generators.array, from->home);
    copy_words(from->array, from->words);
    setstate(from->array);
}

/* x' = a x + c modulo 2^48; c has 16 bits. */
static void take_rand48(verso_native_generators *to) {
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

void verso_native_generators_forget(void) {
    memset(&verso_native_runtime.generators, 0, sizeof verso_native_runtime.generators);
}

void verso_native_world_random(void) {
    if (verso_native_runtime.generators.taken)
        return;
    take_words(&verso_native_runtime.generators);
    take_rand48(&verso_native_runtime.generators);
    verso_native_runtime.generators.taken = 1;
}

void verso_native_generators_take(verso_native_generators *to) {
    to->taken = verso_native_runtime.generators.taken;
    if (!to->taken)
        return;
    take_words(to);
    take_rand48(to);
}

void verso_native_generators_leave(const verso_native_generators *next) {
    if (next->taken)
        verso_native_world_random();
    if (verso_native_runtime.generators.taken)
        setstate((char *)resting);
}

void verso_native_generators_put(const verso_native_generators *from) {
    if (!verso_native_runtime.generators.taken)
        return;
    if (!from->taken)
        from = &verso_native_runtime.generators;
    uint16_t parameters[7];
    memcpy(parameters, from->rand48, sizeof parameters);
    put_words(from);
    lcong48(parameters);
}
