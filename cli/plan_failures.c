/* `verso plan --simulate-failures`: computes what one breakdown costs, for all approaches of paper 5, section 5.
 *
 * Paper 5 does not say at which places breakdowns occur, nor its adjoint distance. Here the places are spread evenly
 * over the first sweep and over the adjoint sweep, the same for all approaches, and the adjoint distance is the
 * resilience distance. */
#include "cli/json.h"
#include "cli/message.h"
#include "cli/number.h"
#include "cli/plan.h"
#include "cli/table.h"
#include "schedule/cost.h"

#include <verso/failures.h>

#include <inttypes.h>
#include <stdlib.h>

/* The others are compared with the first. */
static const verso_schedule_kind approaches[] = {
    VERSO_KIND_RESILIENT, VERSO_KIND_SINGLE_RECOVERY, VERSO_KIND_TWO_LEVEL, VERSO_KIND_CONTINUOUS, VERSO_KIND_REVOLVE,
};
enum {
    APPROACHES = sizeof approaches / sizeof *approaches,
    PLACES_MAX = 1000000,
    /* Estimated nanoseconds, all approaches together: STEP_TIME to walk through one step, CAPSULE_TIME for one capsule
     * that a restart may find. */
    STEP_TIME = 400,
    CAPSULE_TIME = 13000,
};
static const double time_max = 2e9; /* nanoseconds: 'verso plan' answers or refuses within about two seconds */

typedef struct configuration {
    uint64_t steps, slots, distance, adjoint_distance;
} configuration;

/* Table 1 of paper 5: one, two and five years with repetition numbers 4, 3 and 2. The paper prints 78 slots instead of
 * 79, but 78 have repetition number 5. */
static const configuration table_1[] = {
    {350000, 52, 26235, 26235}, {700000, 62, 43680, 43680},  {1750000, 79, 88560, 88560},
    {350000, 127, 8256, 8256},  {700000, 160, 13041, 13041}, {1750000, 217, 23871, 23871},
    {350000, 836, 837, 837},    {700000, 1182, 1183, 1183},  {1750000, 1870, 1871, 1871},
};

/* The result of one approach in one configuration. */
typedef struct outcome {
    bool possible;
    verso_error error;        /* why it is not possible */
    verso__wide undisturbed;  /* forward steps without a breakdown */
    verso__wide *steps;       /* forward steps with a breakdown at each place: first sweep, then adjoint sweep */
    uint64_t resilient_fewer; /* number of places at which `resilient` needs fewer steps than this approach */
} outcome;

typedef struct trial {
    const plan_request *request;
    configuration setting;
    size_t places; /* number of places in each sweep */
    verso_breakdown *breakdowns;
    outcome outcomes[APPROACHES];
} trial;

/* Sums over all configurations. */
typedef struct tally {
    uint64_t places[APPROACHES];
    uint64_t resilient_fewer[APPROACHES];
} tally;

static void free_trial(trial *t) {
    for (size_t i = 0; i < APPROACHES; i++)
        free(t->outcomes[i].steps);
    free(t->breakdowns);
}

/* Puts the breakdowns in the middles of `places` equal stretches. Returns false if memory is exhausted. */
static bool choose_places(trial *t) {
    t->breakdowns = calloc(2 * t->places, sizeof *t->breakdowns);
    if (!t->breakdowns)
        return false;
    for (size_t i = 0; i < t->places; i++) {
        uint64_t step = (uint64_t)((verso__wide)t->setting.steps * (2 * i + 1) / (2 * t->places));
        t->breakdowns[i] = (verso_breakdown){.adjoint = false, .step = step};
        t->breakdowns[t->places + i] = (verso_breakdown){.adjoint = true, .step = step};
    }
    return true;
}

