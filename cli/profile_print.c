/* Prints call sites and what switching them would change: the tables of `verso profile` and `verso tune`, and their
 * JSON. */
#include "cli/profile.h"

#include "cc/driver/demangle.h"
#include "cli/message.h"
#include "cli/table.h"
#include "profile/sites.h"

#include <stdlib.h>
#include <string.h>

/* Table cells must be ASCII: prints '?' for any other byte of a name, and for control characters. */
static void print_plain(FILE *out, const char *text) {
    for (; *text; text++)
        fputc((unsigned char)*text < ' ' || (unsigned char)*text >= 0x7f ? '?' : *text, out);
}

static void print_row(FILE *cells, const profile_task *task, const verso__effect *effect) {
    const verso_site *site = &task->sites[effect->site];
    print_plain(cells, site->caller);
    fputs(" > ", cells);
    print_plain(cells, site->callee);
    fputs(", ", cells);
    print_plain(cells, site->where);
    if (verso__site_is_one_of_several(task->sites, task->profile->count, effect->site))
        fprintf(cells, "#%llu", (unsigned long long)site->number);
    if (site->never || site->always)
        fprintf(cells, "\t%s\t%s\t\t\n", site->never ? "" : verso__grouped(effect->calls).text,
                site->never ? "never" : "always");
    else
        fprintf(cells, "\t%s\t%s\t%s\t%s\n", verso__grouped(effect->calls).text,
                verso__seconds_change(effect->seconds).text, verso__bytes_change(effect->turn_bytes).text,
                verso__bytes_change(effect->peak_bytes).text);
}

/* Prints a row per site that was called. Returns the number of sites that were not called. */
static size_t print_rows(FILE *cells, const profile_task *task) {
    int group = -1;
    for (size_t i = 0; i < task->profile->count; i++) {
        const verso__effect *effect = &task->view.effects[i];
        if (effect->group == VERSO_EFFECT_NEVER)
            return task->profile->count - i;
        if ((int)effect->group != group)
            fprintf(cells, "\n%s:\n", verso__effect_heading(effect->group));
        group = (int)effect->group;
        print_row(cells, task, effect);
    }
    return 0;
}

/* All groups are one table, so that their columns align. */
int profile_print_groups(FILE *out, const profile_task *task) {
    char *text = NULL;
    size_t size;
    FILE *cells = open_memstream(&text, &size);
    if (!cells)
        return cli_failure(task->command, "out of memory");
    fputs("call\tcalls\ttime\tbytes at the turn\tat the peak\n", cells);
    size_t never = print_rows(cells, task);
    int status = CLI_OK;
    bool made = fclose(cells) == 0;
    char *shown = made ? driver_demangled(text, false) : NULL;
    if (shown) {
        fputc('\n', out);
        cli_table_print(out, shown);
        if (never > 0)
            fprintf(out, "\n  %zu more %s not called.\n", never, never == 1 ? "was" : "were");
    } else {
        status = cli_failure(task->command, "out of memory");
    }
    free(shown);
    free(text);
    return status;
}

/* ---- Pages ---- */

/* Lets the library write the page to memory, then demangles the C++ names in it. */
verso_status profile_write_page(profile_page *write, const void *context, verso_sink sink, void *to) {
    char *text = NULL;
    size_t size;
    FILE *page = open_memstream(&text, &size);
    if (!page)
        return VERSO_STATUS_NO_MEMORY;
    verso_status status = write(context, profile_print, page);
    char *shown = fclose(page) == 0 && status == VERSO_STATUS_OK ? driver_demangled(text, true) : NULL;
    if (status == VERSO_STATUS_OK)
        status = shown ? sink(to, shown, strlen(shown)) : VERSO_STATUS_NO_MEMORY;
    free(shown);
    free(text);
    return status;
}

/* ---- JSON ---- */

void profile_put_sites(verso__json *json, const profile_task *task) {
    verso__json_open(json, "sites", '[');
    for (size_t i = 0; i < task->profile->count; i++) {
        const verso__effect *effect = &task->view.effects[i];
        const verso_site *site = &task->sites[effect->site];
        verso__json_open(json, NULL, '{');
        verso__json_string(json, "caller", site->caller);
        verso__json_string(json, "callee", site->callee);
        verso__json_string(json, "where", site->where);
        verso__json_wide(json, "number", site->number);
        verso__json_bool(json, "on", site->on);
        verso__json_string(json, "group", verso__effect_word(effect->group));
        verso__json_wide(json, "calls", effect->calls);
        verso__json_double(json, "seconds_change", effect->seconds);
        verso__json_double(json, "turn_bytes_change", (double)effect->turn_bytes);
        verso__json_double(json, "peak_bytes_change", (double)effect->peak_bytes);
        verso__json_close(json, '}');
    }
    verso__json_close(json, ']');
}
