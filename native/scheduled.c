/* The sweep within a memory budget, or by a schedule: the compiled program on the general driver. See native.h.
 *
 * What fits is recorded at one go, and nothing is computed twice; if almost everything fits, the end of the run is
 * reversed so and the driver gets the rest (pieces.c). Else the program is brought back to its beginning and handed to
 * the driver: when the schedule is left to us, and for `online`, as one whose number of steps is not known; for other
 * kinds they are counted first.
 *
 * How large capsules become, and by how much steps are longer than they should be, is not known either. The budget is
 * divided for the largest so far and some more; when that was not enough, the run is looked through to its end, the
 * budget is divided anew, and the run begins again. Programs allocate early, so that is rare.
 *
 * A durable run goes on in the next process as it was divided (durable.c); where it must be divided anew, it begins
 * anew in its directory. */
#include "native/native.h"

#include "base/alloc.h"
#include "base/file.h"
#include "base/wide.h"
#include "profile/plan.h"
#include "schedule/words.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define LEAF_WITHOUT_BUDGET (UINT64_C(1) << 20)
#define LEAF_MOST (UINT64_C(1) << 40)
enum { DIVISIONS_MOST = 16, ADJOINT_SPARE = 64 << 10, CAPSULES_FEW = 16, CAPSULES_CHEAP = 128 << 10 };
/* For a message: how long a run is looked at that has not come far yet. */
#define LOOK_SECONDS 1.0

typedef struct sweep {
    const verso_native_options *options;
    verso_native_report *report;
    verso_run_options run;
    verso_run_report *run_report;
    verso_native_program_state program;
    verso_native_capsule start;
    uint64_t leaf;                /* of a step: what was asked for, or what was found to fit; 0: to be chosen */
    bool automatic;               /* the schedule was left to us */
    bool looked;                  /* at the beginning of the run */
    uint64_t steps;               /* VERSO_UNKNOWN: the run will tell */
    uint64_t recorded;            /* of the run, when all were recorded and those behind the driver's are reversed */
    verso_native_durable durable; /* directory NULL: it is not */
    char *scratch;                /* a directory for capsules in files, when none was given */
} sweep;

static uint64_t memory_of(const sweep *sweep) {
    return sweep->program.division.memory;
}

/* ---- Walks: one for each length of a step ---- */

static void begin_walk(sweep *sweep, uint64_t leaf) {
    sweep->report->seconds_forward += verso_native_runtime.walk.seconds_forward;
    sweep->report->seconds_reverse += verso_native_runtime.walk.seconds_reverse;
    if (verso_native_runtime.walk.tape_most > sweep->report->tape_bytes)
        sweep->report->tape_bytes = verso_native_runtime.walk.tape_most;
    verso_native_walk_begin(leaf);
}

/* From where the program stands to its end, or for some time, looking how large capsules and steps become. Often
 * enough, and so seldom that it costs little. */
static verso_status survey(sweep *sweep, double seconds, verso_error *error) {
    const verso_native_place *at = &verso_native_runtime.walk.at;
    double until = verso_now() + seconds;
    verso_status status = VERSO_OK;
    while (status == VERSO_OK && !at->ended && (seconds == 0 || verso_now() < until)) {
        uint64_t stride = 1 + 8 * sweep->program.capsule_largest / (verso_native_runtime.walk.leaf + 1);
        status = verso_native_program_go(&sweep->program, at->step + stride, false, error);
        if (status == VERSO_OK)
            (void)verso_native_program_look(&sweep->program);
    }
    return status;
}

/* ---- Dividing the budget ---- */

static uint64_t input_bytes(void) {
    const verso_native_job *job = verso_native_runtime.job;
    uint64_t bytes = 0;
    for (size_t i = 0; i < job->wrt_count; i++)
        bytes += job->wrt[i].count * sizeof(double);
    return bytes;
}

/* Whether the tier is kept in memory: as the driver has it. */
static bool in_memory(const sweep *sweep, size_t tier) {
    const verso_run_options *run = &sweep->run;
    verso_schedule_kind kind = run->spec.kind;
    bool resilient =
        kind == VERSO_KIND_RESILIENT || kind == VERSO_KIND_CONTINUOUS || kind == VERSO_KIND_SINGLE_RECOVERY;
    if (run->stores[tier] != NULL || run->places[tier] != VERSO_PLACE_DEFAULT)
        return run->stores[tier] == NULL && run->places[tier] == VERSO_PLACE_MEMORY;
    return tier == 0 && !(resilient && run->directory != NULL);
}

