/* bench/paper5 [FOLDER]: table 1, figures 2, 3, 7, 8 and 9 and the comparisons of section 5 of the paper on binomial
 * checkpointing with resilience. Prints what they show and writes them as CSV and SVG. docs/paper5.md sets the numbers
 * beside the printed ones. */
#include "bench/support/output.h"
#include "bench/support/plot.h"
#include "schedule/binomial.h"

#include <verso/failures.h>

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- Rules: how far to advance after a capsule --------------------------------------------------------------------
 */

typedef uint64_t advance_rule(const verso_beta_table *table, uint64_t n, uint64_t c, uint64_t r);

typedef struct strategy {
    const char *name;
    advance_rule *rule;
} strategy;

enum { REVOLVE, LEAST, MOST, STRATEGIES };
static const strategy strategies[STRATEGIES] = {
    {"revolve", verso_advance_revolve}, {"least", verso_advance_least}, {"Theorem 4.2", verso_advance_most}};

static uint64_t advance(advance_rule *rule, uint64_t n, uint64_t c) {
    static const verso_beta_table none = {.slots = -1, .repetitions = -1}; /* every binomial is computed */
    uint64_t slots = c < n ? c : n;
    return rule(&none, n, slots, verso_repetition(n, slots));
}

/* Forward steps when the first sweep advances by min(rule, d): everything between two of its capsules is shorter than
 * d and is reversed at best. 0: the slots do not reach. */
static uint64_t clipped_steps(advance_rule *rule, uint64_t n, uint64_t c, uint64_t d) {
    uint64_t sum = 0;
    if (d < (n + c - 1) / c)
        return 0;
    for (; n > 1; c--) {
        uint64_t step = advance(rule, n, c);
        if (step > d)
            step = d;
        sum += step + (uint64_t)verso_min_forward(step, c);
        n -= step;
    }
    return sum;
}

static uint64_t steps_of(verso_schedule_kind kind, uint64_t n, uint64_t c, uint64_t d) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = n;
    spec.slots = c;
    spec.distance = d;
    return (uint64_t)bench_cost(&spec).forward_steps;
}

static uint64_t free_distance(uint64_t n, uint64_t c) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, VERSO_KIND_RESILIENT);
    spec.steps = spec.distance = n;
    spec.slots = c;
    return bench_cost(&spec).free_distance;
}

/* ---- Figures 2 to 5: the example of section 3 ----------------------------------------------------------------------
 */

/* The capsules that are held when a step is reversed, every advance being min(rule, d). */
static void print_capsules(FILE *csv, const char *name, advance_rule *rule, uint64_t d, uint64_t step) {
    uint64_t at = 0, rest = 100, slots = 5, last = UINT64_MAX;
    printf("  %-26s step %2" PRIu64 "  ", name, step);
    fprintf(csv, "\"%s\",%" PRIu64 ",", name, step);
    while (rest > 1) {
        uint64_t way = advance(rule, rest, slots);
        way = way > d ? d : way;
        if (at != last) {
            printf(" %3" PRIu64, at);
            fprintf(csv, "%" PRIu64 " ", at);
            last = at;
        }
        if (step < at + way) { /* the left part, from the same capsule */
            rest = way;
            continue;
        }
        at += way;
        rest -= way;
        slots--;
    }
    fputc('\n', stdout);
    fputc('\n', csv);
}

static void make_example(const char *folder) {
    FILE *csv = bench_create(folder, "paper5-figures2-5.csv");
    fputs("strategy,step_being_reversed,capsules\n", csv);
    puts("Figures 2 to 5: capsules that are held when a step is reversed, l = 100, c = 5");
    print_capsules(csv, "revolve", verso_advance_revolve, 100, 99);
    print_capsules(csv, "revolve, at most 30", verso_advance_revolve, 30, 99);
    print_capsules(csv, "revolve, at most 30", verso_advance_revolve, 30, 66);
    print_capsules(csv, "revolve, at most 30", verso_advance_revolve, 30, 57);
    print_capsules(csv, "Theorem 4.2, at most 30", verso_advance_most, 30, 99);
    print_capsules(csv, "least", verso_advance_least, 100, 99);
    print_capsules(csv, "least", verso_advance_least, 100, 64);
    print_capsules(csv, "Theorem 4.2", verso_advance_most, 100, 99);
    printf("  forward steps: revolve %" PRIu64 ", revolve at most 30 %" PRIu64 ", resilient 30 %" PRIu64 "\n",
           steps_of(VERSO_KIND_REVOLVE, 100, 5, 0), clipped_steps(verso_advance_revolve, 100, 5, 30),
           steps_of(VERSO_KIND_RESILIENT, 100, 5, 30));
    bench_close(csv);
}

