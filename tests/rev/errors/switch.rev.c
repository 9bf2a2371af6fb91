#include <verso/rev.h>

rev void f(double *x, int k) {
    switch (k) {
    case 1: x[0] += 1;
    }
}
