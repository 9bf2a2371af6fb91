/* bench/paper4 [FOLDER]: table 2 and figures 3, 4 and 5 of Aupy and Herrmann, "Periodicity in optimal hierarchical
 * checkpointing schemes for adjoint computations". Prints their contents and writes them as CSV and SVG.
 * docs/paper4.md compares the numbers with the printed ones. Costs have u_f = 1, u_b = 0, as in the paper. */
#include "bench/support/chain.h"
#include "bench/support/output.h"
#include "bench/support/plot.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

static verso_platform platform_of(uint64_t slots, uint64_t write_cost, uint64_t read_cost) {
    return (verso_platform){.slots = slots, .write_cost = write_cost, .read_cost = read_cost, .forward_cost = 1};
}

static verso_period period_of(const verso_platform *platform) {
    verso_period period;
    verso_error error;
    if (verso_period_find(platform, &period, &error) != VERSO_STATUS_OK)
        bench_fail("%s", error.message);
    return period;
}

/* ---- Table 2: the periods as w_d grows -------------------------------------------------------------------------- */

/* A row of the printed table, and its number of periods; 0: a row that the paper omits. */
typedef struct table_2_row {
    uint64_t slots, read_cost;
    size_t count;
    uint64_t printed[6];
} table_2_row;

static const table_2_row table_2[] = {
    {2, 1, 6, {3, 9, 19, 34, 55, 83}}, {2, 4, 6, {6, 16, 31, 52, 80, 116}}, {2, 10, 4, {10, 25, 46, 74}},
    {2, 20, 4, {15, 36, 64, 100}},     {3, 1, 5, {4, 14, 34, 69, 125}},     {3, 5, 4, {10, 30, 65, 121}},
    {3, 15, 3, {0, 55, 111}},
};

/* Computes m_X for w_d = 1, 2, … until there are `wanted` different ones. */
static void write_table_2_row(FILE *csv, const table_2_row *row) {
    uint64_t last = 0;
    size_t seen = 0;
    printf("  %" PRIu64 "  %3" PRIu64 "  ", row->slots, row->read_cost);
    for (uint64_t write_cost = 1; seen <= row->count; write_cost++) {
        verso_platform platform = platform_of(row->slots, write_cost, row->read_cost);
        uint64_t period = period_of(&platform).period;
        if (period == last)
            continue;
        last = period;
        if (++seen > row->count)
            break;
        uint64_t printed = row->printed[seen - 1];
        printf("  %4" PRIu64 "%s (w_d >= %" PRIu64 ")", period, period == printed ? " " : "*", write_cost);
        fprintf(csv, "%" PRIu64 ",%" PRIu64 ",%zu,%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", row->slots, row->read_cost,
                seen, write_cost, period, printed);
    }
    fputc('\n', stdout);
}

static void make_table_2(const char *folder) {
    FILE *csv = bench_create(folder, "paper4-table2.csv");
    fputs("c_m,r_d,column,from_w_d,m_X,printed\n", csv);
    puts("Table 2: m_X as w_d grows (* differs from the print)\n  c_m  r_d");
    for (size_t i = 0; i < sizeof table_2 / sizeof *table_2; i++)
        write_table_2_row(csv, &table_2[i]);
    bench_close(csv);
}

/* ---- Figure 3: how many periods are not m_X --------------------------------------------------------------------- */

enum { SLOTS_MAX = 9, COST_MAX = 20, EXCEPTIONS_MAX = 60, CHAIN_LENGTH = 2000 };

typedef struct figure_3 {
    unsigned all[EXCEPTIONS_MAX];
    unsigned by_slots[EXCEPTIONS_MAX][SLOTS_MAX], by_write[EXCEPTIONS_MAX][COST_MAX], by_read[EXCEPTIONS_MAX][COST_MAX];
    uint64_t most[SLOTS_MAX];
    unsigned platforms, period_differs;
    unsigned empty[2], not_least[2]; /* of Algorithm 4: corrected, as printed */
    uint64_t latest_repeat;
} figure_3;

static void try_algorithm_4(figure_3 *figure, const bench_chain *chain, uint64_t period) {
    for (int as_printed = 0; as_printed < 2; as_printed++) {
        bench_algorithm4 found = bench_chain_algorithm4(chain, as_printed);
        figure->empty[as_printed] += found.m_x == 0;
        figure->not_least[as_printed] += found.m_x != 0 && bench_chain_compare(chain, found.m_x, period) != 0;
    }
}

