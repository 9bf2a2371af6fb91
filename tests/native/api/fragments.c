/* Fragments are sites under their names, at the line of their begin, and can be switched by name. */
#include "expect.h"

#include <stddef.h>
#include <string.h>
#include <verso/native.h>

static const int line_of_sweep = __LINE__ + 6, line_of_look = __LINE__ + 9;

static double f(const double *x, size_t n) {
    double u[100], sum = 0;
    for (size_t i = 0; i < 100; i++)
        u[i] = x[i % n];
    verso_fragment_begin("sweep");
    for (int step = 0; step < 50; step++)
        for (size_t i = 0; i < 100; i++) {
            verso_fragment_begin("look");
            u[i] = sin(u[i]) * u[(i + 1) % 100];
            verso_fragment_end();
        }
    verso_fragment_end();
    for (size_t i = 0; i < 100; i++)
        sum += u[i];
    return sum;
}

static size_t find(const char *caller, const char *callee, int line) {
    char place[32];
    size_t found = 0, index = 0;
    snprintf(place, sizeof place, ":%d", line);
    for (size_t i = 0; i < verso_site_count(); i++) {
        verso_site site = verso_site_get(i);
        if (strcmp(site.callee, callee) != 0)
            continue;
        const char *colon = strrchr(site.where, ':');
        EXPECT(strcmp(site.caller, caller) == 0, "%s is called by %s", callee, site.caller);
        EXPECT(colon != NULL && strcmp(colon, place) == 0 && strstr(site.where, "fragments.c") != NULL,
               "%s is at %s and not in line %d", callee, site.where, line);
        index = i;
        found++;
    }
    EXPECT(found == 1, "there are %zu sites of %s", found, callee);
    return index;
}

int main(void) {
    double x[3] = {0.7, 1.1, 0.4}, plain[3], gradient[3];
    verso_native_report without = VERSO_NATIVE_REPORT_INIT, with = VERSO_NATIVE_REPORT_INIT;
    EXPECT_OK(verso_gradient(f, x, 3, plain, NULL, &without, &error));
    size_t sweep = find("f", "sweep", line_of_sweep);
    find("sweep", "look", line_of_look);
    verso_error error;
    EXPECT(verso_sites_switch("text", "on f sweep *", &error) == VERSO_STATUS_OK, "%s", error.message);
    EXPECT(verso_site_get(sweep).on, "the switch is not on");
    EXPECT_OK(verso_gradient(f, x, 3, gradient, NULL, &with, &error));
    EXPECT(memcmp(plain, gradient, sizeof plain) == 0, "other bits");
    EXPECT(with.capsules == 1 && without.capsules == 0, "%d snapshots", (int)with.capsules);
    EXPECT(verso_sites_switch("text", "on * look *", &error) == VERSO_STATUS_OK, "%s", error.message);
    EXPECT_OK(verso_gradient(f, x, 3, gradient, NULL, &with, &error));
    EXPECT(memcmp(plain, gradient, sizeof plain) == 0, "other bits when both are on");
    EXPECT(with.capsules == 5001, "%d snapshots", (int)with.capsules);
    return failed;
}