/* ---- Table 1 ------------------------------------------------------------------------------------------------------
 */

typedef struct configuration {
    uint64_t steps, repetition, slots, distance; /* as printed */
} configuration;

static const configuration table_1[] = {
    {350000, 4, 52, 26235}, {700000, 4, 62, 43680},  {1750000, 4, 78, 86260},
    {350000, 3, 127, 8256}, {700000, 3, 160, 13041}, {1750000, 3, 217, 23871},
    {350000, 2, 836, 837},  {700000, 2, 1182, 1183}, {1750000, 2, 1870, 1871},
};
enum { CONFIGURATIONS = sizeof table_1 / sizeof *table_1 };

/* The fewest slots that have this repetition number. */
static uint64_t slots_for(uint64_t steps, uint64_t repetition) {
    uint64_t slots = 1;
    while (verso_beta((int64_t)slots, (int64_t)repetition) < steps)
        slots++;
    return slots;
}

/* What table 1 ought to say: the slots that the repetition number takes, and Theorem 4.2's longest advance. */
static configuration corrected(const configuration *printed) {
    configuration result = *printed;
    result.slots = slots_for(printed->steps, printed->repetition);
    result.distance = advance(verso_advance_most, printed->steps, result.slots);
    return result;
}

static void make_table_1(const char *folder) {
    FILE *csv = bench_create(folder, "paper5-table1.csv");
    fputs("l,r,printed_c,printed_d,r_of_printed_c,theorem_4_2_d_of_printed_c,c,d,free_distance,forward_steps\n", csv);
    printf("\nTable 1 (* differs from the print)\n  %9s %2s  %5s %7s  %4s  %7s  %5s %7s  %13s  %13s\n", "l", "r", "c",
           "d", "its r", "its d", "c", "d", "free distance", "forward steps");
    for (size_t i = 0; i < CONFIGURATIONS; i++) {
        const configuration *p = &table_1[i];
        configuration ours = corrected(p);
        uint64_t r = verso_repetition(p->steps, p->slots);
        uint64_t d = advance(verso_advance_most, p->steps, p->slots);
        uint64_t nothing = free_distance(ours.steps, ours.slots);
        uint64_t forward = steps_of(VERSO_KIND_RESILIENT, ours.steps, ours.slots, nothing);
        printf("  %9" PRIu64 " %2" PRIu64 "  %5" PRIu64 " %7" PRIu64 "  %4" PRIu64 "%s %7" PRIu64 "%s %5" PRIu64
               "%s%7" PRIu64 "%s %13" PRIu64 "  %13" PRIu64 "\n",
               p->steps, p->repetition, p->slots, p->distance, r, r == p->repetition ? " " : "*", d,
               d == p->distance ? " " : "*", ours.slots, ours.slots == p->slots ? " " : "*", ours.distance,
               ours.distance == p->distance ? " " : "*", nothing, forward);
        fprintf(csv,
                "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64
                ",%" PRIu64 ",%" PRIu64 "\n",
                p->steps, p->repetition, p->slots, p->distance, r, d, ours.slots, ours.distance, nothing, forward);
    }
    bench_close(csv);
}

/* ---- Figure 7(a): what a bound on the distance costs --------------------------------------------------------------
 */

enum { STEPS = 10000, SLOTS_FROM = 10, SLOTS_TO = 120, SLOTS_COUNT = SLOTS_TO - SLOTS_FROM + 1, DISTANCES = 4 };
static const uint64_t distances[DISTANCES] = {200, 300, 400, 500};

/* Additional: beyond the n - 1 steps of the first sweep. */
static double additional(uint64_t forward) {
    return forward == 0 ? NAN : (double)(forward - (STEPS - 1));
}

typedef struct figure_7a {
    double slots[SLOTS_COUNT];
    double revolve[SLOTS_COUNT];
    double resilient[DISTANCES][SLOTS_COUNT]; /* ours: Theorem 4.2's advance is clipped */
    double printed[DISTANCES][SLOTS_COUNT];   /* the paper's: revolve's own advance is */
} figure_7a;