static void add_platform(figure_3 *figure, FILE *csv, const verso_platform *platform) {
    bench_chain chain = bench_chain_new(platform, CHAIN_LENGTH);
    uint64_t period = period_of(platform).period;
    uint64_t repeats;
    uint64_t exceptions = bench_chain_exceptions(&chain, period, &repeats);
    if (repeats == 0 || exceptions >= EXCEPTIONS_MAX)
        bench_fail("the tables of figure 3 are too small");
    figure->platforms++;
    figure->period_differs += period != bench_chain_period(&chain);
    figure->all[exceptions]++;
    figure->by_slots[exceptions][platform->slots - 1]++;
    figure->by_write[exceptions][platform->write_cost - 1]++;
    figure->by_read[exceptions][platform->read_cost - 1]++;
    if (exceptions > figure->most[platform->slots - 1])
        figure->most[platform->slots - 1] = exceptions;
    if (repeats > figure->latest_repeat)
        figure->latest_repeat = repeats;
    try_algorithm_4(figure, &chain, period);
    fprintf(csv, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 "\n", platform->slots,
            platform->write_cost, platform->read_cost, period, exceptions, repeats);
    bench_chain_free(&chain);
}

static void print_figure_3(const figure_3 *figure, size_t rows) {
    unsigned few = figure->all[0] + figure->all[1] + figure->all[2] + figure->all[3];
    double hundredth = figure->platforms / 100.0;
    printf("\nFigure 3: i_X on %u platforms; every chain repeats itself from l = %" PRIu64 " at the latest\n",
           figure->platforms, figure->latest_repeat);
    printf("  i_X      ");
    for (size_t i = 0; i < rows; i++)
        printf(" %5zu", i);
    printf("\n  platforms");
    for (size_t i = 0; i < rows; i++)
        printf(" %5u", figure->all[i]);
    printf("\n  i_X = 0 on %.1f %% (print: 59 %%), i_X <= 3 on %.1f %% (print: 93 %%)\n  most, by c_m = 1 … 9:",
           figure->all[0] / hundredth, few / hundredth);
    for (size_t i = 0; i < SLOTS_MAX; i++)
        printf(" %" PRIu64, figure->most[i]);
    printf(" (print: up to 59 for c_m = 1, at most 10 beyond)\n");
    printf("  m_X of the library differs from that of the recurrences on %u platforms\n", figure->period_differs);
    for (int printed = 0; printed < 2; printed++)
        printf("  Algorithm 4 %s: M_X is empty on %u platforms, its m_X is not of least relative cost on %u\n",
               printed ? "as printed" : "corrected ", figure->empty[printed], figure->not_least[printed]);
}

static void draw_figure_3(const char *folder, const figure_3 *figure, size_t rows) {
    bench_heatmap map = {.title = "How many periods are not m_X", .y_label = "i_X", .rows = rows, .x0 = 1};
    map.subtitle = "Number of platforms with c_m = 1 … 9, w_d and r_d = 1 … 20";
    map.columns = SLOTS_MAX;
    map.counts = figure->by_slots[0];
    map.x_label = "memory slots c_m";
    bench_heatmap_write(folder, "paper4-figure3-slots.svg", &map);
    map.columns = COST_MAX;
    map.counts = figure->by_write[0];
    map.x_label = "cost of a write w_d";
    bench_heatmap_write(folder, "paper4-figure3-write.svg", &map);
    map.counts = figure->by_read[0];
    map.x_label = "cost of a read r_d";
    bench_heatmap_write(folder, "paper4-figure3-read.svg", &map);
}

static void make_figure_3(const char *folder) {
    static figure_3 figure;
    FILE *csv = bench_create(folder, "paper4-figure3.csv");
    fputs("c_m,w_d,r_d,m_X,i_X,repeats_from_l\n", csv);
    for (uint64_t slots = 1; slots <= SLOTS_MAX; slots++)
        for (uint64_t write_cost = 1; write_cost <= COST_MAX; write_cost++)
            for (uint64_t read_cost = 1; read_cost <= COST_MAX; read_cost++) {
                verso_platform platform = platform_of(slots, write_cost, read_cost);
                add_platform(&figure, csv, &platform);
            }
    bench_close(csv);
    size_t rows = EXCEPTIONS_MAX;
    while (rows > 0 && figure.all[rows - 1] == 0)
        rows--;
    print_figure_3(&figure, rows);
    draw_figure_3(folder, &figure, rows);
}

/* ---- Figures 4 and 5: over the optimum -------------------------------------------------------------------------- */

enum { LENGTH = 3000, LARGE = 1000, COSTS = 4, MEMORIES = 2 };
static const uint64_t costs[COSTS] = {1, 2, 5, 10};
static const uint64_t memories[MEMORIES] = {5, 10};

