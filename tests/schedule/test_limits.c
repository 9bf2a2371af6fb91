/* Tests planning at the limits: specs of every kind with up to 2^60 steps, and numbers and costs of all magnitudes.
 * Each is planned and its cost predicted, or it is refused with a reason, within seconds of processor time; and
 * another tier never makes a schedule of `levels` more expensive. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#include "base/search.h"
#include "base/wide.h"
#include "schedule/cost.h"
#include "tests/support/by_kind.h"
#include "tests/support/folder.h"
#include "tests/support/random_spec.h"
#include "tests/support/toy.h"

/* The promise is 2 seconds; sanitizers and loaded machines are slower, and what this is to find never ends. */
enum { CPU_SECONDS = 30 };

static uint64_t seed;
static verso_schedule_spec under_way;

/* ---- Specs ---- */

static const uint64_t steps_max = (uint64_t)1 << 60;

static uint64_t power_of_ten(uint64_t exponent) {
    uint64_t power = 1;
    while (exponent-- > 0)
        power *= 10;
    return power;
}

static uint64_t any_magnitude(random_source *source) {
    switch (random_below(source, 8)) {
    case 0: return random_below(source, 4);
    case 1: return random_below(source, 50);
    case 2: return ((uint64_t)1 << random_below(source, 61)) + random_below(source, 3) - 1;
    case 3: return power_of_ten(random_below(source, 18));
    default: return random_below(source, steps_max) >> random_below(source, 60);
    }
}

static uint64_t many_steps(random_source *source) {
    switch (random_below(source, 4)) {
    case 0: return steps_max - random_below(source, 1000);
    case 1: return power_of_ten(9 + random_below(source, 10));
    case 2: return (uint64_t)1 << (30 + random_below(source, 31));
    default: return random_below(source, steps_max) >> random_below(source, 40);
    }
}

static uint64_t choose_cost(random_source *source) {
    return random_below(source, 3) > 0 ? random_below(source, 20) : any_magnitude(source);
}

static uint64_t choose_count(random_source *source, uint64_t steps) {
    switch (random_below(source, 6)) {
    case 0:
    case 1: return 1 + random_below(source, 40);
    case 2: return 1 + random_below(source, 2000);
    case 3: return steps >> random_below(source, 60);
    default: return any_magnitude(source);
    }
}

static void choose_tiers(random_source *source, verso_schedule_spec *spec, size_t most) {
    spec->tier_count = 1 + (size_t)random_below(source, most);
    for (size_t i = 0; i < spec->tier_count; i++) {
        verso_tier *tier = &spec->tiers[i];
        bool is_free = i == 0 && random_below(source, 2) > 0, rises = i > 0 && random_below(source, 2) > 0;
        tier->capacity = random_below(source, 8) > 0 ? choose_count(source, spec->steps) : VERSO_UNKNOWN;
        tier->write_cost = is_free ? 0 : choose_cost(source) + (rises ? tier[-1].write_cost : 0);
        tier->read_cost = is_free ? 0 : choose_cost(source) + (rises ? tier[-1].read_cost : 0);
    }
}

static verso_schedule_spec wide_spec(random_source *source, verso_schedule_kind kind) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    uint64_t n = spec.steps = many_steps(source);
    spec.slots = choose_count(source, n);
    if (random_below(source, 2) > 0) {
        spec.forward_cost = choose_cost(source);
        spec.backward_cost = choose_cost(source);
    }
    spec.write_cost = choose_cost(source);
    spec.read_cost = choose_cost(source);
    spec.with_disk = random_below(source, 2) > 0;
    uint64_t reach = spec.slots > 0 ? n / spec.slots : n;
    spec.distance = random_below(source, 3) > 0 ? choose_count(source, n) : reach + random_below(source, reach + 2);
    spec.adjoint_distance = random_below(source, 2) > 0 ? 0 : choose_count(source, n);
    spec.leaf = random_below(source, 2) > 0 ? 1 : choose_count(source, n);
    spec.space = random_below(source, 2) > 0 ? 0 : choose_count(source, n);
    spec.time = random_below(source, 2) > 0 ? 0 : choose_count(source, n);
    spec.split = random_below(source, 2) > 0 ? VERSO_SPLIT_BISECTION : VERSO_SPLIT_BINOMIAL;
    if (kind == VERSO_KIND_LEVELS)
        choose_tiers(source, &spec, random_below(source, 4) > 0 ? 3 : VERSO_TIERS_MAX);
    if (kind == VERSO_KIND_TWO_LEVEL && spec.distance > 0 && random_below(source, 4) > 0)
        spec.slots = n / spec.distance + 2 + random_below(source, 30);
    return spec;
}