static bool needs_files(const sweep *sweep) {
    for (size_t tier = 0; !sweep->run.automatic && tier < verso_spec_tiers(&sweep->run.spec); tier++)
        if (!in_memory(sweep, tier) && sweep->run.stores[tier] == NULL)
            return true;
    return false;
}

/* Capsules in memory that the spec asks for; 0: as many as fit, or as many as the number of steps makes it. */
static uint64_t slots_asked(const sweep *sweep) {
    const verso_schedule_spec *spec = &sweep->run.spec;
    if (sweep->run.automatic || !in_memory(sweep, 0))
        return 0;
    if (verso_kind_has_slots(spec->kind))
        return spec->slots;
    switch (spec->kind) {
    case VERSO_KIND_NONE: return 1;
    case VERSO_KIND_TREEVERSE:
    case VERSO_KIND_BINARY: return spec->space;
    case VERSO_KIND_LEVELS: return spec->tiers[0].capacity != VERSO_UNKNOWN ? spec->tiers[0].capacity : 0;
    default: return 0;
    }
}

/* Cells of what the run changes and of its inputs; of what it only reads, too, if there is room for that, or when it
 * has turned out that they are needed; then of floats, which have twice as many. */
static uint64_t cells_share(const sweep *sweep, unsigned share) {
    const verso_native_division *division = &sweep->program.division;
    uint64_t some = division->capsule + input_bytes(), all = some + division->start;
    return share == 0 ? some : all << (share - 1);
}

static uint64_t least_memory(const sweep *sweep) {
    return verso_native_least_memory(&sweep->program.division, verso_max_u64(slots_asked(sweep), 1),
                                     sweep->program.division.tape != 0 ? sweep->program.division.tape : sweep->leaf);
}

/* The rest follows from this. Nothing has grown yet. */
static void set_cells(sweep *sweep, unsigned share) {
    verso_native_program_state *program = &sweep->program;
    verso_native_division *division = &program->division;
    program->grown = program->lost = false;
    program->recording = 1;
    program->cells = 0;
    program->cells_share = share;
    program->cells_most = division->cells = cells_share(sweep, share);
    division->adjoint = sweep->durable.directory != NULL ? division->cells + division->capsule + ADJOINT_SPARE : 0;
    division->in_files = sweep->run.directory != NULL ? verso_max_u64(division->capsule, division->adjoint) : 0;
}

static void size_division(sweep *sweep) {
    verso_native_program_state *program = &sweep->program;
    verso_native_division *division = &program->division;
    division->capsule = verso_plan_capsule(program->capsule_largest);
    uint64_t longer = verso_max_u64(VERSO_NATIVE_LONGER, program->longer_largest + program->longer_largest / 8);
    division->longer = verso_max_u64(longer, VERSO_NATIVE_LONGER + verso_plan_longer(division->memory));
    set_cells(sweep, program->cells_grown > 0 ? program->cells_grown : 1);
    if (division->memory < least_memory(sweep))
        division->longer = longer;
    if (program->cells_grown == 0 && division->memory < least_memory(sweep))
        set_cells(sweep, 0);
}

/* Memory that was there when the run began may have cells, too, though the run only reads it; and one capsule alone
 * makes a long run slow. Budgets that do without are tried, but are not what would do. */
static verso_status too_small(sweep *sweep, uint64_t least) {
    const verso_native_division *division = &sweep->program.division;
    uint64_t cells = cells_share(sweep, 1), few = verso_min_u64(CAPSULES_FEW * division->capsule, CAPSULES_CHEAP);
    if (cells > division->cells)
        least = verso_add_u64(least, cells - division->cells);
    if (slots_asked(sweep) == 0)
        least = verso_add_u64(least, few);
    return verso_fail(&sweep->report->error, VERSO_IMPOSSIBLE,
                      "a memory of %llu bytes is too small for this run: %llu would do. (Its memory takes %llu bytes "
                      "when it begins, what changes in it %llu, for its end and for each capsule; the longest "
                      "recording between two safepoints %llu.)",
                      (unsigned long long)division->memory, (unsigned long long)least,
                      (unsigned long long)division->start, (unsigned long long)division->capsule,
                      (unsigned long long)division->longer);
}

