/* Atomic operations on objects of any size, which compilers call for a long double. They need no locks, because
 * a differentiated program has one thread. */
#include "native/state.h"

#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void verso__lib___atomic_load(size_t size, void *from, void *to, int order) {
    (void)order;
    memcpy(to, from, size);
}

void verso__lib___atomic_store(size_t size, void *to, void *from, int order) {
    (void)order;
    memcpy(to, from, size);
}

void verso__lib___atomic_exchange(size_t size, void *object, void *value, void *old, int order) {
    (void)order;
    memcpy(old, object, size);
    memcpy(object, value, size);
}

bool verso__lib___atomic_compare_exchange(size_t size, void *object, void *expected, void *value, int success,
                                          int failure) {
    (void)success, (void)failure;
    if (memcmp(object, expected, size) == 0) {
        memcpy(object, value, size);
        return true;
    }
    memcpy(expected, object, size);
    return false;
}
