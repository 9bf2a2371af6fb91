/* Sites and what switching them would change: the tables of `verso profile` and `verso tune`, and their JSON. */
#include "cli/profile.h"

#include "cli/message.h"
#include "cli/table.h"
#include "profile/sites.h"

#include <stdlib.h>

/* Table cells are ASCII: what is not in a name is shown by a question mark, which does not move the cursor either. */
static void print_plain(FILE *out, const char *text) {
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f ? '?' : *text, out);
}

static void print_row(FILE *cells, const profile_task *task, const verso_effect *effect) {
    const verso_site *site = &task->sites[effect->site];
    print_plain(cells, site->caller);
    fputs(" > ", cells);
    print_plain(cells, site->callee);
    fputs(", ", cells);
    print_plain(cells, site->where);
    if (verso_site_is_one_of_several(task->sites, task->profile->count, effect->site))
        fprintf(cells, "#%llu", (unsigned long long)site->number);
    fprintf(cells, "\t%s\t%s\t%s\t%s\n", verso_grouped(effect->calls).text, verso_seconds_change(effect->seconds).text,
            verso_bytes_change(effect->turn_bytes).text, verso_bytes_change(effect->peak_bytes).text);
}

/* Returns how many were not called: they have no row. */
static size_t print_rows(FILE *cells, const profile_task *task) {
    int group = -1;
    for (size_t i = 0; i < task->profile->count; i++) {
        const verso_effect *effect = &task->view.effects[i];
        if (effect->group == VERSO_EFFECT_NEVER)
            return task->profile->count - i;
        if ((int)effect->group != group)
            fprintf(cells, "\n%s:\n", verso_effect_heading(effect->group));
        group = (int)effect->group;
        print_row(cells, task, effect);
    }
    return 0;
}

/* One table for all groups, so that their columns are as wide. */
int profile_print_groups(FILE *out, const profile_task *task) {
    char *text = NULL;
    size_t size;
    FILE *cells = open_memstream(&text, &size);
    if (!cells)
        return cli_failure(task->command, "no memory for the table");
    fputs("call\tcalls\ttime\tbytes at the turn\tat the peak\n", cells);
    size_t never = print_rows(cells, task);
    int status = CLI_OK;
    if (fclose(cells) == 0) {
        fputc('\n', out);
        cli_table_print(out, text);
        if (never > 0)
            fprintf(out, "\n  %zu more %s not called.\n", never, never == 1 ? "was" : "were");
    } else {
        status = cli_failure(task->command, "no memory for the table");
    }
    free(text);
    return status;
}

void profile_put_sites(verso_json *json, const profile_task *task) {
    verso_json_open(json, "sites", '[');
    for (size_t i = 0; i < task->profile->count; i++) {
        const verso_effect *effect = &task->view.effects[i];
        const verso_site *site = &task->sites[effect->site];
        verso_json_open(json, NULL, '{');
        verso_json_string(json, "caller", site->caller);
        verso_json_string(json, "callee", site->callee);
        verso_json_string(json, "where", site->where);
        verso_json_wide(json, "number", site->number);
        verso_json_bool(json, "on", site->on);
        verso_json_string(json, "group", verso_effect_word(effect->group));
        verso_json_wide(json, "calls", effect->calls);
        verso_json_double(json, "seconds_change", effect->seconds);
        verso_json_double(json, "turn_bytes_change", (double)effect->turn_bytes);
        verso_json_double(json, "peak_bytes_change", (double)effect->peak_bytes);
        verso_json_close(json, '}');
    }
    verso_json_close(json, ']');
}
