/* at: 0.7,1.3,-0.4,2.1
 * Inputs that are read as bytes, and as words, and become numbers again; integers beside them. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

typedef struct record {
    uint16_t kind;
    uint8_t flags[6];
    double value;
} record;

__attribute__((noinline)) static double from_words(const uint64_t *words, size_t i) {
    double number;
    uint64_t word;
    memcpy(&word, &words[i], sizeof word);
    memcpy(&number, &word, sizeof number);
    return number;
}

double f(const double *x, size_t n) {
    record records[4], copy;
    double copies[4], sum = 0;
    for (size_t i = 0; i < n; i++) {
        records[i].kind = (uint16_t)(i * 7);
        memset(records[i].flags, (int)i, sizeof records[i].flags);
        records[i].value = from_words((const void *)x, i) * x[i];
    }
    for (size_t i = 0; i < n; i++) {
        memcpy(&copy, &records[n - 1 - i], sizeof copy);
        copy.flags[i] = 1;
        copy.kind ^= 3;
        memcpy(&copies[i], (const char *)&copy + offsetof(record, value), sizeof copies[i]);
        sum += copies[i] * (double)(copy.kind + copy.flags[i]);
    }
    memcpy(copies, x, sizeof copies);
    for (size_t i = 0; i < n; i++)
        sum += copies[i] * records[i].value * records[i].flags[2];
    return sum;
}
