/* at: 0.7,1.1,0.4,0.8
 * refused: run
 * cuts: all
 * flags: -fno-inline
 * foreign: library.c
 * message: write_outside\.c:20: memory at 0x[0-9a-f]* is written, which is not the program.s own
 * Numbers are kept in memory of a library: it is not part of what Verso saves, so going back would not restore it. */
#include <stddef.h>
#include <verso/native.h>

VERSO_PURE double *mystery_memory(void);

static void accumulate(double *memory, const double *x, size_t n) {
    for (size_t i = 0; i < n; i++)
        memory[i & 1] = memory[i & 1] * memory[i & 1] + x[i] * x[i];
}

double f(const double *x, size_t n) {
    double *memory = mystery_memory();
    memory[0] = memory[1] = 0;
    accumulate(memory, x, n);
    return memory[0] * memory[1];
}
