/* See breakdowns.h. Paper 5 states neither its places of breakdown nor its adjoint distance: here the places are spread
 * evenly over both sweeps, the same for all approaches, and several adjoint distances are tried. */
#include "bench/support/breakdowns.h"
#include "bench/support/output.h"
#include "bench/support/plot.h"
#include "bench/support/rules.h"
#include "schedule/cost.h"

#include <verso/failures.h>

#include <inttypes.h>
#include <stdlib.h>

enum { APPROACHES = 5, PLACES = 200 }; /* places in each sweep */

/* The first one is compared with the others. */
static const verso_schedule_kind approaches[APPROACHES] = {
    VERSO_KIND_RESILIENT, VERSO_KIND_SINGLE_RECOVERY, VERSO_KIND_TWO_LEVEL, VERSO_KIND_CONTINUOUS, VERSO_KIND_REVOLVE};

typedef struct outcome {
    uint64_t undisturbed;
    uint64_t steps[2 * PLACES]; /* first sweep, then adjoint sweep */
} outcome;

/* How often `resilient` needs fewer steps, as many, and more; for each sweep. */
typedef struct tally {
    unsigned fewer[2], equal[2], more[2];
} tally;

static verso_schedule_spec spec_of(const bench_configuration *setting, verso_schedule_kind kind,
                                   uint64_t adjoint_distance) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = setting->steps;
    spec.slots = setting->slots;
    spec.distance = kind == VERSO_KIND_CONTINUOUS ? 1 : setting->distance;
    spec.adjoint_distance = adjoint_distance;
    return spec;
}

/* The places: the middles of equal stretches, the same for all approaches. */
static uint64_t place_of(const bench_configuration *setting, size_t i) {
    return setting->steps * (2 * i + 1) / (2 * PLACES);
}

static void follow(const bench_configuration *setting, verso_schedule_kind kind, uint64_t adjoint_distance,
                   outcome *result) {
    static verso_breakdown places[2 * PLACES];
    static verso__wide answers[2 * PLACES];
    verso_error error;
    verso_schedule_spec spec = spec_of(setting, kind, adjoint_distance);
    for (size_t i = 0; i < 2 * PLACES; i++)
        places[i] = (verso_breakdown){.adjoint = i >= PLACES, .step = place_of(setting, i % PLACES)};
    if (verso__breakdown_cost(&spec, places, 2 * PLACES, answers, &error) != VERSO_STATUS_OK)
        bench_fail("%s: %s", verso_kind_word(kind), error.message);
    for (size_t i = 0; i < 2 * PLACES; i++)
        result->steps[i] = (uint64_t)answers[i];
    result->undisturbed = (uint64_t)bench_cost(&spec).forward_steps;
}

static void count(const outcome *ours, const outcome *other, tally *sum) {
    for (size_t i = 0; i < 2 * PLACES; i++) {
        size_t sweep = i / PLACES;
        sum->fewer[sweep] += ours->steps[i] < other->steps[i];
        sum->equal[sweep] += ours->steps[i] == other->steps[i];
        sum->more[sweep] += ours->steps[i] > other->steps[i];
    }
}

static uint64_t mean_of(const uint64_t *steps) {
    uint64_t sum = 0;
    for (size_t i = 0; i < PLACES; i++)
        sum += steps[i];
    return (sum + PLACES / 2) / PLACES;
}

static uint64_t most_of(const uint64_t *steps) {
    uint64_t most = 0;
    for (size_t i = 0; i < PLACES; i++)
        most = steps[i] > most ? steps[i] : most;
    return most;
}

/* Two-level with the outer interval that takes the fewest steps, regardless of the bound on the distance. */
static uint64_t best_two_level(const bench_configuration *setting) {
    uint64_t best = UINT64_MAX;
    for (uint64_t outer = 1; outer < setting->slots; outer++) {
        uint64_t d = (setting->steps + outer) / (outer + 1);
        uint64_t steps = bench_forward_steps(VERSO_KIND_TWO_LEVEL, setting->steps, setting->slots, d);
        best = steps < best ? steps : best;
    }
    return best;
}

/* One configuration, all approaches. */
typedef struct trial {
    const char *variant;
    bench_configuration setting;
    uint64_t adjoint_distance;
    const outcome *outcomes;
} trial;

