/* at: 0.7,1.1,0.25
 * A small stack machine: opcodes in a switch, operands in the code, jumps, a loop counter, calls of functions by
 * number. */
#include <math.h>
#include <stddef.h>

enum { PUSH, LOAD, STORE, ADD, MULTIPLY, CALL, DECREMENT_AND_JUMP, DUPLICATE, SWAP, HALT };

static const unsigned char sum_of_waves[] = {
    PUSH, 0,         STORE, 4, PUSH,     7,    STORE, 5, /* total = 0; count = 7 */
    LOAD, 0,         LOAD,  5, MULTIPLY, CALL, 0,     LOAD,     1,   MULTIPLY, LOAD, 4,
    ADD,  DUPLICATE, CALL,  1, SWAP,     LOAD, 2,     MULTIPLY, ADD, STORE,    4,    DECREMENT_AND_JUMP,
    5,    8,         LOAD,  4, HALT};

static double execute(const unsigned char *code, double *memory) {
    static double (*const functions[])(double) = {sin, tanh, exp};
    double stack[16], *top = stack;
    for (const unsigned char *at = code;;)
        switch (*at++) {
        case PUSH: *top++ = *at++; break;
        case LOAD: *top++ = memory[*at++]; break;
        case STORE: memory[*at++] = *--top; break;
        case ADD: top--, top[-1] += top[0]; break;
        case MULTIPLY: top--, top[-1] *= top[0]; break;
        case CALL: top[-1] = functions[*at++](top[-1]); break;
        case DUPLICATE: *top = top[-1], top++; break;
        case SWAP: {
            double keep = top[-1];
            top[-1] = top[-2];
            top[-2] = keep;
            break;
        }
        case DECREMENT_AND_JUMP:
            memory[at[0]] -= 1;
            at = memory[at[0]] > 0.5 ? code + at[1] : at + 2;
            break;
        case HALT: return top[-1];
        }
}

double f(const double *x, size_t n) {
    double memory[8] = {0};
    for (size_t i = 0; i < n; i++)
        memory[i] = x[i];
    return execute(sum_of_waves, memory) + memory[4] * memory[0];
}