static void compute_figure_7a(figure_7a *f) {
    for (size_t i = 0; i < SLOTS_COUNT; i++) {
        uint64_t c = SLOTS_FROM + i;
        f->slots[i] = (double)c;
        f->revolve[i] = additional(steps_of(VERSO_KIND_REVOLVE, STEPS, c, 0));
        for (size_t j = 0; j < DISTANCES; j++) {
            bool possible = distances[j] * c >= STEPS;
            f->resilient[j][i] = additional(possible ? steps_of(VERSO_KIND_RESILIENT, STEPS, c, distances[j]) : 0);
            f->printed[j][i] = additional(clipped_steps(verso_advance_revolve, STEPS, c, distances[j]));
        }
    }
}

static void write_figure_7a(const char *folder, const figure_7a *f) {
    FILE *csv = bench_create(folder, "paper5-figure7a.csv");
    fputs("c,revolve", csv);
    for (size_t j = 0; j < DISTANCES; j++)
        fprintf(csv, ",resilient_%" PRIu64 ",revolve_clipped_at_%" PRIu64, distances[j], distances[j]);
    fputc('\n', csv);
    for (size_t i = 0; i < SLOTS_COUNT; i++) {
        fprintf(csv, "%.0f,%.0f", f->slots[i], f->revolve[i]);
        for (size_t j = 0; j < DISTANCES; j++) {
            if (isnan(f->printed[j][i]))
                fputs(",,", csv);
            else
                fprintf(csv, ",%.0f,%.0f", f->resilient[j][i], f->printed[j][i]);
        }
        fputc('\n', csv);
    }
    bench_close(csv);
}

static void draw_figure_7a(const char *folder, const figure_7a *f) {
    bench_series series[DISTANCES + 1];
    char names[DISTANCES][64];
    series[DISTANCES] = (bench_series){"revolve", BENCH_LINE, 6, SLOTS_COUNT, f->slots, f->revolve, NULL};
    for (size_t j = 0; j < DISTANCES; j++) {
        snprintf(names[j], sizeof names[j], "resilient, d = %" PRIu64, distances[j]);
        series[j] = (bench_series){names[j], BENCH_LINE, (int)j, SLOTS_COUNT, f->slots, f->resilient[j], NULL};
    }
    bench_plot plot = {.title = "Additional forward steps for 10,000 steps",
                       .subtitle = "Beyond the first sweep; at most d steps between capsules",
                       .x = {.label = "slots c"},
                       .y = {.label = "additional forward steps", .from = 0, .to = 80000},
                       .series = series,
                       .count = DISTANCES + 1};
    bench_plot_write(folder, "paper5-figure7a.svg", &plot);
}

static void make_figure_7a(const char *folder) {
    static figure_7a f;
    compute_figure_7a(&f);
    puts("\nFigure 7(a): 10,000 steps; where a bound on the distance costs forward steps");
    for (size_t j = 0; j < DISTANCES; j++) {
        unsigned last[2] = {0, 0}, worse = 0, better = 0;
        for (size_t i = 0; i < SLOTS_COUNT; i++) {
            if (f.resilient[j][i] > f.revolve[i])
                last[0] = (unsigned)f.slots[i];
            if (f.printed[j][i] > f.revolve[i])
                last[1] = (unsigned)f.slots[i];
            better += f.resilient[j][i] < f.printed[j][i];
            worse += f.resilient[j][i] > f.printed[j][i];
        }
        printf("  d = %" PRIu64 ": resilient up to %u slots, clipping revolve's own step up to %u (print: up to 60); "
               "resilient is better for %u, worse for %u numbers of slots\n",
               distances[j], last[0], last[1], better, worse);
    }
    write_figure_7a(folder, &f);
    draw_figure_7a(folder, &f);
}

/* ---- Figures 7(b), 8(b), 9(b): the first distances ----------------------------------------------------------------
 */

enum { FIRST = 4 };

static void draw_distances(const char *folder, const char *name, const char *title, const double *slots,
                           double (*values)[SLOTS_COUNT]) {
    static const char *const names[FIRST] = {"1st distance", "2nd", "3rd", "4th"};
    bench_series series[FIRST];
    for (int k = 0; k < FIRST; k++)
        series[k] = (bench_series){names[k], BENCH_LINE, k, SLOTS_COUNT, slots, values[k], NULL};
    bench_plot plot = {.title = title,
                       .subtitle = "Steps between the first capsules of the first sweep, 10,000 steps",
                       .x = {.label = "slots c"},
                       .y = {.label = "steps", .logarithmic = true, .from = 10, .to = 10000},
                       .series = series,
                       .count = FIRST};
    bench_plot_write(folder, name, &plot);
}

