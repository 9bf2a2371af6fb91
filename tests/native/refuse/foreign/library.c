/* A library that nobody compiled with `verso cc`: the runner compiles it with the plain compiler. */
#include <math.h>
#include <stddef.h>

double mystery(double u);
void mystery_array(const double *from, double *to, size_t count);
double *mystery_memory(void);

double mystery(double u) {
    return sin(u) / (1 + u * u);
}

void mystery_array(const double *from, double *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = mystery(from[i]);
}

double *mystery_memory(void) {
    static double memory[64];
    return memory;
}
