/* checkpoint-*j on the driver. See checkpoint.h.
 *
 * The computation is f applied to x with its reals lifted to a level of reverse mode that is not recording. A step of
 * the driver is one step of evaluation for kinds that know leaves (treeverse, binary), else a leaf of them. Capsules
 * are values and stay in the heap (held.h). A stretch is reversed by resuming its beginning, recording to its end, and
 * sweeping over what was recorded; cotangents of numbers that were born before wait in a table (cotangents.h). */
#include "vlad/checkpoint.h"

#include "vlad/budget.h"
#include "vlad/differentiate.h"
#include "vlad/durable.h"
#include "vlad/held.h"

#include "base/status.h"
#include "base/system.h"
#include "base/wide.h"
#include "drive/drive.h"

#include <stdio.h>

/* Values of a run that are alive. */
enum { OUTER, START, X, COTANGENT, Y, VALUES };

enum { PATH_ROOM = 4096, TRIES = 4 };

typedef struct play {
    vlad_machine *machine;
    vlad_checkpointing *how;
    uint64_t tag, unit;
    uint32_t level, player;
    uint64_t inputs, effects_after;
    uint64_t steps, done; /* of the whole computation; run in all */
    bool failed;          /* within the computation: the message has its place */
    vlad_value values[VALUES];
    vlad_roots roots;
    vlad_cotangents cotangents;
    vlad_held held;
    vlad_durable durable;
} play;

static vlad_level *level_of(play *play) {
    return &play->machine->numbers.levels[play->level];
}

/* ---- The machine as a program ---- */

/* Up to so many steps of the driver. */
static verso_status run(play *play, uint64_t steps, bool recording, vlad_outcome *outcome, verso_error *error) {
    vlad_machine *machine = play->machine;
    vlad_level *level = level_of(play);
    uint64_t before = machine->steps;
    level->recording = recording;
    level->first = level->born;
    level->filled = VLAD_CHUNK;
    machine->numbers.tapes[play->level] = VLAD_NULL;
    machine->limit = verso_add_u64(before, verso_mul_u64(steps, play->unit));
    *outcome = vlad_machine_run(machine);
    play->done += machine->steps - before;
    machine->limit = VLAD_FOR_EVER;
    level->recording = false;
    if (*outcome == VLAD_ENDED)
        play->effects_after = machine->effects->at;
    if (*outcome != VLAD_FAILED)
        return VERSO_OK;
    play->failed = true;
    return verso_fail(error, machine->error->status, "%s", machine->error->message);
}

static verso_status advance(void *self, uint64_t from, uint64_t to, uint64_t *reached, verso_error *error) {
    play *play = self;
    vlad_outcome outcome;
    uint64_t before = play->machine->steps;
    verso_status status = run(play, to - from, false, &outcome, error);
    if (status == VERSO_OK && outcome == VLAD_ENDED) {
        uint64_t steps = play->machine->steps - before;
        *reached = from + (steps + play->unit - 1) / play->unit;
        play->steps = from * play->unit + steps;
    }
    return status;
}

/* From the result: its value, and the first cotangents. */
static verso_status begin_adjoint(play *play, verso_error *error) {
    vlad_numbers *numbers = &play->machine->numbers;
    vlad_value y = play->machine->registers[VLAD_RESULT];
    verso_status status = vlad_seed(&play->cotangents, play->tag, y, play->values[COTANGENT], error);
    return status == VERSO_OK ? vlad_lower(numbers, play->tag, y, &play->values[Y], error) : status;
}

/* The stretch that was recorded last gets its cotangents. */
static bool turn(play *play) {
    const vlad_level *level = level_of(play);
    vlad_heap *heap = &play->machine->heap;
    if (vlad_cotangents_turn(&play->cotangents, level->first, level->born))
        return true;
    (void)vlad_heap_collect(heap, NULL);
    return vlad_cotangents_turn(&play->cotangents, level->first, level->born);
}

static verso_status sweep(play *play, bool last, verso_error *error) {
    verso_status status = last ? begin_adjoint(play, error) : VERSO_OK;
    if (status == VERSO_OK && !vlad_cotangents_sweep(&play->cotangents, play->level))
        status = vlad_heap_failure(&play->machine->heap, error);
    return status;
}

static verso_status reverse(void *self, uint64_t from, uint64_t to, bool last, verso_error *error) {
    play *play = self;
    vlad_outcome outcome;
    uint64_t before = play->machine->steps;
    verso_status status = run(play, last ? VLAD_FOR_EVER : from - to, true, &outcome, error);
    if (status != VERSO_OK)
        return status;
    if (last)
        play->steps = to * play->unit + play->machine->steps - before;
    if ((outcome == VLAD_ENDED) != last)
        return verso_fail(error, VERSO_INVALID, "the evaluation took another course when it was repeated");
    return turn(play) ? sweep(play, last, error) : vlad_heap_failure(&play->machine->heap, error);
}

