/* at: 0.7,1.1,0.25,2.0
 * flags: -fno-inline
 * Global variables of all kinds: numbers, arrays, structs, pointers to them, set and read in different functions. */
#include <math.h>
#include <stddef.h>
#include <string.h>

static double table[16], accumulated;
double shared_level = 3.5;
static struct {
    int count;
    double sum, *where;
} record;
static double *cursor = table;

static void note(int i, double value) {
    table[i & 15] = table[i & 15] * 0.5 + value;
    accumulated += value * value;
    record.count++;
    record.sum += *record.where * value;
    record.where = &table[(i + 1) & 15];
}

static void reset(void) {
    memset(table, 0, sizeof table);
    accumulated = 0;
    record.count = 0;
    record.sum = 0;
    record.where = &table[5];
    cursor = table;
    shared_level = 3.5;
}

double f(const double *x, size_t n) {
    reset();
    for (int i = 0; i < 24; i++) {
        note(i * 7, x[(size_t)i % n] * cos(shared_level));
        shared_level = 0.9 * shared_level + 0.1 * *cursor++;
        if (cursor == table + 16)
            cursor -= 16;
    }
    double r = shared_level;
    for (int i = 0; i < 16; i++)
        r += table[i] * table[i];
    return r + accumulated + record.sum * record.count;
}