/* The run from its beginning, for some time, in the shortest steps and without a guard: they show best how large
 * capsules become, and how far safepoints are apart. */
static void look(sweep *sweep) {
    verso_native_program_state *program = &sweep->program;
    bool guarded = program->guarded;
    verso_native_capsule_restore(&sweep->start);
    (void)verso_native_tape_guard(0, NULL);
    program->guarded = false;
    program->division.leaf = VERSO_NATIVE_LEAST_LEAF;
    begin_walk(sweep, VERSO_NATIVE_LEAST_LEAF);
    (void)survey(sweep, LOOK_SECONDS, NULL);
    if (program->longer_largest > 0)
        program->longer_largest += VERSO_NATIVE_LEAST_LEAF;
    program->guarded = guarded;
    sweep->looked = true;
    verso_native_tape_keep(0);
}

/* A recording has run into the guard: safepoints are further apart than was thought. */
static void look_for_longer(sweep *sweep) {
    uint64_t longer = sweep->program.division.longer;
    if (!sweep->looked)
        look(sweep);
    if (sweep->program.longer_largest <= longer)
        sweep->program.longer_largest = 4 * longer;
}

/* Whether it matters how large capsules become. */
static bool is_sized(const sweep *sweep) {
    return memory_of(sweep) != 0 || (sweep->run.automatic && sweep->run.directory != NULL);
}

/* To divide anew is dear in a directory, where the run begins anew, so it is looked at first. */
static verso_status choose_division(sweep *sweep) {
    verso_native_division *division = &sweep->program.division;
    size_division(sweep);
    bool too_little = division->memory != 0 && division->memory < least_memory(sweep);
    if (!sweep->looked && (too_little || (is_sized(sweep) && sweep->run.directory != NULL))) {
        look(sweep);
        size_division(sweep);
    }
    if (division->memory != 0 && division->memory < least_memory(sweep))
        return too_small(sweep, least_memory(sweep));
    division->leaf = sweep->leaf != 0        ? sweep->leaf
                     : division->memory == 0 ? LEAF_WITHOUT_BUDGET
                                             : verso_native_choose_leaf(division, slots_asked(sweep));
    return VERSO_OK;
}

/* As the process before this one has it. */
static void take_division(sweep *sweep, const verso_native_kept *kept) {
    verso_native_division *division = &sweep->program.division;
    division->capsule = kept->capsule;
    division->longer = kept->longer;
    division->leaf = kept->leaf;
    set_cells(sweep, (unsigned)kept->cells_share);
    sweep->steps = kept->steps;
}

static verso_status divide(sweep *sweep) {
    const verso_native_division *division = &sweep->program.division;
    verso_status status = VERSO_OK;
    if (sweep->durable.continued)
        take_division(sweep, &sweep->durable.kept);
    else if (sweep->recorded == 0)
        status = choose_division(sweep);
    if (status != VERSO_OK)
        return status;
    sweep->report->leaf_bytes = division->leaf;
    begin_walk(sweep, division->leaf);
    if (sweep->recorded == 0)
        sweep->report->tape_bytes = 0; /* of a sweep that has failed */
    return VERSO_OK;
}

/* ---- Schedules that know the number of steps ---- */

/* What the schedule would take in memory, and in time, with so many steps of this length. */
typedef struct fitting {
    uint64_t leaf, needed;
    double price;
} fitting;

