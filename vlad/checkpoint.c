/* checkpoint-*j on the driver. See checkpoint.h.
 *
 * The computation applies f to x, whose reals are lifted to a level of reverse mode that is not recording. A step
 * of the driver is one step of evaluation if the schedule has leaves (treeverse, binary), else a whole leaf.
 * Capsules are values and stay in the heap (held.h), unless the run is durable (durable.h). To reverse a stretch,
 * the program resumes its beginning, records to its end, and sweeps over the recording. The cotangents of numbers
 * created before the stretch wait in a table (cotangents.h). */
#include "vlad/checkpoint_inside.h"

#include "vlad/budget.h"
#include "vlad/differentiate.h"
#include "vlad/durable.h"
#include "vlad/held.h"
#include "vlad/record.h"
#include "vlad/watch.h"

#include "base/status.h"
#include "base/system.h"
#include "base/wide.h"
#include "drive/directory.h"

#include <stdio.h>
#include <string.h>

static vlad_level *level_of(play *play) {
    return &play->machine->numbers.levels[play->level];
}

/* ---- The machine as a program ---- */

/* Runs at most `steps` steps of the driver. */
static verso_status run(play *play, uint64_t steps, bool recording, vlad_outcome *outcome, verso_error *error) {
    vlad_machine *machine = play->machine;
    vlad_level *level = level_of(play);
    uint64_t before = machine->steps;
    level->recording = recording;
    level->first = level->born;
    level->filled = VLAD_CHUNK;
    machine->numbers.tapes[play->level] = VLAD_NULL;
    machine->limit = verso__add_u64(before, verso__mul_u64(steps, play->unit));
    const vlad_keeper keeper = {vlad_play_keep, play};
    *outcome = vlad_watch_run(play->counting ? play->how->watch : NULL, machine, &keeper);
    play->done += machine->steps - before;
    machine->limit = VLAD_FOR_EVER;
    level->recording = false;
    if (*outcome == VLAD_ENDED)
        play->effects_after = machine->effects->at;
    if (*outcome != VLAD_FAILED)
        return VERSO_STATUS_OK;
    play->failed = true;
    return verso__fail(error, machine->error->status, "%s", machine->error->message);
}

static verso_status advance(void *self, uint64_t from, uint64_t to, uint64_t *reached, verso_error *error) {
    play *play = self;
    vlad_outcome outcome;
    uint64_t before = play->machine->steps;
    verso_status status = run(play, to - from, false, &outcome, error);
    if (status == VERSO_STATUS_OK && outcome == VLAD_ENDED) {
        uint64_t steps = play->machine->steps - before;
        *reached = from + (steps + play->unit - 1) / play->unit;
        play->steps = from * play->unit + steps;
    }
    return status;
}

/* Begins the adjoint at the end of the computation: takes the value, and seeds the cotangents. */
static verso_status begin_adjoint(play *play, verso_error *error) {
    vlad_numbers *numbers = &play->machine->numbers;
    vlad_value y = play->machine->registers[VLAD_RESULT];
    verso_status status = vlad_seed(&play->cotangents, play->tag, y, play->values[COTANGENT], error);
    return status == VERSO_STATUS_OK ? vlad_lower(numbers, play->tag, y, &play->values[Y], error) : status;
}

/* Makes the stretch recorded last the current one of the cotangents. */
bool vlad_play_turn(play *play) {
    const vlad_level *level = level_of(play);
    vlad_heap *heap = &play->machine->heap;
    if (vlad_cotangents_turn(&play->cotangents, level->first, level->born))
        return true;
    (void)vlad_heap_collect(heap, NULL);
    return vlad_cotangents_turn(&play->cotangents, level->first, level->born);
}

verso_status vlad_play_sweep(play *play, bool last, verso_error *error) {
    verso_status status = last ? begin_adjoint(play, error) : VERSO_STATUS_OK;
    if (status == VERSO_STATUS_OK && !vlad_cotangents_sweep(&play->cotangents, play->level))
        status = vlad_heap_failure(&play->machine->heap, error);
    return status;
}

