/* at: 0.5,1.2,-0.7
 * large: random:40:-1:1
 * Fragments with loops in them: values go in and out, arrays of the function are read and written, one in a loop. */
#include <math.h>
#include <stddef.h>
#include <verso/native.h>

double f(const double *x, size_t n) {
    double u[8] = {1, 0.5}, sum = 0, product = 1;
    size_t largest = 0;
    verso_fragment_begin("fill");
    for (size_t i = 0; i < n; i++)
        u[i % 8] += sin(x[i]) * (1 + 0.1 * (double)i);
    verso_fragment_end();
    for (int step = 0; step < 5; step++) {
        double left = u[7];
        verso_fragment_begin("relax");
        for (size_t i = 0; i < 8; i++) {
            double here = u[i];
            u[i] = 0.3 * left + 0.7 * here + 0.01 * here * u[(i + 1) % 8];
            left = here;
            if (u[i] > u[largest])
                largest = i;
        }
        sum += left * product;
        product *= 1 + 0.1 * cos(sum);
        verso_fragment_end();
        sum += 0.5 * u[largest];
    }
    return sum * product + u[largest];
}