/* ---- Time ---- */

static void too_slow(int number) {
    (void)number;
    random_spec_print(&under_way); /* not for signal handlers; but the test has failed */
    abort();
}

static void set_limit(void) {
    struct itimerval limit = {.it_value.tv_sec = CPU_SECONDS};
    assert_int_equal(setitimer(ITIMER_PROF, &limit, NULL), 0);
}

/* Plans, predicts the cost and begins to walk. Returns false if the spec is refused, which requires a reason. */
static bool plan_in_time(const verso_schedule_spec *spec) {
    verso_schedule *schedule;
    verso_action action;
    verso__cost cost;
    verso_error error = {0};
    under_way = *spec;
    set_limit();
    verso_status status = verso_schedule_new(spec, &schedule, &error);
    if (status == VERSO_STATUS_OK)
        status = verso__schedule_cost(schedule, &cost, &error);
    for (size_t i = 0; i < 100 && status == VERSO_STATUS_OK; i++)
        status = verso_schedule_next(schedule, &action, &error);
    verso_schedule_free(schedule);
    REQUIRE_OF(spec, status == VERSO_STATUS_OK || status == VERSO_STATUS_IMPOSSIBLE || status == VERSO_STATUS_INVALID);
    REQUIRE_OF(spec, status == VERSO_STATUS_OK || (error.status == status && error.message[0] != '\0'));
    return status == VERSO_STATUS_OK;
}

static void planned_in_time(void **state) {
    verso_schedule_kind kind = *(const verso_schedule_kind *)*state;
    random_source source = random_from_seed(seed);
    size_t planned = 0, specs = kind == VERSO_KIND_LEVELS ? 40 : 150;
    for (size_t i = 0; i < specs; i++) {
        verso_schedule_spec spec = wide_spec(&source, kind);
        planned += plan_in_time(&spec);
    }
    assert_true(planned > specs / 10);
}

/* Specs whose plans once did not end, or took minutes. */
static void once_endless(void **state) {
    (void)state;
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_LEVELS);
    spec.steps = power_of_ten(18);
    spec.tier_count = 2;
    spec.tiers[0].capacity = 20;
    spec.tiers[1] = (verso_tier){80, 5, 5};
    assert_true(plan_in_time(&spec));
    verso_schedule_spec_init(&spec, VERSO_KIND_TREEVERSE);
    spec.steps = (uint64_t)1 << 50;
    spec.leaf = 547;
    spec.space = 881;
    spec.time = (uint64_t)1 << 31;
    assert_false(plan_in_time(&spec));
    spec.space = spec.time = 22; /* the numbers in the message */
    assert_true(plan_in_time(&spec));
    spec.steps = power_of_ten(9); /* a spine of many runs, of 15,625,000 rows */
    spec.leaf = 26;
    spec.space = 15625000;
    spec.time = 0;
    assert_true(plan_in_time(&spec));
}

/* Subsets of tiers that cannot be cheaper are not priced. Pricing all of them takes 3 seconds; this plan takes about a
 * hundredth of that. The limit lies between the two, so that it holds on slower machines, too. */
