/* Finds the memory that a checkpointed call may access. See native/state.h (verso__native_effects).
 *
 * What is found must be the same whether the call is recorded with all memory in place, or within a call that is
 * recorded again from a small snapshot, so that snapshots have the same size in both cases. Then memory holds only what
 * that call may access, the allocator has moved on, and frames of outer functions are gone. So objects in the heap and
 * in outer frames are then found among those of the snapshot. A call whose objects are all known has only such calls
 * within it, so nothing is unknown then.
 *
 * A pointer does not always show which object is meant: it may be to the end of an object that another one follows, or,
 * in programs that count elements from 1, to the element before the first. So objects near a pointer count, too. Their
 * extents are part of the snapshot, so that they are found again within it. */
#include "native/sweep/reach.h"
#include "native/sweep/inside.h"

#include <string.h>

enum { MOST = VERSO_NATIVE_REACH_MOST, SLOTS = 4 * MOST };

static struct {
    verso__native_reached list[MOST];
    size_t count;
    struct slot {
        uint64_t search; /* number of the search that set it */
        size_t index;
    } slots[SLOTS]; /* hash table by `begin` */
    uint64_t search;
    bool failed;
    const char *stack;                 /* where frames of outer functions begin */
    const verso__native_range *within; /* see verso__native_reach_within */
    size_t within_count;
    const char *within_stack;
} reach_state;

static bool holds(verso__native_range range, const char *address) {
    return address >= range.begin && address < range.end;
}

/* ---- The set ---- */

static struct slot *slot_of(const char *begin) {
    size_t at = (size_t)(((uintptr_t)begin >> 3) * UINT64_C(0x9e3779b97f4a7c15) >> 20) % SLOTS;
    while (reach_state.slots[at].search == reach_state.search &&
           reach_state.list[reach_state.slots[at].index].begin != begin)
        at = (at + 1) % SLOTS;
    return &reach_state.slots[at];
}

/* Adds an object. If it is there but is followed only now, it is added again, so that the scan comes to it. */
static void add(verso__native_reached object) {
    if (object.begin == object.end)
        return;
    struct slot *slot = slot_of(object.begin);
    if (slot->search == reach_state.search) {
        verso__native_reached *there = &reach_state.list[slot->index];
        bool more = object.follows && !there->follows;
        there->part &= object.part;
        there->near &= object.near;
        there->extent &= object.extent;
        there->end = object.end > there->end ? object.end : there->end;
        if (!more)
            return;
        object = *there;
        object.follows = true;
        there->end = there->begin; /* now it is empty */
    }
    if (reach_state.count == MOST) {
        reach_state.failed = true;
        return;
    }
    *slot = (struct slot){reach_state.search, reach_state.count};
    reach_state.list[reach_state.count++] = object;
}

static void add_whole(verso__native_range range, bool follows) {
    add((verso__native_reached){.begin = range.begin, .end = range.end, .follows = follows});
}

/* ---- Objects near a pointer ---- */

/* Bytes from a pointer to an element that is counted from 1, at most. */
enum { SLACK = 16 };

typedef verso__native_range finder(const char *address);

static bool is_empty(verso__native_range range) {
    return range.begin == range.end;
}

/* Adds the extents of the neighbours of an object. */
static void add_extents(finder *find_at, verso__native_range range) {
    verso__native_range near[] = {find_at(range.begin - 1), find_at(range.begin - SLACK), find_at(range.end),
                                  find_at(range.end + SLACK)};
    for (size_t i = 0; !is_empty(range) && i < sizeof near / sizeof *near; i++)
        add((verso__native_reached){near[i].begin, near[i].end, .extent = true});
}