static bool try_length(const sweep *sweep, uint64_t steps, fitting *fitting) {
    verso_schedule_spec spec = sweep->run.spec;
    verso_schedule *schedule = NULL;
    verso_cost cost;
    uint64_t slots = 0;
    double copies = 0;
    spec.steps = steps;
    if (spec.slots == 0 && verso_kind_has_slots(spec.kind)) /* as many as fit */
        return false;
    bool possible = verso_schedule_new(&spec, &schedule, NULL) == VERSO_OK &&
                    verso_schedule_cost(schedule, &cost, NULL) == VERSO_OK;
    verso_schedule_free(schedule);
    for (size_t tier = 0; possible && tier < verso_spec_tiers(&spec); tier++) {
        if (in_memory(sweep, tier))
            slots = verso_add_u64(slots, cost.peak_slots[tier]);
        copies += (double)cost.writes[tier] + (double)cost.reads[tier];
    }
    if (!possible)
        return false;
    uint64_t tape = sweep->program.division.tape != 0 ? sweep->program.division.tape : fitting->leaf;
    fitting->needed =
        verso_native_least_memory(&sweep->program.division, slots, verso_mul_u64(cost.longest_recording, tape));
    fitting->price = verso_native_price((double)cost.forward_steps, copies, &sweep->program.division, fitting->leaf);
    return true;
}

/* Where the number of capsules follows from that of steps, the length that was chosen may not do and another one may.
 * The cheapest of those that fit is taken. *fits: the length that is there does. */
static verso_status fit_length(sweep *sweep, uint64_t steps, bool *fits) {
    const verso_native_division *division = &sweep->program.division;
    fitting now = {.leaf = division->leaf}, best = {0}, least = {.needed = UINT64_MAX};
    double tape = (double)steps * (double)division->leaf;
    *fits = division->memory == 0 || !try_length(sweep, steps, &now) || now.needed <= division->memory;
    if (*fits)
        return VERSO_OK;
    for (uint64_t leaf = VERSO_NATIVE_LEAST_LEAF; sweep->leaf == 0 && leaf <= LEAF_MOST; leaf *= 2) {
        fitting other = {.leaf = leaf};
        if (!try_length(sweep, (uint64_t)(tape / (double)leaf) + 1, &other))
            continue;
        if (other.needed < least.needed)
            least = other;
        if (other.needed <= division->memory && (best.leaf == 0 || other.price < best.price))
            best = other;
    }
    if (best.leaf == 0)
        return too_small(sweep, least.needed < UINT64_MAX ? least.needed : now.needed);
    sweep->leaf = best.leaf;
    return VERSO_OK;
}

/* *again: with this length of steps, and capsules of these sizes, the schedule cannot be played. */
static verso_status count_steps(sweep *sweep, bool *again) {
    verso_error *error = &sweep->report->error;
    bool fits = true;
    verso_native_capsule_restore(&sweep->start);
    verso_status status = survey(sweep, 0, error);
    if (status == VERSO_OK)
        status = verso_native_recorded(error);
    sweep->steps = verso_native_runtime.walk.at.step;
    *again = memory_of(sweep) != 0 && sweep->program.grown;
    if (status == VERSO_OK && !*again) {
        status = fit_length(sweep, sweep->steps, &fits);
        *again = status == VERSO_OK && !fits;
    }
    return status;
}

/* ---- On the driver ---- */

/* What a run that begins must know, and the next process too. */
static verso_status prepare(sweep *sweep, bool *again) {
    const verso_native_division *division = &sweep->program.division;
    verso_status status = VERSO_OK;
    *again = false;
    if (sweep->durable.continued || sweep->recorded > 0)
        return VERSO_OK;
    sweep->steps = VERSO_UNKNOWN;
    if (!sweep->run.automatic && sweep->run.spec.kind != VERSO_KIND_ONLINE)
        status = count_steps(sweep, again);
    if (status != VERSO_OK || *again || sweep->durable.directory == NULL)
        return status;
    sweep->durable.kept = (verso_native_kept){.leaf = division->leaf,
                                              .capsule = division->capsule,
                                              .longer = division->longer,
                                              .cells_share = sweep->program.cells_share,
                                              .steps = sweep->steps};
    return verso_native_durable_keep(&sweep->durable, &sweep->report->error);
}