static verso_status reverse(void *self, uint64_t from, uint64_t to, bool last, verso_error *error) {
    play *play = self;
    vlad_outcome outcome;
    uint64_t before = play->machine->steps;
    verso_status status = run(play, last ? VLAD_FOR_EVER : from - to, true, &outcome, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (last)
        play->steps = to * play->unit + play->machine->steps - before;
    if ((outcome == VLAD_ENDED) != last)
        return verso__fail(
            error, VERSO_STATUS_INVALID,
            "the evaluation took a different path when it was repeated (internal error, please report it)");
    return vlad_play_turn(play) ? vlad_play_sweep(play, last, error) : vlad_heap_failure(&play->machine->heap, error);
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
    return VERSO_STATUS_OK;
}

static verso_status resume(void *self, verso_capsule_kind kind, const void *bytes, size_t size, verso_error *error) {
    play *play = self;
    vlad_value capsule;
    if (play->how->index != NULL)
        return vlad_durable_resume(&play->durable, kind, bytes, size, error);
    memcpy(&capsule, bytes, sizeof capsule);
    vlad_machine_resume(play->machine, capsule, play->level, play->player);
    return VERSO_STATUS_OK;
}

static const verso_program_operations operations = {
    .advance = advance, .reverse = reverse, .capsule_size = capsule_size, .capture = capture, .resume = resume};

/* ---- Beginning and end ---- */

/* Brings the machine to the state before the first step. */
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
    if (status == VERSO_STATUS_OK)
        status = vlad_machine_apply(machine, values[0], lifted);
    if (status == VERSO_STATUS_OK) {
        play->values[START] = vlad_machine_capture(machine, play->level, play->player);
        if (play->values[START] == VLAD_NOTHING)
            status = vlad_heap_failure(&machine->heap, machine->error);
    }
    return status;
}

bool vlad_has_leaves(verso_schedule_kind kind) {
    return kind == VERSO_KIND_TREEVERSE || kind == VERSO_KIND_BINARY;
}

/* Writes the path of the folder of this run, in the directory of the program. */
verso_status vlad_play_folder(const play *play, char *path, size_t size, verso_error *error) {
    const vlad_checkpointing *how = play->how;
    int length = snprintf(path, size, "%s/%llu", how->run.directory, (unsigned long long)how->statistics.runs + 1);
    if (length < 0 || (size_t)length >= size)
        return verso__fail(error, VERSO_STATUS_IO, "the name of the directory is too long");
    return VERSO_STATUS_OK;
}

/* A chosen leaf is not part of the identity of a run: without a restart point it may be chosen again. */
static verso_status make_durable(play *play, verso_error *error) {
    if (play->how->index == NULL)
        return VERSO_STATUS_OK;
    play->durable = (vlad_durable){.machine = play->machine,
                                   .index = play->how->index,
                                   .cotangents = &play->cotangents,
                                   .y = &play->values[Y],
                                   .steps = &play->steps,
                                   .effects_after = &play->effects_after,
                                   .level = play->level,
                                   .player = play->player};
    return vlad_durable_identity(&play->durable, play->values[START], play->values[COTANGENT],
                                 play->how->memory != 0 ? 0 : play->how->leaf, &play->identity, error);
}

/* ---- Counting ---- */

/* A durable run counts its steps only once. A file beside the run's folder holds the result, or the progress of
 * the count and what is needed to continue it: the numbers below, the measurements of the budget, and a capsule. */
enum { COUNT_STEPS, COUNT_ENDED, COUNT_EFFECTS, COUNT_BUDGET, COUNT_WORDS };

static verso_status count_path(const play *play, char *path, size_t size, verso_error *error) {
    verso_status status = vlad_play_folder(play, path, size, error);
    static const char ending[] = ".count";
    if (status == VERSO_STATUS_OK && strlen(path) + sizeof ending > size)
        return verso__fail(error, VERSO_STATUS_IO, "the name of the directory is too long");
    if (status == VERSO_STATUS_OK)
        strcat(path, ending);
    return status;
}

