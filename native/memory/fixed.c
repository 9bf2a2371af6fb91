/* Gives every process of the program the same addresses, before main. See memory.h.
 *
 * A capsule of a process that has died is full of pointers: into the program, its libraries, its heap and the
 * stack of main. Verso places the heap and the private stack itself; the rest is where the system puts it, at
 * random addresses unless a process asks for fixed ones. So the program asks for them and starts itself once
 * more. It does so before any other code of the program has run, and only if it may matter: if the program
 * calls verso_run_options_init (its runs may be durable), if VERSO_RUN is set, or if the system has placed it
 * where there is no shadow memory.
 *
 * The address of main's stack also depends on arguments and environment, which differ between two jobs. So the
 * second start gets additional environment variables (padding), up to round numbers of bytes and of entries,
 * and removes them again.
 *
 * The padding tells a process that it was started a second time; it then lets its children have random
 * addresses again. A process that has the padding, or fixed addresses already, does not start itself again. */
#define _GNU_SOURCE 1 /* environ, personality, sbrk, MAP_FIXED_NOREPLACE: not in POSIX */
#include "native/memory/inside.h"

#if VERSO_NATIVE_HERE

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/mman.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

/* Large, so that a run which is continued with a few more arguments or variables rarely needs another round number. */
enum { STRING_BYTES = 64 << 10, ENTRIES = 1024 };
static const char padding[] = "VERSO_PADDING=";

/* ---- Whether fixed addresses are needed ---- */

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool wants_fixed(char **environment) {
    if ((&verso__native_names_driver != NULL && verso__native_names_driver != 0) ||
        verso__native_check_layout(NULL) != VERSO_STATUS_OK)
        return true;
    for (; *environment != NULL; environment++)
        if (begins_with(*environment, "VERSO_RUN="))
            return true;
    return false;
}

static bool is_fixed_for_all(void) {
    char setting = '\0';
    int file = open("/proc/sys/kernel/randomize_va_space", O_RDONLY | O_CLOEXEC);
    if (file < 0)
        return false;
    bool fixed = read(file, &setting, 1) == 1 && setting == '0';
    close(file);
    return fixed;
}

/* ---- Starting once more ---- */

/* Returns the path of the program. /proc/self/exe is the last resort, because its users would not recognise the
 * name "exe". */
static const char *find_program(char *path) {
    static const char link[] = "/proc/self/exe";
    struct stat itself, named;
    ssize_t size = readlink(link, path, PATH_MAX - 1);
    if (size < 0)
        return NULL;
    path[size] = '\0';
    bool same = stat(link, &itself) == 0 && stat(path, &named) == 0 && itself.st_dev == named.st_dev &&
                itself.st_ino == named.st_ino;
    return same ? path : link;
}

static size_t count_strings(char **strings, size_t *bytes) {
    size_t count = 0;
    for (; strings[count] != NULL; count++)
        *bytes += strlen(strings[count]) + 1;
    return count;
}

/* Returns the environment with padding, so that strings and entries, including arguments and the program's
 * name, take round numbers of bytes and entries. NULL if there is no memory. */
static char **make_environment(char **before, char **arguments, const char *name) {
    size_t bytes = strlen(name) + 1, count = count_strings(before, &bytes);
    size_t more = ENTRIES - (count + count_strings(arguments, &bytes)) % ENTRIES;
    bytes += more * sizeof padding;
    size_t rest = (STRING_BYTES - bytes % STRING_BYTES) % STRING_BYTES;
    char **environment = verso__alloc(count + more + 1, sizeof *environment);
    char *longest = verso__alloc(sizeof padding + rest, 1);
    if (environment == NULL || longest == NULL) {
        verso__dealloc(environment);
        verso__dealloc(longest);
        return NULL;
    }
    memcpy(environment, before, count * sizeof *environment);
    memcpy(longest, padding, sizeof padding);
    memset(longest + sizeof padding - 1, '.', rest);
    environment[count] = longest;
    for (size_t i = 1; i < more; i++)
        environment[count + i] = (char *)(uintptr_t)padding;
    return environment;
}

