/* Implements random_spec.h. */
#include "tests/support/random_spec.h"

#include <stdio.h>
#include <stdlib.h>

/* ---- Choices ---- */

uint64_t random_seed(void) {
    const char *given = getenv("VERSO_SEED");
    uint64_t seed = given != NULL ? strtoull(given, NULL, 0) : 1;
    printf("VERSO_SEED=%llu\n", (unsigned long long)seed);
    fflush(stdout);
    return seed;
}

random_source random_from_seed(uint64_t seed) {
    return (random_source){.state = seed};
}

random_source random_from_bytes(const unsigned char *bytes, size_t size) {
    return (random_source){.bytes = bytes, .left = size};
}

/* splitmix64 */
static uint64_t generate(random_source *source) {
    uint64_t z = source->state += 0x9e3779b97f4a7c15;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9;
    z = (z ^ (z >> 27)) * 0x94d049bb133111eb;
    return z ^ (z >> 31);
}

/* Uses only as many bytes as the limit has, so that every byte of a fuzzer has an effect. */
static uint64_t take(random_source *source, uint64_t limit) {
    uint64_t word = 0;
    for (uint64_t reach = limit - 1; reach > 0 && source->left > 0; reach >>= 8) {
        word = word << 8 | *source->bytes++;
        source->left--;
    }
    return word;
}

uint64_t random_below(random_source *source, uint64_t limit) {
    if (limit <= 1)
        return 0;
    return (source->bytes != NULL ? take(source, limit) : generate(source)) % limit;
}

static uint64_t within(random_source *source, uint64_t least, uint64_t most) {
    return most > least ? least + random_below(source, most - least + 1) : least;
}

static uint64_t smaller(uint64_t a, uint64_t b) {
    return a < b ? a : b;
}

/* ---- Fields ---- */

static uint64_t choose_steps(random_source *source, uint64_t most) {
    switch (random_below(source, 8)) {
    case 0: return within(source, 0, smaller(3, most));
    case 1:
    case 2:
    case 3:
    case 4: return within(source, 0, smaller(30, most));
    case 5:
    case 6: return within(source, 0, smaller(200, most));
    default: return within(source, 0, most);
    }
}

static uint64_t choose_cost(random_source *source) {
    switch (random_below(source, 8)) {
    case 0:
    case 1: return 0;
    case 2:
    case 3: return 1;
    case 4:
    case 5: return within(source, 1, 10);
    case 6: return within(source, 1, 1000);
    default: return within(source, 1, 1000000000);
    }
}

/* A count for n steps: 0, 1, a few, up to n, or more than n. */
static uint64_t choose_count(random_source *source, uint64_t n) {
    switch (random_below(source, 16)) {
    case 0: return 0;
    case 1:
    case 2: return 1;
    case 3:
    case 4:
    case 5:
    case 6:
    case 7:
    case 8:
    case 9: return within(source, 1, 6);
    case 10:
    case 11: return within(source, 1, 30);
    case 12:
    case 13: return within(source, 1, n);
    case 14: return within(source, n > 2 ? n - 2 : 0, n + 3);
    default: return within(source, n, 2 * n + 40);
    }
}

/* A distance that usually suffices for this number of slots, sometimes one less. */
static uint64_t choose_reach(random_source *source, uint64_t n, uint64_t slots) {
    uint64_t least = slots > 0 ? (n + slots - 1) / slots : n;
    switch (random_below(source, 8)) {
    case 0: return least > 0 ? least - 1 : 0;
    case 1:
    case 2: return least;
    case 3:
    case 4: return within(source, least, 2 * least + 1);
    case 5:
    case 6: return within(source, least, n);
    default: return within(source, n, 2 * n + 5);
    }
}

static void choose_tree(random_source *source, verso_schedule_spec *spec) {
    uint64_t n = spec->steps;
    spec->leaf = random_below(source, 2) ? 1 : choose_count(source, n);
    spec->space = random_below(source, 2) ? choose_count(source, n) : 0;
    spec->time = random_below(source, 2) ? choose_count(source, n) : 0;
    spec->split = (verso_split)random_below(source, VERSO_SPLIT_HALVES + 1);
}

