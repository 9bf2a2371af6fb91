/* See tune.h. */
#include "profile/tune.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"
#include "profile/profile.h"

#include <math.h>

/* Maximum number of visited cells: one or two seconds. */
static const uint64_t effort = 300000000;
/* Times are measured once and vary: `late` is the ratio to the prediction, `slower` the ratio to `plain`, that
 * count. */
static const double late = 1.5, slower = 1.1;

const char *verso__tune_word(verso__tune_strategy strategy) {
    static const char *const words[] = {"time-first", "memory-careful", "best"};
    return words[strategy];
}

/* Returns the fastest of the choices, in any order, with a peak of at most `bytes`; of equally fast ones that with
 * the lower peak. NULL if there is none. */
static const verso__choice *fastest_within(const verso_profile *profile, const verso__front *choices, uint64_t bytes) {
    const verso__choice *best = NULL;
    double least = INFINITY;
    for (size_t i = 0; i < choices->count; i++) {
        const verso__choice *one = &choices->points[i];
        double seconds = verso__profile_seconds(profile, one->seconds, one->peak);
        if (one->peak <= bytes && (seconds < least || (seconds == least && one->peak < best->peak))) {
            best = one;
            least = seconds;
        }
    }
    return best;
}

/* Removes the choices that leave the front when the time for fresh memory is added, which the search ignores. No
 * choice outside the front can enter it by this. */
static void drop_slower(const verso_profile *profile, verso__front *front) {
    double least = INFINITY;
    size_t kept = 0;
    for (size_t i = 0; i < front->count; i++) {
        verso__choice *one = &front->points[i];
        double seconds = verso__profile_seconds(profile, one->seconds, one->peak);
        if (seconds < least) {
            least = seconds;
            front->points[kept++] = *one;
        } else
            verso__dealloc(one->on);
    }
    front->count = kept;
}

static uint64_t least_peak(const verso__front *choices) {
    uint64_t least = UINT64_MAX;
    for (size_t i = 0; i < choices->count; i++)
        least = choices->points[i].peak < least ? choices->points[i].peak : least;
    return least;
}

/* The splitmix64 generator: the same numbers in every run. */
static uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += UINT64_C(0x9e3779b97f4a7c15);
    z = (z ^ z >> 30) * UINT64_C(0xbf58476d1ce4e5b9);
    z = (z ^ z >> 27) * UINT64_C(0x94d049bb133111eb);
    return z ^ z >> 31;
}

static bool try_random(verso__tuning *tuning) {
    size_t count = tuning->profile->count;
    uint64_t state = 1;
    bool *on = verso__alloc(count + 1, sizeof *on);
    if (on == NULL)
        return false;
    for (size_t k = 0; k < VERSO_TUNE_RANDOM; k++) {
        for (size_t i = 0; i < count; i++)
            on[i] = next_random(&state) % 2;
        tuning->random[k] = verso_profile_predict(tuning->profile, on);
    }
    verso__dealloc(on);
    return true;
}

static verso_status search(verso__tuning *tuning) {
    const verso_profile *profile = tuning->profile;
    verso_status status = verso__front_find(profile->tree, profile->count, effort, &tuning->front);
    drop_slower(profile, &tuning->front);
    for (int way = 0; way < 2 && status == VERSO_STATUS_OK; way++)
        status = verso__strategy_path(profile->tree, profile->count, (verso__strategy)way, &tuning->paths[way]);
    return status == VERSO_STATUS_OK && !try_random(tuning) ? VERSO_STATUS_NO_MEMORY : status;
}

/* Returns the least memory that a single pass needs in all with one of the choices. */
static uint64_t least_memory(const verso__tuning *tuning, const verso__front *choices) {
    return verso__add_u64(least_peak(choices), tuning->profile->run.beside);
}