static size_t capsule_size(void *self, verso_capsule_kind kind) {
    play *play = self;
    return play->how->index != NULL ? vlad_durable_size(&play->durable, kind) : sizeof(vlad_value);
}

static verso_status capture(void *self, verso_capsule_kind kind, void *bytes, size_t size, verso_error *error) {
    play *play = self;
    if (play->how->index != NULL)
        return vlad_durable_capture(&play->durable, kind, bytes, size, error);
    vlad_value capsule = vlad_machine_capture(play->machine, play->level, play->player);
    if (capsule == VLAD_NOTHING)
        return vlad_heap_failure(&play->machine->heap, error);
    memcpy(bytes, &capsule, sizeof capsule);
    return VERSO_OK;
}

static verso_status resume(void *self, verso_capsule_kind kind, const void *bytes, size_t size, verso_error *error) {
    play *play = self;
    vlad_value capsule;
    if (play->how->index != NULL)
        return vlad_durable_resume(&play->durable, kind, bytes, size, error);
    memcpy(&capsule, bytes, sizeof capsule);
    vlad_machine_resume(play->machine, capsule, play->level, play->player);
    return VERSO_OK;
}

static const verso_program_operations operations = {
    .advance = advance, .reverse = reverse, .capsule_size = capsule_size, .capture = capture, .resume = resume};

/* ---- Beginning and end ---- */

/* The machine in front of the first step. */
static verso_status begin(play *play, const vlad_value *values) {
    vlad_machine *machine = play->machine;
    vlad_numbers *numbers = &machine->numbers;
    vlad_value lifted;
    play->tag = vlad_numbers_tag(numbers);
    play->level = numbers->count;
    play->player = machine->player_count;
    if (!vlad_level_begin(numbers, play->tag, false))
        return vlad_too_deep(machine->error);
    verso_status status = vlad_lift(numbers, values[1], &lifted, machine->error);
    play->inputs = level_of(play)->born;
    if (status == VERSO_OK)
        status = vlad_machine_apply(machine, values[0], lifted);
    if (status == VERSO_OK) {
        play->values[START] = vlad_machine_capture(machine, play->level, play->player);
        if (play->values[START] == VLAD_NOTHING)
            status = vlad_heap_failure(&machine->heap, machine->error);
    }
    return status;
}

bool vlad_has_leaves(verso_schedule_kind kind) {
    return kind == VERSO_KIND_TREEVERSE || kind == VERSO_KIND_BINARY;
}

/* PRIMOPS: how many steps there are; back to the beginning. */
static verso_status count(play *play, verso_error *error) {
    vlad_outcome outcome;
    uint64_t before = play->machine->steps;
    verso_status status = run(play, VLAD_FOR_EVER, false, &outcome, error);
    play->steps = play->machine->steps - before;
    vlad_machine_resume(play->machine, play->values[START], play->level, play->player);
    return status;
}

/* Its own folder in the directory of all. */
static verso_status folder_of(const play *play, char *path, size_t size, verso_error *error) {
    const vlad_checkpointing *how = play->how;
    int length = snprintf(path, size, "%s/%llu", how->run.directory, (unsigned long long)how->told.runs + 1);
    if (length < 0 || (size_t)length >= size)
        return verso_fail(error, VERSO_IO, "the name of the directory is too long");
    return VERSO_OK;
}

/* A leaf that was chosen is not part of what the run is: without a restart point it is chosen anew. */
static verso_status make_durable(play *play, uint64_t leaf, verso_identity *identity, verso_error *error) {
    play->durable = (vlad_durable){.machine = play->machine,
                                   .index = play->how->index,
                                   .cotangents = &play->cotangents,
                                   .y = &play->values[Y],
                                   .steps = &play->steps,
                                   .effects_after = &play->effects_after,
                                   .level = play->level,
                                   .player = play->player};
    return vlad_durable_identity(&play->durable, play->values[START], play->values[COTANGENT], leaf, identity, error);
}

