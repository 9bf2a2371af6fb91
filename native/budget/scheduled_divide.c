/* Divides the budget of a sweep, and chooses the length of its steps. division.c has the arithmetic.
 *
 * How large capsules become, and by how much steps exceed their length, is not known when the budget is divided. So it
 * is divided for the largest sizes so far and some more. When the budget seems too small, or in a durable run, where
 * beginning anew is expensive, a survey measures the beginning of the run first. */
#include "native/budget/scheduled_inside.h"

#include "base/wide.h"
#include "native/sweep/ranks.h"
#include "profile/plan.h"
#include "schedule/cost.h"
#include "schedule/words.h"

#include <stdio.h>

typedef verso__native_scheduled sweep;

#define LEAF_WITHOUT_BUDGET (UINT64_C(1) << 20) /* length of steps without a budget, in bytes */
#define LEAF_MOST (UINT64_C(1) << 40)           /* longest steps that are tried, in bytes */
#define SURVEY_SECONDS 1.0                      /* duration of a survey of the beginning */
#define GROWTH_MARGIN 1.25                      /* factor by which recordings may exceed the growth that was measured */
/* By how much a capsule may exceed the expected size: this part of the budget, at most this many bytes. A state at the
 * end of a run is often a little larger than those in its middle, because it lists freed blocks; that is no reason to
 * begin anew. */
enum { CAPSULE_SHARE = 64, CAPSULE_SPARE = 32 << 10 };
enum {
    ADJOINT_SPARE = 64 << 10,   /* added to the expected size of an adjoint */
    LEAST_SPARE = 32 << 10,     /* added to the least budget in messages */
    LOG_LEAST = 128 << 10,      /* bytes of the log of the outside world that every budget permits */
    CAPSULES_FEW = 16,          /* capsules that a budget must have room for, ... */
    CAPSULES_CHEAP = 128 << 10, /* ... unless together they exceed this many bytes */
    CAPSULES_MANY = 6,          /* with room for this many capsules, the program's memory at its end is kept, too */
};

/* ---- What the schedule needs ---- */

static uint64_t input_bytes(void) {
    const verso__native_job *job = verso__native_job_now();
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->wrt_count; i++)
        bytes += job->wrt[i].count * sizeof(double);
    return bytes;
}

/* Returns true if the driver keeps this tier in memory. */
static bool is_in_memory(const sweep *sweep, size_t tier) {
    const verso_run_options *run = &sweep->run;
    verso_schedule_kind kind = run->spec.kind;
    bool resilient =
        kind == VERSO_KIND_RESILIENT || kind == VERSO_KIND_CONTINUOUS || kind == VERSO_KIND_SINGLE_RECOVERY;
    if (run->stores[tier] != NULL || run->places[tier] != VERSO_PLACE_DEFAULT)
        return run->stores[tier] == NULL && run->places[tier] == VERSO_PLACE_MEMORY;
    return tier == 0 && !(resilient && run->directory != NULL);
}

bool verso__scheduled_needs_files(const sweep *sweep) {
    for (size_t tier = 0; !sweep->run.automatic && tier < verso__spec_tiers(&sweep->run.spec); tier++)
        if (!is_in_memory(sweep, tier) && sweep->run.stores[tier] == NULL)
            return true;
    return false;
}

/* Returns the number of capsules in memory that the spec asks for; 0: as many as fit, or a number that depends
 * on the number of steps. */
static uint64_t slots_asked(const sweep *sweep) {
    const verso_schedule_spec *spec = &sweep->run.spec;
    if (sweep->run.automatic || !is_in_memory(sweep, 0))
        return 0;
    if (verso__kind_has_slots(spec->kind))
        return spec->slots;
    switch (spec->kind) {
    case VERSO_KIND_NONE: return 1;
    case VERSO_KIND_TREEVERSE:
    case VERSO_KIND_BINARY: return spec->space;
    case VERSO_KIND_LEVELS: return spec->tiers[0].capacity != VERSO_UNKNOWN ? spec->tiers[0].capacity : 0;
    default: return 0;
    }
}

/* Returns true if the number of capsules depends on the number of steps, so that the run must be surveyed to
 * its end. */