/* The ratios that are drawn: makespans over that of `disk`, for l = 1 … LENGTH. */
typedef enum ratio { PERIODIC, PRINTED_PDS, DISK_A_REVOLVE, ONLINE, RATIOS } ratio;
static const char *const ratio_names[RATIOS] = {"periodic", "PDS as printed", "DISK-A-REVOLVE", "online, disk"};

typedef struct curve {
    verso_platform platform;
    verso_period period;
    uint64_t printed_first_useful; /* l_X^(1) of Algorithm 3 as printed */
    double ratios[RATIOS][LENGTH];
    unsigned not_optimal; /* lengths at which `disk` differs from the recurrences */
} curve;

static uint64_t makespan_of(const curve *curve, verso_schedule_kind kind, uint64_t l) {
    verso_schedule_spec spec;
    verso_schedule_spec_init(&spec, kind);
    spec.steps = l + 1;
    spec.slots = curve->platform.slots;
    spec.write_cost = curve->platform.write_cost;
    spec.read_cost = curve->platform.read_cost;
    spec.backward_cost = 0;
    spec.with_disk = true;
    return (uint64_t)bench_cost(&spec).makespan;
}

/* Definition 14 with l_X^(1) from Algorithm 3 as printed; if that asks for more periods than fit, as many as fit. */
static uint64_t printed_pds(const bench_chain *chain, uint64_t l, uint64_t m, uint64_t first_useful) {
    uint64_t count = l > first_useful ? (l - first_useful + m - 1) / m : 0;
    return bench_chain_sequence_cost(chain, l, m, count * m > l ? l / m : count);
}

static void compute_curve(curve *curve, uint64_t slots, uint64_t cost) {
    curve->platform = platform_of(slots, cost, cost);
    curve->period = period_of(&curve->platform);
    bench_chain chain = bench_chain_new(&curve->platform, LENGTH);
    uint64_t m = curve->period.period;
    curve->printed_first_useful = bench_chain_algorithm4(&chain, true).first_useful;
    for (uint64_t l = 1; l <= LENGTH; l++) {
        uint64_t optimum = makespan_of(curve, VERSO_KIND_DISK, l);
        double makespans[RATIOS] = {
            [PERIODIC] = (double)makespan_of(curve, VERSO_KIND_PERIODIC, l),
            [PRINTED_PDS] = (double)printed_pds(&chain, l, m, curve->printed_first_useful),
            [DISK_A_REVOLVE] = (double)bench_chain_disk_a_revolve(&chain, l, m),
            [ONLINE] = (double)makespan_of(curve, VERSO_KIND_ONLINE, l),
        };
        for (size_t i = 0; i < RATIOS; i++)
            curve->ratios[i][l - 1] = makespans[i] / (double)optimum;
        curve->not_optimal += optimum != chain.opt_inf[l];
    }
    bench_chain_free(&chain);
}

typedef struct greatest {
    double ratio;
    size_t l;
} greatest;

static greatest greatest_from(const double *ratios, size_t from) {
    greatest result = {0, 0};
    for (size_t l = from; l <= LENGTH; l++)
        if (ratios[l - 1] > result.ratio)
            result = (greatest){ratios[l - 1], l};
    return result;
}

static double mean_up_to(const double *ratios, size_t to) {
    double sum = 0;
    for (size_t l = 2; l <= to; l++)
        sum += ratios[l - 1];
    return sum / (double)(to - 1);
}

static void print_curve(FILE *csv, const curve *curve) {
    printf("  %3" PRIu64 "  %3" PRIu64 "  %4" PRIu64 "  %5" PRIu64 " %5" PRIu64, curve->platform.slots,
           curve->platform.write_cost, curve->period.period, curve->period.first_useful, curve->printed_first_useful);
    for (size_t i = 0; i < RATIOS; i++) {
        greatest all = greatest_from(curve->ratios[i], 2);
        greatest large = greatest_from(curve->ratios[i], LARGE);
        double mean = mean_up_to(curve->ratios[i], LARGE);
        printf("   %.4f %4zu %.4f %.4f", all.ratio, all.l, large.ratio, mean);
        fprintf(csv, "%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",%" PRIu64 ",\"%s\",%.6f,%zu,%.6f,%zu,%.6f\n",
                curve->platform.slots, curve->platform.write_cost, curve->period.period, curve->period.first_useful,
                curve->printed_first_useful, ratio_names[i], all.ratio, all.l, large.ratio, large.l, mean);
    }
    printf("   %u\n", curve->not_optimal);
}

