/* bench/paper5 [FOLDER]: table 1, figures 2 to 5 and 7 to 9 and the comparisons of section 5 of the paper on binomial
 * checkpointing with resilience. Prints their contents and writes them as CSV and SVG. docs/paper5.md compares the
 * numbers with the printed ones. */
#include "bench/support/breakdowns.h"
#include "bench/support/output.h"
#include "bench/support/plot.h"
#include "bench/support/rules.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

/* ---- The three ways to choose the next capsule ------------------------------------------------------------------ */

typedef struct strategy {
    const char *name;
    bench_advance_rule *rule;
} strategy;

enum { REVOLVE, LEAST, MOST, STRATEGIES };
static const strategy strategies[STRATEGIES] = {
    {"revolve", verso__advance_revolve}, {"least", verso__advance_least}, {"Theorem 4.2", verso__advance_most}};

/* ---- Figures 2 to 5: the example of section 3 ------------------------------------------------------------------- */

/* Finds the capsules that are held when a step is reversed, if every advance is min(rule, d). */
static void print_capsules(FILE *csv, const char *name, bench_advance_rule *rule, uint64_t d, uint64_t step) {
    uint64_t at = 0, rest = 100, slots = 5, last = UINT64_MAX;
    printf("  %-26s step %2" PRIu64 "  ", name, step);
    fprintf(csv, "\"%s\",%" PRIu64 ",", name, step);
    while (rest > 1) {
        uint64_t way = bench_advance(rule, rest, slots);
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
    print_capsules(csv, "revolve", verso__advance_revolve, 100, 99);
    print_capsules(csv, "revolve, at most 30", verso__advance_revolve, 30, 99);
    print_capsules(csv, "revolve, at most 30", verso__advance_revolve, 30, 66);
    print_capsules(csv, "revolve, at most 30", verso__advance_revolve, 30, 57);
    print_capsules(csv, "Theorem 4.2, at most 30", verso__advance_most, 30, 99);
    print_capsules(csv, "least", verso__advance_least, 100, 99);
    print_capsules(csv, "least", verso__advance_least, 100, 64);
    print_capsules(csv, "Theorem 4.2", verso__advance_most, 100, 99);
    printf("  forward steps: revolve %" PRIu64 ", revolve at most 30 %" PRIu64 ", resilient 30 %" PRIu64 "\n",
           bench_forward_steps(VERSO_KIND_REVOLVE, 100, 5, 0), bench_clipped_steps(verso__advance_revolve, 100, 5, 30),
           bench_forward_steps(VERSO_KIND_RESILIENT, 100, 5, 30));
    bench_close(csv);
}

/* ---- Table 1 ---------------------------------------------------------------------------------------------------- */

static void make_table_1(const char *folder) {
    FILE *csv = bench_create(folder, "paper5-table1.csv");
    fputs("l,r,printed_c,printed_d,r_of_printed_c,theorem_4_2_d_of_printed_c,c,d,free_distance,forward_steps\n", csv);
    printf("\nTable 1 (* differs from the print)\n  %9s %2s  %5s %7s  %4s  %7s  %5s %7s  %13s  %13s\n", "l", "r", "c",
           "d", "its r", "its d", "c", "d", "free distance", "forward steps");
    for (size_t i = 0; i < BENCH_CONFIGURATIONS; i++) {
        const bench_configuration *p = &bench_table_1[i];
        bench_configuration ours = bench_corrected(p);
        uint64_t r = verso__repetition(p->steps, p->slots);
        uint64_t d = bench_advance(verso__advance_most, p->steps, p->slots);
        uint64_t nothing = bench_free_distance(ours.steps, ours.slots);
        uint64_t forward = bench_forward_steps(VERSO_KIND_RESILIENT, ours.steps, ours.slots, nothing);
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

/* ---- Figure 7(a): what a bound on the distance costs ------------------------------------------------------------ */

enum { STEPS = 10000, SLOTS_FROM = 10, SLOTS_TO = 120, SLOTS_COUNT = SLOTS_TO - SLOTS_FROM + 1, DISTANCES = 4 };
static const uint64_t distances[DISTANCES] = {200, 300, 400, 500};

/* Additional: beyond the n - 1 steps of the first sweep. */
static double additional(uint64_t forward) {
    return forward == 0 ? NAN : (double)(forward - (STEPS - 1));
}

typedef struct figure_7a {
    double slots[SLOTS_COUNT];
    double revolve[SLOTS_COUNT];
    double resilient[DISTANCES][SLOTS_COUNT]; /* ours: clips the advance of Theorem 4.2 */
    double printed[DISTANCES][SLOTS_COUNT];   /* the paper's: clips revolve's own advance */
} figure_7a;

static void compute_figure_7a(figure_7a *f) {
    for (size_t i = 0; i < SLOTS_COUNT; i++) {
        uint64_t c = SLOTS_FROM + i;
        f->slots[i] = (double)c;
        f->revolve[i] = additional(bench_forward_steps(VERSO_KIND_REVOLVE, STEPS, c, 0));
        for (size_t j = 0; j < DISTANCES; j++) {
            bool possible = distances[j] * c >= STEPS;
            f->resilient[j][i] =
                additional(possible ? bench_forward_steps(VERSO_KIND_RESILIENT, STEPS, c, distances[j]) : 0);
            f->printed[j][i] = additional(bench_clipped_steps(verso__advance_revolve, STEPS, c, distances[j]));
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

/* Compares both ways to clip, on all small sizes. */
static void compare_clippings(void) {
    unsigned all = 0, better = 0, worse = 0;
    for (uint64_t n = 2; n <= 200; n++)
        for (uint64_t c = 1; c <= 12; c++)
            for (uint64_t d = (n + c - 1) / c; d < n; d++) {
                uint64_t most = bench_clipped_steps(verso__advance_most, n, c, d);
                uint64_t own = bench_clipped_steps(verso__advance_revolve, n, c, d);
                all++;
                better += most < own;
                worse += most > own;
            }
    printf(
        "  all l <= 200, c <= 12 and d that reach: clipping Theorem 4.2's step is better than clipping revolve's in %u "
        "of %u cases, worse in %u\n",
        better, all, worse);
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
    compare_clippings();
    write_figure_7a(folder, &f);
    draw_figure_7a(folder, &f);
}

/* ---- Figures 7(b), 8(b), 9(b): the first distances -------------------------------------------------------------- */

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

/* Returns whether the advances of the first sweep decrease. */
static bool decreasing(bench_advance_rule *rule, uint64_t n, uint64_t c) {
    uint64_t before = n;
    for (; n > 1; c--) {
        uint64_t step = bench_advance(rule, n, c);
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
                uint64_t step = bench_advance(strategies[s].rule, rest, SLOTS_FROM + i - k);
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

/* ---- Figures 8(a), 9(a): the choices ---------------------------------------------------------------------------- */

enum { CHOICE_SLOTS = 5, CHOICE_FROM = 57, CHOICE_TO = 126, CHOICES = CHOICE_TO - CHOICE_FROM + 1 };

/* Returns the fewest writes of any time-optimal schedule, by trying all advances, and marks those that reach it. */
static uint64_t fewest_writes(uint64_t n, uint64_t c, bool *marked) {
    static uint64_t known[CHOICE_TO + 1][CHOICE_SLOTS + 1];
    uint64_t best = UINT64_MAX;
    if (n <= 1)
        return 0;
    if (known[n][c] != 0 && !marked)
        return known[n][c];
    uint64_t from = bench_advance(verso__advance_least, n, c);
    uint64_t to = bench_advance(verso__advance_most, n, c);
    for (int pass = 0; pass < 2; pass++)
        for (uint64_t j = from; j <= to; j++) {
            uint64_t left =
                j > 1 ? fewest_writes(j, c, NULL) : 1; /* the capsule at the start counts for the left part */
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
        all->rule[s][i] = (double)bench_advance(strategies[s].rule, n, CHOICE_SLOTS);
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

int main(int argc, char **argv) {
    const char *folder = bench_folder(argc, argv);
    make_example(folder);
    make_table_1(folder);
    make_figure_7a(folder);
    make_distances(folder);
    make_choices(folder);
    bench_breakdowns(folder);
    printf("\nCSV and SVG are in %s.\n", folder);
    return EXIT_SUCCESS;
}
