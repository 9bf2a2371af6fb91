#include <verso/rev.h>

typedef struct pair {
    double a, b;
} pair;

rev void f(pair *p) {
    neg(*p);
}
