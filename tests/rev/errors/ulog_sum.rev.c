#include <verso/rev.h>

rev void f(ulog *u, ulog w) {
    *u += w;
}
