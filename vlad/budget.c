/* See budget.h. */
#include "vlad/budget.h"

#include "vlad/bytes.h"
#include "vlad/checkpoint.h"

#include "base/alloc.h"
#include "base/search.h"
#include "base/wide.h"
#include "schedule/words.h"

enum {
    STRIDE_LEAST = 64,
    STATE_EVERY = VLAD_SAMPLES / VLAD_STATES,
    ENTRY_LEAST = 40, /* four words, and what chunks and ends of segments take */
    STATE_LEAST = 128,
    STATES_MOST = 1024,
    STATES_FEW = 4,    /* with fewer it becomes slow */
    LEAF_LEAST = 16,   /* that is considered */
    CHANGE_STEPS = 50, /* what going from one leaf to the next takes, in steps */
    BUFFERS = 4        /* states on their way to files */
};

void vlad_budget_open(vlad_budget *b, vlad_machine *machine, uint32_t level, uint32_t player, const vlad_index *index) {
    *b = (vlad_budget){.machine = machine,
                       .level = level,
                       .player = player,
                       .index = index,
                       .stride = STRIDE_LEAST,
                       .entry = ENTRY_LEAST};
    for (int i = 0; i < VLAD_STATES; i++)
        b->states[i] = VLAD_NULL;
    b->roots = (vlad_roots){.values = b->states, .count = VLAD_STATES};
    vlad_heap_root(&machine->heap, &b->roots);
}

void vlad_budget_close(vlad_budget *b) {
    vlad_heap_unroot(&b->machine->heap, &b->roots);
}

/* ---- Watching ---- */

static vlad_level *level_of(const vlad_budget *b) {
    return &b->machine->numbers.levels[b->level];
}

/* Of the last of so many states: 0 for one, 1 for two, 2 for three and four, ... */
static int rank_of(uint64_t states) {
    int rank = 0;
    while (rank + 1 < VLAD_RANKS && states > UINT64_C(1) << rank)
        rank++;
    return rank;
}

static uint64_t count_states(const vlad_budget *b) {
    uint64_t count = 0;
    for (int i = 0; i < VLAD_STATES; i++)
        count += b->states[i] != VLAD_NULL;
    return count;
}

/* Everything that is in registers is taken for alive. */
static bool collect(const vlad_budget *b) {
    vlad_heap *heap = &b->machine->heap;
    (void)vlad_heap_collect(heap, b->machine->error);
    return !heap->exhausted;
}

/* What is alive is known: a collection has just been. */
static bool stop_recording(vlad_budget *b) {
    vlad_level *level = level_of(b);
    uint64_t with = b->machine->heap.live, births = level->born - level->first;
    level->recording = false;
    b->machine->numbers.tapes[b->level] = VLAD_NULL;
    if (!collect(b))
        return false;
    uint64_t without = b->machine->heap.live;
    if (births > 0 && with > without)
        b->entry = verso_max_u64(ENTRY_LEAST, (with - without) / births * 9 / 8 + 1);
    return true;
}

/* Every second state goes: what each of so many has cost is known then. */
static bool drop_states(vlad_budget *b) {
    uint64_t with = b->machine->heap.live, before = count_states(b), seen = 0;
    for (int i = 0; i < VLAD_STATES; i++)
        if (b->states[i] != VLAD_NULL && seen++ % 2 == 0)
            b->states[i] = VLAD_NULL;
    if (!collect(b))
        return false;
    uint64_t without = b->machine->heap.live, *cost = &b->state[rank_of(before)];
    if (with > without)
        *cost = verso_max_u64(*cost, (with - without) / (before - count_states(b)));
    return true;
}

/* A collection has left little room: something goes. False: nothing can. */
static bool relieve(vlad_budget *b) {
    vlad_heap *heap = &b->machine->heap;
    if (!heap->strict || !heap->tight || heap->exhausted)
        return false;
    while (heap->tight && heap->strict) {
        bool done = true;
        if (level_of(b)->recording)
            done = stop_recording(b);
        else if (count_states(b) > 0)
            done = drop_states(b);
        else
            heap->strict = false;
        if (!done)
            return false;
    }
    return true;
}

