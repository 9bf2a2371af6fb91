/* refused: run
 * main: own
 * message: [Nn]ot .*(compiled|differentiat)
 * A function that is chosen while the program runs and that `verso cc` never compiled. */
#include <dlfcn.h>
#include <stdio.h>
#include <string.h>
#include <verso/native.h>

typedef double (*function)(const double *, size_t);

static char *volatile name = "strlen";

int main(void) {
    double x[2] = {0.7, 1.1}, gradient[2];
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    verso_error error;
    function f;
    void *address = dlsym(NULL, name);
    memcpy(&f, &address, sizeof f);
    verso_status status = verso_gradient(f, x, 2, gradient, NULL, &report, &error);
    printf("%s\n", error.message);
    return status == VERSO_STATUS_INVALID ? 0 : 1;
}
