/* A library that nobody compiled with `verso cc`: the runner compiles it with the plain compiler. */
#include <math.h>
#include <stddef.h>

double foreign_wave(double u, double v);
void foreign_smooth(const double *from, double *to, size_t count);
int foreign_classify(const double *values, size_t count, double *largest);

double foreign_wave(double u, double v) {
    return sin(u) * v * v;
}

void foreign_smooth(const double *from, double *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = 0.5 * from[i] + 0.5 * from[(i + 1) % count];
}

int foreign_classify(const double *values, size_t count, double *largest) {
    int found = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[found])
            found = (int)i;
    *largest = 1.0;
    return found;
}