static bool counts_capsules(const sweep *sweep) {
    return !sweep->run.automatic && slots_asked(sweep) == 0 && !verso__kind_has_slots(sweep->run.spec.kind);
}

/* Returns true if there is one tier, in memory: then one of its slots holds the first state all the time, which
 * is equal to the base and takes next to nothing. In a durable run that slot counts fully, as a reserve for
 * states that are larger than expected, because beginning anew is expensive there. */
static bool holds_first(const sweep *sweep) {
    return !sweep->run.automatic && sweep->durable.directory == NULL && sweep->run.stores[0] == NULL &&
           verso__spec_tiers(&sweep->run.spec) == 1 && is_in_memory(sweep, 0);
}

/* Returns `share` times the program's memory. Memory that is only read counts, because reads may leave cells,
 * too. */
static uint64_t cells_share(const sweep *sweep, unsigned share) {
    const verso__native_program_state *program = &sweep->program;
    uint64_t grown = program->division.capsule - verso__min_u64(program->division.capsule, program->capsule_largest);
    return share * (program->whole_largest + grown + (verso__native_job_now()->f != NULL ? input_bytes() : 0));
}

/* Returns the number of capsules that a budget must have room for: a long run is slow with fewer. Where it depends on
 * the number of steps, that is checked when they are counted. */
static uint64_t least_slots(const sweep *sweep) {
    uint64_t asked = slots_asked(sweep), capsule = sweep->program.division.capsule;
    if (asked > 0 || counts_capsules(sweep))
        return verso__max_u64(asked, 1);
    if (sweep->program.division.first == 0)
        return 1 + verso__min_u64(CAPSULES_FEW, CAPSULES_CHEAP / capsule);
    return 2 + verso__min_u64(CAPSULES_FEW, CAPSULES_CHEAP / capsule);
}

uint64_t verso__scheduled_least_memory(const sweep *sweep) {
    const verso__native_division *division = &sweep->program.division;
    return verso__native_least_memory(division, least_slots(sweep), verso__native_step_tape(division, sweep->leaf));
}

static bool is_too_little(const sweep *sweep) {
    return verso__scheduled_memory(sweep) != 0 && verso__scheduled_memory(sweep) < verso__scheduled_least_memory(sweep);
}

/* Sets the size of the cells and the sizes that follow from it, and clears what the previous division has
 * measured. An adjoint contains pages of cells that are not zero: of two planes for floats, of one for doubles. */
static void set_cells(sweep *sweep, unsigned share, uint64_t cells) {
    verso__native_program_state *program = &sweep->program;
    verso__native_division *division = &program->division;
    program->grown = program->lost = false;
    program->recording = 1;
    program->cells = 0;
    program->cells_share = share;
    division->cells = cells;
    division->first = holds_first(sweep) ? verso__native_capsule_unchanged() + division->spare : 0;
    division->end = division->capsule;
    uint64_t factor = verso__native_cells_factor(), numbers = factor > 2 ? cells / factor * 2 : cells;
    division->adjoint = numbers + numbers / 256 + division->capsule + division->capsule / 256 + ADJOINT_SPARE;
    if (sweep->durable.directory == NULL)
        division->adjoint = 0;
    division->in_files = sweep->run.directory != NULL ? verso__max_u64(division->capsule, division->adjoint) : 0;
    /* Running to the end once more is cheaper than having few capsules, or than a refusal. In a durable run, the
     * adjoint contains the end. */
    if (sweep->durable.directory == NULL && division->memory != 0 &&
        (counts_capsules(sweep) || verso__native_room(division) < CAPSULES_MANY * division->capsule ||
         is_too_little(sweep)))
        division->end = 0;
}

/* Limits the log to the memory that is left when everything else takes its minimum. */
static void limit_log(const sweep *sweep) {
    const verso__native_division *division = &sweep->program.division;
    uint64_t others = verso__scheduled_least_memory(sweep) - division->log;
    if (division->memory != 0)
        verso__native_world_limit(
            verso__max_u64(LOG_LEAST, division->memory - verso__min_u64(others, division->memory)));
}

