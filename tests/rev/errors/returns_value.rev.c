#include <verso/rev.h>

rev double f(double x) {}
