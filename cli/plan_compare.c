/* `verso plan --compare`: prints a table of all kinds for the same steps, slots and costs.
 *
 * Options that a kind needs and that are not given are chosen here. Notes below the table list the options of each row,
 * so that `verso plan KIND` reproduces it. */
#include "cli/json.h"
#include "cli/message.h"
#include "cli/number.h"
#include "cli/plan.h"
#include "cli/table.h"
#include "schedule/cost.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum {
    DEFAULT_DISK_COST = 5, /* cost of a write and of a read, in forward steps: in the middle of those in paper 4 */
    DISK_SLOTS_FACTOR = 4, /* capacity of the second tier of `levels`, relative to the first */
    NAME_MAX_BYTES = 32,
};

/* One line of the table. */
typedef struct comparison_row {
    char name[NAME_MAX_BYTES];
    verso_schedule_spec spec;
    verso_schedule *schedule; /* NULL: impossible, for the reason in `error` */
    verso__cost cost;
    verso_error error;
} comparison_row;

enum { ROWS_MAX = VERSO_KIND_COUNT + 1 };

typedef struct comparison {
    const plan_request *request;
    verso_schedule_spec base; /* the parameters that all rows share, given or chosen */
    uint64_t interval;        /* interval of every-k */
    size_t row_count;
    comparison_row rows[ROWS_MAX];
} comparison;

verso_status plan_free_distance(const verso_schedule_spec *spec, uint64_t *distance, verso_error *error) {
    verso_schedule_spec probe = *spec;
    probe.kind = VERSO_KIND_RESILIENT;
    probe.distance = spec->steps ? spec->steps : 1; /* so large that it has no effect */
    probe.adjoint_distance = 0;
    verso_schedule *schedule = NULL;
    verso__cost cost = {0};
    verso_status status = verso_schedule_new(&probe, &schedule, error);
    if (status == VERSO_STATUS_OK)
        status = verso__schedule_cost(schedule, &cost, error);
    verso_schedule_free(schedule);
    if (status == VERSO_STATUS_OK)
        *distance = cost.free_distance ? cost.free_distance : 1;
    return status;
}

static bool is_given(const plan_request *request, plan_option option) {
    return request->given & PLAN_BIT(option);
}

static uint64_t saturating_product(uint64_t a, uint64_t b) {
    uint64_t product;
    return __builtin_mul_overflow(a, b, &product) ? VERSO_UNKNOWN : product;
}

static void choose_tiers(verso_schedule_spec *spec) {
    spec->tier_count = 2;
    spec->tiers[0] = (verso_tier){.capacity = spec->slots};
    spec->tiers[1] = (verso_tier){.capacity = saturating_product(spec->slots, DISK_SLOTS_FACTOR),
                                  .write_cost = spec->write_cost,
                                  .read_cost = spec->read_cost};
}

static bool takes_slots_as_space(const plan_request *request) {
    return !is_given(request, PLAN_SPACE) && !is_given(request, PLAN_TIME) && !is_given(request, PLAN_LOG);
}

/* Chooses all parameters that are not given. If no distance can be found, uses n; the rows that need one are then
 * impossible, and their errors say why. */
static int choose_defaults(comparison *table) {
    const plan_request *request = table->request;
    verso_schedule_spec *spec = &table->base;
    uint64_t disk_cost = saturating_product(DEFAULT_DISK_COST, spec->forward_cost);
    if (disk_cost == VERSO_UNKNOWN)
        return cli_usage_error(request->command, "--forward is too large to compare with a disk");
    if (!is_given(request, PLAN_WRITE))
        spec->write_cost = disk_cost;
    if (!is_given(request, PLAN_READ))
        spec->read_cost = disk_cost;
    if (!is_given(request, PLAN_LEVELS))
        choose_tiers(spec);
    if (takes_slots_as_space(request))
        spec->space = spec->slots;
    table->interval = request->interval;
    if (!is_given(request, PLAN_INTERVAL))
        table->interval = plan_choose_interval(&(plan_request){.spec = *spec});
    if (!is_given(request, PLAN_DISTANCE) && plan_free_distance(spec, &spec->distance, NULL) != VERSO_STATUS_OK)
        spec->distance = spec->steps ? spec->steps : 1;
    return CLI_OK;
}

/* True if the row is impossible because there are no slots. The library does not see that: for it, space 0 means
 * "choose the space". */
static bool lacks_snapshots(const comparison *table, const verso_schedule_spec *spec) {
    bool tree = spec->kind == VERSO_KIND_TREEVERSE || spec->kind == VERSO_KIND_BINARY;
    return tree && takes_slots_as_space(table->request) && spec->slots == 0 && spec->steps > spec->leaf;
}

