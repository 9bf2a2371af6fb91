/* Classifies accesses: see classes.h.
 *
 * Accesses of one root at the same offset, of the same size, kind and tag have one key. Integers that flow between
 * registers and memory are followed until nothing changes: an integer that is loaded carries a number if its key meets
 * a number's, or one of integers that carry; a key carries if an integer that carries is stored. Tags (ir/tags.h) are
 * not relied on, because many programs break the language's rules of aliasing: they copy numbers by words.
 *
 * Memory that code outside the analysis may reach can be the same as other such memory. Only there the rules of the
 * language are relied on: what is accessed as a number is not accessed as an integer, except as a char, or as an
 * integer type through which numbers are accessed somewhere, and unless numbers there are accessed as any type. If it
 * has numbers of several kinds, one may be stored where another one was. */
#include "cc/types/classes_inside.h"

#include "cc/ir/leaves.h"
#include "cc/ir/program.h"
#include "cc/ir/tags.h"

#include <stdlib.h>
#include <string.h>

/* Number of keys of a root from which on its classes are unknown, which bounds the time. */
enum { KEYS_MOST = 600 };

typedef struct key {
    size_t root;
    int64_t offset;
    uint64_t size;
    int kind;
    size_t tag;
    bool aligned;   /* all accesses are aligned to the size of the number */
    bool carries;   /* of integers: some that is stored carries a number */
    unsigned kinds; /* of integers: see cc_integer */
} key;

typedef struct classes {
    cc_unit *unit;
    cc_accesses accesses;
    key *keys;
    size_t key_count, key_capacity;
    size_t *first;          /* of each root: index of its first key; keys are sorted by root */
    unsigned outside_kinds; /* set of kinds of numbers in memory that is reached from outside */
    bool outside_puns;      /* such memory is also accessed as any type, and used as numbers */
    bool outside_any;       /* integers in such memory are accessed as any type */
    /* Tags of integers that carry a number, or of numbers, in memory that is reached from outside. */
    bool *carrying_tags;
    size_t tag_count;
} classes;

static unsigned bytes_of(int kind) {
    static const unsigned bytes[CC_INTEGER + 1] = {8, 4, 16, 4, 16, 1};
    return bytes[kind];
}

static unsigned flags_of(classes *all, const key *of) {
    return cc_places_flags(all->accesses.places, of->root);
}

/* ---- Keys ---- */

static int compare(const void *a, const void *b) {
    const key *x = a, *y = b;
    if (x->root != y->root)
        return x->root < y->root ? -1 : 1;
    if (x->offset != y->offset)
        return x->offset < y->offset ? -1 : 1;
    if (x->size != y->size)
        return x->size < y->size ? -1 : 1;
    if (x->kind != y->kind)
        return x->kind < y->kind ? -1 : 1;
    return x->tag == y->tag ? 0 : x->tag < y->tag ? -1 : 1;
}

static key key_of(classes *all, const cc_access *access) {
    cc_place at = cc_places_find(all->accesses.places, access->place);
    return (key){.root = at.node, .offset = at.offset, .size = access->size, .kind = access->kind, .tag = access->tag};
}

static size_t find_key(const classes *all, const key *wanted) {
    const key *found = bsearch(wanted, all->keys, all->key_count, sizeof *wanted, compare);
    return (size_t)(found - all->keys);
}

static void make_keys(classes *all) {
    cc_accesses *accesses = &all->accesses;
    key *sorted = cc_alloc(all->unit, accesses->count + 1, sizeof *sorted);
    for (size_t i = 0; i < accesses->count; i++)
        sorted[i] = key_of(all, &accesses->all[i]);
    qsort(sorted, accesses->count, sizeof *sorted, compare);
    all->keys = sorted;
    for (size_t i = 0; i < accesses->count; i++)
        if (all->key_count == 0 || compare(&sorted[all->key_count - 1], &sorted[i]) != 0)
            sorted[all->key_count++] = sorted[i];
    for (size_t i = 0; i < all->key_count; i++)
        sorted[i].aligned = true;
    for (size_t i = 0; i < accesses->count; i++) {
        cc_access *access = &accesses->all[i];
        key wanted = key_of(all, access);
        access->key = find_key(all, &wanted);
        if (access->alignment % bytes_of(access->kind) != 0)
            all->keys[access->key].aligned = false;
        all->tag_count = access->tag >= all->tag_count ? access->tag + 1 : all->tag_count;
    }
}

/* ---- Which accesses can meet ---- */