static verso_schedule_spec spec_of(const trial *t, verso_schedule_kind kind) {
    verso_schedule_spec spec = t->request->spec;
    spec.kind = kind;
    spec.steps = t->setting.steps;
    spec.slots = t->setting.slots;
    spec.distance = kind == VERSO_KIND_CONTINUOUS ? VERSO_CONTINUOUS_DISTANCE : t->setting.distance;
    spec.adjoint_distance = t->setting.adjoint_distance;
    return spec;
}

static verso_status try_approach(const trial *t, verso_schedule_kind kind, outcome *result) {
    verso_schedule_spec spec = spec_of(t, kind);
    result->steps = calloc(2 * t->places, sizeof *result->steps);
    if (!result->steps)
        return VERSO_STATUS_NO_MEMORY;
    verso_schedule *schedule = NULL;
    verso__cost cost;
    verso_status status = verso_schedule_new(&spec, &schedule, &result->error);
    if (status == VERSO_STATUS_OK)
        status = verso__schedule_cost(schedule, &cost, &result->error);
    verso_schedule_free(schedule);
    if (status == VERSO_STATUS_OK)
        status = verso__breakdown_cost(&spec, t->breakdowns, 2 * t->places, result->steps, &result->error);
    result->possible = status == VERSO_STATUS_OK;
    if (result->possible)
        result->undisturbed = cost.forward_steps;
    return status;
}

static void compare_with_resilient(trial *t) {
    for (size_t i = 1; i < APPROACHES; i++)
        for (size_t place = 0; place < 2 * t->places && t->outcomes[0].possible && t->outcomes[i].possible; place++)
            t->outcomes[i].resilient_fewer += t->outcomes[0].steps[place] < t->outcomes[i].steps[place];
}

/* Computes all outcomes. An approach that is impossible is an outcome; any other failure is an error. */
static int run_trial(trial *t) {
    if (!choose_places(t))
        return cli_failure(t->request->command, "out of memory for %zu places", t->places);
    for (size_t i = 0; i < APPROACHES; i++) {
        outcome *result = &t->outcomes[i];
        verso_status status = try_approach(t, approaches[i], result);
        if (status != VERSO_STATUS_OK && status != VERSO_STATUS_IMPOSSIBLE)
            return cli_library_error(t->request->command, status, &result->error);
    }
    compare_with_resilient(t);
    return CLI_OK;
}

static verso__wide mean_of(const verso__wide *values, size_t count) {
    verso__wide sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += values[i];
    return (sum + count / 2) / count;
}

static verso__wide worst_of(const verso__wide *values, size_t count) {
    verso__wide worst = 0;
    for (size_t i = 0; i < count; i++)
        worst = values[i] > worst ? values[i] : worst;
    return worst;
}

static double percent(uint64_t part, uint64_t whole) {
    return whole ? 100.0 * (double)part / (double)whole : 0.0;
}

static void print_outcome(FILE *out, const trial *t, size_t index) {
    const outcome *result = &t->outcomes[index];
    fprintf(out, "%s\t", verso_kind_word(approaches[index]));
    if (!result->possible) {
        fputs("impossible\n", out);
        return;
    }
    cli_print_grouped(out, result->undisturbed);
    for (size_t sweep = 0; sweep < 2; sweep++) {
        const verso__wide *steps = result->steps + sweep * t->places;
        fputc('\t', out);
        cli_print_grouped(out, mean_of(steps, t->places));
        fputc('\t', out);
        cli_print_grouped(out, worst_of(steps, t->places));
    }
    if (index == 0 || !t->outcomes[0].possible)
        fputs("\t-\n", out);
    else
        fprintf(out, "\t%.1f %%\n", percent(result->resilient_fewer, 2 * t->places));
}

