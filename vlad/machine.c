/* The common part of all evaluators: opens and closes machines, runs them from one stop to the next, captures and
 * resumes their states. See machine.h. */
#include "vlad/interpret.h"
#include "vlad/player.h"

#include "base/alloc.h"
#include "base/status.h"
#include "base/wide.h"

/* ---- Opening ---- */

verso_status vlad_machine_open(vlad_machine *machine, const vlad_evaluator *evaluator, const vlad_program *program,
                               vlad_sources *sources, vlad_effects *effects, uint64_t limit, verso_error *error) {
    uint32_t locals = program->locals_most;
    *machine = (vlad_machine){
        .evaluator = evaluator, .sources = sources, .effects = effects, .limit = VLAD_FOR_EVER, .error = error};
    machine->register_count = VLAD_FIRST_LOCAL + (size_t)locals;
    machine->registers = verso__alloc(machine->register_count, sizeof *machine->registers);
    if (machine->registers == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for %u variables", locals);
    machine->binding.item = sizeof(vlad_pending);
    vlad_heap_open(&machine->heap, limit);
    vlad_numbers_open(&machine->numbers, &machine->heap);
    machine->roots = (vlad_roots){.values = machine->registers, .count = machine->register_count};
    vlad_heap_root(&machine->heap, &machine->roots);
    machine->play_roots = (vlad_roots){.values = machine->plays, .count = VLAD_LEVELS};
    vlad_heap_root(&machine->heap, &machine->play_roots);
    verso_status status = evaluator->open(machine, program, sources, error);
    if (status != VERSO_STATUS_OK)
        vlad_machine_close(machine);
    return status;
}

void vlad_machine_close(vlad_machine *machine) {
    if (machine->registers == NULL)
        return;
    vlad_heap_unroot(&machine->heap, &machine->play_roots);
    vlad_heap_unroot(&machine->heap, &machine->roots);
    vlad_numbers_close(&machine->numbers);
    vlad_heap_close(&machine->heap);
    verso__dealloc(machine->registers);
    vlad_stack_free(&machine->binding);
    machine->registers = NULL;
}

bool vlad_exhausted(vlad_machine *machine) {
    (void)vlad_heap_failure(&machine->heap, machine->error);
    return false;
}

/* ---- Running ---- */

void vlad_machine_begin(vlad_machine *machine, const vlad_expression *expression) {
    machine->registers[VLAD_CONTINUATION] = VLAD_NULL;
    machine->registers[VLAD_SELF] = VLAD_NULL;
    machine->binding.count = 0; /* a failed evaluation may have left some */
    machine->evaluator->begin(machine, expression);
}

bool vlad_apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument) {
    return machine->evaluator->apply(machine, e, function, argument);
}

verso_status vlad_machine_apply(vlad_machine *machine, vlad_value function, vlad_value argument) {
    vlad_machine_begin(machine, NULL);
    return vlad_apply(machine, NULL, function, argument) ? VERSO_STATUS_OK : machine->error->status;
}

/* Returns the outermost player that stops at the current step; player_count if none does. */
static uint32_t who_stops(const vlad_machine *machine) {
    uint32_t i = 0;
    while (i < machine->player_count && machine->steps - machine->players[i].base < machine->players[i].stop)
        i++;
    return i;
}

/* Returns the number of steps at which the first player, or the limit, stops the machine. */
static uint64_t next_stop(const vlad_machine *machine) {
    uint64_t next = machine->limit;
    for (uint32_t i = 0; i < machine->player_count; i++) {
        const vlad_player *player = &machine->players[i];
        /* the base is negative (modulo 2^64) if another process has begun the player */
        uint64_t done = machine->steps - player->base;
        uint64_t left = player->stop > done ? player->stop - done : 0;
        next = verso__min_u64(next, verso__add_u64(machine->steps, left));
    }
    return next;
}

vlad_outcome vlad_machine_run(vlad_machine *machine) {
    for (;;) {
        machine->replayed = false;
        vlad_outcome outcome = machine->evaluator->run_to(machine, next_stop(machine));
        if (outcome != VLAD_INTERRUPTED || (machine->at != NULL && machine->steps >= machine->limit))
            return outcome;
        uint32_t i = machine->at != NULL ? who_stops(machine) : machine->player_count;
        if (i < machine->player_count && !vlad_player_stop(machine, i))
            return VLAD_FAILED;
    }
}

/* ---- Capsules ---- */

static void keep_level(vlad_numbers *numbers, uint32_t number, vlad_value *fields) {
    vlad_level *level = &numbers->levels[number];
    level->shared = true;
    fields[VLAD_CAPSULE_LEVEL_TAG] = level->tag;
    fields[VLAD_CAPSULE_LEVEL_BORN] = level->born;
    fields[VLAD_CAPSULE_LEVEL_FIRST] = level->first;
    fields[VLAD_CAPSULE_LEVEL_FILLED] = (uint64_t)level->filled << 1 | level->recording;
    fields[VLAD_CAPSULE_LEVEL_TAPE] = numbers->tapes[number];
}

