/* See budget.h. */
#include "vlad/budget.h"

#include "vlad/bytes.h"
#include "vlad/checkpoint.h"

#include "base/alloc.h"
#include "base/search.h"
#include "base/wide.h"
#include "schedule/cost.h"
#include "schedule/words.h"

#include <string.h>

enum {
    STRIDE_LEAST = 64,
    STATE_EVERY = VLAD_SAMPLES / VLAD_STATES,
    ENTRY_LEAST = 40, /* four words, and a share of the overhead of chunks and segments */
    STATE_LEAST = 128,
    STATES_MOST = 1024,
    STATES_FEW = 4,    /* with fewer states a schedule becomes slow */
    LEAF_LEAST = 16,   /* the shortest leaf that is considered */
    CHANGE_STEPS = 50, /* cost of changing from one leaf to the next, in steps */
    BUFFERS = 4        /* number of states in buffers on their way to files */
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

void vlad_budget_clear(vlad_budget *b) {
    b->stride = STRIDE_LEAST;
    b->samples = 0;
    b->entry = ENTRY_LEAST;
    b->base = b->most = b->most_states = 0;
    memset(b->state, 0, sizeof b->state);
}

void vlad_budget_close(vlad_budget *b) {
    vlad_heap_unroot(&b->machine->heap, &b->roots);
}

/* ---- Measuring during the count ---- */

static vlad_level *level_of(const vlad_budget *b) {
    return &b->machine->numbers.levels[b->level];
}

/* Returns the index in b->state of the cost of the last of `states` states: 0 for one, 1 for two, 2 for three and
 * four, ... */
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

/* Collects the heap. Everything in registers counts as in use. Returns false if the heap is exhausted. */
static bool collect(const vlad_budget *b) {
    vlad_heap *heap = &b->machine->heap;
    (void)vlad_heap_collect(heap, b->machine->error);
    return !heap->exhausted;
}

/* Discards the recording, and computes b->entry from the bytes that this frees. The heap must just have been
 * collected. */
static bool stop_recording(vlad_budget *b) {
    vlad_level *level = level_of(b);
    uint64_t with = b->machine->heap.live, births = level->born - level->first;
    level->recording = false;
    b->machine->numbers.tapes[b->level] = VLAD_NULL;
    if (!collect(b))
        return false;
    uint64_t without = b->machine->heap.live;
    if (births > 0 && with > without)
        b->entry = verso__max_u64(ENTRY_LEAST, (with - without) / births * 9 / 8 + 1);
    return true;
}

/* Discards every second state, and computes the bytes of one state from the bytes that this frees. */
static bool drop_states(vlad_budget *b) {
    uint64_t with = b->machine->heap.live, before = count_states(b), seen = 0;
    for (int i = 0; i < VLAD_STATES; i++)
        if (b->states[i] != VLAD_NULL && seen++ % 2 == 0)
            b->states[i] = VLAD_NULL;
    if (!collect(b))
        return false;
    uint64_t without = b->machine->heap.live, *cost = &b->state[rank_of(before)];
    if (with > without)
        *cost = verso__max_u64(*cost, (with - without) / (before - count_states(b)));
    return true;
}

/* Makes room after a collection that left too little: discards the recording, then states. Returns false if
 * nothing is left to discard. */
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

/* Captures a state without the tape, which is not part of it. */
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

static void measure_state(vlad_budget *b) {
    vlad_value state = capture(b);
    char *bytes = NULL;
    size_t size = 0;
    if (state == VLAD_NOTHING)
        return; /* the next step of the machine fails and reports it */
    if (b->index == NULL) {
        b->states[b->samples / STATE_EVERY - 1] = state;
        return;
    }
    if (vlad_bytes_write(b->index, state, &bytes, &size, NULL) == VERSO_STATUS_OK)
        b->state[0] = verso__max_u64(b->state[0], size);
    verso__dealloc(bytes);
}

/* Keeps every second sample only, so that there is room for more. */
static void halve(vlad_budget *b) {
    b->samples /= 2;
    b->stride *= 2;
    for (size_t i = 1; i <= b->samples; i++)
        b->born[i] = b->born[2 * i];
    for (int i = 0; i < VLAD_STATES; i++)
        b->states[i] = i < VLAD_STATES / 2 ? b->states[2 * i + 1] : VLAD_NULL;
}

/* Updates b->most if there was a collection since the last sample. */
static void measure_heap(vlad_budget *b) {
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
    measure_heap(b);
    b->born[++b->samples] = level_of(b)->born;
    if (b->samples % STATE_EVERY == 0)
        measure_state(b);
    if (b->samples == VLAD_SAMPLES)
        halve(b);
}

void vlad_budget_save(const vlad_budget *b, uint64_t *words) {
    *words++ = b->stride;
    *words++ = b->samples;
    *words++ = b->entry;
    *words++ = b->base;
    memcpy(words, b->born, sizeof b->born);
    words += VLAD_SAMPLES + 2;
    memcpy(words, b->state, sizeof b->state);
    words += VLAD_RANKS;
    *words++ = b->most;
    *words = b->most_states;
}

bool vlad_budget_load(vlad_budget *b, const uint64_t *words) {
    uint64_t samples = words[1];
    if (words[0] < STRIDE_LEAST || words[0] > UINT64_MAX / (2 * VLAD_SAMPLES) || samples >= VLAD_SAMPLES ||
        words[2] < ENTRY_LEAST)
        return false;
    b->stride = *words++;
    b->samples = (size_t)*words++;
    b->entry = *words++;
    b->base = *words++;
    memcpy(b->born, words, sizeof b->born);
    words += VLAD_SAMPLES + 2;
    memcpy(b->state, words, sizeof b->state);
    words += VLAD_RANKS;
    b->most = *words++;
    b->most_states = *words;
    for (size_t i = 0; i < b->samples; i++)
        if (b->born[i] > b->born[i + 1])
            return false;
    return true;
}

vlad_outcome vlad_budget_count(vlad_budget *b, uint64_t done, vlad_watch *watch, const vlad_keeper *keeper) {
    vlad_machine *machine = b->machine;
    vlad_level *level = level_of(b);
    uint64_t before = machine->steps - done;
    vlad_outcome outcome;
    level->recording = b->index == NULL;
    level->first = level->born;
    if (done == 0)
        b->born[0] = level->born;
    level->filled = VLAD_CHUNK;
    machine->numbers.tapes[b->level] = VLAD_NULL;
    machine->heap.strict = true;
    do {
        machine->limit = verso__add_u64(before, (b->samples + 1) * b->stride);
        outcome = vlad_watch_run(watch, machine, keeper);
        if (outcome == VLAD_INTERRUPTED)
            sample(b);
        else if (outcome == VLAD_FAILED && machine->error->status != VERSO_STATUS_SUSPENDED && relieve(b))
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

/* Returns the bytes that `states` states take together. */
static uint64_t bytes_of_states(const vlad_budget *b, uint64_t states) {
    uint64_t bytes = 0;
    for (int rank = 0; rank < VLAD_RANKS && states > 0; rank++) {
        uint64_t before = rank == 0 ? 0 : UINT64_C(1) << (rank - 1), end = UINT64_C(1) << rank;
        if (states <= before)
            break;
        uint64_t of_rank = (rank + 1 < VLAD_RANKS && states > end ? end : states) - before;
        bytes = verso__add_u64(bytes, verso__mul_u64(of_rank, b->state[rank]));
    }
    return bytes;
}

/* A rank without a measurement gets the cost of the rank below it. That is an upper bound, since fewer states
 * share less. */
static void complete_ranks(vlad_budget *b) {
    uint64_t known = 0;
    for (int rank = VLAD_RANKS - 1; rank >= 0; rank--)
        known = b->state[rank] != 0 ? b->state[rank] : known;
    for (int rank = 0; rank < VLAD_RANKS; rank++) {
        known = b->state[rank] != 0 ? b->state[rank] : known;
        b->state[rank] = verso__max_u64(known, STATE_LEAST);
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
    b->base = verso__max_u64(b->base, heap->live + (b->most == 0 ? 2 * b->state[0] : 0));
    return true;
}

/* ---- Choosing a schedule ---- */

/* Returns the maximum number of reverse numbers created in a stretch of `width` samples. */
static uint64_t births_over(const vlad_budget *b, size_t width) {
    uint64_t most = 0;
    for (size_t i = 0; i + width <= b->samples + 1; i++)
        most = verso__max_u64(most, b->born[i + width] - b->born[i]);
    return most;
}

/* Returns an upper bound of the reverse numbers created in a stretch of `steps` steps. Between two samples they
 * may be twice as dense in one part. */
static uint64_t births_in(const vlad_budget *b, uint64_t steps) {
    if (steps < b->stride)
        return (uint64_t)(2.0 * (double)births_over(b, 1) * (double)steps / (double)b->stride) + VLAD_CHUNK;
    uint64_t width = steps / b->stride + 1;
    return width > b->samples ? b->born[b->samples + 1] - b->born[0] : births_over(b, (size_t)width);
}

/* The bytes that a choice of leaf and number of states takes: `live` for objects, `beside` for other memory. */
typedef struct weight {
    uint64_t live, beside;
} weight;

static uint64_t bytes_in_files(const vlad_budget *b, uint64_t states) {
    uint64_t bytes = b->index != NULL ? verso__mul_u64(states + BUFFERS, b->state[0]) : 0;
    return verso__add_u64(bytes, bytes / 4);
}

uint64_t vlad_budget_beside(vlad_budget *b, uint64_t states) {
    measure_state(b);
    return bytes_in_files(b, states);
}

static weight weigh(const vlad_budget *b, uint64_t leaf, uint64_t states) {
    uint64_t births = births_in(b, leaf), held = bytes_of_states(b, states);
    if (states > 1) /* some states are larger than others */
        held = verso__add_u64(held, (held - b->state[0]) / 4);
    uint64_t tape = verso__mul_u64(births, b->entry);
    bool pinned = vlad_heap_pins(&b->machine->heap); /* a collection does not copy it */
    weight w = {.live = verso__add_u64(b->base, pinned ? 0 : tape),
                .beside = verso__add_u64(verso__add_u64(9 * births, 16 * states), pinned ? tape : 0)};
    if (b->index != NULL) {
        w.beside = verso__add_u64(w.beside, bytes_in_files(b, states));
        w.live = verso__add_u64(w.live, 2 * b->state[0]); /* one that is being read, and the one before it */
    } else
        w.live = verso__add_u64(w.live, held);
    return w;
}

/* True if the choice fits into `memory`. A quarter is reserved for what the count did not see. */
static bool fits(const vlad_budget *b, uint64_t memory, uint64_t leaf, uint64_t states) {
    weight w = weigh(b, leaf, states);
    uint64_t half = vlad_heap_half(memory, w.beside);
    return w.live <= half - half / 4;
}

/* Returns the largest number of states, at most `most`, that fits. */
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

/* Estimates the duration in steps: the steps that are run, the share of garbage collection in each, and the
 * changes between leaves. The fewer bytes are in use, the cheaper is a collection. */
static double price(const vlad_budget *b, uint64_t memory, const vlad_choice *choice, uint64_t unit,
                    const verso__cost *cost) {
    weight w = weigh(b, choice->leaf, cost->peak_slots[0]);
    double half = (double)vlad_heap_half(memory, w.beside), live = (double)w.live;
    double collecting = live / (half - live) > 0.5 ? live / (half - live) : 0.5;
    double changes = (double)b->steps / (double)choice->leaf + (double)cost->writes[0];
    return ((double)cost->forward_steps * (double)unit + (double)b->steps) * (1 + collecting) + CHANGE_STEPS * changes;
}

/* Completes the choice for a given leaf, and estimates its duration. Returns false if it does not fit, or if no
 * such schedule exists. */
static bool try(const vlad_budget *b, uint64_t memory, uint64_t fewest, vlad_choice *choice, double *cost_of) {
    verso_schedule_spec *spec = &choice->spec;
    bool leaves = vlad_has_leaves(spec->kind);
    uint64_t unit = leaves ? 1 : choice->leaf, units = (b->steps + choice->leaf - 1) / choice->leaf;
    uint64_t states = states_for(b, memory, choice->leaf, verso__min_u64(units, STATES_MOST));
    verso_schedule *schedule = NULL;
    verso__cost cost = {0};
    if (states == 0 || states < verso__min_u64(fewest, units))
        return false;
    if (verso__kind_has_slots(spec->kind) && spec->slots == 0)
        spec->slots = states;
    if (leaves && spec->space == 0 && spec->time == 0 && !b->log)
        spec->space = states;
    spec->steps = (b->steps + unit - 1) / unit;
    spec->leaf = choice->leaf;
    bool possible = verso_schedule_new(spec, &schedule, NULL) == VERSO_STATUS_OK &&
                    verso__schedule_cost(schedule, &cost, NULL) == VERSO_STATUS_OK;
    verso_schedule_free(schedule);
    uint64_t longest = verso__max_u64(choice->leaf, verso__mul_u64(cost.longest_recording, unit));
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
    for (bool last = false; !last; length += verso__max_u64(length / 4, 1)) {
        last = leaf != 0 || length >= b->steps;
        vlad_choice choice = {.spec = *asked, .leaf = last && leaf == 0 ? verso__max_u64(b->steps, 1) : length};
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

static bool suffices(const void *context, uint64_t memory) {
    const question *q = context;
    vlad_choice choice;
    return choose(q->budget, memory, q->asked, q->leaf, STATES_FEW, &choice);
}

uint64_t vlad_budget_least(const vlad_budget *b, const verso_schedule_spec *asked, uint64_t leaf) {
    const question q = {b, asked, leaf};
    return suffices(&q, UINT64_C(1) << 60) ? verso__least_above(0, suffices, &q) : 0;
}
