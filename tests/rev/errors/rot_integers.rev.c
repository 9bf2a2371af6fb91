#include <verso/rev.h>

rev void f(int *k) {
    rot(k[0], k[1], 1);
}