/* Costs are chosen from few values, so that tiers are often equal, and in any order. */
static void choose_tiers(random_source *source, verso_schedule_spec *spec) {
    uint64_t scale = random_below(source, 2) ? 3 : 50;
    spec->tier_count = (size_t)within(source, 1, random_below(source, 3) ? 3 : VERSO_TIERS_MAX);
    for (size_t i = 0; i < spec->tier_count; i++) {
        verso_tier *tier = &spec->tiers[i];
        uint64_t choice = random_below(source, 16);
        tier->capacity = choice == 0   ? VERSO_UNKNOWN
                         : choice < 10 ? within(source, 0, 4)
                                       : choose_count(source, smaller(spec->steps, 60));
        bool costly = random_below(source, 8) == 0;
        tier->write_cost = costly ? choose_cost(source) : random_below(source, scale);
        tier->read_cost = costly ? choose_cost(source) : random_below(source, scale);
    }
    if (random_below(source, 2))
        spec->tiers[0].write_cost = spec->tiers[0].read_cost = 0;
}

static void choose_two_level(random_source *source, verso_schedule_spec *spec) {
    spec->distance = choose_count(source, spec->steps);
    uint64_t outer = spec->steps > 0 && spec->distance > 0 ? (spec->steps - 1) / spec->distance : 0;
    spec->slots =
        random_below(source, 12) ? outer + choose_count(source, spec->steps) : random_below(source, outer + 1);
}

verso_schedule_spec random_spec(random_source *source, verso_schedule_kind kind, uint64_t most_steps) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    uint64_t n = spec.steps = choose_steps(source, most_steps);
    spec.slots = choose_count(source, n);
    spec.forward_cost = random_below(source, 4) ? within(source, 1, 3) : choose_cost(source);
    spec.backward_cost = choose_cost(source);
    spec.write_cost = choose_cost(source);
    spec.read_cost = choose_cost(source);
    spec.with_disk = random_below(source, 2) == 1;
    spec.adjoint_distance = choose_count(source, n);
    switch (kind) {
    case VERSO_KIND_STORE_ALL:
    case VERSO_KIND_EVERY_K:
        spec.slots = 0;
        spec.distance = choose_count(source, n);
        break;
    case VERSO_KIND_TREEVERSE:
    case VERSO_KIND_BINARY: choose_tree(source, &spec); break;
    case VERSO_KIND_LEVELS: choose_tiers(source, &spec); break;
    case VERSO_KIND_RESILIENT: spec.distance = choose_reach(source, n, spec.slots); break;
    case VERSO_KIND_TWO_LEVEL: choose_two_level(source, &spec); break;
    default: spec.distance = choose_count(source, n); break;
    }
    return spec;
}

/* ---- As text ---- */

static void print_field(const char *name, uint64_t value) {
    fprintf(stderr, ", .%s = %llu", name, (unsigned long long)value);
}

void random_spec_print(const verso_schedule_spec *spec) {
    fprintf(stderr, "spec of kind %s: {.kind = %d", verso_kind_word(spec->kind), (int)spec->kind);
    print_field("steps", spec->steps);
    print_field("slots", spec->slots);
    print_field("forward_cost", spec->forward_cost);
    print_field("backward_cost", spec->backward_cost);
    print_field("write_cost", spec->write_cost);
    print_field("read_cost", spec->read_cost);
    print_field("with_disk", spec->with_disk);
    print_field("distance", spec->distance);
    print_field("adjoint_distance", spec->adjoint_distance);
    print_field("leaf", spec->leaf);
    print_field("space", spec->space);
    print_field("time", spec->time);
    print_field("split", (uint64_t)spec->split);
    print_field("tier_count", spec->tier_count);
    fprintf(stderr, ", .tiers = {");
    for (size_t i = 0; i < spec->tier_count && i < VERSO_TIERS_MAX; i++)
        fprintf(stderr, "{%llu, %llu, %llu}, ", (unsigned long long)spec->tiers[i].capacity,
                (unsigned long long)spec->tiers[i].write_cost, (unsigned long long)spec->tiers[i].read_cost);
    fprintf(stderr, "}}\n");
}