static verso_status run_driver(sweep *sweep) {
    const verso_native_division *division = &sweep->program.division;
    verso_program program = {.operations = &verso_native_operations,
                             .self = &sweep->program,
                             .steps = sweep->steps,
                             .capsule_most = is_sized(sweep) ? division->capsule : 0,
                             .adjoint_most = division->adjoint,
                             .identity = sweep->durable.identity};
    verso_run_options run = sweep->run;
    if (sweep->recorded > 0)
        verso_schedule_spec_init(&run.spec, VERSO_KIND_REVOLVE);
    verso_native_price_disk(division, &run.spec);
    verso_native_capsule_restore(&sweep->start);
    verso_native_capsule_base(&sweep->start); /* so that the beginning is the same bytes in every process */
    verso_native_runtime.stack.canary = program.identity.words[0] & ~UINT64_C(0xff); /* ends strings, as is usual */
    return verso_run(&program, &run, sweep->run_report, &sweep->report->error);
}

/* From the beginning of the run to its gradient. *again: the budget must be divided anew. */
static verso_status play(sweep *sweep, bool *again) {
    const verso_native_program_state *state = &sweep->program;
    verso_status status = prepare(sweep, again);
    if (status != VERSO_OK || *again)
        return status;
    status = run_driver(sweep);
    *again = status != VERSO_OK && status != VERSO_SUSPENDED && memory_of(sweep) != 0 && state->grown;
    return *again && !state->lost ? survey(sweep, 0, &sweep->report->error) : status;
}

static void fill_report(sweep *sweep) {
    verso_run_report *run = sweep->run_report;
    verso_native_report *report = sweep->report;
    report->steps = sweep->recorded > 0 ? sweep->recorded : run->predicted.steps;
    report->recordings = (uint64_t)run->predicted.recorded_steps + sweep->recorded;
    report->forward_steps = (uint64_t)run->forward_steps;
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++) {
        report->capsules += run->predicted.peak_slots[tier];
        report->peak_bytes += run->tiers[tier].memory_peak;
    }
    if (!needs_files(sweep)) /* otherwise it is the same store */
        report->peak_bytes += run->durable.memory_peak;
    verso_native_tell_schedule(&run->spec, run->predicted.steps, report);
    if (sweep->recorded > 0)
        snprintf(run->reason, sizeof run->reason,
                 "of %llu steps of %llu bytes of recording the last %llu were reversed when the run had been "
                 "recorded; the others are run again",
                 (unsigned long long)sweep->recorded, (unsigned long long)report->leaf_bytes,
                 (unsigned long long)(sweep->recorded - sweep->steps));
    else if (sweep->automatic && run->reason[0] == '\0')
        snprintf(run->reason, sizeof run->reason,
                 "online: not everything can be recorded in %llu bytes at one go; steps are %llu bytes of recording, "
                 "capsules up to %llu bytes",
                 (unsigned long long)memory_of(sweep), (unsigned long long)report->leaf_bytes,
                 (unsigned long long)sweep->program.division.capsule);
}

/* Of a sweep that has failed half-way. */
static void clear_adjoints(sweep *sweep) {
    verso_native_now.frame = verso_native_frames();
    (void)verso_native_shadow_end(NULL, 0);
    verso_native_shadow_begin();
    verso_native_parts_begin();
    sweep->program.reversed = false;
}

/* What was divided does not do. */
static void begin_anew(sweep *sweep) {
    char sentence[VERSO_MESSAGE_MAX];
    if (sweep->program.reversed)
        clear_adjoints(sweep);
    sweep->recorded = 0;
    sweep->program.behind = false;
    if (verso_native_runtime.tape.full)
        look_for_longer(sweep);
    if (!sweep->durable.continued)
        return;
    sweep->durable.continued = false;
    snprintf(sentence, sizeof sentence,
             "the run in '%.200s' begins anew: it needs more memory than a budget of %llu bytes was divided for",
             sweep->durable.directory, (unsigned long long)memory_of(sweep));
    if (sweep->run.notice != NULL)
        sweep->run.notice(sweep->run.notice_context, sentence);
}

static verso_status on_the_driver(sweep *sweep) {
    verso_status status = VERSO_OK;
    bool again = true;
    for (int i = 0; again && i < DIVISIONS_MOST; i++) {
        again = false;
        status = divide(sweep);
        if (status == VERSO_OK)
            status = play(sweep, &again);
        if (again)
            begin_anew(sweep);
    }
    if (again)
        return verso_fail(
            &sweep->report->error, VERSO_IMPOSSIBLE,
            "the run needs more memory each time that it is tried, and a memory of %llu bytes was divided "
            "%d times; give a larger one.",
            (unsigned long long)memory_of(sweep), DIVISIONS_MOST);
    fill_report(sweep);
    return status;
}