static void hopeless_subsets(void **state) {
    (void)state;
    verso_schedule_spec spec;
    const char *sanitizers = getenv("VERSO_SANITIZE");
    double most = sanitizers != NULL && sanitizers[0] != '\0' ? 10 : 1;
    verso_schedule_spec_init(&spec, VERSO_KIND_LEVELS);
    spec.steps = steps_max - 874;
    spec.forward_cost = 17000;
    spec.backward_cost = 1000;
    spec.tier_count = 6;
    spec.tiers[0] = (verso_tier){VERSO_UNKNOWN, 7575, 12000};
    spec.tiers[1] = (verso_tier){VERSO_UNKNOWN, 12000, 41278};
    spec.tiers[2] = (verso_tier){((uint64_t)1 << 41) - 1, 13000, 24000};
    spec.tiers[3] = (verso_tier){1711, 19000, power_of_ten(15)};
    spec.tiers[4] = (verso_tier){VERSO_UNKNOWN, 18000, 7000};
    spec.tiers[5] = (verso_tier){VERSO_UNKNOWN, UINT64_C(146690923448206000), 19000};
    clock_t begin = clock();
    assert_true(plan_in_time(&spec));
    assert_true((double)(clock() - begin) / CLOCKS_PER_SEC < most);
}

static bool never(const void *context, uint64_t number) {
    (void)context, (void)number;
    return false;
}

static bool at_least(const void *context, uint64_t number) {
    return number >= *(const uint64_t *)context;
}

static void searches_end(void **state) {
    (void)state;
    const uint64_t wanted[] = {1, 2, 3, 1000, steps_max, UINT64_MAX / 2, UINT64_MAX / 2 + 2, UINT64_MAX - 1};
    for (size_t i = 0; i < sizeof wanted / sizeof *wanted; i++)
        assert_true(verso__least_above(0, at_least, &wanted[i]) == wanted[i]);
    assert_true(verso__least_above(UINT64_MAX - 2, at_least, &wanted[0]) == UINT64_MAX - 1);
    for (uint64_t low = 1; low < UINT64_MAX / 2; low *= 2)
        assert_true(verso__least_above(low, never, NULL) == UINT64_MAX);
}

/* ---- Tiers ---- */

static verso__wide makespan_of(const verso_schedule_spec *spec, unsigned tiers) {
    verso_schedule_spec some = *spec;
    verso_schedule *schedule;
    verso__cost cost;
    for (size_t i = 0; i < spec->tier_count; i++)
        if (!(tiers >> i & 1))
            some.tiers[i].capacity = 0;
    under_way = some;
    set_limit();
    if (verso_schedule_new(&some, &schedule, NULL) != VERSO_STATUS_OK)
        return VERSO_WIDE_MAX;
    REQUIRE_OF(&some, verso__schedule_cost(schedule, &cost, NULL) == VERSO_STATUS_OK);
    verso_schedule_free(schedule);
    REQUIRE_OF(&some, cost.least_makespan <= cost.makespan);
    return cost.makespan;
}

/* All tiers against all but one, from all of them down to one. */
static void compare_with_fewer(const verso_schedule_spec *spec, unsigned tiers) {
    verso__wide all = makespan_of(spec, tiers);
    for (unsigned left = tiers; left > 0; left &= left - 1) {
        unsigned fewer = tiers & ~(left & -left);
        if (fewer > 0 && makespan_of(spec, fewer) < all) {
            print_error("tiers %x cost less than tiers %x\n", fewer, tiers);
            REQUIRE_OF(spec, false);
        }
    }
    if ((tiers & (tiers - 1)) != 0)
        compare_with_fewer(spec, tiers & (tiers - 1));
}

static void another_tier_never_costs_more(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    for (size_t i = 0; i < 30; i++) {
        verso_schedule_spec spec;
        verso_schedule_spec_init(&spec, VERSO_KIND_LEVELS);
        spec.steps = many_steps(&source);
        choose_tiers(&source, &spec, 4);
        compare_with_fewer(&spec, (1U << spec.tier_count) - 1);
    }
}

