#include <verso/rev.h>

rev void f(ulog *u) {
    neg(*u);
}
