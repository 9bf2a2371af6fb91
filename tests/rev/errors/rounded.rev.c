#include <verso/rev.h>

rev void f(int *k, double y) {
    *k += y;
}
