/* How the programs of this folder say what is wrong: a line, and exit status 1 at the end. */
#ifndef NATIVE_API_EXPECT_H
#define NATIVE_API_EXPECT_H

#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <verso/status.h>

static bool failed;

#define EXPECT(condition, ...) \
    do { \
        if (!(condition)) { \
            failed = true; \
            printf("\n    %s:%d: ", __FILE__, __LINE__); \
            printf(__VA_ARGS__); \
        } \
    } while (0)

/* Why the last call that was passed &error failed. Of the thread, not of the program: capsules and durable runs hold
 * the variables of the program. */
__attribute__((unused)) static __thread verso_error error;

#define EXPECT_OK(call) EXPECT((call) == VERSO_STATUS_OK, "%s: %s", #call, error.message)

#define EXPECT_CLOSE(found, expected) \
    EXPECT(fabs((found) - (expected)) <= 1e-12 * (1 + fabs(expected)), "%s is %.17g instead of %.17g", #found, \
           (double)(found), (double)(expected))

#endif