/* The leaf is in the spec of all kinds: so it is in the journal. */
static verso_status drive(play *play, const verso_schedule_spec *spec, uint64_t leaf, bool counted,
                          verso_error *error) {
    vlad_checkpointing *how = play->how;
    verso_run_options options = how->run;
    verso_program program = {.operations = &operations, .self = play, .steps = VERSO_UNKNOWN};
    char path[PATH_ROOM];
    verso_status status = VERSO_OK;
    if (how->index == NULL)
        options.stores[0] = &play->held.store;
    else {
        options.directory = path;
        status = folder_of(play, path, sizeof path, error);
        if (status == VERSO_OK)
            status = make_durable(play, how->memory != 0 ? 0 : leaf, &program.identity, error);
    }
    play->unit = vlad_has_leaves(spec->kind) ? 1 : leaf;
    options.spec = *spec;
    options.spec.steps = 0;
    options.spec.leaf = leaf;
    if (status == VERSO_OK && spec->kind != VERSO_KIND_ONLINE) {
        status = counted ? VERSO_OK : count(play, error);
        program.steps = (play->steps + play->unit - 1) / play->unit;
    }
    how->told.leaf = leaf;
    return status == VERSO_OK ? verso_run(&program, &options, &how->told.last, error) : status;
}

/* ---- Within a budget ---- */

static verso_status too_small(play *play, const vlad_budget *budget, bool tried, verso_error *error) {
    const vlad_checkpointing *how = play->how;
    play->failed = false; /* what has failed on the way is not the message */
    uint64_t least = vlad_budget_least(budget, &how->run.spec, how->leaf);
    if (tried) /* in vain, so there is more to it than was seen */
        least = verso_max_u64(least, 2 * how->memory);
    return verso_fail(error, VERSO_IMPOSSIBLE,
                      "a memory of %llu bytes is too small for this derivative: about %llu would do",
                      (unsigned long long)how->memory, (unsigned long long)least);
}

/* The machine in front of the first step, as if nothing had been. */
static void start_over(play *play) {
    vlad_heap_recover(&play->machine->heap);
    vlad_held_clear(&play->held);
    vlad_cotangents_clear(&play->cotangents);
    play->values[Y] = VLAD_NULL;
    play->failed = false;
    vlad_machine_resume(play->machine, play->values[START], play->level, play->player);
}

/* A durable run that did not fit is given up. */
static verso_status abandon(const play *play, verso_error *error) {
    char path[PATH_ROOM];
    if (play->how->index == NULL)
        return VERSO_OK;
    verso_status status = folder_of(play, path, sizeof path, error);
    return status == VERSO_OK ? verso_abandon(&verso_system_machine, path, error) : status;
}

/* What was not seen while counting may need more: then again with less. */
static verso_status drive_chosen(play *play, const vlad_budget *budget, verso_error *error) {
    const vlad_checkpointing *how = play->how;
    vlad_heap *heap = &play->machine->heap;
    vlad_choice choice;
    uint64_t memory = how->memory;
    for (int tries = 0; tries < TRIES; tries++, memory /= 2) {
        if (!vlad_budget_choose(budget, memory, &how->run.spec, how->leaf, &choice))
            return too_small(play, budget, tries > 0, error);
        start_over(play);
        if (!vlad_heap_take(heap, choice.beside))
            return too_small(play, budget, true, error);
        heap->strict = true;
        verso_status status = drive(play, &choice.spec, choice.leaf, true, error);
        vlad_heap_give_back(heap, choice.beside);
        heap->strict = false;
        if (status == VERSO_OK || !(heap->tight || heap->exhausted))
            return status;
        status = abandon(play, error);
        if (status != VERSO_OK)
            return status;
    }
    return too_small(play, budget, true, error);
}

/* Everything is on the tape. *done: and was reversed; else there is no room for that. */
static verso_status reverse_recorded(play *play, bool *done, verso_error *error) {
    *done = turn(play);
    if (!*done)
        return VERSO_OK;
    verso_status status = sweep(play, true, error);
    *done = status != VERSO_NO_MEMORY;
    play->how->told.at_once += status == VERSO_OK;
    verso_schedule_spec_init(&play->how->told.last.spec, VERSO_KIND_STORE_ALL);
    play->how->told.last.predicted.steps = 1;
    return *done ? status : VERSO_OK;
}

static verso_status drive_counted(play *play, vlad_budget *budget, verso_error *error) {
    vlad_machine *machine = play->machine;
    vlad_outcome outcome = vlad_budget_count(budget);
    bool done = false;
    verso_status status = VERSO_OK;
    play->done += budget->steps;
    play->steps = budget->steps;
    play->effects_after = machine->effects->at;
    if (outcome == VLAD_FAILED) {
        play->failed = true;
        return verso_fail(error, machine->error->status, "%s", machine->error->message);
    }
    if (budget->recorded)
        status = reverse_recorded(play, &done, error);
    if (done)
        return status;
    vlad_heap_recover(&machine->heap);
    if (!vlad_budget_measure(budget, &play->values[START]))
        return vlad_heap_failure(&machine->heap, error);
    return drive_chosen(play, budget, error);
}