/* Adds the object that a pointer leads to, and objects that it may also mean. Returns false if there is none. */
static bool add_near(finder *find_at, const char *pointer, bool follows, bool extents) {
    verso__native_range at = find_at(pointer), before = {NULL, NULL}, after = {NULL, NULL};
    if (is_empty(at) || pointer == at.begin)
        before = find_at(pointer - 1);
    if (is_empty(at) || at.end - pointer <= SLACK)
        after = find_at(is_empty(at) ? pointer + SLACK / 2 : pointer + SLACK);
    bool near = !is_empty(at) || (!is_empty(before) && !is_empty(after));
    add_whole(at, follows);
    add((verso__native_reached){before.begin, before.end, .follows = follows, .near = near});
    add((verso__native_reached){after.begin, after.end, .follows = follows, .near = near});
    if (extents) {
        add_extents(find_at, at);
        add_extents(find_at, before);
        add_extents(find_at, after);
    }
    return !is_empty(at) || !is_empty(before) || !is_empty(after);
}

/* ---- Pointers ---- */

/* The word before a block does not count as part of it. */
static verso__native_range block_at(const char *address) {
    if (reach_state.within != NULL)
        return verso__native_ranges_find(reach_state.within, reach_state.within_count, address);
    verso__native_range block = verso__native_arena_block(address);
    return holds(block, address) ? block : (verso__native_range){NULL, NULL};
}

/* Frames are in the order of their addresses, so the search ends at the first one beyond the pointer. */
static verso__native_range local_at(const char *address) {
    bool beyond = false;
    if (reach_state.within != NULL && address >= reach_state.within_stack)
        return verso__native_ranges_find(reach_state.within, reach_state.within_count, address);
    for (const verso__native_locals *at = verso__native_now.locals; at != NULL && !beyond; at = at->outer) {
        beyond = (const char *)at > address;
        for (uint64_t i = 0; i < at->count; i++)
            if (address >= at->list[i].data && address < at->list[i].data + at->list[i].size)
                return (verso__native_range){at->list[i].data, at->list[i].data + at->list[i].size};
    }
    return (verso__native_range){NULL, NULL};
}

static void add_block(const char *pointer, bool follows) {
    if (!add_near(block_at, pointer, follows, true) && reach_state.within == NULL)
        reach_state.failed = true;
}

/* Variables of frames are not scanned for pointers, because they may contain old addresses. So if objects that one of
 * them points to may be accessed, the search fails (cc/plan/effects.c). Below the stack there are only frames that have
 * ended. */
static void add_local(const char *pointer, bool follows) {
    if (pointer < reach_state.stack)
        return;
    if (follows || !add_near(local_at, pointer, false, true))
        reach_state.failed = true;
}

static void add_variable(const char *pointer, bool follows) {
    if (!add_near(verso__native_variable_at, pointer, follows, false) && follows && !verso__native_is_constant(pointer))
        reach_state.failed = true; /* a variable of code that Verso has not compiled */
}

/* Adds all regions that the pointer may mean. Returns whether there are any. */
static bool add_regions(const char *pointer, const verso_array *regions, size_t count, bool follows) {
    bool found = false;
    for (size_t i = 0; i < count; i++) {
        char *data = regions[i].data;
        verso__native_range all = {data, data + regions[i].count * verso__native_scalar_size(regions[i].type)};
        if (pointer < all.begin - SLACK || pointer > all.end)
            continue;
        add_whole(all, follows);
        found = true;
    }
    return found;
}

verso__native_range verso__native_reach_object(const char *pointer) {
    if ((uintptr_t)pointer - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE)
        return block_at(pointer);
    verso__native_range stack = {verso__native_address(VERSO_NATIVE_STACK_AT), verso__native_stack_top()};
    return holds(stack, pointer) ? local_at(pointer) : verso__native_variable_at(pointer);
}

/* f's own x is not written, so no snapshot needs it. Other objects may be next to it. */
static bool is_input(const verso__native_job *job, const char *pointer) {
    const char *begin = (const char *)job->x;
    return job->run == NULL && pointer >= begin && pointer < begin + job->n * sizeof *job->x;
}