static void write_ratios(FILE *csv, const curve *curve) {
    for (uint64_t l = 1; l <= LENGTH; l++) {
        fprintf(csv, "%" PRIu64 ",%" PRIu64 ",%" PRIu64, curve->platform.slots, curve->platform.write_cost, l);
        for (size_t i = 0; i < RATIOS; i++)
            fprintf(csv, ",%.6f", curve->ratios[i][l - 1]);
        fputc('\n', csv);
    }
}

/* One panel: a ratio for the four costs as lines, and another in dots of the same colours. */
typedef struct panel {
    const char *file, *title;
    ratio lines, dots;
    const char *lines_name, *dots_name;
    double low, high, from; /* the ratios and the least l that are shown */
} panel;

static void draw_panel(const char *folder, const panel *panel, const curve *curves) {
    static double lengths[LENGTH];
    bench_series series[2 * COSTS];
    char names[2 * COSTS][64];
    for (size_t l = 1; l <= LENGTH; l++)
        lengths[l - 1] = (double)l;
    for (size_t i = 0; i < 2 * COSTS; i++) {
        const curve *curve = &curves[i % COSTS];
        bool line = i < COSTS;
        snprintf(names[i], sizeof names[i], "%s, w = r = %" PRIu64, line ? panel->lines_name : panel->dots_name,
                 curve->platform.write_cost);
        series[i] = (bench_series){.name = names[i],
                                   .style = line ? BENCH_LINE : BENCH_DOTTED,
                                   .colour = (int)(i % COSTS),
                                   .count = LENGTH,
                                   .x = lengths,
                                   .y = curve->ratios[line ? panel->lines : panel->dots]};
    }
    bench_plot plot = {.title = panel->title,
                       .subtitle = "Makespan over that of the optimal sequence (DISK-REVOLVE); u_f = 1, u_b = 0",
                       .x = {.label = "chain length l", .logarithmic = true, .from = panel->from, .to = LENGTH},
                       .y = {.label = "ratio", .from = panel->low, .to = panel->high},
                       .series = series,
                       .count = 2 * COSTS};
    bench_plot_write(folder, panel->file, &plot);
}

static void print_head_of_curves(void) {
    printf(
        "\nFigures 4 and 5: makespan over that of disk, 2 <= l <= %d: the greatest ratio, its l, the greatest from %d "
        "on, the mean up to there\n  c_m w=r   m_X  l_X^1 (as printed)",
        LENGTH, LARGE);
    printf(" %-26s %-26s %-26s %-26s disk differs\n", "periodic", "PDS as printed", "DISK-A-REVOLVE", "online, disk");
}

static void make_figures_4_and_5(const char *folder) {
    FILE *csv = bench_create(folder, "paper4-figures4-5.csv");
    FILE *summary = bench_create(folder, "paper4-figures4-5-summary.csv");
    curve *curves = bench_alloc(COSTS, sizeof *curves);
    fputs("c_m,w_d_and_r_d,l,periodic,pds_as_printed,disk_a_revolve,online_disk\n", csv);
    fprintf(summary,
            "c_m,w_d_and_r_d,m_X,l_X1,l_X1_as_printed,sequence,greatest_ratio,at_l,greatest_from_%d,at_l,mean_to_%d\n",
            LARGE, LARGE);
    print_head_of_curves();
    for (size_t i = 0; i < MEMORIES; i++) {
        char name[64], title[80];
        for (size_t j = 0; j < COSTS; j++) {
            curves[j].not_optimal = 0;
            compute_curve(&curves[j], memories[i], costs[j]);
            print_curve(summary, &curves[j]);
            write_ratios(csv, &curves[j]);
        }
        snprintf(name, sizeof name, "paper4-figure4%c.svg", "ab"[i]);
        snprintf(title, sizeof title, "Periodic sequences, c_m = %" PRIu64, memories[i]);
        draw_panel(folder, &(panel){name, title, PRINTED_PDS, PERIODIC, "printed", "corrected", 0.98, 1.3, 5}, curves);
        snprintf(name, sizeof name, "paper4-figure5%c.svg", "ab"[i]);
        snprintf(title, sizeof title, "Chains of unknown length: DISK-A-REVOLVE and online, c_m = %" PRIu64,
                 memories[i]);
        draw_panel(folder, &(panel){name, title, DISK_A_REVOLVE, ONLINE, "printed", "online", 1, 2, 5}, curves);
    }
    free(curves);
    bench_close(summary);
    bench_close(csv);
}

int main(int argc, char **argv) {
    const char *folder = bench_folder(argc, argv);
    make_table_2(folder);
    make_figure_3(folder);
    make_figures_4_and_5(folder);
    printf("\nCSV and SVG are in %s.\n", folder);
    return EXIT_SUCCESS;
}
