/* Places: see places.h. Roots are the sets of a union-find structure whose edges have distances. */
#include "cc/types/places.h"
#include "cc/types/multiples.h"

/* A pointer in the memory of a root. */
typedef struct link {
    int64_t offset;
    cc_place to;
} link;

typedef struct node {
    size_t parent;   /* itself: a root */
    int64_t offset;  /* of the beginning of this node in the parent */
    uint64_t period; /* of a root; 0: none */
    unsigned flags;  /* of a root */
    link *links;     /* of a root, each offset once */
    size_t link_count, link_capacity;
} node;

/* Two places that are still to be united. */
typedef struct pair {
    cc_place a, b;
} pair;

struct cc_places {
    cc_unit *unit;
    node *nodes;
    size_t count, capacity;
    pair *waiting;
    size_t wait_count, wait_capacity;
};

/* LINKS_MOST: number of pointers in a root from which on it is folded, which bounds the time of searches. */
enum { LINKS_MOST = 128, POINTER_BYTES = 8 };

static int64_t modulo(int64_t offset, uint64_t period) {
    if (period == 0)
        return offset;
    int64_t rest = offset % (int64_t)period;
    return rest < 0 ? rest + (int64_t)period : rest;
}

cc_places *cc_places_new(cc_unit *unit) {
    cc_places *places = cc_alloc(unit, 1, sizeof *places);
    places->unit = unit;
    (void)cc_places_add(places); /* CC_PLACE_NONE */
    return places;
}

size_t cc_places_add(cc_places *places) {
    cc_reserve(places->unit, &places->nodes, &places->capacity, places->count + 1, sizeof *places->nodes);
    places->nodes[places->count] = (node){.parent = places->count};
    return places->count++;
}

/* Returns the root of a node; sets *offset to the node's offset in it, and makes the root its parent. */
static size_t root_of(cc_places *places, size_t at, int64_t *offset) {
    size_t root = at;
    int64_t sum = 0;
    while (places->nodes[root].parent != root) {
        sum += places->nodes[root].offset;
        root = places->nodes[root].parent;
    }
    *offset = sum;
    while (places->nodes[at].parent != root && at != root) {
        size_t next = places->nodes[at].parent;
        int64_t step = places->nodes[at].offset;
        places->nodes[at].parent = root;
        places->nodes[at].offset = sum;
        sum -= step;
        at = next;
    }
    return root;
}

cc_place cc_places_find(cc_places *places, cc_place place) {
    int64_t offset;
    size_t root = root_of(places, place.node, &offset);
    return (cc_place){root, modulo(place.offset + offset, places->nodes[root].period)};
}

uint64_t cc_places_period(const cc_places *places, size_t root) {
    return places->nodes[root].period;
}

static void wait_for(cc_places *places, cc_place a, cc_place b) {
    cc_reserve(places->unit, &places->waiting, &places->wait_capacity, places->wait_count + 1, sizeof *places->waiting);
    places->waiting[places->wait_count++] = (pair){a, b};
}

static void fold_root(cc_places *places, size_t root, uint64_t distance);

/* Adds a pointer, or unites what it points to with what the pointer at the same offset points to. */
static void add_link(cc_places *places, size_t root, int64_t offset, cc_place to) {
    node *at = &places->nodes[root];
    offset = modulo(offset, at->period);
    for (size_t i = 0; i < at->link_count; i++)
        if (at->links[i].offset == offset) {
            wait_for(places, at->links[i].to, to);
            return;
        }
    cc_reserve(places->unit, &at->links, &at->link_capacity, at->link_count + 1, sizeof *at->links);
    at->links[at->link_count++] = (link){offset, to};
    if (at->link_count > LINKS_MOST)
        fold_root(places, root, POINTER_BYTES);
}

static void fold_root(cc_places *places, size_t root, uint64_t distance) {
    node *at = &places->nodes[root];
    uint64_t period = cc_common_divisor(at->period, distance);
    if (period == at->period)
        return;
    link *links = at->links;
    size_t count = at->link_count;
    at->period = period;
    at->links = NULL;
    at->link_count = at->link_capacity = 0;
    for (size_t i = 0; i < count; i++)
        add_link(places, root, links[i].offset, links[i].to);
}

