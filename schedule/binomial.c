/* See binomial.h. The closed form of the writes is not in the papers; tests/schedule/test_binomial.c compares it
 * with a walk of revolve's rule. */
#include "schedule/binomial.h"

#include "base/alloc.h"
#include "base/search.h"
#include "base/wide.h"

/* Beyond this many cells a table costs more than it saves, because c or r is then tiny and computing is quick. */
static const uint64_t table_cells_max = (uint64_t)1 << 17;

uint64_t verso__beta(int64_t c, int64_t r) {
    if (c < 0 || r < 0)
        return 0;
    uint64_t small = (uint64_t)(c < r ? c : r);
    uint64_t large = (uint64_t)(c < r ? r : c);
    uint64_t value = 1;
    for (uint64_t i = 1; i <= small; i++) { /* the value at least doubles, so there are at most 64 rounds */
        uint64_t product;
        if (!__builtin_mul_overflow(value, large + i, &product)) {
            value = product / i;
            continue;
        }
        verso__wide wide = (verso__wide)value * (large + i) / i;
        if (wide > UINT64_MAX)
            return UINT64_MAX;
        value = (uint64_t)wide;
    }
    return value;
}

verso__wide verso__beta_wide(int64_t c, int64_t r) {
    if (c < 0 || r < 0)
        return 0;
    uint64_t small = (uint64_t)(c < r ? c : r);
    uint64_t large = (uint64_t)(c < r ? r : c);
    verso__wide value = 1;
    for (uint64_t i = 1; i <= small; i++) {
        if (value > VERSO_WIDE_MAX / (large + i))
            return VERSO_WIDE_MAX;
        value = value * (large + i) / i;
    }
    return value;
}

verso__wide verso__beta_sum(int64_t low, int64_t high, int64_t fixed) {
    return verso__beta_wide(high, fixed + 1) - verso__beta_wide(low - 1, fixed + 1);
}

bool verso__beta_table_init(verso__beta_table *table, uint64_t slots, uint64_t repetitions) {
    *table = (verso__beta_table){.slots = -1, .repetitions = -1};
    if (slots >= table_cells_max || repetitions >= table_cells_max || (slots + 1) * (repetitions + 1) > table_cells_max)
        return true;
    table->cells = verso__alloc((slots + 1) * (repetitions + 1), sizeof *table->cells);
    if (table->cells == NULL)
        return false;
    table->slots = (int64_t)slots;
    table->repetitions = (int64_t)repetitions;
    for (uint64_t c = 0; c <= slots; c++) {
        uint64_t *row = table->cells + c * (repetitions + 1);
        row[0] = 1;
        for (uint64_t r = 1; r <= repetitions; r++)
            row[r] = c == 0 ? 1 : verso__add_u64(row[r - 1], row[(int64_t)r - (int64_t)(repetitions + 1)]);
    }
    return true;
}

void verso__beta_table_clear(verso__beta_table *table) {
    verso__dealloc(table->cells);
    table->cells = NULL;
}

typedef struct room {
    uint64_t n, c;
} room;

static bool has_room(const void *context, uint64_t r) {
    const room *wanted = context;
    return verso__beta((int64_t)wanted->c, (int64_t)r) >= wanted->n;
}

uint64_t verso__repetition(uint64_t n, uint64_t c) {
    if (n <= 1)
        return 0;
    if (c == 1)
        return n - 1;
    room wanted = {.n = n, .c = c};
    return verso__least_above(0, has_room, &wanted);
}

/* One step of Newton's method towards beta(c, r) = n. Floating point is accurate enough for a guess. */
static int64_t newton_step(uint64_t n, int64_t c, int64_t r, uint64_t beta) {
    double slope = (double)c / ((double)r + (double)(c + 1) / 2); /* of the logarithm */
    double wanted = (double)n / (double)beta;
    return (int64_t)(((wanted < 2 ? wanted : 2) - 1) / slope);
}

/* Greater guesses come from forged cursors only: for c >= 2, beta(c, r) exceeds 2^64 at an r below 2^33. */
#define GUESS_MOST (UINT64_C(1) << 33)

uint64_t verso__repetition_search(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t guess) {
    if (n <= 1)
        return 0;
    if (c == 1)
        return n - 1;
    int64_t k = (int64_t)c;
    int64_t low = 0; /* beta(c, low) < n <= beta(c, high) */
    int64_t high = guess > 1 ? (int64_t)verso__min_u64(guess, GUESS_MOST) : 1;
    for (int round = 0; round < 8 && high > 16; round++) { /* for few repetitions, doubling is as fast */
        int64_t step = newton_step(n, k, high, verso__beta_at(table, k, high));
        if (step == 0)
            break;
        high += step;
    }
    for (int64_t step = 1; verso__beta_at(table, k, high) < n; step *= 2) {
        low = high;
        high += step;
    }
    for (int64_t step = 1; high - step > low; step *= 2) { /* downwards from a guess that is too high */
        if (verso__beta_at(table, k, high - step) < n)
            low = high - step;
        else
            high -= step;
    }
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (verso__beta_at(table, k, middle) < n)
            low = middle;
        else
            high = middle;
    }
    return (uint64_t)high;
}

verso__wide verso__min_forward(uint64_t n, uint64_t c) {
    if (n <= 1)
        return 0;
    if (c == 1)
        return (verso__wide)n * (n - 1) / 2;
    int64_t r = (int64_t)verso__repetition(n, c);
    return (verso__wide)n * (uint64_t)r - verso__beta_wide((int64_t)c + 1, r - 1);
}

verso__wide verso__min_writes(uint64_t n, uint64_t c) {
    if (n <= 1)
        return 0;
    int64_t r = (int64_t)verso__repetition(n, c);
    uint64_t flat = verso__beta((int64_t)c - 1, r - 1);
    uint64_t rising = n - verso__beta((int64_t)c, r - 1);
    return verso__max_u64(flat, rising);
}

static uint64_t within(uint64_t n, uint64_t advance) {
    return advance < 1 ? 1 : verso__min_u64(advance, n - 1);
}

uint64_t verso__advance_revolve(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t repetition) {
    int64_t k = (int64_t)c;
    int64_t r = (int64_t)repetition;
    if (c == 1)
        return n - 1;
    uint64_t full = verso__beta_at(table, k, r - 1);
    uint64_t below = verso__beta_at(table, k - 2, r - 1);
    if (n <= verso__add_u64(full, below))
        return within(n, verso__beta_at(table, k, r - 2));
    uint64_t right = verso__add_u64(verso__beta_at(table, k - 1, r - 1), below);
    return within(n, verso__min_u64(full, n - right));
}

uint64_t verso__advance_least(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t repetition) {
    int64_t k = (int64_t)c;
    int64_t r = (int64_t)repetition;
    uint64_t right = verso__beta_at(table, k - 1, r);
    return within(n, verso__max_u64(verso__beta_at(table, k, r - 2), n > right ? n - right : 0));
}

uint64_t verso__advance_most(const verso__beta_table *table, uint64_t n, uint64_t c, uint64_t repetition) {
    int64_t k = (int64_t)c;
    int64_t r = (int64_t)repetition;
    uint64_t right = verso__beta_at(table, k - 1, r - 1);
    return within(n, verso__min_u64(verso__beta_at(table, k, r - 1), n > right ? n - right : 0));
}
