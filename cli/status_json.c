/* `verso status --json`: prints the status of a run as JSON. Unknown values are null; counts are exact. */
#include "base/wide.h"
#include "cli/json.h"
#include "cli/number.h"
#include "cli/status.h"

#include <inttypes.h>

static void print_count(FILE *out, const char *name, verso__wide value) {
    fprintf(out, ", \"%s\": ", name);
    cli_print_wide(out, value);
}

static void print_known(FILE *out, const char *name, uint64_t value) {
    if (value == VERSO_UNKNOWN)
        fprintf(out, ", \"%s\": null", name);
    else
        print_count(out, name, value);
}

/* Prints durations and dates with millisecond resolution. All are finite: drive/ checks them when it reads the journal.
 */
static void print_seconds(FILE *out, const char *name, double value, bool known) {
    if (known)
        fprintf(out, ", \"%s\": %.3f", name, value);
    else
        fprintf(out, ", \"%s\": null", name);
}

static void print_bool(FILE *out, const char *name, bool value) {
    fprintf(out, ", \"%s\": %s", name, value ? "true" : "false");
}

static void print_schedule(FILE *out, const verso_schedule_spec *spec) {
    fputs(", \"schedule\": {\"kind\": ", out);
    cli_json_string(out, verso_kind_word(spec->kind));
    print_known(out, "steps", spec->steps);
    print_count(out, "slots", spec->slots);
    print_count(out, "forward_cost", spec->forward_cost);
    print_count(out, "backward_cost", spec->backward_cost);
    print_count(out, "write_cost", spec->write_cost);
    print_count(out, "read_cost", spec->read_cost);
    print_bool(out, "with_disk", spec->with_disk);
    print_count(out, "distance", spec->distance);
    print_count(out, "adjoint_distance", spec->adjoint_distance);
    print_count(out, "leaf", spec->leaf);
    print_count(out, "space", spec->space);
    print_count(out, "time", spec->time);
    fprintf(out, ", \"split\": \"%s\", \"tiers\": [", verso_split_word(spec->split));
    for (size_t i = 0; i < spec->tier_count; i++) {
        fprintf(out, "%s{\"write_cost\": %" PRIu64, i ? ", " : "", spec->tiers[i].write_cost);
        print_count(out, "read_cost", spec->tiers[i].read_cost);
        print_known(out, "capacity", spec->tiers[i].capacity);
        fputc('}', out);
    }
    fputs("]}", out);
}

static void print_progress(FILE *out, const char *name, const verso_progress *progress) {
    static const char *const phases[] = {"forward", "reverse", "done"};
    fprintf(out, ", \"%s\": {\"phase\": \"%s\"", name, phases[progress->phase]);
    print_known(out, "steps", progress->steps);
    print_count(out, "reached", progress->reached);
    print_known(out, "adjoint", progress->adjoint);
    print_count(out, "work_done", progress->work_done);
    if (progress->work_total == 0 && progress->steps == VERSO_UNKNOWN)
        fputs(", \"work_total\": null", out);
    else
        print_count(out, "work_total", progress->work_total);
    print_count(out, "steps_at_risk", progress->steps_at_risk);
    print_seconds(out, "seconds", progress->seconds, true);
    print_seconds(out, "seconds_at_risk", progress->seconds_at_risk, true);
    print_seconds(out, "seconds_left", progress->seconds_left, progress->seconds_left >= 0);
    print_count(out, "memory", progress->memory);
    fputc('}', out);
}

void status_print_json(FILE *out, const char *directory, const verso_run_status *status) {
    fputs("{\"directory\": ", out);
    cli_json_string(out, directory);
    fprintf(out, ", \"state\": \"%s\"", status_word(status));
    print_bool(out, "done", status->done);
    print_bool(out, "suspended", status->suspended);
    print_bool(out, "running", status->running);
    print_known(out, "pid", status->pid == 0 ? VERSO_UNKNOWN : status->pid);
    fputs(", \"host\": ", out);
    if (status->host[0])
        cli_json_string(out, status->host);
    else
        fputs("null", out);
    print_seconds(out, "started", status->started, true);
    print_seconds(out, "updated", status->updated, status->updated > 0);
    fprintf(out, ", \"program\": \"%016" PRIx64 "%016" PRIx64 "\"", status->program.words[1], status->program.words[0]);
    print_count(out, "restarts", status->restarts);
    print_count(out, "commits", status->commits);
    if (status->commits > 0)
        print_schedule(out, &status->spec);
    else
        fputs(", \"schedule\": null", out); /* unknown before the first restart point, which records it */
    fputs(", \"reason\": ", out);
    cli_json_string(out, status->reason);
    print_progress(out, "last", &status->last);
    print_progress(out, "now", &status->now);
    print_count(out, "journal_bytes", status->journal_bytes);
    print_known(out, "journal_damaged_at", status->journal_damaged_at);
    print_count(out, "state_capsules", status->state_capsules);
    print_count(out, "adjoint_capsules", status->adjoint_capsules);
    fputs("}\n", out);
}