static void add_row(comparison *table, verso_schedule_kind kind, bool with_disk) {
    comparison_row *row = &table->rows[table->row_count++];
    row->spec = table->base;
    row->spec.kind = kind;
    row->spec.with_disk = with_disk;
    if (kind == VERSO_KIND_EVERY_K)
        row->spec.distance = table->interval;
    if (kind == VERSO_KIND_CONTINUOUS && !is_given(table->request, PLAN_DISTANCE))
        row->spec.distance = VERSO_CONTINUOUS_DISTANCE;
    snprintf(row->name, sizeof row->name, "%s%s", verso_kind_word(kind), with_disk ? " --disk" : "");
    verso_schedule *schedule = NULL;
    verso_status status = VERSO_STATUS_IMPOSSIBLE;
    if (lacks_snapshots(table, &row->spec))
        snprintf(row->error.message, sizeof row->error.message,
                 "%s of %" PRIu64 " steps is impossible with 0 slots: it needs at least 1", verso_kind_word(kind),
                 row->spec.steps);
    else
        status = verso_schedule_new(&row->spec, &schedule, &row->error);
    if (status == VERSO_STATUS_OK)
        status = verso__schedule_cost(schedule, &row->cost, &row->error);
    if (status == VERSO_STATUS_OK) {
        row->schedule = schedule;
    } else {
        row->error.status = status;
        verso_schedule_free(schedule);
    }
}

static bool pays_for_disk(const verso_schedule_spec *spec) {
    return spec->with_disk || spec->kind == VERSO_KIND_DISK || spec->kind == VERSO_KIND_PERIODIC ||
           spec->kind == VERSO_KIND_TWO_LEVEL;
}

/* Prints the options of this row besides --steps and --slots. */
static void print_row_options(FILE *out, const comparison *table, const comparison_row *row) {
    const verso_schedule_spec *spec = &row->spec;
    plan_rule rule = plan_rule_of_kind(spec->kind);
    uint64_t options = rule.needs | rule.takes;
    if (options & PLAN_BIT(PLAN_LEVELS)) {
        fputs(" --levels ", out);
        for (size_t i = 0; i < spec->tier_count; i++) {
            if (spec->tiers[i].capacity == VERSO_UNKNOWN)
                fprintf(out, "%sinf:", i ? "," : "");
            else
                fprintf(out, "%s%" PRIu64 ":", i ? "," : "", spec->tiers[i].capacity);
            cli_print_decimal(out, spec->tiers[i].write_cost, table->request->decimals, false);
            fputc(':', out);
            cli_print_decimal(out, spec->tiers[i].read_cost, table->request->decimals, false);
        }
    }
    if (spec->kind == VERSO_KIND_EVERY_K)
        fprintf(out, " --interval %" PRIu64, spec->distance);
    else if (options & PLAN_BIT(PLAN_DISTANCE))
        fprintf(out, " --distance %" PRIu64, spec->distance);
    if ((options & PLAN_BIT(PLAN_ADJOINT_DISTANCE)) && spec->adjoint_distance)
        fprintf(out, " --adjoint-distance %" PRIu64, spec->adjoint_distance);
    if (options & PLAN_BIT(PLAN_SPLIT)) {
        fprintf(out, " --leaf %" PRIu64, spec->leaf);
        if (spec->space)
            fprintf(out, " --space %" PRIu64, spec->space);
        if (spec->time)
            fprintf(out, " --time %" PRIu64, spec->time);
        fprintf(out, "%s --split %s", spec->space || spec->time ? "" : " --log", verso_split_word(spec->split));
    }
    if (pays_for_disk(spec)) {
        fputs(" --write ", out);
        cli_print_decimal(out, spec->write_cost, table->request->decimals, false);
        fputs(" --read ", out);
        cli_print_decimal(out, spec->read_cost, table->request->decimals, false);
    }
}

/* Prints a value per tier, memory first: "12 + 3". */
static void print_by_tier(FILE *out, const comparison_row *row, const verso__wide *values) {
    for (size_t tier = 0; tier < verso_schedule_tiers(row->schedule); tier++) {
        fputs(tier ? " + " : "", out);
        cli_print_grouped(out, values[tier]);
    }
    fputc('\t', out);
}

static void print_row(FILE *out, const comparison *table, const comparison_row *row) {
    fprintf(out, "%s\t", row->name);
    if (!row->schedule) {
        fputs("impossible\n", out);
        return;
    }
    verso__wide peaks[VERSO_TIERS_MAX];
    for (size_t tier = 0; tier < VERSO_TIERS_MAX; tier++)
        peaks[tier] = row->cost.peak_slots[tier];
    cli_print_grouped(out, row->cost.forward_steps);
    fputc('\t', out);
    if (row->cost.steps)
        cli_print_ratio(out, row->cost.forward_steps, row->cost.steps);
    else
        fputc('-', out);
    fputc('\t', out);
    cli_print_decimal(out, row->cost.makespan, table->request->decimals, true);
    fputc('\t', out);
    print_by_tier(out, row, row->cost.writes);
    print_by_tier(out, row, row->cost.reads);
    print_by_tier(out, row, peaks);
    cli_print_grouped(out, row->cost.repetition);
    fputc('\t', out);
    cli_print_grouped(out, row->cost.longest_recording);
    fputc('\n', out);
}

