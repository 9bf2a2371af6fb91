/* at: 0.7,1.1
 * refused: run
 * message: library_pointer\.c:1[5-9]
 * A function of a shared library is found by name while the program runs, and called. */
#include <dlfcn.h>
#include <math.h>
#include <stddef.h>
#include <string.h>

static volatile char name[] = "cbrt";

double f(const double *x, size_t n) {
    double (*found)(double);
    char text[sizeof name];
    for (size_t i = 0; i < sizeof name; i++)
        text[i] = name[i];
    void *address = dlsym(NULL, text);
    memcpy(&found, &address, sizeof found);
    return found ? found(x[0]) * x[n - 1] : sin(x[0]);
}
