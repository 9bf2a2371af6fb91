/* `verso plan --json`: prints the cost of a schedule as JSON. Numbers are printed with all their digits, because counts
 * may exceed 64 bits; JSON itself does not limit numbers. */
#include "cli/json.h"
#include "cli/number.h"
#include "cli/plan.h"
#include "schedule/cost.h"

static void print_wides(FILE *out, const char *name, const verso__wide *values, size_t count) {
    fprintf(out, ", \"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        cli_print_wide(out, values[i]);
    }
    fputc(']', out);
}

static void print_member(FILE *out, const char *name, verso__wide value, unsigned decimals) {
    fprintf(out, ", \"%s\": ", name);
    cli_print_decimal(out, value, decimals, false);
}

void plan_print_json_members(FILE *out, const plan_request *request, const verso_schedule *schedule,
                             const verso__cost *cost) {
    size_t tiers = verso_schedule_tiers(schedule);
    verso__wide peaks[VERSO_TIERS_MAX];
    for (size_t i = 0; i < tiers; i++)
        peaks[i] = cost->peak_slots[i];

    fputs("\"kind\": ", out);
    cli_json_string(out, verso_kind_word(verso_schedule_get_spec(schedule)->kind));
    print_member(out, "steps", cost->steps, 0);
    print_member(out, "forward_steps", cost->forward_steps, 0);
    print_member(out, "recorded_steps", cost->recorded_steps, 0);
    print_member(out, "makespan", cost->makespan, request->decimals);
    print_wides(out, "writes", cost->writes, tiers);
    print_wides(out, "reads", cost->reads, tiers);
    print_wides(out, "peak_slots", peaks, tiers);
    print_member(out, "repetition", cost->repetition, 0);

    fputs(", \"tiers\": [", out);
    for (size_t i = 0; i < tiers; i++) {
        fputs(i ? ", " : "", out);
        cli_json_string(out, verso_schedule_tier_name(schedule, i));
    }
    fputc(']', out);
    print_member(out, "adjoint_stores", cost->adjoint_stores, 0);
    print_member(out, "longest_recording", cost->longest_recording, 0);
    print_member(out, "least_makespan", cost->least_makespan, request->decimals);
    print_member(out, "free_distance", cost->free_distance, 0);
    if (cost->period == VERSO_UNKNOWN)
        fputs(", \"period\": null", out);
    else
        print_member(out, "period", cost->period, 0);
}