/* The tape is not the state's. */
static vlad_value capture(const vlad_budget *b) {
    vlad_numbers *numbers = &b->machine->numbers;
    vlad_value tape = numbers->tapes[b->level];
    bool shared = level_of(b)->shared;
    numbers->tapes[b->level] = VLAD_NULL;
    vlad_value state = vlad_machine_capture(b->machine, b->level, b->player);
    numbers->tapes[b->level] = tape;
    level_of(b)->shared = shared;
    return state;
}

static void look_at_state(vlad_budget *b) {
    vlad_value state = capture(b);
    char *bytes = NULL;
    size_t size = 0;
    if (state == VLAD_NOTHING)
        return; /* the next step fails for it */
    if (b->index == NULL) {
        b->states[b->samples / STATE_EVERY - 1] = state;
        return;
    }
    if (vlad_bytes_write(b->index, state, &bytes, &size, NULL) == VERSO_OK)
        b->state[0] = verso_max_u64(b->state[0], size);
    verso_dealloc(bytes);
}

/* Every second one. */
static void halve(vlad_budget *b) {
    b->samples /= 2;
    b->stride *= 2;
    for (size_t i = 1; i <= b->samples; i++)
        b->born[i] = b->born[2 * i];
    for (int i = 0; i < VLAD_STATES; i++)
        b->states[i] = i < VLAD_STATES / 2 ? b->states[2 * i + 1] : VLAD_NULL;
}

/* What the last collection has found alive, if there was one since the last sample. */
static void look_at_heap(vlad_budget *b) {
    const vlad_heap *heap = &b->machine->heap;
    if (heap->collections == b->collections || level_of(b)->recording)
        return;
    b->collections = heap->collections;
    if (heap->live > b->most) {
        b->most = heap->live;
        b->most_states = count_states(b);
    }
}

static void sample(vlad_budget *b) {
    look_at_heap(b);
    b->born[++b->samples] = level_of(b)->born;
    if (b->samples % STATE_EVERY == 0)
        look_at_state(b);
    if (b->samples == VLAD_SAMPLES)
        halve(b);
}

vlad_outcome vlad_budget_count(vlad_budget *b) {
    vlad_machine *machine = b->machine;
    vlad_level *level = level_of(b);
    uint64_t before = machine->steps;
    vlad_outcome outcome;
    level->recording = b->index == NULL;
    level->first = b->born[0] = level->born;
    level->filled = VLAD_CHUNK;
    machine->numbers.tapes[b->level] = VLAD_NULL;
    machine->heap.strict = true;
    do {
        machine->limit = verso_add_u64(before, (b->samples + 1) * b->stride);
        outcome = vlad_machine_run(machine);
        if (outcome == VLAD_INTERRUPTED)
            sample(b);
        else if (outcome == VLAD_FAILED && relieve(b))
            outcome = VLAD_INTERRUPTED;
    } while (outcome == VLAD_INTERRUPTED);
    machine->limit = VLAD_FOR_EVER;
    machine->heap.strict = false;
    b->recorded = outcome == VLAD_ENDED && level->recording;
    b->steps = machine->steps - before;
    b->born[b->samples + 1] = level->born;
    level->recording = false;
    return outcome;
}

/* What so many states have cost beside each other. */
static uint64_t bytes_of_states(const vlad_budget *b, uint64_t states) {
    uint64_t bytes = 0;
    for (int rank = 0; rank < VLAD_RANKS && states > 0; rank++) {
        uint64_t before = rank == 0 ? 0 : UINT64_C(1) << (rank - 1), end = UINT64_C(1) << rank;
        if (states <= before)
            break;
        uint64_t of_rank = (rank + 1 < VLAD_RANKS && states > end ? end : states) - before;
        bytes = verso_add_u64(bytes, verso_mul_u64(of_rank, b->state[rank]));
    }
    return bytes;
}