static void print_trial(const trial *t) {
    printf("\n  l = %" PRIu64 ", c = %" PRIu64 ", d = %" PRIu64 ", adjoint distance %" PRIu64 "\n", t->setting.steps,
           t->setting.slots, t->setting.distance, t->adjoint_distance);
    printf("    %-16s %13s  %13s %13s  %13s %13s  %s\n", "", "no breakdown", "first: mean", "most", "adjoint: mean",
           "most", "resilient needs fewer | as many | more");
    for (size_t i = 0; i < APPROACHES; i++) {
        const outcome *o = &t->outcomes[i];
        tally here = {0};
        count(&t->outcomes[0], o, &here);
        printf("    %-16s %13" PRIu64 "  %13" PRIu64 " %13" PRIu64 "  %13" PRIu64 " %13" PRIu64 "  %u | %u | %u\n",
               verso_kind_word(approaches[i]), o->undisturbed, mean_of(o->steps), most_of(o->steps),
               mean_of(o->steps + PLACES), most_of(o->steps + PLACES), here.fewer[0] + here.fewer[1],
               here.equal[0] + here.equal[1], here.more[0] + here.more[1]);
    }
}

static void write_setting(FILE *csv, const trial *t) {
    fprintf(csv, "\"%s\",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64, t->variant, t->setting.steps, t->setting.slots,
            t->setting.distance, t->adjoint_distance);
}

static void write_trial(FILE *csv, const trial *t) {
    for (size_t i = 0; i < APPROACHES; i++) {
        const outcome *o = &t->outcomes[i];
        tally here = {0};
        count(&t->outcomes[0], o, &here);
        write_setting(csv, t);
        fprintf(csv, ",%s,%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%u,%u,%u,%u,%u,%u\n",
                verso_kind_word(approaches[i]), o->undisturbed, mean_of(o->steps), most_of(o->steps),
                mean_of(o->steps + PLACES), most_of(o->steps + PLACES), here.fewer[0], here.equal[0], here.more[0],
                here.fewer[1], here.equal[1], here.more[1]);
    }
}

static void write_places(FILE *csv, const trial *t) {
    for (size_t i = 0; i < 2 * PLACES; i++) {
        write_setting(csv, t);
        fprintf(csv, ",%s,%" PRIu64, i < PLACES ? "first" : "adjoint", place_of(&t->setting, i % PLACES));
        for (size_t a = 0; a < APPROACHES; a++)
            fprintf(csv, ",%" PRIu64, t->outcomes[a].steps[i]);
        fputc('\n', csv);
    }
}

/* Both sweeps in the order of time: the adjoint sweep goes back from 100 %, drawn as 100 … 200 %. */
static void draw_setting(const char *folder, const char *name, const bench_configuration *setting,
                         const outcome *outcomes) {
    static double at[2 * PLACES], steps[APPROACHES][2 * PLACES];
    bench_series series[APPROACHES];
    char subtitle[128];
    for (size_t a = 0; a < APPROACHES; a++) {
        for (size_t i = 0; i < 2 * PLACES; i++) {
            size_t index = i < PLACES ? i : PLACES + (2 * PLACES - 1 - i);
            double part = 100.0 * (double)place_of(setting, index % PLACES) / (double)setting->steps;
            at[i] = i < PLACES ? part : 200 - part;
            steps[a][i] = (double)outcomes[a].steps[index] / (double)setting->steps;
        }
        bench_style style = approaches[a] == VERSO_KIND_CONTINUOUS ? BENCH_DASHED : BENCH_LINE;
        series[APPROACHES - 1 - a] =
            (bench_series){verso_kind_word(approaches[a]), style, (int)a, 2 * PLACES, at, steps[a], NULL};
    }
    snprintf(subtitle, sizeof subtitle, "%" PRIu64 " steps, %" PRIu64 " slots, distance and adjoint distance %" PRIu64,
             setting->steps, setting->slots, setting->distance);
    double least = (double)outcomes[0].undisturbed / (double)setting->steps;
    bench_plot plot = {
        .title = "Forward steps of a run that breaks down once",
        .subtitle = subtitle,
        .x = {.label = "place: first sweep 0 … 100 %, then adjoint sweep 100 … 200 %", .from = 0, .to = 200},
        .y = {.label = "forward steps / l", .from = 0.98 * least, .to = 1.3 * least},
        .series = series,
        .count = APPROACHES};
    bench_plot_write(folder, name, &plot);
}

