#include <verso/rev.h>

double g(double x, double y);
derivative(g(x, y), y);