/* Whether all advances of the first sweep decrease. */
static bool decreasing(advance_rule *rule, uint64_t n, uint64_t c) {
    uint64_t before = n;
    for (; n > 1; c--) {
        uint64_t step = advance(rule, n, c);
        if (step > before)
            return false;
        before = step;
        n -= step;
    }
    return true;
}

static void make_distances(const char *folder) {
    static const char *const files[STRATEGIES] = {"paper5-figure7b.svg", "paper5-figure8b.svg", "paper5-figure9b.svg"};
    static const char *const titles[STRATEGIES] = {"Distances that revolve chooses", "The least optimal distances",
                                                   "The greatest optimal distances (Theorem 4.2)"};
    static double slots[SLOTS_COUNT], values[STRATEGIES][FIRST][SLOTS_COUNT];
    FILE *csv = bench_create(folder, "paper5-figures7-9b.csv");
    fputs("strategy,c,first,second,third,fourth,all_decrease\n", csv);
    puts("\nFigures 7(b), 8(b), 9(b): numbers of slots for which the distances always decrease");
    for (size_t s = 0; s < STRATEGIES; s++) {
        unsigned ordered = 0;
        for (size_t i = 0; i < SLOTS_COUNT; i++) {
            uint64_t rest = STEPS;
            slots[i] = (double)(SLOTS_FROM + i);
            fprintf(csv, "%s,%zu", strategies[s].name, SLOTS_FROM + i);
            for (size_t k = 0; k < FIRST; k++) {
                uint64_t step = advance(strategies[s].rule, rest, SLOTS_FROM + i - k);
                values[s][k][i] = (double)step;
                rest -= step;
                fprintf(csv, ",%" PRIu64, step);
            }
            bool in_order = decreasing(strategies[s].rule, STEPS, SLOTS_FROM + i);
            ordered += in_order;
            fprintf(csv, ",%d\n", in_order);
        }
        printf("  %-12s %3u of %d\n", strategies[s].name, ordered, SLOTS_COUNT);
        draw_distances(folder, files[s], titles[s], slots, values[s]);
    }
    bench_close(csv);
}

/* ---- Figures 8(a), 9(a): the choices ------------------------------------------------------------------------------
 */

enum { CHOICE_SLOTS = 5, CHOICE_FROM = 57, CHOICE_TO = 126, CHOICES = CHOICE_TO - CHOICE_FROM + 1 };

/* Fewest writes of any time-optimal schedule, by trying all its advances; those that reach it are marked. */
static uint64_t fewest_writes(uint64_t n, uint64_t c, bool *marked) {
    static uint64_t known[CHOICE_TO + 1][CHOICE_SLOTS + 1];
    uint64_t best = UINT64_MAX;
    if (n <= 1)
        return 0;
    if (known[n][c] != 0 && !marked)
        return known[n][c];
    uint64_t from = advance(verso_advance_least, n, c);
    uint64_t to = advance(verso_advance_most, n, c);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t j = from; j <= to; j++) {
            uint64_t left = j > 1 ? fewest_writes(j, c, NULL) : 1; /* the capsule at the start is the left part's */
            uint64_t writes = left + fewest_writes(n - j, c - 1, NULL);
            best = writes < best ? writes : best;
            if (pass == 1 && marked)
                marked[j] = writes == best;
        }
    return known[n][c] = best;
}

typedef struct choices {
    double steps[CHOICES];
    double rule[STRATEGIES][CHOICES];
    double few_from[2][CHOICES], few_to[2][CHOICES]; /* where writes are fewest, too: one or two intervals */
    unsigned not_fewest;                             /* revolve's own choice is not among them */
} choices;

