/* What all headers of Verso share: the mark of exported functions, and structs that can grow.
 *
 * Options and reports begin with a member `size`. Initialise each with its macro, or with its _init function; then set
 * fields:
 *
 *     verso_native_options options = VERSO_NATIVE_OPTIONS_INIT;
 *     options.memory = 64 << 20;
 *
 * The macro sets `size` and sets everything else to zero, which means the default. Later versions may append members:
 * by `size` the library knows which ones the program has, so programs need not be compiled again. Functions refuse a
 * struct whose size is 0 with VERSO_STATUS_INVALID. Other structs keep their layout within a major version.
 *
 * Thread safety: this header has macros only. */
#ifndef VERSO_EXPORT_H
#define VERSO_EXPORT_H

/* Marks functions that the shared library exports. All other symbols are hidden. */
#if defined(__GNUC__)
#define VERSO_API __attribute__((visibility("default")))
#else
#define VERSO_API
#endif

/* The initialiser of a struct that can grow. In C++ the member `size` has a default, so that {} and no initialiser at
 * all set it too. */
#ifdef __cplusplus
#define VERSO_SIZE_OF(type) = sizeof(type)
#define VERSO_INIT_OF(type) \
    { \
    }
#else
#define VERSO_SIZE_OF(type)
#define VERSO_INIT_OF(type) {.size = sizeof(type)}
#endif

#endif
