/* checkpoint-*j within a budget: records everything if it fits, else chooses a schedule from what the count has
 * measured (budget.h). See checkpoint_inside.h. */
#include "vlad/checkpoint_inside.h"

#include "base/status.h"
#include "base/system.h"
#include "base/wide.h"
#include "drive/directory.h"

static verso_status too_small(play *play, const vlad_budget *budget, bool tried, verso_error *error) {
    const vlad_checkpointing *how = play->how;
    play->failed = false; /* the message must not be that of an attempt that failed */
    uint64_t least = vlad_budget_least(budget, &how->run.spec, how->leaf);
    if (tried) /* attempts failed, so the measurements were too low */
        least = verso__max_u64(least, 2 * play->memory);
    return verso__fail(error, VERSO_STATUS_IMPOSSIBLE,
                       "the budget of %llu bytes is too small for this derivative; about %llu bytes are needed",
                       (unsigned long long)play->memory, (unsigned long long)least);
}

/* Discards the results of an attempt and brings the machine to the state before the first step. */
static void start_over(play *play) {
    vlad_heap_recover(&play->machine->heap);
    vlad_held_clear(&play->held);
    vlad_cotangents_clear(&play->cotangents);
    play->values[Y] = VLAD_NULL;
    play->failed = false;
    vlad_machine_resume(play->machine, play->values[START], play->level, play->player);
}

/* Removes a durable run that did not fit. */
static verso_status abandon(const play *play, verso_error *error) {
    char path[PATH_ROOM];
    if (play->how->index == NULL)
        return VERSO_STATUS_OK;
    verso_status status = vlad_play_folder(play, path, sizeof path, error);
    return status == VERSO_STATUS_OK ? verso__abandon(&verso__system_machine, path, error) : status;
}

/* Chooses a schedule and plays it. If it needs more memory than the count has seen, tries again with smaller
 * budgets. */
static verso_status drive_chosen(play *play, const vlad_budget *budget, verso_error *error) {
    const vlad_checkpointing *how = play->how;
    vlad_heap *heap = &play->machine->heap;
    vlad_choice choice;
    uint64_t memory = play->memory;
    for (int tries = 0; tries < TRIES; tries++, memory /= 2) {
        if (!vlad_budget_choose(budget, memory, &how->run.spec, how->leaf, &choice))
            return too_small(play, budget, tries > 0, error);
        start_over(play);
        if (!vlad_heap_take(heap, choice.beside))
            return too_small(play, budget, true, error);
        heap->strict = true;
        verso_status status = vlad_play_drive(play, &choice.spec, choice.leaf, true, error);
        vlad_heap_give_back(heap, choice.beside);
        heap->strict = false;
        if (status == VERSO_STATUS_OK || !(heap->tight || heap->exhausted))
            return status;
        status = abandon(play, error);
        if (status != VERSO_STATUS_OK)
            return status;
    }
    return too_small(play, budget, true, error);
}

/* Sweeps over the tape, which holds the whole run. Sets *done to false if there is too little memory for that. */
static verso_status reverse_recorded(play *play, bool *done, verso_error *error) {
    *done = vlad_play_turn(play);
    if (!*done)
        return VERSO_STATUS_OK;
    verso_status status = vlad_play_sweep(play, true, error);
    *done = status != VERSO_STATUS_NO_MEMORY;
    play->how->statistics.at_once += status == VERSO_STATUS_OK;
    verso_schedule_spec_init(&play->how->statistics.last.spec, VERSO_KIND_STORE_ALL);
    play->how->statistics.last.predicted.steps = 1;
    return *done ? status : VERSO_STATUS_OK;
}

