/* checkpoint-*j on the driver. See checkpoint.h.
 *
 * The computation is f applied to x with its reals lifted to a level of reverse mode that is not recording. A step of
 * the driver is one step of evaluation for kinds that know leaves (treeverse, binary), else a leaf of them. Capsules
 * are values and stay in the heap (held.h). A stretch is reversed by resuming its beginning, recording to its end, and
 * sweeping over what was recorded; cotangents of numbers that were born before wait in a table (cotangents.h). */
#include "vlad/checkpoint.h"

#include "vlad/differentiate.h"
#include "vlad/durable.h"
#include "vlad/held.h"

#include "base/status.h"
#include "base/wide.h"

#include <stdio.h>

/* Values of a run that are alive. */
enum { OUTER, START, X, COTANGENT, Y, VALUES };

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

static verso_status reverse(void *self, uint64_t from, uint64_t to, bool last, verso_error *error) {
    play *play = self;
    vlad_outcome outcome;
    vlad_heap *heap = &play->machine->heap;
    uint64_t before = play->machine->steps;
    verso_status status = run(play, last ? VLAD_FOR_EVER : from - to, true, &outcome, error);
    if (status != VERSO_OK)
        return status;
    if (last)
        play->steps = to * play->unit + play->machine->steps - before;
    if ((outcome == VLAD_ENDED) != last)
        return verso_fail(error, VERSO_INVALID, "the evaluation took another course when it was repeated");
    if (!vlad_cotangents_turn(&play->cotangents, level_of(play)->first, level_of(play)->born))
        return vlad_heap_failure(heap, error);
    if (last)
        status = begin_adjoint(play, error);
    if (status == VERSO_OK && !vlad_cotangents_sweep(&play->cotangents, play->level))
        status = vlad_heap_failure(heap, error);
    return status;
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
        return verso_fail(machine->error, VERSO_INVALID, "more than %d derivatives in reverse mode, one in another",
                          VLAD_LEVELS);
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
static verso_status make_durable(play *play, verso_run_options *options, verso_program *program, char *path,
                                 size_t size, verso_error *error) {
    vlad_checkpointing *how = play->how;
    play->durable = (vlad_durable){.machine = play->machine,
                                   .index = how->index,
                                   .cotangents = &play->cotangents,
                                   .y = &play->values[Y],
                                   .steps = &play->steps,
                                   .effects_after = &play->effects_after,
                                   .level = play->level,
                                   .player = play->player};
    int length = snprintf(path, size, "%s/%llu", options->directory, (unsigned long long)how->told.runs + 1);
    if (length < 0 || (size_t)length >= size)
        return verso_fail(error, VERSO_INVALID, "the name of the directory is too long");
    options->directory = path;
    return vlad_durable_identity(&play->durable, play->values[START], play->values[COTANGENT], how->leaf,
                                 &program->identity, error);
}

static verso_status drive(play *play, verso_error *error) {
    vlad_checkpointing *how = play->how;
    verso_run_options options = how->run;
    verso_program program = {.operations = &operations, .self = play, .steps = VERSO_UNKNOWN};
    char path[4096];
    verso_status status = VERSO_OK;
    if (how->index == NULL)
        options.stores[0] = &play->held.store;
    else
        status = make_durable(play, &options, &program, path, sizeof path, error);
    play->unit = vlad_has_leaves(options.spec.kind) ? 1 : how->leaf;
    options.spec.leaf = vlad_has_leaves(options.spec.kind) ? how->leaf : 1;
    if (status == VERSO_OK && options.spec.kind != VERSO_KIND_ONLINE) {
        status = count(play, error);
        program.steps = (play->steps + play->unit - 1) / play->unit;
    }
    return status == VERSO_OK ? verso_run(&program, &options, &how->told.last, error) : status;
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
        status = drive(play, &error);
        if (status != VERSO_OK)
            *machine->error = error;
    }
    if (status == VERSO_OK)
        status = finish(play, result);
    machine->numbers.count = play->level;
    machine->numbers.tags = play->tag; /* however often what lies behind was repeated: other processes begin alike */
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
