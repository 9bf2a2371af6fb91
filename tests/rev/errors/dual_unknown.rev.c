#include <verso/rev.h>

dual(g, h);