verso_status vlad_play_keep(void *self, verso_error *error) {
    play *play = self;
    vlad_machine *machine = play->machine;
    char path[PATH_ROOM];
    vlad_record record = {.identity = play->identity, .word_count = COUNT_WORDS};
    record.words[COUNT_STEPS] = machine->steps - play->base;
    record.words[COUNT_ENDED] = play->counted;
    record.words[COUNT_EFFECTS] = play->effects_after;
    _Static_assert(COUNT_WORDS + VLAD_BUDGET_WORDS <= VLAD_RECORD_WORDS, "there is room for both");
    if (play->budget != NULL) {
        record.words[COUNT_BUDGET] = 1;
        vlad_budget_save(play->budget, &record.words[COUNT_WORDS]);
        record.word_count += VLAD_BUDGET_WORDS;
    }
    vlad_value capsule = play->counted ? VLAD_NULL : vlad_machine_capture(machine, play->level, play->player);
    verso_status status = count_path(play, path, sizeof path, error);
    if (capsule == VLAD_NOTHING)
        status = vlad_heap_failure(&machine->heap, error);
    else if (status == VERSO_STATUS_OK && !play->counted)
        status = vlad_bytes_write(play->how->index, capsule, &record.bytes, &record.size, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_record_write(path, &record, error);
    vlad_record_free(&record);
    return status;
}

/* Takes the numbers of a record. Returns false if they cannot come from keep_count. */
static bool take_count(play *play, const vlad_record *record) {
    const uint64_t *words = record->words;
    bool budget = record->word_count == COUNT_WORDS + VLAD_BUDGET_WORDS;
    if ((!budget && record->word_count != COUNT_WORDS) || words[COUNT_BUDGET] != budget || words[COUNT_ENDED] > 1 ||
        (words[COUNT_ENDED] == 1) != (record->bytes == NULL) || words[COUNT_STEPS] > UINT64_C(1) << 53 ||
        words[COUNT_EFFECTS] > play->machine->effects->done || (play->budget != NULL && !budget))
        return false;
    return play->budget == NULL || vlad_budget_load(play->budget, &words[COUNT_WORDS]);
}

/* Reads the file of the count: brings the machine to the point that an earlier process has reached, or takes the
 * result if the count is complete. A damaged file is reported, and the count starts from the beginning. */
verso_status vlad_play_recall(play *play, verso_error *error) {
    vlad_machine *machine = play->machine;
    char path[PATH_ROOM];
    vlad_record record;
    vlad_value capsule = VLAD_NULL;
    bool there = false;
    verso_error why = {0};
    verso_status status = count_path(play, path, sizeof path, error);
    if (status != VERSO_STATUS_OK)
        return status;
    status = vlad_record_read(path, &record, &there, &why);
    bool ours = there && memcmp(&record.identity, &play->identity, sizeof record.identity) == 0;
    if (status == VERSO_STATUS_OK && ours && !take_count(play, &record))
        status = verso__fail(&why, VERSO_STATUS_CORRUPT, "%.400s: it is damaged", path);
    if (status == VERSO_STATUS_OK && ours && record.bytes != NULL)
        status = vlad_bytes_read(&machine->heap, play->how->index, VLAD_LEVELS - 1 - play->level, record.bytes,
                                 record.size, &capsule, &why);
    if (status == VERSO_STATUS_OK && ours && record.bytes != NULL) {
        if (!vlad_is_kind(capsule, VLAD_CAPSULE) ||
            vlad_object_of(capsule)->field[VLAD_CAPSULE_EFFECTS] > machine->effects->done)
            status = verso__fail(&why, VERSO_STATUS_CORRUPT, "%.400s: it is damaged", path);
        else {
            machine->steps = play->base + record.words[COUNT_STEPS]; /* players measure their steps from it */
            vlad_machine_resume(machine, capsule, play->level, play->player);
        }
    }
    if (status == VERSO_STATUS_OK && ours) {
        machine->steps = play->base + record.words[COUNT_STEPS];
        play->counted = record.words[COUNT_ENDED] == 1;
        play->effects_after = record.words[COUNT_EFFECTS];
    }
    vlad_record_free(&record);
    if (status == VERSO_STATUS_CORRUPT && play->how->run.notice != NULL) {
        char sentence[VERSO_MESSAGE_MAX + 64];
        (void)snprintf(sentence, sizeof sentence, "%s; the steps are counted anew", why.message);
        play->how->run.notice(play->how->run.notice_context, sentence);
    }
    if (status == VERSO_STATUS_CORRUPT && play->budget != NULL) /* take_count may have loaded a part of it */
        vlad_budget_clear(play->budget);
    return status == VERSO_STATUS_OK || status == VERSO_STATUS_CORRUPT ? VERSO_STATUS_OK
                                                                       : verso__fail(error, status, "%s", why.message);
}

/* Marks the count as complete; in a durable run writes the file, so that no process counts again. */
verso_status vlad_play_count_ended(play *play, verso_error *error) {
    play->counted = true;
    return play->how->index != NULL ? vlad_play_keep(play, error) : VERSO_STATUS_OK;
}

/* Counts the steps (PRIMOPS in the paper), then returns to the beginning. */
static verso_status count(play *play, verso_error *error) {
    vlad_outcome outcome;
    play->base = play->machine->steps;
    verso_status status = play->how->index != NULL ? vlad_play_recall(play, error) : VERSO_STATUS_OK;
    if (status == VERSO_STATUS_OK && !play->counted) {
        play->counting = true;
        status = run(play, VLAD_FOR_EVER, false, &outcome, error);
        play->counting = false;
        if (status == VERSO_STATUS_OK)
            status = vlad_play_count_ended(play, error);
    }
    play->steps = play->machine->steps - play->base;
    vlad_machine_resume(play->machine, play->values[START], play->level, play->player);
    return status;
}

/* ---- On the driver ---- */

/* Plays a schedule. The leaf is stored in the spec for all kinds, because the spec is saved in the journal. */
verso_status vlad_play_drive(play *play, const verso_schedule_spec *spec, uint64_t leaf, bool counted,
                             verso_error *error) {
    vlad_checkpointing *how = play->how;
    verso_run_options options = how->run;
    verso_program program = {.operations = &operations, .self = play, .steps = VERSO_UNKNOWN};
    char path[PATH_ROOM];
    verso_status status = VERSO_STATUS_OK;
    if (how->index == NULL)
        options.stores[0] = &play->held.store;
    else {
        options.directory = path;
        status = vlad_play_folder(play, path, sizeof path, error);
        program.identity = play->identity;
        if (how->watch != NULL)
            options.time_limit = vlad_watch_left(how->watch);
    }
    play->unit = vlad_has_leaves(spec->kind) ? 1 : leaf;
    options.spec = *spec;
    options.spec.steps = 0;
    options.spec.leaf = leaf;
    if (status == VERSO_STATUS_OK && spec->kind != VERSO_KIND_ONLINE) {
        status = counted ? VERSO_STATUS_OK : count(play, error);
        program.steps = (play->steps + play->unit - 1) / play->unit;
    }
    how->statistics.leaf = leaf;
    how->statistics.last = (verso_run_report)VERSO_RUN_REPORT_INIT;
    return status == VERSO_STATUS_OK ? verso_run(&program, &options, &how->statistics.last, error) : status;
}

/* ---- The whole operator ---- */

static verso_status finish(play *play, vlad_value *result) {
    vlad_machine *machine = play->machine;
    vlad_value cotangent;
    verso_status status = VERSO_STATUS_NO_MEMORY;
    if (vlad_cotangents_turn(&play->cotangents, 0, play->inputs))
        status = vlad_gather_cotangents(&play->cotangents, play->values[X], &cotangent, machine->error);
    if (status == VERSO_STATUS_OK)
        *result = vlad_pair(&machine->heap, play->values[Y], cotangent);
    if (status == VERSO_STATUS_NO_MEMORY || (status == VERSO_STATUS_OK && *result == VLAD_NOTHING))
        status = vlad_heap_failure(&machine->heap, machine->error);
    return status;
}

static void add_statistics(play *play, uint64_t steps) {
    vlad_checkpointing *how = play->how;
    how->statistics.runs++;
    how->statistics.steps += steps;
    if (play->done > steps) /* else other processes have run the rest */
        how->statistics.repeated += play->done - steps;
    if (play->held.most > how->statistics.capsules)
        how->statistics.capsules = play->held.most;
}

/* Runs the whole operator. Restores the machine's levels, players and step count afterwards. */
static verso_status play_all(play *play, const vlad_value *values, vlad_value *result) {
    vlad_machine *machine = play->machine;
    uint64_t before = machine->steps;
    machine->steps = 0;
    verso_status status = begin(play, values);
    verso_error error = {0};
    if (status == VERSO_STATUS_OK) {
        status = make_durable(play, &error);
        if (status != VERSO_STATUS_OK)
            *machine->error = error;
    }
    if (status == VERSO_STATUS_OK) {
        const vlad_checkpointing *how = play->how;
        play->memory = how->memory;
        status = how->by_default    ? vlad_play_by_default(play, &error)
                 : how->memory != 0 ? vlad_play_within(play, &error)
                                    : vlad_play_drive(play, &how->run.spec, how->leaf, false, &error);
        if (status != VERSO_STATUS_OK)
            *machine->error = error;
    }
    if (status == VERSO_STATUS_OK)
        status = finish(play, result);
    machine->numbers.count = play->level;
    if (play->tag != 0)
        vlad_numbers_release(&machine->numbers, play->tag);
    machine->player_count = play->player;
    machine->effects->at = play->effects_after;
    machine->steps = before + play->steps;
    add_statistics(play, play->steps);
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
    if (status == VERSO_STATUS_OK)
        return vlad_give(machine, result);
    return play.failed || status == VERSO_STATUS_SUSPENDED ? false : vlad_fail_here(machine, e);
}
