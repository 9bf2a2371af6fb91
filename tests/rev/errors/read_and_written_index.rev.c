#include <verso/rev.h>

rev void f(int *k) {
    k[0] += k[k[0]];
}
