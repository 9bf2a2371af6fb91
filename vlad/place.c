/* See place.h. */
#include "vlad/place.h"

#include "vlad/durable.h"
#include "vlad/record.h"
#include "vlad/shape.h"
#include "vlad/writer.h"

#include "base/status.h"

#include <string.h>

enum { AT_NUMBER, AT_STEPS, AT_RUNS, AT_RUN_STEPS, AT_REPEATED, AT_CAPSULES, AT_AT_ONCE, AT_WORDS };

/* Computes the identity of the program. It includes the leaf, since the leaves of nested checkpoint-*j affect the
 * bits of the result. */
static verso_status identify(vlad_whole *whole, verso_error *error) {
    const vlad_checkpointing *how = whole->checkpointing;
    vlad_durable durable = {.machine = whole->machine, .index = how->index};
    return vlad_durable_identity(&durable, VLAD_NULL, VLAD_NULL, how->memory != 0 ? 0 : how->leaf, &whole->identity,
                                 error);
}

static vlad_writer path_of(const vlad_whole *whole) {
    vlad_writer path = {0};
    vlad_write(&path, "%s/place", whole->directory);
    return path;
}

verso_status vlad_place_keep(void *context, verso_error *error) {
    vlad_whole *whole = context;
    vlad_machine *machine = whole->machine;
    const vlad_checkpointing *how = whole->checkpointing;
    bool ended = whole->number == whole->program->count;
    vlad_record record = {.identity = whole->identity, .word_count = AT_WORDS};
    record.words[AT_NUMBER] = whole->number;
    record.words[AT_STEPS] = machine->steps;
    record.words[AT_RUNS] = how->statistics.runs;
    record.words[AT_RUN_STEPS] = how->statistics.steps;
    record.words[AT_REPEATED] = how->statistics.repeated;
    record.words[AT_CAPSULES] = how->statistics.capsules;
    record.words[AT_AT_ONCE] = how->statistics.at_once;
    vlad_value capsule = ended ? VLAD_NULL : vlad_machine_capture(machine, 0, 0);
    verso_status status = VERSO_STATUS_OK;
    if (capsule == VLAD_NOTHING)
        status = vlad_heap_failure(&machine->heap, error);
    else if (!ended)
        status = vlad_bytes_write(how->index, capsule, &record.bytes, &record.size, error);
    vlad_writer path = path_of(whole);
    if (status == VERSO_STATUS_OK)
        status = path.failed ? vlad_no_memory(error) : vlad_record_write(path.text, &record, error);
    vlad_record_free(&record);
    vlad_writer_free(&path);
    return status;
}

/* Resumes the machine from a record of this program. Returns VERSO_STATUS_CORRUPT if the program cannot have
 * written it. */
static verso_status take(vlad_whole *whole, const vlad_record *record, verso_error *error) {
    vlad_machine *machine = whole->machine;
    const uint64_t *words = record->words;
    vlad_value capsule;
    bool ended = record->word_count == AT_WORDS && words[AT_NUMBER] == whole->program->count;
    if (record->word_count != AT_WORDS || words[AT_NUMBER] > whole->program->count ||
        ended != (record->bytes == NULL) || words[AT_STEPS] > UINT64_C(1) << 62)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "it is damaged");
    if (!ended) {
        verso_status status = vlad_bytes_read(&machine->heap, whole->checkpointing->index, VLAD_LEVELS, record->bytes,
                                              record->size, &capsule, error);
        if (status != VERSO_STATUS_OK)
            return status;
        if (!vlad_is_kind(capsule, VLAD_CAPSULE) ||
            vlad_object_of(capsule)->field[VLAD_CAPSULE_EFFECTS] > machine->effects->done)
            return verso__fail(error, VERSO_STATUS_CORRUPT, "it is damaged");
        machine->steps = words[AT_STEPS]; /* players measure their steps from it */
        vlad_machine_resume(machine, capsule, 0, 0);
        whole->resumed = true;
    }
    whole->number = (uint32_t)words[AT_NUMBER];
    machine->steps = words[AT_STEPS];
    whole->checkpointing->statistics.runs = words[AT_RUNS];
    whole->checkpointing->statistics.steps = words[AT_RUN_STEPS];
    whole->checkpointing->statistics.repeated = words[AT_REPEATED];
    whole->checkpointing->statistics.capsules = words[AT_CAPSULES];
    whole->checkpointing->statistics.at_once = words[AT_AT_ONCE];
    return VERSO_STATUS_OK;
}

static void report_damage(const vlad_whole *whole, const char *path, const char *why) {
    const verso_run_options *run = &whole->checkpointing->run;
    vlad_writer sentence = {0};
    vlad_write(&sentence, "%s: %s; the program begins anew, but its derivatives are kept", path, why);
    if (run->notice != NULL && !sentence.failed)
        run->notice(run->notice_context, sentence.text);
    vlad_writer_free(&sentence);
}

verso_status vlad_place_recall(vlad_whole *whole, verso_error *error) {
    vlad_record record = {0};
    bool there = false;
    verso_error why = {0};
    vlad_writer path = path_of(whole);
    verso_status status = path.failed ? vlad_no_memory(error) : identify(whole, error);
    if (status == VERSO_STATUS_OK)
        status = vlad_record_read(path.text, &record, &there, error);
    if (status == VERSO_STATUS_OK && there && memcmp(&record.identity, &whole->identity, sizeof record.identity) != 0)
        status =
            verso__fail(error, VERSO_STATUS_INVALID,
                        "the run in '%s' belongs to another program, or was begun with another --leaf or --memory: "
                        "choose another directory, or remove it",
                        whole->directory);
    else if (status == VERSO_STATUS_OK && there) {
        status = take(whole, &record, &why);
        if (status != VERSO_STATUS_OK && status != VERSO_STATUS_CORRUPT && error != NULL)
            *error = why;
    } else if (status == VERSO_STATUS_CORRUPT)
        why = (verso_error){.message = "it is damaged"};
    if (status == VERSO_STATUS_CORRUPT) {
        report_damage(whole, path.text, why.message);
        status = VERSO_STATUS_OK;
    }
    vlad_record_free(&record);
    vlad_writer_free(&path);
    return status;
}