/* A run of an earlier process goes on as it was chosen then. */
static verso_status drive_again(play *play, vlad_budget *budget, const verso_schedule_spec *spec, verso_error *error) {
    vlad_heap *heap = &play->machine->heap;
    uint64_t beside = vlad_budget_beside(budget, verso_max_u64(spec->slots, spec->space));
    if (!vlad_heap_take(heap, beside))
        return vlad_heap_failure(heap, error);
    verso_status status = drive(play, spec, spec->leaf, false, error);
    vlad_heap_give_back(heap, beside);
    return status;
}

/* spec->leaf is 0 when there is no such run, or none with a restart point. */
static verso_status read_spec(const play *play, verso_schedule_spec *spec, verso_error *error) {
    char path[PATH_ROOM];
    verso_run_status before;
    *spec = (verso_schedule_spec){0};
    if (play->how->index == NULL)
        return VERSO_OK;
    verso_status status = folder_of(play, path, sizeof path, error);
    if (status == VERSO_OK)
        status = verso_run_status_read(path, &before, error);
    if (status == VERSO_OK)
        *spec = before.spec;
    return status == VERSO_INVALID ? VERSO_OK : status; /* there is no run */
}

static verso_status drive_within(play *play, verso_error *error) {
    vlad_budget budget;
    verso_schedule_spec spec;
    verso_status status = read_spec(play, &spec, error);
    if (status != VERSO_OK)
        return status;
    vlad_budget_open(&budget, play->machine, play->level, play->player, play->how->index);
    budget.log = play->how->log;
    status = spec.leaf != 0 ? drive_again(play, &budget, &spec, error) : drive_counted(play, &budget, error);
    vlad_budget_close(&budget);
    return status;
}

static verso_status finish(play *play, vlad_value *result) {
    vlad_machine *machine = play->machine;
    vlad_value cotangent;
    verso_status status = VERSO_NO_MEMORY;
    if (vlad_cotangents_turn(&play->cotangents, 0, play->inputs))
        status = vlad_gather_cotangents(&play->cotangents, play->values[X], &cotangent, machine->error);
    if (status == VERSO_OK)
        *result = vlad_pair(&machine->heap, play->values[Y], cotangent);
    if (status == VERSO_NO_MEMORY || (status == VERSO_OK && *result == VLAD_NOTHING))
        status = vlad_heap_failure(&machine->heap, machine->error);
    return status;
}

static void tell(play *play, uint64_t steps) {
    vlad_checkpointing *how = play->how;
    how->told.runs++;
    how->told.steps += steps;
    how->told.repeated += play->done - steps;
    if (play->held.most > how->told.capsules)
        how->told.capsules = play->held.most;
}

/* All of it, between the machine's state before and after. */
static verso_status play_all(play *play, const vlad_value *values, vlad_value *result) {
    vlad_machine *machine = play->machine;
    uint64_t before = machine->steps;
    machine->steps = 0;
    verso_status status = begin(play, values);
    verso_error error = {0};
    if (status == VERSO_OK) {
        const vlad_checkpointing *how = play->how;
        status = how->memory != 0 ? drive_within(play, &error) : drive(play, &how->run.spec, how->leaf, false, &error);
        if (status != VERSO_OK)
            *machine->error = error;
    }
    if (status == VERSO_OK)
        status = finish(play, result);
    machine->numbers.count = play->level;
    if (play->tag != 0)
        vlad_numbers_release(&machine->numbers, play->tag);
    machine->player_count = play->player;
    machine->effects->at = play->effects_after;
    machine->steps = before + play->steps;
    tell(play, play->steps);
    return status;
}

bool vlad_checkpoint(vlad_machine *machine, const vlad_expression *e, const vlad_value *values) {
    play play = {.machine = machine,
                 .how = machine->checkpointing,
                 .values = {machine->registers[VLAD_CONTINUATION], VLAD_NULL, values[1], values[2], VLAD_NULL}};
    vlad_value result = VLAD_NOTHING;
    uint64_t limit = machine->limit;
    play.roots = (vlad_roots){.values = play.values, .count = VALUES};
    vlad_heap_root(&machine->heap, &play.roots);
    vlad_held_open(&play.held, &machine->heap);
    vlad_cotangents_open(&play.cotangents, &machine->numbers);
    machine->checkpointing = NULL;
    machine->nested = play.how;
    verso_status status = play_all(&play, values, &result);
    machine->checkpointing = play.how;
    machine->nested = NULL;
    machine->limit = limit;
    machine->registers[VLAD_CONTINUATION] = play.values[OUTER];
    vlad_cotangents_close(&play.cotangents);
    vlad_held_close(&play.held);
    vlad_durable_close(&play.durable);
    vlad_heap_unroot(&machine->heap, &play.roots);
    if (status == VERSO_OK)
        return vlad_give(machine, result);
    return play.failed ? false : vlad_fail_here(machine, e);
}
