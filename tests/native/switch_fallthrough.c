/* at: 0.45,0.516,0.587
 * switch: cases that fall through, a default in the middle, one inside a loop that breaks out of the switch only. */
#include <math.h>
#include <stddef.h>

double f(const double *x, size_t n) {
    double r = x[0];
    for (int i = 0; i < 15; i++) {
        double a = x[(size_t)i % n];
        switch (i % 6) {
        case 0: r *= 0.9; break;
        case 1:
            r += a;
            /* fall through */
        case 2: r -= 0.5 * a * a; break;
        default:
            r = cos(r);
            if (r > 0.5)
                break;
            /* fall through */
        case 4: r = r * a + 1;
        }
        if (r < -3)
            break;
    }
    return r;
}