static void compute_choice(choices *all, size_t i) {
    bool marked[CHOICE_TO + 1] = {false};
    uint64_t n = CHOICE_FROM + i;
    all->steps[i] = (double)n;
    for (size_t s = 0; s < STRATEGIES; s++)
        all->rule[s][i] = (double)advance(strategies[s].rule, n, CHOICE_SLOTS);
    fewest_writes(n, CHOICE_SLOTS, marked);
    all->not_fewest += !marked[(size_t)all->rule[REVOLVE][i]];
    size_t interval = 0;
    for (uint64_t j = 1; j < n && interval < 2; j++) {
        if (!marked[j])
            continue;
        all->few_from[interval][i] = (double)j;
        while (j + 1 < n && marked[j + 1])
            j++;
        all->few_to[interval++][i] = (double)j;
    }
    for (; interval < 2; interval++) {
        all->few_from[interval][i] = all->few_from[0][i];
        all->few_to[interval][i] = all->few_to[0][i];
    }
}

static void draw_choices(const char *folder, const char *name, const char *title, const choices *all, int highlight) {
    bench_series series[] = {
        {"fewest steps", BENCH_BAND, -1, CHOICES, all->steps, all->rule[MOST], all->rule[LEAST]},
        {"and fewest writes", BENCH_BAND, -2, CHOICES, all->steps, all->few_to[0], all->few_from[0]},
        {NULL, BENCH_BAND, -2, CHOICES, all->steps, all->few_to[1], all->few_from[1]},
        {"revolve", BENCH_LINE, 0, CHOICES, all->steps, all->rule[REVOLVE], NULL},
        {highlight == LEAST ? "least" : "Theorem 4.2", BENCH_DASHED, 1, CHOICES, all->steps, all->rule[highlight],
         NULL},
    };
    bench_plot plot = {.title = title,
                       .subtitle = "c = 5 slots, repetition number 4: 56 &lt; l ≤ 126",
                       .x = {.label = "steps l"},
                       .y = {.label = "steps to the next capsule"},
                       .series = series,
                       .count = sizeof series / sizeof *series};
    bench_plot_write(folder, name, &plot);
}

static void make_choices(const char *folder) {
    static choices all;
    FILE *csv = bench_create(folder, "paper5-figures8a-9a.csv");
    fputs("l,c,least,revolve,theorem_4_2,fewest_writes_from,fewest_writes_to,second_from,second_to\n", csv);
    for (size_t i = 0; i < CHOICES; i++) {
        compute_choice(&all, i);
        fprintf(csv, "%.0f,%d,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f,%.0f\n", all.steps[i], CHOICE_SLOTS, all.rule[LEAST][i],
                all.rule[REVOLVE][i], all.rule[MOST][i], all.few_from[0][i], all.few_to[0][i], all.few_from[1][i],
                all.few_to[1][i]);
    }
    bench_close(csv);
    printf("\nFigures 8(a), 9(a): revolve's choice misses the fewest writes for %u of %d l\n", all.not_fewest, CHOICES);
    draw_choices(folder, "paper5-figure8a.svg", "Choices of the next capsule, and the least", &all, LEAST);
    draw_choices(folder, "paper5-figure9a.svg", "Choices of the next capsule, and Theorem 4.2's", &all, MOST);
}

/* ---- Section 5: the approaches, undisturbed and with a breakdown --------------------------------------------------
 */

enum { APPROACHES = 5, PLACES = 200 }; /* places in each sweep */

/* The one that the others are compared with comes first. */
static const verso_schedule_kind approaches[APPROACHES] = {
    VERSO_KIND_RESILIENT, VERSO_KIND_SINGLE_RECOVERY, VERSO_KIND_TWO_LEVEL, VERSO_KIND_CONTINUOUS, VERSO_KIND_REVOLVE};

typedef struct outcome {
    uint64_t undisturbed;
    uint64_t steps[2 * PLACES]; /* first sweep, then adjoint sweep */
} outcome;

/* How often resilient needs fewer steps, as many, more; by sweep. */
typedef struct tally {
    unsigned fewer[2], equal[2], more[2];
} tally;

static verso_schedule_spec spec_of(const configuration *setting, verso_schedule_kind kind, uint64_t adjoint_distance) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = setting->steps;
    spec.slots = setting->slots;
    spec.distance = kind == VERSO_KIND_CONTINUOUS ? 1 : setting->distance;
    spec.adjoint_distance = adjoint_distance;
    return spec;
}

/* The middles of equal stretches, the same for all. */
static uint64_t place_of(const configuration *setting, size_t i) {
    return setting->steps * (2 * i + 1) / (2 * PLACES);
}

