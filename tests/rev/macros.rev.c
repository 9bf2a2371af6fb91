/* Macros whose value has a derivative, and others. */
#include "tests/rev/harness.h"

#define WIDTH 2
#define AT(i, k) s[(i) * WIDTH + (k)]
#define FIRST s[0]
#define SQUARE(x) ((x) * (x))
#define BOTH(a, b) (SQUARE(a) + SQUARE(b))
#define INDEX(i) ((i) + 1)
#define HALF 0.5

#define number double
rev void macros(number *s) {
    AT(1, 0) += FIRST * SQUARE(AT(0, 1));
    s[INDEX(2)] += BOTH(FIRST, sin(s[1])) * HALF;
    if (FIRST > HALF) {
        AT(0, 1) -= SQUARE(HALF) * AT(1, 1);
    }
    fi(FIRST > HALF)
}

int main(int argc, char **argv) {
    static const harness_case cases[] = {CASE(macros, 4)};
    return harness_run(cases, sizeof cases / sizeof *cases, argc, argv);
}