static bool can_meet(const classes *all, const key *a, const key *b) {
    int64_t period = (int64_t)cc_places_period(all->accesses.places, a->root);
    int64_t distance = b->offset - a->offset;
    if (period == 0)
        return distance < (int64_t)a->size && -distance < (int64_t)b->size;
    distance = (distance % period + period) % period;
    return distance < (int64_t)a->size || period - distance < (int64_t)b->size;
}

/* The keys of the root of a key: from `first` to before `end`. */
typedef struct range {
    size_t first, end;
} range;

static range keys_beside(const classes *all, size_t of) {
    range found = {of, of + 1};
    while (found.first > 0 && all->keys[found.first - 1].root == all->keys[of].root)
        found.first--;
    while (found.end < all->key_count && all->keys[found.end].root == all->keys[of].root)
        found.end++;
    return found;
}

/* ---- Where integers carry numbers ---- */

/* Returns whether code that is not analysed may have stored a number where integers of this key are: such numbers are
 * accessed as char, by a type that numbers are accessed by elsewhere, or are used as numbers by the program. */
static bool is_open(classes *all, const key *of) {
    unsigned flags = flags_of(all, of);
    bool likely = of->tag == 0 || all->carrying_tags[of->tag] || of->kinds != 0 || all->outside_puns;
    return (flags & CC_PLACE_UNKNOWN) != 0 || ((flags & CC_PLACE_OUTSIDE) != 0 && likely);
}

/* Adds to the key of integers what those that it can meet are. Returns whether it changed. */
static bool update_key(classes *all, size_t index) {
    key *of = &all->keys[index], before = *of;
    range beside = keys_beside(all, index);
    of->carries = of->carries || beside.end - beside.first > KEYS_MOST || is_open(all, of);
    for (size_t i = beside.first; i < beside.end && beside.end - beside.first <= KEYS_MOST; i++) {
        const key *other = &all->keys[i];
        if (!can_meet(all, of, other))
            continue;
        of->carries = of->carries || other->kind != CC_INTEGER || other->carries;
        of->kinds |= other->kind != CC_INTEGER ? 1u << other->kind : other->kinds;
    }
    return of->carries != before.carries || of->kinds != before.kinds;
}

static bool flow(cc_integer *from, cc_integer *to) {
    cc_integer old_from = *from, old_to = *to;
    to->carries = to->carries || from->carries;
    from->kinds |= to->kinds;
    to->kinds |= from->kinds;
    return to->carries != old_to.carries || to->kinds != old_to.kinds || from->kinds != old_from.kinds;
}

static bool flow_through_memory(classes *all, const cc_access *access) {
    key *in_memory = &all->keys[access->key];
    cc_integer *value = &all->accesses.values[access->value];
    cc_integer memory = {in_memory->carries, in_memory->kinds};
    bool changed = LLVMIsAStoreInst(access->at) ? flow(value, &memory) : flow(&memory, value);
    in_memory->carries = memory.carries;
    in_memory->kinds = memory.kinds;
    return changed;
}

static void note_tag(classes *all, const key *of, bool *changed) {
    bool carries = of->kind == CC_INTEGER ? of->carries : true;
    if ((flags_of(all, of) & CC_PLACE_OUTSIDE) == 0)
        return;
    if (of->kind != CC_INTEGER)
        all->outside_kinds |= 1u << of->kind;
    bool puns = of->tag == 0 && (of->kind != CC_INTEGER || of->kinds != 0);
    if (puns && !all->outside_puns)
        all->outside_puns = *changed = true;
    all->outside_any = all->outside_any || (of->tag == 0 && of->kind == CC_INTEGER);
    if (carries && of->tag != 0 && !all->carrying_tags[of->tag])
        all->carrying_tags[of->tag] = *changed = true;
}

static void follow_integers(classes *all) {
    cc_accesses *accesses = &all->accesses;
    for (bool changed = true; changed;) {
        changed = false;
        for (size_t i = 0; i < all->key_count; i++) {
            if (all->keys[i].kind == CC_INTEGER)
                changed |= update_key(all, i);
            note_tag(all, &all->keys[i], &changed);
        }
        for (size_t i = 0; i < accesses->count; i++)
            if (accesses->all[i].kind == CC_INTEGER && accesses->all[i].value != 0)
                changed |= flow_through_memory(all, &accesses->all[i]);
        for (bool more = true; more;) {
            more = false;
            for (size_t i = 0; i < accesses->edge_count; i++)
                more |= flow(&accesses->values[accesses->edges[i].from], &accesses->values[accesses->edges[i].to]);
            changed |= more;
        }
    }
}

/* ---- Classes ---- */

/* Returns whether numbers of key `of` and what `other` accesses never have some bytes of each other only. If the
 * program has doubts, an integer may leave one where the number is, which the reversed store of the number must
 * find. */
