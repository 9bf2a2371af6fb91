/* Defines tests that run once for each kind of schedule. Their cmocka state points to the kind. */
#ifndef VERSO_TESTS_BY_KIND_H
#define VERSO_TESTS_BY_KIND_H

#include <verso/schedule.h>

static const verso_schedule_kind by_kind[] = {
#define BY_KIND_ENTRY(name, word, meaning) VERSO_KIND_##name,
    VERSO_KIND_LIST(BY_KIND_ENTRY)
#undef BY_KIND_ENTRY
};

/* The entry of a cmocka test list for one entry of VERSO_KIND_LIST. */
#define TEST_OF_KIND(test, name, word) \
    {#test ": " word, test, NULL, NULL, (void *)(uintptr_t)&by_kind[VERSO_KIND_##name]},

#endif
