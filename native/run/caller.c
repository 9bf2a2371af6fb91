/* The caller's stack: variables of the function that asked for a derivative, and of its callers, to which a run
 * may have pointers. See run.h.
 *
 * A run that is repeated may write there, so capsules hold the words that it has written. Others use that
 * stack, too: callbacks of the program that observe the run, and in a durable run each process has its own
 * frames there. So only words that the run itself has changed belong to it. They are found by comparing the
 * stack when the private stack is entered and when it is left. When a run is put back, its words get the values
 * in the capsule, or those that they had when the run began. */
#define _GNU_SOURCE 1 /* pthread_getattr_np and dl_iterate_phdr are not in POSIX */
#include "native/run/run.h"

#include "base/alloc.h"

#include <pthread.h>
#include <string.h>

#if VERSO_NATIVE_HERE
#include <link.h>
#endif

static struct {
    bool sought;
    verso__native_range range;
    size_t opened;             /* number of verso__native_caller_open without a matching close */
    size_t words;              /* number of words in `range`; 0: the stack is not observed */
    size_t first;              /* index of the first word that is observed */
    uint64_t *start, *entered; /* the words when the run began, and when the private stack was last entered */
    unsigned char *own;        /* by word; not 0: the run has changed it */
} caller_state;

enum { WORD = sizeof(uint64_t), MOST = 1 << 20 };

/* ---- Its bounds ---- */

#if VERSO_NATIVE_HERE
static int add_thread_locals(struct dl_phdr_info *info, size_t size, void *context) {
    size_t *sum = context;
    (void)size;
    for (size_t i = 0; i < info->dlpi_phnum; i++)
        if (info->dlpi_phdr[i].p_type == PT_TLS)
            *sum += info->dlpi_phdr[i].p_memsz + info->dlpi_phdr[i].p_align;
    return 0;
}

/* The C library keeps what it knows about a thread, and below that the thread's variables, at the end of the thread's
 * stack. These words do not belong to the run: the links of its list of threads are among them. */
static char *below_thread(char *begin, char *end) {
    char *thread = __builtin_thread_pointer();
    size_t variables = 0;
    if (thread < begin || thread >= end)
        return end;
    (void)dl_iterate_phdr(add_thread_locals, &variables);
    return variables < (size_t)(thread - begin) ? thread - variables : begin;
}

static char *find_stack_end(void) {
    pthread_attr_t attributes;
    void *begin = NULL;
    size_t size = 0;
    if (pthread_getattr_np(pthread_self(), &attributes) != 0)
        return NULL;
    if (pthread_attr_getstack(&attributes, &begin, &size) != 0)
        begin = NULL;
    pthread_attr_destroy(&attributes);
    return begin != NULL ? below_thread(begin, (char *)begin + size) : NULL;
}

/* Remembers the result, because the C library reads the system's list of mappings, which takes longer than a
 * short gradient. The end of a thread's stack does not move. */
static char *stack_end(void) {
    static _Thread_local char *end;
    if (end == NULL)
        end = find_stack_end();
    return end;
}
#else
static char *stack_end(void) {
    return NULL;
}
#endif

verso__native_range verso__native_caller(void) {
    const verso__native_job *job = verso__native_job_now();
    verso__native_range *range = &caller_state.range;
    if (caller_state.sought || job == NULL || job->caller == NULL)
        return *range;
    char *begin = job->caller + -(uintptr_t)job->caller % WORD, *end = stack_end();
    caller_state.sought = true;
    if (end == NULL || end <= begin || end - begin > (ptrdiff_t)64 << 20)
        return *range;
    *range = (verso__native_range){begin, end - begin > MOST ? begin + MOST : end};
    return *range;
}

/* ---- The words that the run has changed ---- */