static bool is_whole(const classes *all, const key *of, const key *other) {
    int64_t size = (int64_t)bytes_of(of->kind), period = (int64_t)cc_places_period(all->accesses.places, of->root);
    bool same = other->kind == of->kind;
    bool integers = other->kind == CC_INTEGER && other->size % (uint64_t)size == 0 &&
                    (other->kinds & ~(1u << of->kind)) == 0 && !all->unit->program->doubts;
    bool placed = period % size == 0 && (other->offset - of->offset) % size == 0;
    return (same && (placed || (of->aligned && other->aligned))) || (integers && placed);
}

static cc_class class_of_number(classes *all, const cc_access *access) {
    const key *of = &all->keys[access->key];
    range beside = keys_beside(all, access->key);
    unsigned flags = flags_of(all, of);
    bool doubted = all->unit->program->doubts && all->outside_any;
    bool outside = (flags & CC_PLACE_OUTSIDE) != 0 && (doubted || (all->outside_kinds & ~(1u << of->kind)) != 0);
    if (of->kind == CC_OTHER_NUMBER || beside.end - beside.first > KEYS_MOST || (flags & CC_PLACE_UNKNOWN) != 0 ||
        outside)
        return CC_CLASS_UNKNOWN;
    for (size_t i = beside.first; i < beside.end; i++)
        if (can_meet(all, of, &all->keys[i]) && !is_whole(all, of, &all->keys[i]))
            return CC_CLASS_UNKNOWN;
    return CC_CLASS_NUMBERS;
}

static cc_class class_of_integer(const classes *all, const cc_access *access) {
    bool carries = all->keys[access->key].carries || all->accesses.values[access->value].carries;
    return carries ? CC_CLASS_UNKNOWN : CC_CLASS_NOTHING;
}

/* An instruction with several accesses has their common class. */
static void attach_all(classes *all) {
    cc_map found = {0};
    LLVMValueRef *order = cc_alloc(all->unit, all->accesses.count + 1, sizeof *order);
    cc_class *class = cc_alloc(all->unit, all->accesses.count + 1, sizeof *class);
    size_t count = 0;
    for (size_t i = 0; i < all->accesses.count; i++) {
        const cc_access *access = &all->accesses.all[i];
        cc_class own = access->kind == CC_INTEGER ? class_of_integer(all, access) : class_of_number(all, access);
        ptrdiff_t index = cc_map_get(&found, access->at);
        if (index == CC_NOT_FOUND) {
            cc_map_put(all->unit, &found, access->at, count);
            order[count] = access->at;
            class[count++] = own;
        } else if (class[index] != own)
            class[index] = CC_CLASS_UNKNOWN;
    }
    for (size_t i = 0; i < count; i++)
        cc_set_class(all->unit, order[i], class[i]);
}

/* ---- Integers that are numbers (restore.c) ---- */

/* Returns the kind of numbers that an integer of this key must be if it is one. */
static int kind_of_size(uint64_t size) {
    return size == bytes_of(VERSO_NATIVE_FLOAT)    ? VERSO_NATIVE_FLOAT
           : size == bytes_of(VERSO_NATIVE_DOUBLE) ? VERSO_NATIVE_DOUBLE
                                                   : CC_OTHER_NUMBER;
}

/* Returns whether the memory of an integer certainly holds whole numbers of one kind, of its size, and nothing else. */
static bool is_number_in_memory(classes *all, const cc_access *access) {
    const key *of = &all->keys[access->key];
    int kind = kind_of_size(of->size);
    int64_t size = (int64_t)of->size, period = (int64_t)cc_places_period(all->accesses.places, of->root);
    range beside = keys_beside(all, access->key);
    bool number = false;
    if (kind == CC_OTHER_NUMBER || (flags_of(all, of) & (CC_PLACE_OUTSIDE | CC_PLACE_UNKNOWN)) != 0 ||
        beside.end - beside.first > KEYS_MOST || access->alignment % of->size != 0 ||
        (all->accesses.values[access->value].kinds & ~(1u << kind)) != 0)
        return false;
    for (size_t i = beside.first; i < beside.end; i++) {
        const key *other = &all->keys[i];
        if (!can_meet(all, of, other))
            continue;
        if (other->size != of->size || period % size != 0 || (other->offset - of->offset) % size != 0 ||
            (other->kind == CC_INTEGER ? (other->kinds & ~(1u << kind)) != 0 : other->kind != kind))
            return false;
        number |= other->kind == kind;
    }
    return number;
}

