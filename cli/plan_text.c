/* `verso plan`: prints the cost of a schedule for reading. Lines that do not apply to its kind are omitted. */
#include "cli/number.h"
#include "cli/plan.h"
#include "cli/table.h"
#include "schedule/cost.h"

#include <math.h>
#include <stdlib.h>

static void print_count(FILE *out, const char *name, verso__wide value, const char *meaning) {
    fprintf(out, "  %-18s", name);
    cli_print_grouped(out, value);
    fprintf(out, "%s\n", meaning);
}

/* Prints the makespan and its distance from the lower bound, which is rounded up so that it is never understated. */
static void print_makespan(FILE *out, const plan_request *request, const verso__cost *cost) {
    fputs("  makespan          ", out);
    cli_print_decimal(out, cost->makespan, request->decimals, true);
    if (cost->least_makespan != 0 && cost->least_makespan >= cost->makespan) {
        fputs(" (optimal)", out);
    } else if (cost->least_makespan != 0) {
        long double excess = (long double)(cost->makespan - cost->least_makespan) / (long double)cost->least_makespan;
        fprintf(out, " (within %.2Lf %% of the proven lower bound)", ceill(excess * 10000) / 100);
    }
    fputc('\n', out);
}

static void print_tiers(FILE *out, const verso_schedule *schedule, const verso__cost *cost) {
    char *text = NULL;
    size_t size;
    FILE *cells = open_memstream(&text, &size);
    if (!cells) {
        fputs("  (out of memory of tiers)\n", out);
        return;
    }
    fputs("tier\twrites\treads\tpeak slots\n", cells);
    for (size_t tier = 0; tier < verso_schedule_tiers(schedule); tier++) {
        fprintf(cells, "%s\t", verso_schedule_tier_name(schedule, tier));
        cli_print_grouped(cells, cost->writes[tier]);
        fputc('\t', cells);
        cli_print_grouped(cells, cost->reads[tier]);
        fputc('\t', cells);
        cli_print_grouped(cells, cost->peak_slots[tier]);
        fputc('\n', cells);
    }
    if (fclose(cells) == 0) {
        fputc('\n', out);
        cli_table_print(out, text);
    }
    free(text);
}

static void print_forward(FILE *out, const verso__cost *cost) {
    fputs("  forward steps     ", out);
    cli_print_grouped(out, cost->forward_steps);
    if (cost->steps > 0) {
        fputs(" (", out);
        cli_print_ratio(out, cost->forward_steps, cost->steps);
        fputs(" passes)", out);
    }
    fputc('\n', out);
}

void plan_print_summary(FILE *out, const plan_request *request, const verso_schedule *schedule,
                        const verso__cost *cost) {
    const verso_schedule_spec *spec = verso_schedule_get_spec(schedule);
    fprintf(out, "%s: %s\n\n", verso_kind_word(spec->kind), verso_kind_meaning(spec->kind));
    print_count(out, "steps", cost->steps, "");
    if (request->given & PLAN_BIT(PLAN_SLOTS))
        print_count(out, "slots", spec->slots, "");
    print_forward(out, cost);
    print_count(out, "recorded steps", cost->recorded_steps, "");
    if (cost->longest_recording > 1)
        print_count(out, "longest recording", cost->longest_recording, " steps at once");
    print_makespan(out, request, cost);
    print_count(out, "repetition", cost->repetition, "");
    if (cost->adjoint_stores)
        print_count(out, "adjoint stores", cost->adjoint_stores, "");
    if (cost->free_distance)
        print_count(out, "free distance", cost->free_distance, " (the smallest that costs no additional forward step)");
    if (cost->period == VERSO_UNKNOWN)
        fputs("  period            none (the disk never pays)\n", out);
    else if (cost->period)
        print_count(out, "period", cost->period, "");
    print_tiers(out, schedule, cost);
}
