#include <verso/rev.h>

rev_instantiate(f, float);