static int print_trial(const trial *t) {
    char *text = NULL;
    size_t size;
    FILE *cells = open_memstream(&text, &size);
    if (!cells)
        return cli_failure(t->request->command, "out of memory");
    fputs("approach\tno breakdown\tfirst sweep: mean\tworst\tadjoint sweep: mean\tworst\tresilient needs fewer\n",
          cells);
    for (size_t i = 0; i < APPROACHES; i++)
        print_outcome(cells, t, i);
    if (fclose(cells) != 0) {
        free(text);
        return cli_failure(t->request->command, "out of memory");
    }
    printf("%" PRIu64 " steps, %" PRIu64 " slots, distance %" PRIu64 ", adjoint distance %" PRIu64
           ", %zu places in each sweep; forward steps:\n",
           t->setting.steps, t->setting.slots, t->setting.distance, t->setting.adjoint_distance, t->places);
    cli_table_print(stdout, text);
    free(text);
    for (size_t i = 0; i < APPROACHES; i++)
        if (!t->outcomes[i].possible)
            printf("%s is impossible: %s\n", verso_kind_word(approaches[i]), t->outcomes[i].error.message);
    return CLI_OK;
}

static void print_json_sweep(const char *name, const verso__wide *steps, size_t places) {
    printf(", \"%s\": {\"mean\": ", name);
    cli_print_wide(stdout, mean_of(steps, places));
    fputs(", \"worst\": ", stdout);
    cli_print_wide(stdout, worst_of(steps, places));
    fputs("}", stdout);
}

static void print_json_outcome(const trial *t, size_t index) {
    const outcome *result = &t->outcomes[index];
    printf("{\"kind\": \"%s\"", verso_kind_word(approaches[index]));
    if (!result->possible) {
        fputs(", \"impossible\": ", stdout);
        cli_json_string(stdout, result->error.message);
    } else {
        fputs(", \"forward_steps\": ", stdout);
        cli_print_wide(stdout, result->undisturbed);
        print_json_sweep("first_sweep", result->steps, t->places);
        print_json_sweep("adjoint_sweep", result->steps + t->places, t->places);
        if (index > 0 && t->outcomes[0].possible)
            printf(", \"resilient_fewer\": %" PRIu64 ", \"resilient_fewer_percent\": %.2f", result->resilient_fewer,
                   percent(result->resilient_fewer, 2 * t->places));
    }
    fputs("}", stdout);
}

static void print_json_trial(const trial *t) {
    printf("{\"steps\": %" PRIu64 ", \"slots\": %" PRIu64 ", \"distance\": %" PRIu64 ", \"adjoint_distance\": %" PRIu64
           ", \"places\": %zu, \"approaches\": [",
           t->setting.steps, t->setting.slots, t->setting.distance, t->setting.adjoint_distance, 2 * t->places);
    for (size_t i = 0; i < APPROACHES; i++) {
        fputs(i ? ",\n   " : "\n   ", stdout);
        print_json_outcome(t, i);
    }
    fputs("]}", stdout);
}

static void add_to_tally(tally *sum, const trial *t) {
    for (size_t i = 1; i < APPROACHES; i++) {
        if (!t->outcomes[0].possible || !t->outcomes[i].possible)
            continue;
        sum->places[i] += 2 * t->places;
        sum->resilient_fewer[i] += t->outcomes[i].resilient_fewer;
    }
}

static void print_tally(const tally *sum) {
    fputs("\nOver all configurations and places, resilient needs fewer forward steps than\n", stdout);
    for (size_t i = 1; i < APPROACHES; i++)
        printf("  %-16s at %.1f %% of %" PRIu64 " places\n", verso_kind_word(approaches[i]),
               percent(sum->resilient_fewer[i], sum->places[i]), sum->places[i]);
}

static void print_json_tally(const tally *sum) {
    fputs("],\n \"overall\": [", stdout);
    for (size_t i = 1; i < APPROACHES; i++)
        printf("%s\n  {\"kind\": \"%s\", \"places\": %" PRIu64 ", \"resilient_fewer\": %" PRIu64
               ", \"resilient_fewer_percent\": %.2f}",
               i > 1 ? "," : "", verso_kind_word(approaches[i]), sum->places[i], sum->resilient_fewer[i],
               percent(sum->resilient_fewer[i], sum->places[i]));
    fputs("]}\n", stdout);
}