static bool restore_numbers(classes *all) {
    cc_map places = {0}, others = {0};
    cc_accesses *accesses = &all->accesses;
    if (cc_kind_count(all->unit) == 1 || all->unit->program->doubts)
        return false;
    for (size_t i = 0; i < accesses->count; i++)
        if (accesses->all[i].kind == CC_INTEGER && !is_number_in_memory(all, &accesses->all[i]))
            cc_map_put(all->unit, &others, accesses->all[i].at, 1);
    for (size_t i = 0; i < accesses->count; i++) {
        LLVMValueRef at = accesses->all[i].at;
        if (accesses->all[i].kind == CC_INTEGER && cc_map_get(&others, at) == CC_NOT_FOUND && !LLVMGetVolatile(at) &&
            LLVMGetOrdering(at) == LLVMAtomicOrderingNotAtomic)
            cc_map_put(all->unit, &places, at, 1);
    }
    return cc_restore_numbers(all->unit, &places);
}

/* ---- Memories (ir/tags.h) ---- */

/* Sets of keys, as a union-find structure. */
typedef struct sets {
    size_t *parent; /* of each key; itself: the first of its set */
    bool *open;     /* of the first of each set */
} sets;

static size_t set_of(sets *sets, size_t key) {
    while (sets->parent[key] != key)
        key = sets->parent[key] = sets->parent[sets->parent[key]];
    return key;
}

static void unite_keys(sets *sets, size_t a, size_t b) {
    a = set_of(sets, a), b = set_of(sets, b);
    sets->parent[b] = a;
    sets->open[a] = sets->open[a] || sets->open[b];
}

static void unite_beside(classes *all, sets *sets, range beside) {
    for (size_t i = beside.first; i < beside.end && beside.end - beside.first <= KEYS_MOST; i++)
        for (size_t k = i + 1; k < beside.end; k++)
            if (can_meet(all, &all->keys[i], &all->keys[k]))
                unite_keys(sets, i, k);
}

/* Unites the keys that can meet, and those of one instruction. */
static sets find_sets(classes *all) {
    sets sets = {cc_alloc(all->unit, all->key_count + 1, sizeof(size_t)),
                 cc_alloc(all->unit, all->key_count + 1, sizeof(bool))};
    cc_map key_of_access = {0};
    const unsigned closed_to = CC_PLACE_OUTSIDE | CC_PLACE_UNKNOWN | CC_PLACE_SHARED;
    for (size_t i = 0; i < all->key_count; i++) {
        bool number = all->keys[i].kind != CC_INTEGER && all->keys[i].kind != CC_OTHER_NUMBER;
        sets.parent[i] = i;
        sets.open[i] = !number || (flags_of(all, &all->keys[i]) & closed_to) != 0;
    }
    for (range next = {0, 0}; next.first < all->key_count; next.first = next.end) {
        next = keys_beside(all, next.first);
        unite_beside(all, &sets, next);
    }
    for (size_t i = 0; i < all->accesses.count; i++) {
        const cc_access *access = &all->accesses.all[i];
        ptrdiff_t other = cc_map_get(&key_of_access, access->at);
        if (access->kind != CC_INTEGER && class_of_number(all, access) != CC_CLASS_NUMBERS)
            sets.open[set_of(&sets, access->key)] = true;
        if (other == CC_NOT_FOUND)
            cc_map_put(all->unit, &key_of_access, access->at, access->key);
        else
            unite_keys(&sets, (size_t)other, access->key);
    }
    return sets;
}

static void attach_memories(classes *all) {
    sets sets = find_sets(all);
    for (size_t i = 0; i < all->accesses.count; i++) {
        const cc_access *access = &all->accesses.all[i];
        size_t set = set_of(&sets, access->key);
        if (access->kind != CC_INTEGER)
            cc_set_memory(all->unit, access->at, sets.open[set] ? CC_MEMORY_OPEN : CC_MEMORY_FIRST + set);
    }
    all->unit->program->memory_count = CC_MEMORY_FIRST + all->key_count;
}

/* Returns whether numbers were restored, so that it must be done again. */
static bool find_classes(cc_unit *unit, bool restores) {
    cc_region_begin(unit);
    classes *all = cc_alloc(unit, 1, sizeof *all);
    all->unit = unit;
    all->accesses.unit = unit;
    all->accesses.places = cc_places_new(unit);
    cc_collect_accesses(&all->accesses);
    make_keys(all);
    all->carrying_tags = cc_alloc(unit, all->tag_count + 1, sizeof(bool));
    follow_integers(all);
    bool restored = restores && restore_numbers(all);
    if (!restored) {
        attach_all(all);
        attach_memories(all);
    }
    cc_region_end(unit);
    return restored;
}

void cc_find_classes(cc_unit *unit) {
    if (find_classes(unit, true))
        find_classes(unit, false);
}
