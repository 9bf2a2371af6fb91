/* at: 0.7,1.1
 * refused: run
 * flags: -fno-inline
 * message: packed_struct\.c:(1[0-9]|2[0-9])
 * Numbers at odd addresses: they have no place for a derivative. */
#include <stddef.h>

#pragma pack(push, 1)
typedef struct record {
    char kind;
    double value;
} record;
#pragma pack(pop)

static void fill(record *records, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        records[i] = (record){'a', x[i] * x[i]};
}

double f(const double *x, size_t n) {
    record records[2];
    fill(records, x, n);
    return records[0].value * records[1].value;
}