void verso__scheduled_size_division(sweep *sweep) {
    verso__native_program_state *program = &sweep->program;
    verso__native_division *division = &program->division;
    unsigned share = (unsigned)verso__native_cells_factor();
    uint64_t seen = program->longer_largest + program->longer_largest / 8;
    uint64_t longer = verso__max_u64(sweep->surveyed ? VERSO_NATIVE_LONGER_SEEN : VERSO_NATIVE_LONGER, seen);
    division->capsule = verso__plan_capsule(program->capsule_largest);
    division->spare = verso__min_u64(division->memory / CAPSULE_SHARE, CAPSULE_SPARE);
    division->longer = verso__max_u64(longer, VERSO_NATIVE_LONGER + verso__plan_longer(division->memory));
    division->log = program->log_largest;
    if (sweep->durable.directory != NULL && verso__native_ranks_run()) /* the log will be long */
        division->log = verso__max_u64(division->log, verso__native_world_window());
    share = share > program->cells_grown ? share : program->cells_grown;
    set_cells(sweep, share, cells_share(sweep, share));
    if (is_too_little(sweep) || counts_capsules(sweep))
        division->longer = longer;
    limit_log(sweep);
}

/* The message names a little more than the minimum, because other runs of the same program may take a few pages
 * more, and other steps more snapshots of calls. */
static verso_status fail_too_small(sweep *sweep, uint64_t least) {
    const verso__native_division *division = &sweep->program.division;
    char log[80] = "";
    least = verso__native_lasting_budget(least - verso__min_u64(verso__native_lasting_bytes(), least));
    least = verso__add_u64(least, least / (division->growth > 1 ? 8 : 64) + LEAST_SPARE);
    if (division->log > LOG_LEAST)
        snprintf(log, sizeof log, ", the log of the outside world %llu", (unsigned long long)division->log);
    return verso__fail(
        sweep->error, VERSO_STATUS_IMPOSSIBLE,
        "the budget of %llu bytes is too small; at least %llu bytes are needed. (The program's memory "
        "when the run begins takes %llu bytes, a state later in the run %llu more, cells up to %llu, the "
        "longest recording between two safepoints %llu%s.)",
        (unsigned long long)division->memory, (unsigned long long)least, (unsigned long long)division->start,
        (unsigned long long)division->capsule, (unsigned long long)division->cells,
        (unsigned long long)division->longer, log);
}

/* Returns the length of the run, whose end a survey has reached. If an earlier process surveyed its beginning, these
 * steps count like those that this process has measured. */
static uint64_t run_length(void) {
    const verso__native_walk_measures *measured = verso__native_walk_measured();
    uint64_t steps = verso__native_place_now()->step;
    if (measured->steps == 0 || measured->steps >= steps)
        return measured->length;
    return (uint64_t)((double)measured->length / (double)measured->steps * (double)steps);
}

/* Surveys the beginning of the run, in the shortest steps and without a guard, which shows best how large
 * capsules become and how far safepoints are apart. */
static void survey_beginning(sweep *sweep) {
    verso__native_program_state *program = &sweep->program;
    bool guarded = program->guarded;
    (void)verso__native_tape_guard(0, NULL);
    verso__native_world_limit(0);
    program->guarded = false;
    program->division.leaf = VERSO_NATIVE_LEAST_LEAF;
    verso__scheduled_begin_walk(sweep, VERSO_NATIVE_LEAST_LEAF);
    verso__native_capsule_restore(&sweep->start);
    (void)verso__scheduled_survey(sweep, VERSO_SURVEY_BEGINNING, counts_capsules(sweep) ? 0 : SURVEY_SECONDS, NULL);
    if (verso__native_place_now()->ended)
        sweep->length = run_length();
    if (program->longer_largest > 0)
        program->longer_largest += VERSO_NATIVE_LEAST_LEAF;
    program->guarded = guarded;
    sweep->surveyed = !sweep->stopped;
    verso__native_tape_keep(0);
}

