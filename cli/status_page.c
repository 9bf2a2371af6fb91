/* `verso status`: prints the status of a run for reading. Unknown values are omitted. */
#include "base/wide.h"
#include "cli/number.h"
#include "cli/status.h"

#include <inttypes.h>
#include <time.h>

static void begin_line(FILE *out, const char *name) {
    fprintf(out, "  %-16s", name);
}

/* Prints a count and a noun: "1 step", "2 steps". */
static void print_counted(FILE *out, verso__wide count, const char *what) {
    cli_print_grouped(out, count);
    fprintf(out, " %s%s", what, count == 1 ? "" : "s");
}

/* Prints a duration in at most two units, such as "3 h 20 min". */
static void print_duration(FILE *out, double seconds) {
    if (seconds < 9.95) {
        fprintf(out, "%.1f s", seconds > 0 ? seconds : 0);
        return;
    }
    if (seconds >= 1e15) {
        fputs("more than 10 million years", out);
        return;
    }
    uint64_t whole = (uint64_t)(seconds + 0.5), minutes = whole / 60, hours = minutes / 60, days = hours / 24;
    if (minutes == 0)
        fprintf(out, "%" PRIu64 " s", whole);
    else if (hours == 0)
        fprintf(out, "%" PRIu64 " min %" PRIu64 " s", minutes, whole % 60);
    else if (days == 0)
        fprintf(out, "%" PRIu64 " h %" PRIu64 " min", hours, minutes % 60);
    else
        fprintf(out, "%" PRIu64 " d %" PRIu64 " h", days, hours % 24);
}

static void print_date(FILE *out, double date) {
    time_t when = date >= 0 && date < 1e11 ? (time_t)date : 0;
    struct tm parts;
    char text[64];
    if (when == 0 || !localtime_r(&when, &parts) || strftime(text, sizeof text, "%Y-%m-%d %H:%M:%S %z", &parts) == 0)
        fputs("at an unknown time", out);
    else
        fputs(text, out);
}

/* Prints a text from a file with '?' for control characters, which could disturb the terminal. */
static void print_plain(FILE *out, const char *text) {
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || *text == 0x7f ? '?' : *text, out);
}

/* ---- The schedule ---- */

static void print_parameter(FILE *out, const char *name, uint64_t value) {
    if (value == 0)
        return;
    fprintf(out, ", %s ", name);
    if (value == VERSO_UNKNOWN)
        fputs("without limit", out);
    else
        cli_print_grouped(out, value);
}

static void print_schedule(FILE *out, const verso_run_status *status) {
    const verso_schedule_spec *spec = &status->spec;
    begin_line(out, "schedule");
    if (status->commits == 0) {
        fputs("not known before the first restart point\n", out);
        return;
    }
    fprintf(out, "%s: %s\n", verso_kind_word(spec->kind), verso_kind_meaning(spec->kind));
    begin_line(out, "");
    if (status->last.steps == VERSO_UNKNOWN)
        fputs("steps not known yet", out);
    else
        print_counted(out, status->last.steps, "step");
    print_parameter(out, "slots", spec->slots);
    print_parameter(out, "distance", spec->distance);
    print_parameter(out, "adjoint distance", spec->adjoint_distance);
    print_parameter(out, "snapshots", spec->space);
    print_parameter(out, "repetitions", spec->time);
    for (size_t i = 0; i < spec->tier_count; i++)
        print_parameter(out, i ? "then" : "tiers of", spec->tiers[i].capacity);
    fputc('\n', out);
    if (status->reason[0]) {
        begin_line(out, "chosen because");
        print_plain(out, status->reason);
        fputc('\n', out);
    }
}

/* ---- Progress ---- */

static void print_state(FILE *out, const verso_run_status *status) {
    begin_line(out, "state");
    fputs(status_word(status), out);
    if (status->running && status->pid != 0)
        fprintf(out, ": process %" PRIu64 " on %s", status->pid, status->host[0] ? status->host : "an unknown host");
    if (!status->running && !status->done) {
        bool anew = status->commits == 0;
        fputs("; run the program again to ", out);
        fputs(anew ? "begin anew" : status->suspended ? "continue" : "continue from the last restart point", out);
    }
    fputc('\n', out);
}

static void print_place(FILE *out, const verso_progress *at) {
    begin_line(out, at->phase == VERSO_PHASE_FORWARD ? "forward" : "reverse");
    if (at->phase == VERSO_PHASE_DONE) {
        fputs("complete: the adjoint of step 0 is computed", out);
    } else {
        fputs(at->phase == VERSO_PHASE_FORWARD ? "at step " : "adjoint at step ", out);
        cli_print_grouped(out, at->phase == VERSO_PHASE_FORWARD ? at->reached : at->adjoint);
        if (at->steps != VERSO_UNKNOWN) {
            fputs(" of ", out);
            cli_print_grouped(out, at->steps);
        }
    }
    fputc('\n', out);
    begin_line(out, "work");
    if (at->work_total > 0) /* rounded down, so that an unfinished run never shows 100 % */
        fprintf(out, "%s%.1Lf %%: ", at->steps == VERSO_UNKNOWN ? "about " : "",
                (long double)(uint64_t)((long double)at->work_done / (long double)at->work_total * 1000) / 10);
    cli_print_grouped(out, at->work_done);
    if (at->work_total > 0) {
        fputs(at->steps == VERSO_UNKNOWN ? " of about " : " of ", out);
        cli_print_grouped(out, at->work_total);
    }
    fputs(" steps, forward and reversed\n", out);
}

static void print_time(FILE *out, const verso_run_status *status) {
    begin_line(out, "begun");
    print_date(out, status->started);
    fputc('\n', out);
    begin_line(out, "computing");
    print_duration(out, status->now.seconds);
    fputs(" so far", out);
    if (!status->done && status->now.seconds_left >= 0) {
        fputs(", about ", out);
        print_duration(out, status->now.seconds_left);
        fputs(" left", out);
    }
    fputc('\n', out);
}

/* ---- Restart points and files ---- */

static void print_risk(FILE *out, const verso_run_status *status) {
    begin_line(out, "restart points");
    cli_print_grouped(out, status->commits);
    if (status->restarts > 0) {
        fputs("; continued ", out);
        print_counted(out, status->restarts, "time");
    }
    fputc('\n', out);
    if (!status->running)
        return;
    begin_line(out, "if it died now");
    if (status->updated > 0) {
        print_counted(out, status->now.steps_at_risk, "step");
        fputs(" and ", out);
        print_duration(out, status->now.seconds_at_risk);
        fputs(" would be lost", out);
    } else {
        fputs("not known yet: the process has not reported its progress", out);
    }
    fputc('\n', out);
}

static void print_files(FILE *out, const verso_run_status *status) {
    begin_line(out, "capsules");
    print_counted(out, status->state_capsules, "state");
    fputs(" and ", out);
    print_counted(out, status->adjoint_capsules, "adjoint");
    fputs(" on disk\n", out);
    begin_line(out, "journal");
    print_counted(out, status->journal_bytes, "byte");
    if (status->journal_damaged_at == VERSO_UNKNOWN) {
        fputs(", undamaged\n", out);
        return;
    }
    fprintf(out, ", torn or damaged from byte %" PRIu64 " on; the run continues from the part before it\n",
            status->journal_damaged_at);
}

void status_print_page(FILE *out, const char *directory, const verso_run_status *status) {
    fprintf(out, "%s\n\n", directory);
    print_schedule(out, status);
    print_state(out, status);
    print_place(out, &status->now);
    print_time(out, status);
    print_risk(out, status);
    print_files(out, status);
}