/* Numbers of states that were not seen cost what fewer do, which share less. */
static void complete_ranks(vlad_budget *b) {
    uint64_t known = 0;
    for (int rank = VLAD_RANKS - 1; rank >= 0; rank--)
        known = b->state[rank] != 0 ? b->state[rank] : known;
    for (int rank = 0; rank < VLAD_RANKS; rank++) {
        known = b->state[rank] != 0 ? b->state[rank] : known;
        b->state[rank] = verso_max_u64(known, STATE_LEAST);
    }
}

bool vlad_budget_measure(vlad_budget *b, const vlad_value *start) {
    const vlad_heap *heap = &b->machine->heap;
    if (!collect(b) || (b->recorded && !stop_recording(b)))
        return false;
    vlad_machine_resume(b->machine, *start, b->level, b->player);
    if (!collect(b))
        return false;
    while (count_states(b) > 0)
        if (!drop_states(b))
            return false;
    complete_ranks(b);
    uint64_t among = b->index != NULL ? 0 : bytes_of_states(b, b->most_states);
    b->base = b->most > among ? b->most - among : 0;
    b->base = verso_max_u64(b->base, heap->live + (b->most == 0 ? 2 * b->state[0] : 0));
    return true;
}

/* ---- Choosing ---- */

/* In any stretch of so many samples, at most. */
static uint64_t births_over(const vlad_budget *b, size_t width) {
    uint64_t most = 0;
    for (size_t i = 0; i + width <= b->samples + 1; i++)
        most = verso_max_u64(most, b->born[i + width] - b->born[i]);
    return most;
}

/* In any stretch of so many steps. Between samples births may be twice as dense somewhere. */
static uint64_t births_in(const vlad_budget *b, uint64_t steps) {
    if (steps < b->stride)
        return (uint64_t)(2.0 * (double)births_over(b, 1) * (double)steps / (double)b->stride) + VLAD_CHUNK;
    uint64_t width = steps / b->stride + 1;
    return width > b->samples ? b->born[b->samples + 1] - b->born[0] : births_over(b, (size_t)width);
}

/* Bytes of leaves of so many steps with so many states. */
typedef struct weight {
    uint64_t live, beside;
} weight;

static uint64_t bytes_in_files(const vlad_budget *b, uint64_t states) {
    uint64_t bytes = b->index != NULL ? verso_mul_u64(states + BUFFERS, b->state[0]) : 0;
    return verso_add_u64(bytes, bytes / 4);
}

uint64_t vlad_budget_beside(vlad_budget *b, uint64_t states) {
    look_at_state(b);
    return bytes_in_files(b, states);
}

static weight weigh(const vlad_budget *b, uint64_t leaf, uint64_t states) {
    uint64_t births = births_in(b, leaf), held = bytes_of_states(b, states);
    if (states > 1) /* some are larger than others */
        held = verso_add_u64(held, (held - b->state[0]) / 4);
    weight w = {.live = verso_add_u64(b->base, verso_mul_u64(births, b->entry)),
                .beside = verso_add_u64(9 * births, 16 * states)};
    if (b->index != NULL) {
        w.beside = verso_add_u64(w.beside, bytes_in_files(b, states));
        w.live = verso_add_u64(w.live, 2 * b->state[0]); /* one that is read, and one before it */
    } else
        w.live = verso_add_u64(w.live, held);
    return w;
}

/* A quarter is left for what was not seen. */
static bool fits(const vlad_budget *b, uint64_t memory, uint64_t leaf, uint64_t states) {
    weight w = weigh(b, leaf, states);
    uint64_t half = vlad_heap_half(memory, w.beside);
    return w.live <= half - half / 4;
}

/* As many as fit, up to `most`. */
static uint64_t states_for(const vlad_budget *b, uint64_t memory, uint64_t leaf, uint64_t most) {
    uint64_t low = 0;
    while (low < most) {
        uint64_t middle = low + (most - low + 1) / 2;
        if (fits(b, memory, leaf, middle))
            low = middle;
        else
            most = middle - 1;
    }
    return low;
}

