/* Prints the status of a durable VLAD program. Its directory has a folder for each checkpoint-*j and, while the steps
 * of one are being counted, a file with the count. Derivatives that are done are only counted, because a program may
 * take thousands. */
#include "base/text.h"
#include "cli/status.h"
#include "vlad/record.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

typedef unsigned long long number;

static bool has_file(const char *directory, const char *name) {
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/%s", directory, name);
    return length > 0 && (size_t)length < sizeof path && access(path, F_OK) == 0;
}

bool status_is_vlad(const char *directory) {
    return !has_file(directory, "journal") && (has_file(directory, "effects") || has_file(directory, "effects-hybrid"));
}

/* True if the program has ended: its file `place` then holds no state to continue from. */
static bool has_ended(const char *directory) {
    char path[4096];
    vlad_record record;
    bool there;
    (void)snprintf(path, sizeof path, "%s/place", directory);
    bool ended = vlad_record_read(path, &record, &there, NULL) == VERSO_STATUS_OK && there && record.bytes == NULL;
    vlad_record_free(&record);
    return ended;
}

/* Sets *steps to the number of steps counted so far. Returns false if there is no count. */
static bool read_count(const char *directory, number run, number *steps) {
    char path[4096];
    vlad_record record;
    bool there;
    (void)snprintf(path, sizeof path, "%s/%llu.count", directory, run);
    bool read = vlad_record_read(path, &record, &there, NULL) == VERSO_STATUS_OK && there && record.word_count > 0;
    *steps = read ? record.words[0] : 0;
    vlad_record_free(&record);
    return read;
}

static void print_json(FILE *out, const char *path, bool known, const verso_run_status *status, number steps) {
    if (known)
        status_print_json(out, path, status);
    else
        fprintf(out, "{\"state\": \"counting\", \"steps_counted\": %llu}\n", steps);
}

static void print_page(FILE *out, const char *path, number run, bool known, const verso_run_status *status,
                       number steps) {
    fprintf(out, "\nderivative %llu\n", run);
    if (known)
        status_print_page(out, path, status);
    else
        fprintf(out, "counting its steps: %llu so far\n", steps);
}

void status_print_vlad(FILE *out, const char *directory, bool json) {
    char path[4096];
    number done = 0, steps;
    bool ended = has_ended(directory), first = true;
    if (json)
        fprintf(out, "{\"program\": \"vlad\", \"ended\": %s, \"derivatives\": [\n", ended ? "true" : "false");
    else
        fprintf(out, "a VLAD program, %s\n", ended ? "which has ended" : "which has not ended");
    for (number run = 1;; run++) {
        verso_run_status status = VERSO_RUN_STATUS_INIT;
        int length = snprintf(path, sizeof path, "%s/%llu", directory, run);
        if (length < 0 || (size_t)length >= sizeof path)
            break;
        bool known = verso_run_status_read(path, &status, NULL) == VERSO_STATUS_OK,
             counted = read_count(directory, run, &steps);
        if (!known && !counted)
            break;
        done += known && status.done;
        if (json) {
            fputs(first ? "" : ",\n", out);
            print_json(out, path, known, &status, steps);
        } else if (!known || !status.done)
            print_page(out, path, run, known, &status, steps);
        first = false;
    }
    if (json)
        fputs("]}\n", out);
    else
        fprintf(out, "%s%llu derivative%s (checkpoint-*j) done\n", done > 0 && ended ? "" : "\n", done,
                done == 1 ? "" : "s");
}
