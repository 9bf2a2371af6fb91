/* refused: link
 * main: own
 * foreign: library.c
 * message: root_foreign\.c:15: .*mystery_root cannot be differentiated, as it was not compiled by `verso cc`
 * The function to differentiate is that of a library which somebody else compiled. */
#include <stdio.h>
#include <verso/native.h>

double mystery_root(const double *x, size_t n);

int main(void) {
    double x[2] = {0.7, 1.1}, gradient[2];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    verso_status status = verso_gradient(mystery_root, x, 2, gradient, NULL, &report, &error);
    printf("%s\n", error.message);
    return status == VERSO_STATUS_INVALID ? 0 : 1;
}
