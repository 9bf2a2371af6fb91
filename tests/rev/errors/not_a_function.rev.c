#include <verso/rev.h>

rev double x;
