/* Lasting copies: see lasting.h. They lie one after the other behind the tape's addresses. A table finds them by their
 * address; contents are compared. Threads of a team search it without a lock, because copies are only added: a copy is
 * complete when its place in the table is taken. */
#include "native/sweep/lasting.h"

#include "base/wide.h"
#include "native/sweep/reach.h"

#include <pthread.h>
#include <stdatomic.h>
#include <string.h>

/* SAME_MOST: copies that begin at one address and are long enough, but have other contents. SHORTER_MOST: those that
 * are too short; the stages of a Fourier transform read more and more of a table. COPIES_MOST: of all; at most a
 * quarter of the table's places. */
enum { SAME_MOST = 3, SHORTER_MOST = 24, COPIES_MOST = 1024, PLACES = 4 * COPIES_MOST };

typedef struct copy {
    _Atomic(const char *) begin; /* of the program's memory; NULL: no copy */
    uint64_t bytes;
    char *data;
} copy;

static struct {
    copy table[PLACES];
    uint64_t count, used, limit;
    atomic_bool wanted;   /* a copy was asked for, and there was room for some */
    pthread_mutex_t lock; /* to be held to add a copy */
} lasting = {.lock = PTHREAD_MUTEX_INITIALIZER};

void verso__native_lasting_begin(uint64_t limit) {
    if (lasting.count > 0)
        memset(lasting.table, 0, sizeof lasting.table);
    lasting.count = lasting.used = 0;
    lasting.wanted = false;
    lasting.limit = verso__min_u64(limit, VERSO_NATIVE_LASTING_SIZE);
    if (limit < VERSO_NATIVE_LASTING_SIZE) {
        char *data = verso__native_address(VERSO_NATIVE_LASTING_AT);
        verso__native_drop(data, data + VERSO_NATIVE_LASTING_SIZE);
    }
}

uint64_t verso__native_lasting_bytes(void) {
    return lasting.used;
}

uint64_t verso__native_lasting_budget(uint64_t others) {
    return lasting.wanted ? verso__add_u64(others, others / (VERSO_NATIVE_LASTING_SHARE - 1) + 1) : others;
}

static size_t first_place(const char *begin) {
    uint64_t mixed = (uintptr_t)begin / 8 * UINT64_C(0x9e3779b97f4a7c15);
    return (size_t)(mixed >> 32) % PLACES;
}

/* Returns the bytes that belong to the object; none if most of the bytes belong to others, because then the pointer
 * certainly does not show which object is meant. */
static verso__native_range within_object(verso__native_range all, verso__native_range object) {
    char *begin = object.begin > all.begin ? object.begin : all.begin;
    char *end = object.end < all.end ? object.end : all.end;
    verso__native_range none = {NULL, NULL};
    return end > begin && end - begin > (all.end - all.begin) / 2 ? (verso__native_range){begin, end} : none;
}

/* Returns the bytes that belong to the object that a pointer leads to. Not for a team, whose threads may change the
 * heap meanwhile. */
static verso__native_range within_object_at(verso__native_range all, const char *pointer) {
    static const int near[] = {0, -1, 8, 16}; /* a pointer may lead to an object's end, or to before its first number */
    verso__native_range found = {NULL, NULL};
    for (size_t i = 0; pointer != NULL && i < sizeof near / sizeof *near && found.begin == NULL; i++)
        found = within_object(all, verso__native_reach_object(pointer + near[i]));
    return found;
}

/* Where a search in the table has come to. */
typedef struct search {
    size_t place;   /* a free place if nothing was found */
    size_t same;    /* number of other copies that begin at the address, and are long enough */
    size_t shorter; /* number of those that are too short */
} search;

/* Returns a copy of so many bytes that is equal in the bytes `own`; NULL if there is none. */
static const char *find(search *at, const char *begin, uint64_t bytes, verso__native_range own) {
    ptrdiff_t first = own.begin - begin;
    for (;; at->place = (at->place + 1) % PLACES) {
        const copy *one = &lasting.table[at->place];
        const char *found = atomic_load_explicit(&one->begin, memory_order_acquire);
        if (found == NULL)
            return NULL;
        if (found != begin)
            continue;
        if (one->bytes < bytes) {
            at->shorter++;
            continue;
        }
        if (memcmp(one->data + first, own.begin, (size_t)(own.end - own.begin)) == 0)
            return one->data;
        at->same++;
    }
}

static const char *add(const search *at, const char *begin, uint64_t bytes) {
    if (at->same >= SAME_MOST || at->shorter >= SHORTER_MOST || lasting.count == COPIES_MOST ||
        bytes > lasting.limit - lasting.used)
        return NULL;
    copy *made = &lasting.table[at->place];
    made->bytes = bytes;
    made->data = (char *)verso__native_address(VERSO_NATIVE_LASTING_AT) + lasting.used;
    memcpy(made->data, begin, bytes);
    lasting.count++;
    lasting.used += bytes;
    atomic_store_explicit(&made->begin, begin, memory_order_release);
    return made->data;
}

const char *verso__native_lasting(const char *begin, uint64_t bytes, char *object, uint64_t size) {
    if (bytes < VERSO_NATIVE_LASTING_LEAST || lasting.limit == 0)
        return NULL;
    atomic_store_explicit(&lasting.wanted, true, memory_order_relaxed);
    verso__native_range all = {(char *)(uintptr_t)begin, (char *)(uintptr_t)begin + bytes}, own = {NULL, NULL};
    search at = {.place = first_place(begin)};
    const char *copy = find(&at, begin, bytes, all);
    if (copy == NULL && at.same > 0 && size > 0)
        own = within_object(all, (verso__native_range){object, object + size});
    else if (copy == NULL && at.same > 0 && verso__native_team_worker() == 0)
        own = within_object_at(all, object);
    if (own.begin != NULL)
        copy = find(&(search){.place = first_place(begin)}, begin, bytes, own);
    if (copy != NULL)
        return copy;
    pthread_mutex_lock(&lasting.lock);
    copy = find(&at, begin, bytes, all); /* another thread may have added it meanwhile */
    if (copy == NULL)
        copy = add(&at, begin, bytes);
    pthread_mutex_unlock(&lasting.lock);
    return copy;
}