/* ---- Everything recorded ---- */

/* What is left for the driver takes a capsule a step. */
static void leave_to_driver(sweep *sweep, const verso_native_pieces *pieces) {
    uint64_t capsules = verso_mul_u64(pieces->begin, sweep->program.division.capsule);
    verso_native_pieces_close(pieces, pieces->memory > capsules ? pieces->memory - capsules : 0);
    sweep->recorded = pieces->end;
    sweep->steps = pieces->begin;
    sweep->program.behind = true;
}

/* Nothing was recorded that is of use. */
static void leave_all_to_driver(sweep *sweep) {
    verso_native_tape_keep(0);
    if (sweep->program.lost)
        begin_anew(sweep);
}

static uintptr_t function_of_job(void) {
    const verso_native_job *job = verso_native_runtime.job;
    return job->run != NULL ? (uintptr_t)job->run : (uintptr_t)job->f;
}

/* A run of the same function tells that this one will be too long: optimisers ask for many gradients of one. */
static bool is_hopeless(const verso_native_pieces *pieces, uint64_t leaf) {
    return verso_native_runtime.before.function == function_of_job() &&
           verso_native_runtime.before.tape > verso_native_pieces_most(pieces) * leaf;
}

static void remember_length(const sweep *sweep) {
    verso_native_runtime.before.function = function_of_job();
    verso_native_runtime.before.tape = verso_mul_u64(sweep->report->steps, sweep->report->leaf_bytes);
}

/* As much of the run as is left when it has ended; nothing when it is too long, or when the rest could not be run
 * again. */
static verso_status record_pieces(sweep *sweep, verso_native_pieces *pieces) {
    const verso_native_division *division = &sweep->program.division;
    verso_native_pieces_open(&sweep->program, pieces);
    if (is_hopeless(pieces, division->leaf))
        return VERSO_OK;
    begin_walk(sweep, division->leaf);
    verso_status status = verso_native_pieces_record(&sweep->program, pieces, &sweep->report->error);
    if (status != VERSO_OK)
        return status;
    size_division(sweep);
    verso_native_pieces_fit(&sweep->program, pieces);
    if (pieces->begin > 0 && division->memory < verso_native_least_memory(division, 1, division->leaf))
        pieces->begin = pieces->end;
    return VERSO_OK;
}

static verso_status reverse_pieces(sweep *sweep, verso_native_pieces *pieces) {
    verso_error *error = &sweep->report->error;
    verso_status status = verso_native_recorded(error);
    if (status == VERSO_OK)
        status = verso_native_capsule_take(&sweep->program.end, error);
    if (status == VERSO_OK)
        status = verso_native_pieces_back(&sweep->program, pieces, error);
    sweep->report->tape_bytes = verso_max_u64(sweep->report->tape_bytes, pieces->used);
    return status;
}

/* Into what memory is left beside the program's state at its beginning and end, and the cells. */
static verso_status try_recording(sweep *sweep, bool *done) {
    verso_native_pieces pieces = {0};
    verso_status status = VERSO_OK;
    size_division(sweep);
    if (verso_native_room(&sweep->program.division) > 0 && !verso_native_runtime.calls.on) /* whose sizes it knows */
        status = record_pieces(sweep, &pieces);
    if (status == VERSO_OK && pieces.begin < pieces.end)
        status = reverse_pieces(sweep, &pieces);
    if (sweep->program.lost || pieces.begin == pieces.end) {
        status = sweep->program.lost ? VERSO_OK : status;
        leave_all_to_driver(sweep);
    } else if (status == VERSO_OK && pieces.begin > 0) {
        leave_to_driver(sweep, &pieces);
    } else if (status == VERSO_OK) {
        *done = true;
        sweep->report->steps = sweep->report->recordings = 1;
        begin_walk(sweep, 0); /* takes the times of this one */
        verso_native_tell_one_go(sweep->options, sweep->report);
    }
    return status;
}

/* ---- All of it ---- */

