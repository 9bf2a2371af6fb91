/* Lasting copies: see lasting.h. They lie one after the other behind the tape's addresses. A table finds them by their
 * address; contents are compared. */
#include "native/sweep/lasting.h"

#include "base/wide.h"
#include "native/sweep/reach.h"

#include <string.h>

/* SAME_MOST: copies that begin at one address. COPIES_MOST: of all; at most a quarter of the table's places. */
enum { SAME_MOST = 3, COPIES_MOST = 1024, PLACES = 4 * COPIES_MOST };

typedef struct copy {
    const char *begin; /* of the program's memory; NULL: no copy */
    uint64_t bytes;
    char *data;
} copy;

static struct {
    copy table[PLACES];
    uint64_t count, used, limit;
    bool wanted; /* a copy was asked for, and there was room for some */
} lasting;

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

/* Returns the bytes that belong to the object that a pointer leads to. */
static verso__native_range within_object_at(verso__native_range all, const char *pointer) {
    static const int near[] = {0, -1, 8, 16}; /* a pointer may lead to an object's end, or to before its first number */
    verso__native_range found = {NULL, NULL};
    for (size_t i = 0; pointer != NULL && i < sizeof near / sizeof *near && found.begin == NULL; i++)
        found = within_object(all, verso__native_reach_object(pointer + near[i]));
    return found;
}

const char *verso__native_lasting(const char *begin, uint64_t bytes, char *object, uint64_t size) {
    if (bytes < VERSO_NATIVE_LASTING_LEAST || lasting.limit == 0)
        return NULL;
    lasting.wanted = true;
    copy *same[SAME_MOST];
    size_t place = first_place(begin), count = 0;
    for (; lasting.table[place].begin != NULL; place = (place + 1) % PLACES) {
        copy *one = &lasting.table[place];
        if (one->begin != begin)
            continue;
        if (one->bytes >= bytes && memcmp(one->data, begin, bytes) == 0)
            return one->data;
        same[count++] = one;
    }
    if (count > 0) {
        verso__native_range all = {(char *)(uintptr_t)begin, (char *)(uintptr_t)begin + bytes};
        verso__native_range own =
            size > 0 ? within_object(all, (verso__native_range){object, object + size}) : within_object_at(all, object);
        for (size_t i = 0; i < count && own.begin != NULL; i++)
            if (same[i]->bytes >= bytes &&
                memcmp(same[i]->data + (own.begin - begin), own.begin, (size_t)(own.end - own.begin)) == 0)
                return same[i]->data;
    }
    if (count == SAME_MOST || lasting.count == COPIES_MOST || bytes > lasting.limit - lasting.used)
        return NULL;
    copy *made = &lasting.table[place];
    *made = (copy){begin, bytes, (char *)verso__native_address(VERSO_NATIVE_LASTING_AT) + lasting.used};
    memcpy(made->data, begin, bytes);
    lasting.count++;
    lasting.used += bytes;
    return made->data;
}
