#include <verso/rev.h>

rev void f(int *k) {
    *k |= 1;
}