void verso__scheduled_measure_longer(sweep *sweep) {
    verso__native_division *division = &sweep->program.division;
    uint64_t longer = division->longer;
    double growth = division->tape == 0 ? GROWTH_MARGIN * verso__native_walk_growth() : 0;
    if (!sweep->surveyed)
        survey_beginning(sweep);
    if (growth > division->growth && growth > GROWTH_MARGIN)
        division->growth = growth;
    else if (sweep->program.longer_largest <= longer)
        sweep->program.longer_largest = 4 * longer;
}

/* ---- Lengths of steps, if the schedule must know their number ---- */

/* What a schedule takes with steps of this length. */
typedef struct fitting {
    uint64_t leaf, needed;
    double price;
} fitting;

static bool try_length(const sweep *sweep, uint64_t steps, fitting *fitting) {
    verso_schedule_spec spec = sweep->run.spec;
    verso_schedule *schedule = NULL;
    verso__cost cost;
    uint64_t slots = 0;
    double copies = 0;
    spec.steps = steps;
    if (spec.slots == 0 && verso__kind_has_slots(spec.kind)) /* as many slots as fit */
        return false;
    bool possible = verso_schedule_new(&spec, &schedule, NULL) == VERSO_STATUS_OK &&
                    verso__schedule_cost(schedule, &cost, NULL) == VERSO_STATUS_OK;
    verso_schedule_free(schedule);
    for (size_t tier = 0; possible && tier < verso__spec_tiers(&spec); tier++) {
        if (is_in_memory(sweep, tier))
            slots = verso__add_u64(slots, cost.peak_slots[tier]);
        copies += (double)cost.writes[tier] + (double)cost.reads[tier];
    }
    if (!possible)
        return false;
    uint64_t tape = verso__native_step_tape(&sweep->program.division, fitting->leaf);
    fitting->needed =
        verso__native_least_memory(&sweep->program.division, slots, verso__mul_u64(cost.longest_recording, tape));
    fitting->price = verso__native_price((double)cost.forward_steps, copies, &sweep->program.division, fitting->leaf);
    return true;
}

/* Finds, for a run of `length` bytes, the cheapest length of steps that fits and the one that takes the least
 * memory. */
static void search_lengths(const sweep *sweep, uint64_t length, fitting *best, fitting *least) {
    *best = (fitting){0};
    *least = (fitting){.needed = UINT64_MAX};
    for (uint64_t leaf = VERSO_NATIVE_LEAST_LEAF; sweep->leaf == 0 && leaf <= LEAF_MOST; leaf *= 2) {
        fitting other = {.leaf = leaf};
        if (!try_length(sweep, length / leaf + 1, &other))
            continue;
        if (other.needed < least->needed)
            *least = other;
        if (other.needed <= verso__scheduled_memory(sweep) && (best->leaf == 0 || other.price < best->price))
            *best = other;
    }
}

/* Returns the smallest budget with any length of steps, if the length of the run is known. */
static uint64_t least_of_all(const sweep *sweep) {
    fitting best, least;
    uint64_t any = verso__scheduled_least_memory(sweep);
    if (sweep->run.automatic || sweep->run.spec.kind == VERSO_KIND_ONLINE || sweep->length == 0)
        return any;
    search_lengths(sweep, sweep->length, &best, &least);
    return least.needed < UINT64_MAX ? verso__max_u64(any, least.needed) : any;
}

/* ---- Dividing ---- */

bool verso__scheduled_needs_sizes(const sweep *sweep) {
    return verso__scheduled_memory(sweep) != 0 || (sweep->run.automatic && sweep->run.directory != NULL);
}

/* Switches all sites off if the budget does not suffice for their snapshots, so that the least budget that messages
 * name suffices with any sites. Not in a directory, whose later processes would not know. */
static void switch_sites_off(sweep *sweep) {
    verso__native_division *division = &sweep->program.division;
    if (!is_too_little(sweep) || division->growth == 0 || sweep->held || sweep->run.directory != NULL)
        return;
    verso__native_calls_hold();
    sweep->held = true;
    division->growth = 0;
    verso__scheduled_size_division(sweep);
    if (sweep->run.notice != NULL)
        sweep->run.notice(sweep->run.notice_context,
                          "no call is checkpointed: the snapshots of the calls that were chosen do "
                          "not fit into the budget");
}