/* Eight tiers have 255 subsets. VERSO_TRIES sets the number of specs (tests/long tries more). */
static void up_to_eight_tiers(void **state) {
    (void)state;
    const char *wanted = getenv("VERSO_TRIES");
    size_t tries = wanted != NULL ? strtoul(wanted, NULL, 10) : 2;
    random_source source = random_from_seed(seed + 17);
    for (size_t i = 0; i < tries; i++) {
        verso_schedule_spec spec;
        verso_schedule_spec_init(&spec, VERSO_KIND_LEVELS);
        spec.steps = many_steps(&source);
        do
            choose_tiers(&source, &spec, VERSO_TIERS_MAX);
        while (spec.tier_count < 5);
        unsigned all = (1U << spec.tier_count) - 1;
        verso__wide cost = makespan_of(&spec, all);
        for (size_t k = 0; k < spec.tier_count; k++) {
            verso__wide without = makespan_of(&spec, all & ~(1U << k));
            if (without < cost)
                print_error("cheaper without tier %zu\n", k);
            REQUIRE_OF(&spec, without >= cost);
        }
    }
}

/* This plan once cost 26 % more with the middle tier than without it. */
static void the_middle_tier(void **state) {
    (void)state;
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_LEVELS);
    spec.steps = power_of_ten(12);
    spec.tier_count = 3;
    spec.tiers[0] = (verso_tier){4, 0, 0};
    spec.tiers[1] = (verso_tier){16, 1, 1};
    spec.tiers[2] = (verso_tier){VERSO_UNKNOWN, 9, 7};
    compare_with_fewer(&spec, 7);
    compare_with_fewer(&spec, 5);
}

/* ---- The automatic choice ---- */

/* A schedule is chosen, in memory and with files, limited or not, and begun; or refused. */
static void chosen_in_time(void **state) {
    (void)state;
    random_source source = random_from_seed(seed);
    size_t begun = 0;
    for (size_t i = 0; i < 40; i++) {
        toy model;
        verso_run_options options;
        verso_error error = {0};
        char *directory = i % 4 > 0 ? folder_new() : NULL;
        uint64_t steps = many_steps(&source);
        toy_open(&model, steps, true);
        verso_run_options_init(&options);
        options.automatic = options.foreground = true;
        options.memory = 2000 + (any_magnitude(&source) >> 30);
        options.disk = i % 4 > 1 ? 100000 + (any_magnitude(&source) >> 20) : 0;
        options.directory = directory;
        options.step_limit = 100;
        under_way = (verso_schedule_spec){.steps = steps};
        set_limit();
        verso_status status = verso_run(&model.program, &options, NULL, &error);
        if (status != VERSO_STATUS_SUSPENDED && status != VERSO_STATUS_IMPOSSIBLE)
            fail_msg("%llu steps: %s", (unsigned long long)steps, error.message);
        begun += status == VERSO_STATUS_SUSPENDED;
        toy_close(&model);
        if (directory != NULL)
            folder_remove(directory);
    }
    assert_true(begun > 20);
}

int main(void) {
    const struct CMUnitTest tests[] = {
#define IN_TIME(name, word, meaning) TEST_OF_KIND(planned_in_time, name, word)
        VERSO_KIND_LIST(IN_TIME)
#undef IN_TIME
            cmocka_unit_test(once_endless),
        cmocka_unit_test(hopeless_subsets),
        cmocka_unit_test(searches_end),
        cmocka_unit_test(the_middle_tier),
        cmocka_unit_test(another_tier_never_costs_more),
        cmocka_unit_test(up_to_eight_tiers),
        cmocka_unit_test(chosen_in_time),
    };
    struct sigaction action = {.sa_handler = too_slow};
    sigaction(SIGPROF, &action, NULL);
    seed = random_seed();
    return cmocka_run_group_tests_name("limits", tests, NULL, NULL);
}