/* Memory of the C library and of other libraries is not part of snapshots. It may lead to memory that is. */
static void add_pointer(const char *pointer, bool follows) {
    const verso__native_job *job = verso__native_job_now();
    verso__native_range stack = {verso__native_address(VERSO_NATIVE_STACK_AT), verso__native_stack_top()};
    if (is_input(job, pointer))
        return;
    if ((uintptr_t)pointer - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE)
        add_block(pointer, follows);
    else if (holds(stack, pointer))
        add_local(pointer, follows);
    else if (holds(verso__native_program(), pointer))
        add_variable(pointer, follows);
    else {
        bool found = add_regions(pointer, job->wrt, job->wrt_count, follows);
        found |= add_regions(pointer, job->of, job->of_count, follows);
        if (!found && (follows || holds(verso__native_caller(), pointer)))
            reach_state.failed = true;
    }
}

/* Most words are not addresses, so the first test is cheap. */
static void scan(const char *begin, const char *end) {
    begin += -(uintptr_t)begin % sizeof(char *);
    for (; end - begin >= (ptrdiff_t)sizeof(char *) && !reach_state.failed; begin += sizeof(char *)) {
        char *word;
        memcpy(&word, begin, sizeof word);
        if ((uintptr_t)word >> 44 == VERSO_NATIVE_ARENA_AT >> 44 || (uintptr_t)word >> 44 == 0x5 ||
            (uintptr_t)word >> 44 == 0x7)
            add_pointer(word, true);
    }
}

/* Adds bytes at a known distance from a pointer. Memory that no snapshot holds is left out. */
static void add_part(char *begin, char *end) {
    const verso__native_job *job = verso__native_job_now();
    bool own = (uintptr_t)begin - VERSO_NATIVE_ARENA_AT < VERSO_NATIVE_ARENA_SIZE ||
               (begin >= reach_state.stack && begin < verso__native_stack_top());
    if (is_input(job, begin))
        return;
    if (own || verso__native_variable_at(begin).begin != NULL)
        add((verso__native_reached){.begin = begin, .end = end, .part = true});
    else
        add_pointer(begin, false);
}

static char *argument_at(const verso__native_passed *passed, uint64_t where) {
    uint64_t word;
    if (where < VERSO_NATIVE_ROOT_STACK)
        return verso__native_address(passed->general[where]);
    memcpy(&word, passed->stack + (where - VERSO_NATIVE_ROOT_STACK), sizeof word);
    return verso__native_address(word);
}

static void drop_empty(void) {
    size_t kept = 0;
    for (size_t i = 0; i < reach_state.count; i++)
        if (reach_state.list[i].begin < reach_state.list[i].end)
            reach_state.list[kept++] = reach_state.list[i];
    reach_state.count = kept;
}

bool verso__native_reach(const verso__native_effects *effects, const verso__native_passed *passed,
                         const verso__native_reached **list, size_t *count) {
    reach_state.search++;
    reach_state.count = 0;
    reach_state.failed = false;
    reach_state.stack = passed->stack;
    add((verso__native_reached){passed->stack, passed->stack + effects->stack_size, .part = true});
    for (uint64_t i = 0; i < effects->root_count; i++) {
        const verso__native_root *root = &effects->roots[i];
        char *pointer = argument_at(passed, root->where);
        if (pointer != NULL && root->whole)
            add_pointer(pointer, root->follows);
        else if (pointer != NULL)
            add_part(pointer + root->low, pointer + root->high);
    }
    for (uint64_t i = 0; i < effects->variable_count && !reach_state.failed; i++) {
        const verso__native_variable *variable = &effects->variables[i];
        add_whole((verso__native_range){variable->data, variable->data + variable->size}, variable->follows);
    }
    for (size_t i = 0; i < reach_state.count && !reach_state.failed; i++)
        if (reach_state.list[i].follows)
            scan(reach_state.list[i].begin, reach_state.list[i].end);
    drop_empty();
    *list = reach_state.list;
    *count = reach_state.count;
    return !reach_state.failed;
}

void verso__native_reach_within(const verso__native_range *list, size_t count, const char *stack) {
    reach_state.within = list;
    reach_state.within_count = count;
    reach_state.within_stack = stack;
}

void verso__native_reach_forget(void) {
    verso__native_variables_forget();
    reach_state.within = NULL;
    verso__native_arena_forget();
}
