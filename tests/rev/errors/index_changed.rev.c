#include <verso/rev.h>

rev void f(int *k) {
    swap(k[k[0]], k[0]);
}
