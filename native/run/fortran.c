/* Reads descriptors of flang: which memory a call of its run-time library has written. See native/state.h; the layout
 * is that of native/lib/fortran/fortran.h. */
#include "native/state.h"

#include <stddef.h>

typedef struct descriptor {
    void *base;
    uint64_t bytes;
    int32_t version;
    uint8_t rank, code, attribute, extra;
    struct {
        int64_t lower, count, stride;
    } dim[];
} descriptor;

void *verso__native_fortran_data(const void *array) {
    return array == NULL ? NULL : ((const descriptor *)array)->base;
}

uint64_t verso__native_fortran_bytes(const void *array) {
    const descriptor *read = array;
    if (array == NULL || read->base == NULL)
        return 0;
    uint64_t bytes = read->bytes;
    for (int i = 0; i < read->rank; i++)
        bytes *= (uint64_t)read->dim[i].count;
    return bytes;
}

/* Generated code calls these like functions of the outside world that have written the memory. */
void verso__fortran_was_read(const void *array);
void verso__fortran_was_written(char *data, uint64_t bytes);

void verso__fortran_was_read(const void *array) {
    (void)array;
}

void verso__fortran_was_written(char *data, uint64_t bytes) {
    (void)data;
    (void)bytes;
}
