/* What the library knows at compile time about the platform and about the program that it is linked into. */
#ifndef NATIVE_MEMORY_PLATFORM_H
#define NATIVE_MEMORY_PLATFORM_H

#include "native/state.h"

#include <stdbool.h>

/* Sanitizers place their own shadow memory at the addresses that Verso's shadow memory needs. */
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define VERSO_NATIVE_SANITIZED 1
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define VERSO_NATIVE_SANITIZED 1
#endif
#endif

/* Constants that cc/ defines in each linked program; native/state.h describes them. They are weak because a program
 * that uses the library without `verso cc` does not define them and must link nevertheless. */
extern const verso__native_global verso__native_globals[] __attribute__((weak));
extern const uint64_t verso__native_global_count __attribute__((weak));
extern const uint64_t verso__native_names_driver __attribute__((weak));
extern const uint64_t verso__native_program_kinds __attribute__((weak));
extern const uint64_t verso__native_program_packs __attribute__((weak));
extern const uint64_t verso__native_program_doubts __attribute__((weak));
extern const uint64_t verso__native_program_fast __attribute__((weak));
extern const uint64_t verso__native_program_single __attribute__((weak));
extern const uint64_t verso__native_program_second __attribute__((weak));

/* Returns true if the program uses numbers, and thus cells, of this kind. */
static inline bool verso__native_uses(unsigned kind) {
    return &verso__native_program_kinds == NULL || (verso__native_program_kinds >> kind & 1) != 0;
}

/* 1 where programs can be differentiated. On other platforms everything compiles, the program's heap is the C
 * library's, and a differentiation is refused. */
#if defined(__x86_64__) && defined(__linux__) && defined(__LP64__) && !defined(VERSO_NATIVE_SANITIZED)
#define VERSO_NATIVE_HERE 1
#else
#define VERSO_NATIVE_HERE 0
#endif

#endif
