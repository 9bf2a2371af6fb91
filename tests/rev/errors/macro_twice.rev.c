#include <verso/rev.h>
#ifdef OTHER
#define FIRST x[1]
#else
#define FIRST x[0]
#endif

rev void f(double *x) {
    x[2] += FIRST;
}
