/* Prints what verso_gradient says. */
#include "steps.h"

#include <math.h>
#include <stdio.h>
#include <verso/native.h>

int main(int argc, char **argv) {
    (void)argv;
    double x[1] = {1 + argc}, gradient[1] = {0};
    verso_status status = verso_gradient(steps, x, 1, gradient, NULL, NULL, NULL);
    printf("%s %g %g\n", verso_status_text(status), gradient[0], floor(sqrt(x[0])));
    return 0;
}