/* In steps: those that are run, what collecting adds to each, what changes between leaves take. Fewer bytes alive make
 * collecting cheaper. */
static double price(const vlad_budget *b, uint64_t memory, const vlad_choice *choice, uint64_t unit,
                    const verso_cost *cost) {
    weight w = weigh(b, choice->leaf, cost->peak_slots[0]);
    double half = (double)vlad_heap_half(memory, w.beside), live = (double)w.live;
    double collecting = live / (half - live) > 0.5 ? live / (half - live) : 0.5;
    double changes = (double)b->steps / (double)choice->leaf + (double)cost->writes[0];
    return ((double)cost->forward_steps * (double)unit + (double)b->steps) * (1 + collecting) + CHANGE_STEPS * changes;
}

/* With leaves of one length. False: they do not fit, or the schedule refuses. */
static bool try(const vlad_budget *b, uint64_t memory, uint64_t fewest, vlad_choice *choice, double *cost_of) {
    verso_schedule_spec *spec = &choice->spec;
    bool leaves = vlad_has_leaves(spec->kind);
    uint64_t unit = leaves ? 1 : choice->leaf, units = (b->steps + choice->leaf - 1) / choice->leaf;
    uint64_t states = states_for(b, memory, choice->leaf, verso_min_u64(units, STATES_MOST));
    verso_schedule *schedule = NULL;
    verso_cost cost = {0};
    if (states == 0 || states < verso_min_u64(fewest, units))
        return false;
    if (verso_kind_has_slots(spec->kind) && spec->slots == 0)
        spec->slots = states;
    if (leaves && spec->space == 0 && spec->time == 0 && !b->log)
        spec->space = states;
    spec->steps = (b->steps + unit - 1) / unit;
    spec->leaf = choice->leaf;
    bool possible =
        verso_schedule_new(spec, &schedule, NULL) == VERSO_OK && verso_schedule_cost(schedule, &cost, NULL) == VERSO_OK;
    verso_schedule_free(schedule);
    uint64_t longest = verso_max_u64(choice->leaf, verso_mul_u64(cost.longest_recording, unit));
    if (!possible || !fits(b, memory, longest, cost.peak_slots[0]))
        return false;
    choice->beside = bytes_in_files(b, cost.peak_slots[0]);
    *cost_of = price(b, memory, choice, unit, &cost);
    return true;
}

static bool choose(const vlad_budget *b, uint64_t memory, const verso_schedule_spec *asked, uint64_t leaf,
                   uint64_t fewest, vlad_choice *best) {
    double least = -1, cost;
    uint64_t length = leaf != 0 ? leaf : LEAF_LEAST;
    for (bool last = false; !last; length += verso_max_u64(length / 4, 1)) {
        last = leaf != 0 || length >= b->steps;
        vlad_choice choice = {.spec = *asked, .leaf = last && leaf == 0 ? verso_max_u64(b->steps, 1) : length};
        if (try(b, memory, fewest, &choice, &cost) && (least < 0 || cost < least)) {
            least = cost;
            *best = choice;
        }
    }
    return least >= 0;
}

bool vlad_budget_choose(const vlad_budget *b, uint64_t memory, const verso_schedule_spec *asked, uint64_t leaf,
                        vlad_choice *choice) {
    return choose(b, memory, asked, leaf, 1, choice);
}

typedef struct question {
    const vlad_budget *budget;
    const verso_schedule_spec *asked;
    uint64_t leaf;
} question;

static bool would_do(const void *context, uint64_t memory) {
    const question *q = context;
    vlad_choice choice;
    return choose(q->budget, memory, q->asked, q->leaf, STATES_FEW, &choice);
}

uint64_t vlad_budget_least(const vlad_budget *b, const verso_schedule_spec *asked, uint64_t leaf) {
    const question q = {b, asked, leaf};
    return would_do(&q, UINT64_C(1) << 60) ? verso_least_above(0, would_do, &q) : 0;
}