/* Makes the root `from` a part of the root `to`, `shift` bytes after its beginning. */
static void attach(cc_places *places, size_t to, size_t from, int64_t shift) {
    node old = places->nodes[from];
    places->nodes[from] = (node){.parent = to, .offset = shift};
    places->nodes[to].flags |= old.flags;
    fold_root(places, to, old.period);
    for (size_t i = 0; i < old.link_count; i++)
        add_link(places, to, old.links[i].offset + shift, old.links[i].to);
}

static void unite_now(cc_places *places, cc_place first, cc_place second) {
    cc_place a = cc_places_find(places, first), b = cc_places_find(places, second);
    if (a.node == b.node) {
        int64_t distance = a.offset - b.offset;
        if (distance != 0)
            fold_root(places, a.node, (uint64_t)(distance < 0 ? -distance : distance));
    } else if (places->nodes[a.node].link_count >= places->nodes[b.node].link_count) {
        attach(places, a.node, b.node, a.offset - b.offset);
    } else {
        attach(places, b.node, a.node, b.offset - a.offset);
    }
}

static void settle(cc_places *places) {
    while (places->wait_count > 0) {
        pair next = places->waiting[--places->wait_count];
        unite_now(places, next.a, next.b);
    }
}

void cc_places_unite(cc_places *places, cc_place a, cc_place b) {
    if (a.node == CC_PLACE_NONE || b.node == CC_PLACE_NONE)
        return;
    unite_now(places, a, b);
    settle(places);
}

void cc_places_fold(cc_places *places, size_t at, uint64_t distance) {
    int64_t offset;
    fold_root(places, root_of(places, at, &offset), distance);
    settle(places);
}

cc_place cc_places_follow(cc_places *places, cc_place place) {
    cc_place at = cc_places_find(places, place);
    node *root = &places->nodes[at.node];
    for (size_t i = 0; i < root->link_count; i++)
        if (root->links[i].offset == at.offset)
            return root->links[i].to;
    cc_place to = {cc_places_add(places), 0};
    add_link(places, at.node, at.offset, to);
    settle(places);
    return to;
}

static bool overlap(const node *root, int64_t offset, uint64_t size, int64_t pointer) {
    int64_t distance = pointer - offset, period = (int64_t)root->period;
    if (period == 0)
        return distance < (int64_t)size && -distance < POINTER_BYTES;
    distance = modulo(distance, root->period);
    return distance < (int64_t)size || period - distance < POINTER_BYTES;
}

void cc_places_disturb(cc_places *places, cc_place place, uint64_t size, bool whole) {
    cc_place at = cc_places_find(places, place);
    const node *root = &places->nodes[at.node];
    for (size_t i = 0; i < root->link_count; i++) {
        bool same = whole && root->links[i].offset == at.offset;
        if (!same && overlap(root, at.offset, size, root->links[i].offset))
            cc_places_mark(places, root->links[i].to.node, CC_PLACE_UNKNOWN);
    }
}

void cc_places_mark(cc_places *places, size_t at, cc_place_flag flag) {
    int64_t offset;
    if (at != CC_PLACE_NONE)
        places->nodes[root_of(places, at, &offset)].flags |= flag;
}

unsigned cc_places_flags(cc_places *places, size_t at) {
    int64_t offset;
    return places->nodes[root_of(places, at, &offset)].flags;
}

void cc_places_spread(cc_places *places) {
    const unsigned spread = CC_PLACE_OUTSIDE | CC_PLACE_UNKNOWN | CC_PLACE_SHARED;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < places->count; i++) {
            const node *from = &places->nodes[i];
            for (size_t k = 0; from->parent == i && k < from->link_count; k++) {
                int64_t offset;
                node *to = &places->nodes[root_of(places, from->links[k].to.node, &offset)];
                changed = changed || (from->flags & spread & ~to->flags) != 0;
                to->flags |= from->flags & spread;
            }
        }
    }
}