/* Starts the program again with fixed addresses. Returns only if that fails, with the reason. */
static const char *start_again(char **arguments, char **environment, int personality_before) {
    char path[PATH_MAX];
    const char *name = find_program(path);
    if (name == NULL)
        return "/proc is not there";
    char **padded = make_environment(environment, arguments, name);
    if (padded == NULL)
        return "there is no memory";
    if (personality((unsigned long)personality_before | ADDR_NO_RANDOMIZE) < 0)
        return "the system does not let it switch that off (personality)";
    execve(name, arguments, padded);
    (void)personality((unsigned long)personality_before);
    return "it could not be started a second time (execve)";
}

/* ---- The second start ---- */

static bool remove_padding(char **environment) {
    char **kept = environment;
    bool found = false;
    for (; *environment != NULL; environment++) {
        if (begins_with(*environment, padding))
            found = true;
        else
            *kept++ = *environment;
    }
    *kept = NULL;
    return found;
}

void verso__native_before_main(int count, char **arguments, char **environment) {
    (void)count;
    verso__native_first_thread = __builtin_thread_pointer();
    int before = personality(0xffffffff);
    bool again = remove_padding(environment), fixed = before >= 0 && (before & ADDR_NO_RANDOMIZE) != 0;
    if (again && fixed)
        (void)personality((unsigned long)before & ~(unsigned long)ADDR_NO_RANDOMIZE);
    const char *why = NULL;
    if (!fixed && getauxval(AT_SECURE) != 0)
        why = "it runs with other rights than those of its user";
    else if (!fixed && again)
        why = "the system switches it on again";
    else if (!fixed && wants_fixed(environment))
        why = start_again(arguments, environment, before);
    verso__native_space_now.fixed = fixed || is_fixed_for_all();
    verso__native_space_now.why_not = why;
}

/* The heap of a host that is not position-independent (as Debian's Python) is at low addresses, which have no shadow
 * memory. A page without access where it ends keeps it from growing; the C library then takes memory for malloc where
 * mappings are, which have. What the host has allocated before stays where it is. */
static void keep_heap_from_growing(void) {
    uintptr_t end = (uintptr_t)sbrk(0);
    void *next = verso__native_address((end + VERSO_NATIVE_PAGE - 1) / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE);
    if (end == UINTPTR_MAX || verso__native_covers(next, VERSO_NATIVE_PAGE))
        return;
    void *got = mmap(next, VERSO_NATIVE_PAGE, PROT_NONE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    if (got != MAP_FAILED && got != next)
        munmap(got, VERSO_NATIVE_PAGE);
}

void verso__native_loaded(int count, char **arguments, char **environment) {
    (void)count, (void)arguments, (void)environment;
    verso__native_first_thread = __builtin_thread_pointer();
    verso__native_space_now.library = true;
    keep_heap_from_growing();
}

bool verso__native_is_library(void) {
    return verso__native_space_now.library;
}

verso_status verso__native_require_fixed(verso_error *error) {
    if (verso__native_is_library())
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "a durable run needs the same addresses in every process, and a shared library has them in "
                           "none; link the function into a program of its own, or use `verso grad --run`");
    if (verso__native_space_now.fixed)
        return VERSO_STATUS_OK;
    if (verso__native_space_now.why_not == NULL)
        return verso__fail(error, VERSO_STATUS_INVALID,
                           "a durable run needs the same addresses in every process, and this one has random ones: no "
                           "file that `verso cc` has compiled calls verso_run_options_init; call it, set VERSO_RUN, or "
                           "run the program under setarch -R");
    return verso__fail(error, VERSO_STATUS_INVALID,
                       "a durable run needs the same addresses in every process, and this one has random ones: %s; run "
                       "it under setarch -R, allow personality(2) in the container's seccomp profile, or set "
                       "kernel.randomize_va_space to 0",
                       verso__native_space_now.why_not);
}

#else

void verso__native_before_main(int count, char **arguments, char **environment) {
    (void)count, (void)arguments, (void)environment;
}

void verso__native_loaded(int count, char **arguments, char **environment) {
    (void)count, (void)arguments, (void)environment;
}

bool verso__native_is_library(void) {
    return false;
}

verso_status verso__native_require_fixed(verso_error *error) {
    return verso__native_space_reserve(error);
}

#endif