/* In a directory, dividing again means that the run begins anew, so the run is surveyed first. */
static verso_status choose_division(sweep *sweep) {
    verso__native_division *division = &sweep->program.division;
    verso__scheduled_size_division(sweep);
    switch_sites_off(sweep);
    if (!sweep->surveyed &&
        (is_too_little(sweep) || (verso__scheduled_needs_sizes(sweep) && sweep->run.directory != NULL))) {
        survey_beginning(sweep);
        verso__scheduled_size_division(sweep);
    }
    if (sweep->stopped)
        return verso__scheduled_suspend(sweep);
    if (is_too_little(sweep))
        return fail_too_small(sweep, least_of_all(sweep));
    division->leaf = sweep->leaf != 0        ? sweep->leaf
                     : division->memory == 0 ? LEAF_WITHOUT_BUDGET
                                             : verso__native_choose_leaf(division, slots_asked(sweep));
    return VERSO_STATUS_OK;
}

/* Takes over the division of an earlier process. */
static void take_division(sweep *sweep, const verso__native_kept *kept) {
    verso__native_division *division = &sweep->program.division;
    division->capsule = kept->capsule;
    division->spare = verso__min_u64(division->memory / CAPSULE_SHARE, CAPSULE_SPARE);
    division->longer = kept->longer;
    division->log = kept->log;
    division->leaf = kept->leaf;
    set_cells(sweep, (unsigned)verso__native_cells_factor(), kept->cells);
    sweep->steps = kept->steps;
}

verso_status verso__scheduled_divide(sweep *sweep) {
    const verso__native_division *division = &sweep->program.division;
    verso_status status = VERSO_STATUS_OK;
    if (sweep->durable.continued)
        take_division(sweep, &sweep->durable.kept);
    else if (sweep->recorded == 0)
        status = choose_division(sweep);
    if (status != VERSO_STATUS_OK)
        return status;
    sweep->report->leaf_bytes = division->leaf;
    verso__scheduled_begin_walk(sweep, division->leaf);
    if (sweep->recorded == 0)
        sweep->report->tape_bytes = 0; /* from a division that failed */
    return VERSO_STATUS_OK;
}

/* ---- Schedules that must know the number of steps ---- */

/* If the number of capsules depends on the number of steps, the chosen length may not fit although another one
 * does: takes the cheapest that fits. Sets *fits if the chosen length fits; if not, the budget must be divided
 * again. */
static verso_status fit_length(sweep *sweep, uint64_t steps, bool *fits) {
    const verso__native_division *division = &sweep->program.division;
    fitting now = {.leaf = division->leaf}, best, least;
    *fits = division->memory == 0 || !try_length(sweep, steps, &now) || now.needed <= division->memory;
    if (*fits)
        return VERSO_STATUS_OK;
    search_lengths(sweep, run_length(), &best, &least);
    if (best.leaf == 0 && sweep->surveyed)
        return fail_too_small(sweep, least.needed < UINT64_MAX ? least.needed : now.needed);
    if (best.leaf == 0) /* the division assumes longer recordings than a survey may find */
        survey_beginning(sweep);
    sweep->leaf = best.leaf != 0 ? best.leaf : sweep->leaf;
    return VERSO_STATUS_OK;
}

verso_status verso__scheduled_count_steps(sweep *sweep, bool *again) {
    verso_error *error = sweep->error;
    bool fits = true;
    verso__native_capsule_restore(&sweep->start);
    verso_status status = verso__scheduled_survey(sweep, VERSO_SURVEY_COUNT, 0, error);
    if (status == VERSO_STATUS_SUSPENDED)
        return verso__scheduled_suspend(sweep);
    if (status == VERSO_STATUS_OK)
        status = verso__native_require_recording(error);
    sweep->steps = verso__native_place_now()->step;
    *again = verso__scheduled_memory(sweep) != 0 && sweep->program.grown;
    if (status == VERSO_STATUS_OK && !*again) {
        status = fit_length(sweep, sweep->steps, &fits);
        *again = status == VERSO_STATUS_OK && !fits;
    }
    return status;
}