static void follow(const configuration *setting, verso_schedule_kind kind, uint64_t adjoint_distance, outcome *result) {
    static verso_breakdown places[2 * PLACES];
    static verso_wide answers[2 * PLACES];
    verso_error error;
    verso_schedule_spec spec = spec_of(setting, kind, adjoint_distance);
    for (size_t i = 0; i < 2 * PLACES; i++)
        places[i] = (verso_breakdown){.adjoint = i >= PLACES, .step = place_of(setting, i % PLACES)};
    if (verso_breakdown_cost(&spec, places, 2 * PLACES, answers, &error) != VERSO_OK)
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

/* Two-level with whatever outer interval takes the fewest steps, the bound on the distance left aside. */
static uint64_t best_two_level(const configuration *setting) {
    uint64_t best = UINT64_MAX;
    for (uint64_t outer = 1; outer < setting->slots; outer++) {
        uint64_t d = (setting->steps + outer) / (outer + 1);
        uint64_t steps = steps_of(VERSO_KIND_TWO_LEVEL, setting->steps, setting->slots, d);
        best = steps < best ? steps : best;
    }
    return best;
}

/* One configuration, all approaches. */
typedef struct trial {
    const char *variant;
    configuration setting;
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
static void draw_setting(const char *folder, const char *name, const configuration *setting, const outcome *outcomes) {
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
        double all = CONFIGURATIONS * PLACES / 100.0;
        const tally *t = &sums[i];
        printf(
            "    than %-16s both sweeps %5.1f | %5.1f | %5.1f   first %5.1f | %5.1f | %5.1f   adjoint %5.1f | %5.1f | "
            "%5.1f\n",
            verso_kind_word(approaches[i]), (t->fewer[0] + t->fewer[1]) / all / 2,
            (t->equal[0] + t->equal[1]) / all / 2, (t->more[0] + t->more[1]) / all / 2, t->fewer[0] / all,
            t->equal[0] / all, t->more[0] / all, t->fewer[1] / all, t->equal[1] / all, t->more[1] / all);
    }
}

/* What is varied over all nine configurations. */
typedef struct variant {
    const char *name, *what;
    bool free;     /* the distance is the smallest that costs nothing, not Theorem 4.2's */
    uint64_t part; /* the adjoint distance is the distance over this */
    bool in_full;  /* print and draw every configuration */
} variant;

static const variant variants[] = {
    {"d", "Distance d, adjoint distance d", false, 1, true},
    {"d, d / 10", "Distance d, adjoint distance d / 10", false, 10, false},
    {"free", "Both distances the smallest that costs nothing", true, 1, false},
};

static void draw_and_print_more(const char *folder, const configuration *setting, const outcome *outcomes) {
    char name[64];
    printf("    two-level with the best outer interval of any length: %" PRIu64 "\n", best_two_level(setting));
    snprintf(name, sizeof name, "paper5-breakdowns-%" PRIu64 ".svg", setting->slots);
    draw_setting(folder, name, setting, outcomes);
}

static void compare_all(const char *folder, FILE *csv, FILE *places, const variant *variant) {
    tally sums[APPROACHES] = {0};
    outcome *outcomes = bench_alloc(APPROACHES, sizeof *outcomes);
    for (size_t i = 0; i < CONFIGURATIONS; i++) {
        configuration setting = corrected(&table_1[i]);
        if (variant->free)
            setting.distance = free_distance(setting.steps, setting.slots);
        trial t = {variant->name, setting, setting.distance / variant->part, outcomes};
        for (size_t a = 0; a < APPROACHES; a++)
            follow(&setting, approaches[a], t.adjoint_distance, &outcomes[a]);
        for (size_t a = 0; a < APPROACHES; a++)
            count(&outcomes[0], &outcomes[a], &sums[a]);
        if (variant->in_full)
            print_trial(&t);
        write_trial(csv, &t);
        write_places(places, &t);
        if (variant->in_full && i % 3 == 0) /* one year */
            draw_and_print_more(folder, &setting, outcomes);
    }
    print_sums(variant->what, sums);
    free(outcomes);
}

static void make_comparison(const char *folder) {
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

int main(int argc, char **argv) {
    const char *folder = bench_folder(argc, argv);
    make_example(folder);
    make_table_1(folder);
    make_figure_7a(folder);
    make_distances(folder);
    make_choices(folder);
    make_comparison(folder);
    printf("\nCSV and SVG are in %s.\n", folder);
    return EXIT_SUCCESS;
}
