/* See search.h.
 *
 * Times add up over sites, but peaks do not, so the front is found by search. Every tried choice is offered to the
 * front, which keeps it unless a choice there is at least as good in both respects. First come the greedy
 * strategies of paper 2 and their reverse. Then the neighbours of every choice on the front are tried: each site
 * switched, and one site switched on and another off. When that finds nothing more, a few sites of a random choice
 * are switched at random, and the search continues from there. */
#include "profile/search.h"

#include "base/alloc.h"

#include <string.h>

typedef struct search {
    const verso__calltree *tree;
    size_t sites;
    uint32_t *used; /* indices of the sites that can be switched and were called */
    size_t used_count;
    verso__calltree_level *levels;
    bool *on;        /* the current choice */
    uint64_t effort; /* remaining effort */
    uint64_t price;  /* effort of one prediction */
    verso__front *front;
    bool failed; /* there was no memory */
} search;

/* ---- The front ---- */

void verso__front_free(verso__front *front) {
    for (size_t i = 0; i < front->count; i++)
        verso__dealloc(front->points[i].on);
    verso__dealloc(front->points);
    *front = (verso__front){0};
}

const verso__choice *verso__front_within(const verso__front *front, uint64_t bytes) {
    const verso__choice *found = NULL;
    for (size_t i = 0; i < front->count && front->points[i].peak <= bytes; i++)
        found = &front->points[i];
    return found;
}

static bool reserve_point(verso__front *front) {
    if (front->count < front->room)
        return true;
    size_t room = front->room == 0 ? 64 : 2 * front->room;
    verso__choice *points = verso__realloc(front->points, room, sizeof *points);
    if (points == NULL)
        return false;
    front->points = points;
    front->room = room;
    return true;
}

/* Inserts a copy of the choice at index `at`. Returns false if there is no memory. */
static bool insert(verso__front *front, size_t at, const bool *on, uint64_t peak, double seconds) {
    bool *copy = verso__alloc(front->sites + 1, sizeof *copy);
    if (copy == NULL || !reserve_point(front)) {
        verso__dealloc(copy);
        return false;
    }
    memcpy(copy, on, front->sites * sizeof *copy);
    memmove(front->points + at + 1, front->points + at, (front->count - at) * sizeof *front->points);
    front->points[at] = (verso__choice){.on = copy, .peak = peak, .seconds = seconds};
    front->count++;
    return true;
}

/* Removes the points from `first` on that are not faster than `seconds`. */
static void drop_slower(verso__front *front, size_t first, double seconds) {
    size_t end = first;
    while (end < front->count && front->points[end].seconds >= seconds)
        verso__dealloc(front->points[end++].on);
    if (end == first)
        return;
    memmove(front->points + first, front->points + end, (front->count - end) * sizeof *front->points);
    front->count -= end - first;
}

/* Inserts the choice if it belongs on the front. Returns true if it does. */
static bool offer(search *s, const bool *on, uint64_t peak, double seconds) {
    verso__front *front = s->front;
    size_t at = 0;
    while (at < front->count && front->points[at].peak < peak)
        at++;
    if ((at > 0 && front->points[at - 1].seconds <= seconds) ||
        (at < front->count && front->points[at].peak == peak && front->points[at].seconds <= seconds))
        return false;
    drop_slower(front, at, seconds);
    if (!insert(front, at, on, peak, seconds))
        s->failed = true;
    return !s->failed;
}

/* ---- Trying ---- */

static verso__calltree_cost try_choice(search *s) {
    verso__calltree_cost cost = verso__calltree_predict(s->tree, s->on, s->levels);
    s->effort = s->effort > s->price ? s->effort - s->price : 0;
    if (s->front != NULL)
        offer(s, s->on, cost.peak, cost.seconds);
    return cost;
}

static bool is_over(const search *s) {
    return s->failed || s->effort == 0;
}

/* Tries all choices in the order of a Gray code: each differs from the previous one in one site. */
static void try_all(search *s) {
    try_choice(s);
    for (uint64_t i = 1; i < UINT64_C(1) << s->used_count && !s->failed; i++) {
        uint32_t site = s->used[__builtin_ctzll(i)];
        s->on[site] = !s->on[site];
        try_choice(s);
    }
}

static bool is_cheap(const search *s) {
    return s->used_count < 40 && s->effort >> s->used_count >= s->price;
}

/* ---- Greedy ways ---- */

/* Returns whether, starting from `now`, the strategy prefers the choice with cost `a` to the one with cost `b`. */
static bool is_better(verso__strategy strategy, const verso__calltree_cost *now, const verso__calltree_cost *a,
                      const verso__calltree_cost *b) {
    bool a_raises = a->peak > now->peak, b_raises = b->peak > now->peak;
    if (strategy == VERSO_STRATEGY_MEMORY_CAREFUL && a->peak != b->peak)
        return a->peak < b->peak;
    if (strategy == VERSO_STRATEGY_TIME_FIRST && a_raises != b_raises)
        return b_raises;
    return a->seconds < b->seconds;
}

/* Switches off the site that the strategy prefers. Returns false if no site is on. */
static bool step_down(search *s, verso__strategy strategy, verso__calltree_cost *now) {
    size_t best = s->used_count;
    verso__calltree_cost best_cost = {0};
    for (size_t i = 0; i < s->used_count; i++) {
        if (!s->on[s->used[i]])
            continue;
        s->on[s->used[i]] = false;
        verso__calltree_cost cost = try_choice(s);
        s->on[s->used[i]] = true;
        if (best == s->used_count || is_better(strategy, now, &cost, &best_cost)) {
            best = i;
            best_cost = cost;
        }
    }
    if (best == s->used_count)
        return false;
    s->on[s->used[best]] = false;
    *now = best_cost;
    return true;
}