static void print_sums(const char *what, const tally *sums) {
    printf("\n  %s: resilient needs fewer | as many | more forward steps, %% of places\n", what);
    for (size_t i = 1; i < APPROACHES; i++) {
        double all = BENCH_CONFIGURATIONS * PLACES / 100.0;
        const tally *t = &sums[i];
        printf(
            "    than %-16s both sweeps %5.1f | %5.1f | %5.1f   first %5.1f | %5.1f | %5.1f   adjoint %5.1f | %5.1f | "
            "%5.1f\n",
            verso_kind_word(approaches[i]), (t->fewer[0] + t->fewer[1]) / all / 2,
            (t->equal[0] + t->equal[1]) / all / 2, (t->more[0] + t->more[1]) / all / 2, t->fewer[0] / all,
            t->equal[0] / all, t->more[0] / all, t->fewer[1] / all, t->equal[1] / all, t->more[1] / all);
    }
}

/* A variant of the comparison over all nine configurations. */
typedef struct variant {
    const char *name, *what;
    bool free;     /* the distance is the smallest that costs nothing, not Theorem 4.2's */
    uint64_t part; /* the adjoint distance is the distance divided by this */
    bool in_full;  /* print and draw every bench_configuration */
} variant;

static const variant variants[] = {
    {"d", "Distance d, adjoint distance d", false, 1, true},
    {"d, d / 10", "Distance d, adjoint distance d / 10", false, 10, false},
    {"free", "Both distances the smallest that costs nothing", true, 1, false},
};

static void draw_and_print_more(const char *folder, const bench_configuration *setting, const outcome *outcomes) {
    char name[64];
    printf("    two-level with the best outer interval of any length: %" PRIu64 "\n", best_two_level(setting));
    snprintf(name, sizeof name, "paper5-breakdowns-%" PRIu64 ".svg", setting->slots);
    draw_setting(folder, name, setting, outcomes);
}

static void compare_all(const char *folder, FILE *csv, FILE *places, const variant *variant) {
    tally sums[APPROACHES] = {0};
    outcome *outcomes = bench_alloc(APPROACHES, sizeof *outcomes);
    for (size_t i = 0; i < BENCH_CONFIGURATIONS; i++) {
        bench_configuration setting = bench_corrected(&bench_table_1[i]);
        if (variant->free)
            setting.distance = bench_free_distance(setting.steps, setting.slots);
        trial t = {variant->name, setting, setting.distance / variant->part, outcomes};
        for (size_t a = 0; a < APPROACHES; a++)
            follow(&setting, approaches[a], t.adjoint_distance, &outcomes[a]);
        for (size_t a = 0; a < APPROACHES; a++)
            count(&outcomes[0], &outcomes[a], &sums[a]);
        if (variant->in_full)
            print_trial(&t);
        write_trial(csv, &t);
        write_places(places, &t);
        if (variant->in_full && i % 3 == 0) /* the configurations with 350,000 steps */
            draw_and_print_more(folder, &setting, outcomes);
    }
    print_sums(variant->what, sums);
    free(outcomes);
}

void bench_breakdowns(const char *folder) {
    FILE *csv = bench_create(folder, "paper5-section5.csv");
    FILE *places = bench_create(folder, "paper5-section5-places.csv");
    fputs("variant,l,c,d,adjoint_distance,approach,no_breakdown,first_mean,first_most,adjoint_mean,adjoint_most,"
          "resilient_fewer_first,equal_first,more_first,resilient_fewer_adjoint,equal_adjoint,more_adjoint\n",
          csv);
    fputs("variant,l,c,d,adjoint_distance,sweep,step", places);
    for (size_t a = 0; a < APPROACHES; a++)
        fprintf(places, ",%s", verso_kind_word(approaches[a]));
    fputc('\n', places);
    printf("\nSection 5: forward steps of a run that breaks down once, %d places in each sweep\n", PLACES);
    for (size_t i = 0; i < sizeof variants / sizeof *variants; i++)
        compare_all(folder, csv, places, &variants[i]);
    bench_close(places);
    bench_close(csv);
}