/* Capsules in files need a directory; nothing in it outlives the run. */
static verso_status make_scratch(sweep *sweep) {
    const char *parent = getenv("TMPDIR");
    sweep->scratch = verso_path_join(parent != NULL && parent[0] != '\0' ? parent : "/tmp", "verso-XXXXXX");
    if (sweep->scratch == NULL)
        return verso_fail(&sweep->report->error, VERSO_NO_MEMORY, "no memory for a path.");
    if (mkdtemp(sweep->scratch) == NULL)
        return verso_file_error(&sweep->report->error, "make the directory for capsules", sweep->scratch);
    sweep->run.directory = sweep->scratch;
    sweep->run.scratch = true;
    return VERSO_OK;
}

static verso_status run_sweep(sweep *sweep) {
    verso_native_program_state *program = &sweep->program;
    bool done = false;
    bool automatic = sweep->run.automatic && sweep->run.directory == NULL;
    if (memory_of(sweep) != 0 && !automatic) /* what an earlier run has left */
        verso_native_tape_keep(0);
    program->resident = verso_native_resident_set() - verso_native_tape_resident();
    program->touched = verso_native_runtime.arena.touched;
    verso_native_walk_begin(0);
    verso_native_capsule_leave_out(verso_native_runtime.job);
    verso_status status = verso_native_capsule_take(&sweep->start, &sweep->report->error);
    if (status == VERSO_OK && verso_native_is_durable(&sweep->run))
        status = verso_native_durable_open(&sweep->run, &sweep->durable, &sweep->report->error);
    if (status == VERSO_OK)
        verso_native_capsule_base(&sweep->start);
    program->division.start = sweep->start.room;
    if (status == VERSO_OK && needs_files(sweep) && sweep->run.directory == NULL)
        status = make_scratch(sweep);
    sweep->automatic = sweep->run.automatic;
    if (status == VERSO_OK && sweep->run.automatic && sweep->run.directory == NULL) {
        status = try_recording(sweep, &done);
        sweep->run.automatic = false;
        verso_schedule_spec_init(&sweep->run.spec, VERSO_KIND_ONLINE);
    }
    if (status == VERSO_OK && !done) {
        status = on_the_driver(sweep);
        remember_length(sweep);
    }
    begin_walk(sweep, 0); /* takes the last walk's times */
    verso_native_walk_end();
    return status;
}

verso_status verso_native_scheduled_sweep(const verso_native_options *options, verso_native_report *report) {
    sweep sweep = {.options = options,
                   .report = report,
                   .run = *options->run,
                   .program.division.memory = options->run->memory,
                   .program.guarded = options->run->memory != 0 && options->tape_limit == 0,
                   .program.capsule_largest = options->capsule,
                   .leaf = options->leaf};
    if (verso_native_runtime.calls.on && options->leaf != 0)
        sweep.program.division.tape = options->leaf_tape;
    report->budget_bytes = options->run->memory;
    verso_run_report *own = NULL;
    if (options->run_report == NULL) {
        own = verso_alloc(1, sizeof *own);
        if (own == NULL)
            return verso_fail(&report->error, VERSO_NO_MEMORY, "no memory for the report of the run.");
    }
    sweep.run_report = own != NULL ? own : options->run_report;
    *sweep.run_report = (verso_run_report){0};
    verso_status status = run_sweep(&sweep);
    if (status == VERSO_OK) /* what stood in the way on the way */
        report->error = (verso_error){0};
    const verso_native_capsule *left = status == VERSO_OK ? &sweep.program.end : &sweep.start;
    if (left->bytes != NULL)
        verso_native_capsule_restore(left);
    verso_native_capsule_base(NULL);
    verso_native_capsule_leave_out(NULL);
    verso_native_durable_close(&sweep.durable);
    verso_native_runtime.stack.canary = 0;
    report->peak_bytes += sweep.start.room + sweep.program.end.room;
    verso_native_capsule_free(&sweep.start);
    verso_native_capsule_free(&sweep.program.end);
    if (sweep.scratch != NULL) /* the driver does so, too, if the run has come to it */
        (void)verso_system_machine.remove_directory(&verso_system_machine, sweep.scratch);
    verso_dealloc(sweep.scratch);
    verso_dealloc(own);
    verso_native_heap_trim(); /* the next recording may take the whole budget beside it */
    return status;
}