static void print_notes(FILE *out, const comparison *table) {
    fputs("\nWrites, reads and peak slots are those of memory + disk.\n", out);
    fprintf(out,
            "To print one row: verso plan KIND --steps %" PRIu64 " (--slots %" PRIu64 " if the kind needs it) and\n",
            table->base.steps, table->base.slots);
    for (size_t i = 0; i < table->row_count; i++) {
        const comparison_row *row = &table->rows[i];
        plan_rule rule = plan_rule_of_kind(row->spec.kind);
        bool own = (rule.needs | rule.takes) & ~(PLAN_BIT(PLAN_SLOTS) | PLAN_BIT(PLAN_DISK));
        if (row->schedule && (row->spec.with_disk || own)) {
            fprintf(out, "  %-16s", row->name);
            print_row_options(out, table, row);
            fputc('\n', out);
        }
    }
    for (size_t i = 0; i < table->row_count; i++)
        if (!table->rows[i].schedule)
            fprintf(out, "%s is impossible: %s\n", table->rows[i].name, table->rows[i].error.message);
}

static int print_table(const comparison *table) {
    char *text = NULL;
    size_t size;
    FILE *cells = open_memstream(&text, &size);
    if (!cells)
        return cli_failure(table->request->command, "out of memory");
    fputs("kind\tforward steps\tpasses\tmakespan\twrites\treads\tpeak slots\trepetition\tlongest recording\n", cells);
    for (size_t i = 0; i < table->row_count; i++)
        print_row(cells, table, &table->rows[i]);
    int status = CLI_OK;
    if (fclose(cells) == 0) {
        cli_table_print(stdout, text);
        print_notes(stdout, table);
    } else {
        status = cli_failure(table->request->command, "out of memory");
    }
    free(text);
    return status;
}

static int print_json_row(const comparison *table, const comparison_row *row) {
    char *options = NULL;
    size_t size;
    FILE *out = open_memstream(&options, &size);
    if (!out)
        return cli_failure(table->request->command, "out of memory");
    print_row_options(out, table, row);
    if (fclose(out) != 0) {
        free(options);
        return cli_failure(table->request->command, "out of memory");
    }
    if (row->schedule) {
        plan_print_json_members(stdout, table->request, row->schedule, &row->cost);
    } else {
        printf("\"kind\": \"%s\", \"steps\": %" PRIu64 ", \"impossible\": ", verso_kind_word(row->spec.kind),
               row->spec.steps);
        cli_json_string(stdout, row->error.message);
    }
    fputs(", \"options\": ", stdout);
    cli_json_string(stdout, options[0] == ' ' ? options + 1 : options);
    free(options);
    return CLI_OK;
}

static int print_json(const comparison *table) {
    fputs("[", stdout);
    for (size_t i = 0; i < table->row_count; i++) {
        fputs(i ? ",\n {" : "{", stdout);
        int status = print_json_row(table, &table->rows[i]);
        if (status != CLI_OK)
            return status;
        fputs("}", stdout);
    }
    fputs("]\n", stdout);
    return CLI_OK;
}

/* Computes all rows. Fails if memory is exhausted, which must not be reported as "impossible" in a row. */
static int fill_table(comparison *table) {
    for (int kind = 0; kind < VERSO_KIND_COUNT; kind++) {
        add_row(table, (verso_schedule_kind)kind, false);
        if (kind == VERSO_KIND_ONLINE)
            add_row(table, VERSO_KIND_ONLINE, true);
    }
    for (size_t i = 0; i < table->row_count; i++)
        if (!table->rows[i].schedule && table->rows[i].error.status == VERSO_STATUS_NO_MEMORY)
            return cli_library_error(table->request->command, VERSO_STATUS_NO_MEMORY, &table->rows[i].error);
    return CLI_OK;
}

int plan_print_comparison(const plan_request *request) {
    plan_rule rule = {
        .needs = PLAN_BIT(PLAN_STEPS) | PLAN_BIT(PLAN_SLOTS),
        .takes = PLAN_BIT(PLAN_COMPARE) | PLAN_BIT(PLAN_LEVELS) | PLAN_BIT(PLAN_DISTANCE) | PLAN_BIT(PLAN_INTERVAL) |
                 PLAN_BIT(PLAN_ADJOINT_DISTANCE) | PLAN_BIT(PLAN_LEAF) | PLAN_BIT(PLAN_SPACE) | PLAN_BIT(PLAN_TIME) |
                 PLAN_BIT(PLAN_LOG) | PLAN_BIT(PLAN_SPLIT),
    };
    int status = plan_check_options(request, rule, "--compare");
    if (status != CLI_OK)
        return status;
    comparison *table = calloc(1, sizeof *table);
    if (!table)
        return cli_failure(request->command, "out of memory");
    table->request = request;
    table->base = request->spec;
    status = choose_defaults(table);
    if (status == CLI_OK)
        status = fill_table(table);
    if (status == CLI_OK)
        status = request->json ? print_json(table) : print_table(table);
    for (size_t i = 0; i < table->row_count; i++)
        verso_schedule_free(table->rows[i].schedule);
    free(table);
    return status;
}