/* Follows the strategy from all on to all off; appends each choice to `path` unless that is NULL. */
static void go_down(search *s, verso__strategy strategy, verso__front *path) {
    for (size_t i = 0; i < s->used_count; i++)
        s->on[s->used[i]] = true;
    verso__calltree_cost now = try_choice(s);
    do {
        if (path != NULL && !insert(path, path->count, s->on, now.peak, now.seconds))
            s->failed = true;
    } while (!s->failed && step_down(s, strategy, &now));
}

/* Starts with all off and switches on, one at a time, the site that lowers the peak most per second, until none
 * does. */
static void go_up(search *s) {
    memset(s->on, 0, s->sites * sizeof *s->on);
    verso__calltree_cost now = try_choice(s);
    for (;;) {
        size_t best = s->used_count;
        double best_gain = 0;
        verso__calltree_cost best_cost = now;
        for (size_t i = 0; i < s->used_count && !is_over(s); i++) {
            if (s->on[s->used[i]])
                continue;
            s->on[s->used[i]] = true;
            verso__calltree_cost cost = try_choice(s);
            s->on[s->used[i]] = false;
            double gain = ((double)now.peak - (double)cost.peak) / (cost.seconds - now.seconds + 1e-12);
            if (gain > best_gain)
                best = i, best_gain = gain, best_cost = cost;
        }
        if (best == s->used_count)
            return;
        s->on[s->used[best]] = true;
        now = best_cost;
    }
}

/* ---- Improving ---- */

/* Tries all neighbours of the choice in s->on. */
static void try_around(search *s) {
    for (size_t i = 0; i < s->used_count && !is_over(s); i++) {
        uint32_t one = s->used[i];
        s->on[one] = !s->on[one];
        try_choice(s);
        for (size_t k = 0; k < i && !is_over(s); k++) {
            uint32_t other = s->used[k];
            if (s->on[other] != s->on[one]) /* else both would be switched the same way */
                continue;
            s->on[other] = !s->on[other];
            try_choice(s);
            s->on[other] = !s->on[other];
        }
        s->on[one] = !s->on[one];
    }
}

static verso__choice *next_to_try(const verso__front *front) {
    for (size_t i = 0; i < front->count; i++)
        if (!front->points[i].tried)
            return &front->points[i];
    return NULL;
}

static void improve(search *s) {
    for (verso__choice *from; !is_over(s) && (from = next_to_try(s->front)) != NULL;) {
        from->tried = true;
        memcpy(s->on, from->on, s->sites * sizeof *s->on);
        try_around(s);
    }
}

/* The splitmix64 generator: the same numbers in every run. */
static uint64_t random_below(uint64_t *state, uint64_t limit) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return (z ^ z >> 31) % limit;
}

static void try_random_change(search *s, uint64_t *state) {
    const verso__choice *from = &s->front->points[random_below(state, s->front->count)];
    memcpy(s->on, from->on, s->sites * sizeof *s->on);
    for (uint64_t switches = 2 + random_below(state, 3); switches > 0; switches--) {
        uint32_t site = s->used[random_below(state, s->used_count)];
        s->on[site] = !s->on[site];
    }
    try_around(s);
}

static void search_until_spent(search *s) {
    uint64_t state = 1;
    improve(s);
    while (!is_over(s) && s->used_count > 0) {
        try_random_change(s, &state);
        improve(s);
    }
}

/* ---- The search ---- */

static bool open_search(search *s) {
    size_t cells;
    verso__calltree_cells(s->tree, &cells);
    s->price = cells + verso__calltree_count(s->tree);
    s->levels = verso__alloc(verso__calltree_count(s->tree), sizeof *s->levels);
    s->on = verso__alloc(s->sites + 1, sizeof *s->on);
    s->used = verso__alloc(s->sites + 1, sizeof *s->used);
    if (s->levels == NULL || s->on == NULL || s->used == NULL)
        return false;
    const verso__calltree_node *nodes = verso__calltree_nodes(s->tree);
    for (size_t i = 0; i < verso__calltree_count(s->tree); i++)
        if (nodes[i].site != VERSO_CALLTREE_NONE && !nodes[i].always)
            s->on[nodes[i].site] = true;
    for (uint32_t i = 0; i < s->sites; i++)
        if (s->on[i])
            s->used[s->used_count++] = i;
    memset(s->on, 0, s->sites * sizeof *s->on);
    return true;
}

static verso_status close_search(search *s) {
    verso__dealloc(s->levels);
    verso__dealloc(s->on);
    verso__dealloc(s->used);
    return s->failed ? VERSO_STATUS_NO_MEMORY : VERSO_STATUS_OK;
}

verso_status verso__front_find(const verso__calltree *tree, size_t sites, uint64_t effort, verso__front *front) {
    search s = {.tree = tree, .sites = sites, .effort = effort, .front = front};
    *front = (verso__front){.sites = sites};
    s.failed = !open_search(&s);
    if (!s.failed && is_cheap(&s)) {
        try_all(&s);
        front->exact = true;
    } else if (!s.failed) {
        go_down(&s, VERSO_STRATEGY_TIME_FIRST, NULL);
        go_down(&s, VERSO_STRATEGY_MEMORY_CAREFUL, NULL);
        go_up(&s);
        search_until_spent(&s);
    }
    return close_search(&s);
}

verso_status verso__strategy_path(const verso__calltree *tree, size_t sites, verso__strategy strategy,
                                  verso__front *path) {
    search s = {.tree = tree, .sites = sites};
    *path = (verso__front){.sites = sites};
    s.failed = !open_search(&s);
    if (!s.failed)
        go_down(&s, strategy, path);
    return close_search(&s);
}