/* Like `count`, with measurements of the budget. */
static verso_status count_within(play *play, vlad_budget *budget, verso_error *error) {
    vlad_machine *machine = play->machine;
    const vlad_keeper keeper = {vlad_play_keep, play};
    play->base = machine->steps;
    play->budget = budget;
    verso_status status = play->how->index != NULL ? vlad_play_recall(play, error) : VERSO_STATUS_OK;
    uint64_t before = machine->steps - play->base;
    if (status == VERSO_STATUS_OK && !play->counted) {
        vlad_outcome outcome = vlad_budget_count(budget, before, play->how->watch, &keeper);
        play->done += budget->steps - before;
        play->effects_after = machine->effects->at;
        if (outcome == VLAD_FAILED) {
            play->failed = true;
            status = verso__fail(error, machine->error->status, "%s", machine->error->message);
        } else
            status = vlad_play_count_ended(play, error);
    }
    play->steps = budget->steps = machine->steps - play->base;
    play->budget = NULL;
    return status;
}

static verso_status drive_counted(play *play, vlad_budget *budget, verso_error *error) {
    vlad_machine *machine = play->machine;
    bool done = false;
    verso_status status = count_within(play, budget, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (budget->recorded)
        status = reverse_recorded(play, &done, error);
    if (done)
        return status;
    vlad_heap_recover(&machine->heap);
    if (!vlad_budget_measure(budget, &play->values[START]))
        return vlad_heap_failure(&machine->heap, error);
    return drive_chosen(play, budget, error);
}

/* Continues the run of an earlier process with the choice of that process. */
static verso_status drive_again(play *play, vlad_budget *budget, const verso_schedule_spec *spec, verso_error *error) {
    vlad_heap *heap = &play->machine->heap;
    uint64_t beside = vlad_budget_beside(budget, verso__max_u64(spec->slots, spec->space));
    if (!vlad_heap_take(heap, beside))
        return vlad_heap_failure(heap, error);
    verso_status status = vlad_play_drive(play, spec, spec->leaf, false, error);
    vlad_heap_give_back(heap, beside);
    return status;
}

/* Reads the spec of an earlier process from the journal; spec->leaf is 0 if there is no run, or no restart point
 * in it. */
static verso_status read_spec(const play *play, verso_schedule_spec *spec, verso_error *error) {
    char path[PATH_ROOM];
    verso_run_status before = VERSO_RUN_STATUS_INIT;
    *spec = (verso_schedule_spec){0};
    if (play->how->index == NULL)
        return VERSO_STATUS_OK;
    verso_status status = vlad_play_folder(play, path, sizeof path, error);
    if (status == VERSO_STATUS_OK)
        status = verso_run_status_read(path, &before, error);
    if (status == VERSO_STATUS_OK)
        *spec = before.spec;
    return status == VERSO_STATUS_INVALID ? VERSO_STATUS_OK : status; /* there is no run */
}

verso_status vlad_play_within(play *play, verso_error *error) {
    vlad_budget budget;
    verso_schedule_spec spec;
    verso_status status = read_spec(play, &spec, error);
    if (status != VERSO_STATUS_OK)
        return status;
    vlad_budget_open(&budget, play->machine, play->level, play->player, play->how->index);
    budget.log = play->how->log;
    status = spec.leaf != 0 ? drive_again(play, &budget, &spec, error) : drive_counted(play, &budget, error);
    vlad_budget_close(&budget);
    return status;
}

/* The default budget: more if what is in use already, or the computation, needs more, up to the limit of the user. */
verso_status vlad_play_by_default(play *play, verso_error *error) {
    vlad_heap *heap = &play->machine->heap;
    uint64_t limit = heap->limit;
    verso_status status = VERSO_STATUS_NO_MEMORY;
    play->memory = verso__add_u64(play->how->memory, 4 * heap->live);
    for (bool last = false; !last; play->memory = verso__mul_u64(play->memory, 2)) {
        last = play->memory >= UINT64_MAX / 4 || (limit != 0 && play->memory >= limit);
        heap->limit = last ? limit : play->memory;
        status = vlad_play_within(play, error);
        bool little = status == VERSO_STATUS_NO_MEMORY || status == VERSO_STATUS_IMPOSSIBLE;
        if (!little || last || heap->peak < heap->limit / 4) /* or the system has no more */
            break;
        start_over(play);
        play->counted = false; /* to measure again */
    }
    heap->limit = limit;
    return status;
}
