/* What libatomic and OpenMP's run time have, for one thread. */
#include <stdbool.h>
#include <stddef.h>
#include <string.h>

void load(size_t size, void *from, void *to, int order) __asm__("__atomic_load");
void store(size_t size, void *to, void *from, int order) __asm__("__atomic_store");
bool compare_exchange(size_t size, void *object, void *expected, void *value, int success,
                      int failure) __asm__("__atomic_compare_exchange");
void flush(void *place) __asm__("__kmpc_flush");

void load(size_t size, void *from, void *to, int order) {
    (void)order;
    memcpy(to, from, size);
}

void store(size_t size, void *to, void *from, int order) {
    (void)order;
    memcpy(to, from, size);
}

bool compare_exchange(size_t size, void *object, void *expected, void *value, int success, int failure) {
    (void)success, (void)failure;
    bool equal = memcmp(object, expected, size) == 0;
    memcpy(equal ? object : expected, equal ? value : object, size);
    return equal;
}

void flush(void *place) {
    (void)place;
}