static void put_back_level(vlad_numbers *numbers, uint32_t number, const vlad_value *fields) {
    numbers->levels[number] = (vlad_level){.tag = fields[VLAD_CAPSULE_LEVEL_TAG],
                                           .born = fields[VLAD_CAPSULE_LEVEL_BORN],
                                           .first = fields[VLAD_CAPSULE_LEVEL_FIRST],
                                           .filled = (uint32_t)(fields[VLAD_CAPSULE_LEVEL_FILLED] >> 1),
                                           .recording = (fields[VLAD_CAPSULE_LEVEL_FILLED] & 1) != 0,
                                           .shared = true};
    numbers->tapes[number] = fields[VLAD_CAPSULE_LEVEL_TAPE];
}

static void keep_player(const vlad_machine *machine, uint32_t number, uint32_t level, vlad_value *fields) {
    const vlad_player *player = &machine->players[number];
    fields[VLAD_CAPSULE_PLAYER_DONE] = machine->steps - player->base;
    fields[VLAD_CAPSULE_PLAYER_STOP] = player->stop == VLAD_FOR_EVER ? 0 : player->stop + 1;
    fields[VLAD_CAPSULE_PLAYER_LEVEL] = player->level - level;
    fields[VLAD_CAPSULE_PLAYER_PLAY] = machine->plays[number];
}

static void put_back_player(vlad_machine *machine, uint32_t number, uint32_t level, const vlad_value *fields) {
    machine->players[number] = (vlad_player){
        .base = machine->steps - fields[VLAD_CAPSULE_PLAYER_DONE],
        .stop = fields[VLAD_CAPSULE_PLAYER_STOP] == 0 ? VLAD_FOR_EVER : fields[VLAD_CAPSULE_PLAYER_STOP] - 1,
        .level = level + (uint32_t)fields[VLAD_CAPSULE_PLAYER_LEVEL]};
    machine->plays[number] = fields[VLAD_CAPSULE_PLAYER_PLAY];
}

vlad_value vlad_machine_capture(vlad_machine *machine, uint32_t level, uint32_t player) {
    uint32_t levels = machine->numbers.count - level, players = machine->player_count - player;
    vlad_object *capsule =
        vlad_make(&machine->heap, VLAD_CAPSULE,
                  VLAD_CAPSULE_FIELDS + (uint64_t)levels * VLAD_CAPSULE_LEVEL_FIELDS +
                      (uint64_t)players * VLAD_CAPSULE_PLAYER_FIELDS + machine->evaluator->kept(machine));
    if (capsule == NULL)
        return VLAD_NOTHING;
    capsule->field[VLAD_CAPSULE_EFFECTS] = machine->effects->at;
    capsule->field[VLAD_CAPSULE_CONTINUATION] = machine->registers[VLAD_CONTINUATION];
    capsule->field[VLAD_CAPSULE_RESULT] = machine->at == NULL ? machine->registers[VLAD_RESULT] : VLAD_NULL;
    capsule->field[VLAD_CAPSULE_TAGS] = machine->numbers.tags;
    capsule->field[VLAD_CAPSULE_LEVELS] = levels;
    capsule->field[VLAD_CAPSULE_PLAYERS] = players;
    vlad_value *rest = &capsule->field[VLAD_CAPSULE_FIELDS];
    for (uint32_t i = 0; i < levels; i++, rest += VLAD_CAPSULE_LEVEL_FIELDS)
        keep_level(&machine->numbers, level + i, rest);
    for (uint32_t i = 0; i < players; i++, rest += VLAD_CAPSULE_PLAYER_FIELDS)
        keep_player(machine, player + i, level, rest);
    machine->evaluator->keep(machine, capsule, rest);
    return vlad_value_of(capsule);
}

void vlad_machine_resume(vlad_machine *machine, vlad_value value, uint32_t level, uint32_t player) {
    const vlad_object *capsule = vlad_object_of(value);
    uint32_t levels = (uint32_t)capsule->field[VLAD_CAPSULE_LEVELS];
    uint32_t players = (uint32_t)capsule->field[VLAD_CAPSULE_PLAYERS];
    machine->effects->at = capsule->field[VLAD_CAPSULE_EFFECTS];
    machine->numbers.tags = capsule->field[VLAD_CAPSULE_TAGS];
    machine->registers[VLAD_CONTINUATION] = capsule->field[VLAD_CAPSULE_CONTINUATION];
    machine->registers[VLAD_SELF] = capsule->field[VLAD_CAPSULE_SELF];
    machine->registers[VLAD_RESULT] = capsule->field[VLAD_CAPSULE_RESULT];
    const vlad_value *rest = &capsule->field[VLAD_CAPSULE_FIELDS];
    for (uint32_t i = 0; i < levels; i++, rest += VLAD_CAPSULE_LEVEL_FIELDS)
        put_back_level(&machine->numbers, level + i, rest);
    machine->numbers.count = level + levels;
    for (uint32_t i = 0; i < players; i++, rest += VLAD_CAPSULE_PLAYER_FIELDS)
        put_back_player(machine, player + i, level, rest);
    machine->player_count = player + players;
    machine->replayed = true;
    machine->evaluator->put_back(machine, capsule, rest);
}