void verso__native_caller_open(void) {
    if (caller_state.opened++ > 0)
        return;
    verso__native_range range = verso__native_caller();
    size_t words = (size_t)(range.end - range.begin) / WORD;
    if (words == 0)
        return;
    caller_state.start = verso__alloc(words, WORD);
    caller_state.entered = verso__alloc(words, WORD);
    caller_state.own = verso__alloc(words, 1);
    if (caller_state.start == NULL || caller_state.entered == NULL || caller_state.own == NULL) {
        verso__native_caller_forget(); /* then the run may not write there */
        return;
    }
    caller_state.words = words;
    memcpy(caller_state.start, range.begin, words * WORD);
}

void verso__native_caller_close(void) {
    if (caller_state.opened > 1)
        caller_state.opened--;
    else
        verso__native_caller_forget();
}

void verso__native_caller_exclude_below(const char *begin) {
    verso__native_range range = caller_state.range;
    size_t words = caller_state.words;
    size_t before = words > 0 && begin > range.begin ? (size_t)(begin - range.begin + WORD - 1) / WORD : 0;
    caller_state.first = before < words ? before : words;
}

void verso__native_caller_forget(void) {
    verso__dealloc(caller_state.start);
    verso__dealloc(caller_state.entered);
    verso__dealloc(caller_state.own);
    memset(&caller_state, 0, sizeof caller_state);
}

bool verso__native_caller_holds(const char *address) {
    verso__native_range range = caller_state.range;
    return caller_state.words > 0 && address < range.end && address >= range.begin + caller_state.first * WORD;
}

void verso__native_caller_enter(void) {
    size_t first = caller_state.first, words = caller_state.words;
    if (words > first)
        memcpy(caller_state.entered + first, caller_state.range.begin + first * WORD, (words - first) * WORD);
}

static uint64_t word_at(size_t index) {
    uint64_t word;
    memcpy(&word, caller_state.range.begin + index * WORD, WORD);
    return word;
}

void verso__native_caller_leave(void) {
    size_t first = caller_state.first, words = caller_state.words;
    if (words <= first ||
        memcmp(caller_state.entered + first, caller_state.range.begin + first * WORD, (words - first) * WORD) == 0)
        return;
    for (size_t i = first; i < words; i++)
        if (word_at(i) != caller_state.entered[i])
            caller_state.own[i] = 1;
}

/* ---- In capsules: the number of words, and the index and value of each ---- */

/* Flags in `own`. A capsule's size is determined before it is written, and callbacks of the caller may change
 * its stack in between. So the words to write are marked when they are counted. */
enum { OWN = 1, COUNTED = 2 };

size_t verso__native_caller_size(void) {
    size_t size = WORD;
    for (size_t i = caller_state.first; i < caller_state.words; i++) {
        unsigned char *own = &caller_state.own[i];
        if (*own == 0)
            continue;
        bool kept = word_at(i) != caller_state.start[i];
        *own = kept ? OWN | COUNTED : OWN;
        size += kept ? 2 * WORD : 0;
    }
    return size;
}

void verso__native_caller_write(char *bytes) {
    uint64_t count = 0;
    char *at = bytes + WORD;
    for (uint64_t i = caller_state.first; i < caller_state.words; i++)
        if ((caller_state.own[i] & COUNTED) != 0) {
            uint64_t pair[2] = {i, word_at(i)};
            memcpy(at, pair, sizeof pair);
            at += sizeof pair;
            count++;
        }
    memcpy(bytes, &count, WORD);
}

void verso__native_caller_read(const char *bytes) {
    uint64_t count;
    char *begin = caller_state.range.begin;
    for (size_t i = caller_state.first; i < caller_state.words; i++)
        if (caller_state.own[i] != 0 && word_at(i) != caller_state.start[i])
            memcpy(begin + i * WORD, &caller_state.start[i], WORD);
    memcpy(&count, bytes, WORD);
    for (bytes += WORD; count > 0; count--, bytes += 2 * WORD) {
        uint64_t pair[2];
        memcpy(pair, bytes, sizeof pair);
        if (pair[0] < caller_state.first || pair[0] >= caller_state.words)
            continue;
        memcpy(begin + pair[0] * WORD, &pair[1], WORD);
        caller_state.own[pair[0]] = 1;
    }
}
