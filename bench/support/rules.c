/* See rules.h. */
#include "bench/support/rules.h"
#include "bench/support/output.h"

uint64_t bench_advance(bench_advance_rule *rule, uint64_t n, uint64_t c) {
    static const verso__beta_table none = {.slots = -1, .repetitions = -1}; /* every binomial is computed */
    uint64_t slots = c < n ? c : n;
    return rule(&none, n, slots, verso__repetition(n, slots));
}

uint64_t bench_clipped_steps(bench_advance_rule *rule, uint64_t n, uint64_t c, uint64_t d) {
    uint64_t sum = 0;
    if (d < (n + c - 1) / c)
        return 0;
    for (; n > 1; c--) {
        uint64_t step = bench_advance(rule, n, c);
        if (step > d)
            step = d;
        sum += step + (uint64_t)verso__min_forward(step, c);
        n -= step;
    }
    return sum;
}

uint64_t bench_forward_steps(verso_schedule_kind kind, uint64_t n, uint64_t c, uint64_t d) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = n;
    spec.slots = c;
    spec.distance = d;
    return (uint64_t)bench_cost(&spec).forward_steps;
}

uint64_t bench_free_distance(uint64_t n, uint64_t c) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_RESILIENT);
    spec.steps = spec.distance = n;
    spec.slots = c;
    return bench_cost(&spec).free_distance;
}

const bench_configuration bench_table_1[BENCH_CONFIGURATIONS] = {
    {350000, 4, 52, 26235}, {700000, 4, 62, 43680},  {1750000, 4, 78, 86260},
    {350000, 3, 127, 8256}, {700000, 3, 160, 13041}, {1750000, 3, 217, 23871},
    {350000, 2, 836, 837},  {700000, 2, 1182, 1183}, {1750000, 2, 1870, 1871},
};

/* Returns the fewest slots with this repetition number. */
static uint64_t slots_for(uint64_t steps, uint64_t repetition) {
    uint64_t slots = 1;
    while (verso__beta((int64_t)slots, (int64_t)repetition) < steps)
        slots++;
    return slots;
}

bench_configuration bench_corrected(const bench_configuration *printed) {
    bench_configuration result = *printed;
    result.slots = slots_for(printed->steps, printed->repetition);
    result.distance = bench_advance(verso__advance_most, printed->steps, result.slots);
    return result;
}