static int try_all(const plan_request *request, const configuration *settings, size_t count) {
    tally sum = {0};
    for (size_t i = 0; i < count; i++) {
        trial t = {.request = request, .setting = settings[i]};
        t.places = (size_t)(request->places < settings[i].steps ? request->places : settings[i].steps);
        int status = run_trial(&t);
        if (status == CLI_OK && request->json) {
            fputs(i ? ",\n  " : "{\"configurations\": [\n  ", stdout);
            print_json_trial(&t);
        } else if (status == CLI_OK) {
            fputs(i ? "\n" : "", stdout);
            status = print_trial(&t);
        }
        add_to_tally(&sum, &t);
        free_trial(&t);
        if (status != CLI_OK)
            return status;
    }
    if (request->json)
        print_json_tally(&sum);
    else if (count > 1)
        print_tally(&sum);
    return CLI_OK;
}

/* Refuses a configuration for which the simulation would take longer than time_max. */
static int check_time(const plan_request *request, const configuration *setting) {
    double held = (double)(setting->slots < setting->steps ? setting->slots : setting->steps);
    double restarts = held * (double)request->places * CAPSULE_TIME, steps = (time_max - restarts) / STEP_TIME;
    if ((double)setting->steps <= steps)
        return CLI_OK;
    if (steps < 1)
        return cli_usage_error(request->command,
                               "--simulate-failures plans a restart for each of %" PRIu64
                               " places of breakdown, from up to %.0f capsules; use fewer places or fewer slots",
                               2 * request->places, held);
    return cli_usage_error(request->command,
                           "--simulate-failures walks through each schedule action by action and takes at most %.0f "
                           "steps; use fewer, or 'verso plan KIND' for the cost without a breakdown",
                           steps);
}

/* Makes the configuration of the command line, with defaults for what is not given. */
static int settle_configuration(const plan_request *request, configuration *setting) {
    const verso_schedule_spec *spec = &request->spec;
    int status;
    *setting = (configuration){spec->steps, spec->slots, spec->distance, spec->adjoint_distance};
    if (setting->steps == 0)
        return cli_usage_error(request->command, "--simulate-failures needs at least 1 step");
    status = check_time(request, setting);
    if (status != CLI_OK)
        return status;
    verso_error error;
    if (!(request->given & PLAN_BIT(PLAN_DISTANCE))) {
        verso_status status = plan_free_distance(spec, &setting->distance, &error);
        if (status != VERSO_STATUS_OK)
            return cli_library_error(request->command, status, &error);
    }
    if (!(request->given & PLAN_BIT(PLAN_ADJOINT_DISTANCE)))
        setting->adjoint_distance = setting->distance;
    return CLI_OK;
}

int plan_print_failures(const plan_request *request) {
    uint64_t numbers =
        PLAN_BIT(PLAN_STEPS) | PLAN_BIT(PLAN_SLOTS) | PLAN_BIT(PLAN_DISTANCE) | PLAN_BIT(PLAN_ADJOINT_DISTANCE);
    bool own = request->given & numbers;
    plan_rule rule = {
        .needs = own ? PLAN_BIT(PLAN_STEPS) | PLAN_BIT(PLAN_SLOTS) : 0,
        .takes = numbers | PLAN_BIT(PLAN_FAILURES) | PLAN_BIT(PLAN_PLACES),
    };
    int status = plan_check_options(request, rule, "--simulate-failures");
    if (status != CLI_OK)
        return status;
    if (request->places < 1 || request->places > PLACES_MAX)
        return cli_usage_error(request->command, "--places: expected a number from 1 to %d", PLACES_MAX);
    if (!own)
        return try_all(request, table_1, sizeof table_1 / sizeof *table_1);
    configuration setting;
    status = settle_configuration(request, &setting);
    return status == CLI_OK ? try_all(request, &setting, 1) : status;
}