static verso_status nothing_fits(const verso__tuning *tuning, uint64_t least, verso_error *error) {
    uint64_t any = least_memory(tuning, &tuning->front);
    if (tuning->strategy != VERSO_TUNE_BEST)
        return verso__fail(
            error, VERSO_STATUS_IMPOSSIBLE,
            "no choice of calls of the strategy %s fits into %llu bytes; at least %llu bytes are needed. The "
            "strategy best needs at least %llu bytes, or less with a schedule.",
            verso__tune_word(tuning->strategy), (unsigned long long)tuning->memory, (unsigned long long)least,
            (unsigned long long)any);
    return verso__fail(
        error, VERSO_STATUS_IMPOSSIBLE,
        "no choice of calls fits into %llu bytes, in a single pass or with a schedule; at least %llu bytes are needed",
        (unsigned long long)tuning->memory, (unsigned long long)verso__min_u64(any, tuning->planned.least));
}

static void take_choice(verso__tuning *tuning, const verso__choice *choice) {
    if (choice == NULL)
        return;
    tuning->chosen = choice->on;
    tuning->cost = verso_profile_predict(tuning->profile, choice->on);
}

/* Takes the plan if it is faster than the choice so far. */
static void take_plan(verso__tuning *tuning) {
    const verso__planned *planned = &tuning->planned;
    if (!planned->fits || (tuning->chosen != NULL && tuning->cost.seconds <= planned->seconds))
        return;
    tuning->chosen = planned->on;
    tuning->plan = planned->plan;
    tuning->cost = (verso_profile_cost){.peak_bytes = planned->tape,
                                        .turn_bytes = planned->tape,
                                        .memory_bytes = planned->bytes,
                                        .seconds = planned->seconds};
}

static verso_status find_plan(verso__tuning *tuning) {
    const verso__front *const fronts[] = {&tuning->front, &tuning->paths[0], &tuning->paths[1]};
    return verso__plan_find(tuning->profile, tuning->memory, fronts, sizeof fronts / sizeof *fronts, &tuning->planned);
}

verso_status verso__tuning_open(const verso_profile *profile, uint64_t memory, verso__tune_strategy strategy,
                                verso__tuning *tuning, verso_error *error) {
    *tuning = (verso__tuning){.profile = profile, .memory = memory, .strategy = strategy};
    verso_status status = search(tuning);
    if (status == VERSO_STATUS_OK && strategy == VERSO_TUNE_BEST)
        status = find_plan(tuning);
    if (status != VERSO_STATUS_OK)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for the search");
    const verso__front *choices = strategy == VERSO_TUNE_BEST ? &tuning->front : &tuning->paths[strategy];
    uint64_t beside = profile->run.beside;
    if (memory >= beside)
        take_choice(tuning, fastest_within(profile, choices, memory - beside));
    take_plan(tuning);
    return tuning->chosen != NULL ? VERSO_STATUS_OK : nothing_fits(tuning, least_memory(tuning, choices), error);
}

bool verso__tuning_is_plain(const verso__tuning *tuning) {
    if (tuning->plan.leaf > 0)
        return false;
    for (size_t i = 0; i < tuning->profile->count; i++)
        if (tuning->chosen[i] && !tuning->profile->sites[i].always && !tuning->profile->sites[i].never)
            return false;
    return true;
}

void verso__tuning_judge(verso__tuning *tuning, const verso_profile_cost *measured, const verso_profile_cost *plain) {
    verso__tune_verdict *verdict = &tuning->verdict;
    *verdict = (verso__tune_verdict){.late = measured->seconds > late * tuning->cost.seconds};
    if (plain == NULL)
        return;
    verdict->compared = true;
    verdict->plain = *plain;
    verdict->plain_better = plain->memory_bytes <= tuning->memory &&
                            (measured->memory_bytes > tuning->memory || measured->seconds > slower * plain->seconds);
}

void verso__tuning_close(verso__tuning *tuning) {
    verso__front_free(&tuning->front);
    for (int way = 0; way < 2; way++)
        verso__front_free(&tuning->paths[way]);
    verso__plan_close(&tuning->planned);
}
