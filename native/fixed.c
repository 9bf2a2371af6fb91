/* Before main: the same addresses in every process. See native.h.
 *
 * A capsule of a process that died is full of pointers: into the program, its libraries, its heap and the stack of
 * main. Heap and private stack are ours and lie where they always lie; the rest is where the system puts it, at random
 * unless a process asks for something else. So the program asks, and starts itself once more. That happens before
 * anything else of it has run, and only where it may matter: when the program names the driver's options (runs may be
 * durable), when VERSO_RUN is set, and when it has been put where shadow memory is not.
 *
 * Where the stack of main lies depends on arguments and environment, too, which differ between two jobs. So the second
 * start gets some more environment, up to round numbers of bytes and of entries, and removes that again.
 *
 * A process that was started in this way knows it by that padding, and gives its children back what it has switched
 * off. One that sees either sign does not start itself again. */
#define _GNU_SOURCE 1 /* environ, personality: not in POSIX */
#include "native/native.h"

#if VERSO_NATIVE_HERE

#include "base/alloc.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/personality.h>
#include <sys/stat.h>
#include <unistd.h>

enum { STRING_BYTES = 64 << 10, ENTRIES = 64 };
static const char padding[] = "VERSO_PADDING=";

/* ---- What was asked for ---- */

static bool begins_with(const char *text, const char *beginning) {
    return strncmp(text, beginning, strlen(beginning)) == 0;
}

static bool wants_fixed(char **environment) {
    if ((&verso_native_names_driver != NULL && verso_native_names_driver != 0) ||
        verso_native_check_layout(NULL) != VERSO_OK)
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

/* The program's own name if it still has one: "exe" is none that its users would recognise. */
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

/* The environment and so much padding that strings and entries, those of the arguments and the program's name among
 * them, take round numbers. */
static char **make_environment(char **before, char **arguments, const char *name) {
    size_t bytes = strlen(name) + 1, count = count_strings(before, &bytes);
    size_t more = ENTRIES - (count + count_strings(arguments, &bytes)) % ENTRIES;
    bytes += more * sizeof padding;
    size_t rest = (STRING_BYTES - bytes % STRING_BYTES) % STRING_BYTES;
    char **environment = verso_alloc(count + more + 1, sizeof *environment);
    char *longest = verso_alloc(sizeof padding + rest, 1);
    if (environment == NULL || longest == NULL) {
        verso_dealloc(environment);
        verso_dealloc(longest);
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

/* Returns when it could not be done, and why. */
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

void verso_native_before_main(int count, char **arguments, char **environment) {
    (void)count;
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
    verso_native_runtime.space.fixed = fixed || is_fixed_for_all();
    verso_native_runtime.space.why_not = why;
}

verso_status verso_native_require_fixed(verso_error *error) {
    if (verso_native_runtime.space.fixed)
        return VERSO_OK;
    if (verso_native_runtime.space.why_not == NULL)
        return verso_fail(error, VERSO_INVALID,
                          "a durable run needs the same addresses in every process, and this one has random ones: no "
                          "file that `verso cc` has compiled calls verso_run_options_init; call it, set VERSO_RUN, or "
                          "run the program under setarch -R.");
    return verso_fail(error, VERSO_INVALID,
                      "a durable run needs the same addresses in every process, and this one has random ones: %s; run "
                      "it under setarch -R, allow personality(2) in the container's seccomp profile, or set "
                      "kernel.randomize_va_space to 0.",
                      verso_native_runtime.space.why_not);
}

#else

void verso_native_before_main(int count, char **arguments, char **environment) {
    (void)count, (void)arguments, (void)environment;
}

verso_status verso_native_require_fixed(verso_error *error) {
    return verso_native_space_reserve(error);
}

#endif
