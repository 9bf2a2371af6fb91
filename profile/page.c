/* See page.h. */
#include "profile/page.h"

#include "base/page.h"
#include "profile/profile.h"
#include "profile/sites.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

static const char style[] =
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.8rem;margin:1.2rem 0 "
    "0;padding:0}\n"
    ".facts div{border:1px solid var(--rule);border-radius:.5rem;padding:.5rem .8rem}\n"
    ".facts dt{color:var(--soft);font-size:.85rem}.facts dd{margin:0;font-size:1.25rem}\n"
    ".facts small{display:block;color:var(--soft);font-size:.75rem}h1{overflow-wrap:anywhere}\n"
    ".scroll{overflow-x:auto}p{max-width:48rem}.soft{color:var(--soft)}td{white-space:nowrap}\n"
    "code{font-size:.95em}th span{color:var(--soft);overflow-wrap:anywhere}tbody th{min-width:8rem}\n"
    "@media (max-width:40rem){main{padding:1rem}th,td{padding-right:.7rem}table{font-size:.9rem}}\n";

/* ---- Numbers ---- */

static verso__number with_sign(char sign, verso__number number) {
    memmove(number.text + 1, number.text, sizeof number.text - 1); /* the text has room for one more character */
    number.text[0] = sign;
    return number;
}

verso__number verso__bytes_change(int64_t bytes) {
    if (bytes == 0)
        return (verso__number){"0"};
    uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
    return with_sign(bytes < 0 ? '-' : '+', verso__grouped(size));
}

verso__number verso__seconds_change(double seconds) {
    return seconds == 0 ? (verso__number){"0"} : with_sign(seconds < 0 ? '-' : '+', verso__duration(fabs(seconds)));
}

/* ---- Parts ---- */

static void write_fact(verso__text *text, const char *what, const char *value) {
    verso__text_print(text, "<div><dt>%s</dt><dd>%s</dd></div>\n", what, value);
}

/* Writes a number of bytes with a unit, and the exact number below it. */
static void write_exact(verso__text *text, const char *what, uint64_t bytes) {
    verso__text_print(text, "<div><dt>%s</dt><dd>%s", what, verso__bytes((double)bytes).text);
    verso__text_print(text, "<small>%s bytes</small></dd></div>\n", verso__grouped(bytes).text);
}

/* Writes a difference of bytes with a unit, and the exact number as a tooltip. */
static void write_change(verso__text *text, int64_t bytes) {
    verso__number size = verso__bytes(fabs((double)bytes));
    verso__text_print(text, "<td title=\"%s bytes\">%s</td>", verso__bytes_change(bytes).text,
                      bytes == 0 ? size.text : with_sign(bytes < 0 ? '-' : '+', size).text);
}

static void write_row(verso__text *text, const verso_profile *profile, const verso__effect *effect) {
    const verso_site *site = &profile->sites[effect->site];
    verso__text_string(text, "<tr><th scope=\"row\"><code>");
    verso__text_escaped(text, site->caller);
    verso__text_string(text, " &rarr; ");
    verso__text_escaped(text, site->callee);
    verso__text_string(text, "</code> <span>");
    verso__text_escaped(text, site->where);
    if (verso__site_is_one_of_several(profile->sites, profile->count, effect->site))
        verso__text_print(text, "#%llu", (unsigned long long)site->number);
    verso__text_print(text, "</span></th><td>%s</td>", site->never ? "" : verso__grouped(effect->calls).text);
    if (site->never || site->always) {
        verso__text_print(text, "<td>%s</td><td></td><td></td></tr>\n", site->never ? "never" : "always");
        return;
    }
    verso__text_print(text, "<td>%s</td>", verso__seconds_change(effect->seconds).text);
    write_change(text, effect->turn_bytes);
    write_change(text, effect->peak_bytes);
    verso__text_string(text, "</tr>\n");
}

static void write_group(const verso__profile_view *view, verso__effect_group group, verso__text *text) {
    bool begun = false;
    for (size_t i = 0; i < view->profile->count; i++) {
        if (view->effects[i].group != group)
            continue;
        if (!begun)
            verso__text_print(text,
                              "<h2>%s</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\">call</th><th "
                              "scope=\"col\">calls</th><th scope=\"col\">time</th><th scope=\"col\">memory at the "
                              "turn</th><th scope=\"col\">memory at the peak</th></tr></thead>\n<tbody>\n",
                              verso__effect_heading(group));
        begun = true;
        write_row(text, view->profile, &view->effects[i]);
    }
    if (begun)
        verso__text_string(text, "</tbody>\n</table>\n</div>\n");
}

static void write_groups(const verso__profile_view *view, verso__text *text) {
    for (int group = 0; group < VERSO_EFFECT_GROUPS; group++)
        write_group(view, (verso__effect_group)group, text);
    verso__text_string(
        text, "<p class=\"soft\">Each line shows what switching that one call alone would change. Bytes are those of "
              "recordings and snapshots, and exact; times are sums of measured ones.</p>\n");
}

static void begin(verso__text *text, const char *what, const char *program, const char *lead) {
    verso__page_begin(text);
    verso__text_string(text, style);
    verso__text_string(text, verso__tuning_chart_style);
    verso__page_title(text);
    verso__text_print(text, "%s: ", what);
    verso__text_escaped(text, program);
    verso__page_main(text);
    verso__text_print(text, "<h1>%s of <code>", what);
    verso__text_escaped(text, program);
    verso__text_print(text, "</code></h1>\n<p class=\"lead\">%s</p>\n<dl class=\"facts\">\n", lead);
}

static void write_part(verso__text *text, const verso_profile *profile) {
    char share[32];
    snprintf(share, sizeof share, "%.2g %%", 100 / (1 + profile->run.beyond));
    write_fact(text, "part of the run that was profiled", share);
}

/* ---- Pages ---- */

verso_status verso__profile_html(const verso__profile_view *view, verso_sink sink, void *context) {
    verso__text text = {.sink = sink, .context = context};
    begin(&text, "Profile", view->program, "What checkpointing each call costs and saves in one gradient.");
    write_fact(&text, "time", verso__duration(view->cost.seconds).text);
    write_fact(&text, "peak", verso__bytes((double)view->cost.peak_bytes).text);
    write_fact(&text, "memory in all", verso__bytes((double)view->cost.memory_bytes).text);
    write_fact(&text, "at the turn", verso__bytes((double)view->cost.turn_bytes).text);
    if (view->profile->run.cut)
        write_part(&text, view->profile);
    write_fact(&text, "calls in the program", verso__grouped(view->profile->count).text);
    verso__text_string(&text, "</dl>\n");
    write_groups(view, &text);
    verso__page_end(&text);
    return verso__text_close(&text);
}

verso_status verso__tuning_html(const verso__profile_view *view, const verso__tuning *tuning,
                                const verso_profile_cost *measured, verso_sink sink, void *context) {
    verso__text text = {.sink = sink, .context = context};
    begin(&text, "Tuning", view->program,
          "The fastest choice of checkpointed calls within a budget, from one profile, and what it took.");
    write_fact(&text, "budget", verso__bytes((double)tuning->memory).text);
    write_fact(&text, "strategy", verso__tune_word(tuning->strategy));
    write_exact(&text, tuning->plan.memory > 0 ? "memory at most" : "memory predicted", tuning->cost.memory_bytes);
    write_exact(&text, "memory measured", measured->memory_bytes);
    write_exact(&text, "of it recordings and snapshots", measured->peak_bytes);
    write_fact(&text, "time predicted", verso__duration(tuning->cost.seconds).text);
    write_fact(&text, "time measured", verso__duration(measured->seconds).text);
    if (tuning->verdict.compared) {
        write_fact(&text, "time with VERSO_MEMORY alone", verso__duration(tuning->verdict.plain.seconds).text);
        write_fact(&text, "handed out", tuning->verdict.plain_better ? "VERSO_MEMORY alone" : "the choice");
    }
    if (tuning->plan.leaf > 0) {
        write_fact(&text, "steps of a schedule, about", verso__grouped(tuning->planned.steps).text);
        write_fact(&text, "capsules at a time", verso__grouped(tuning->planned.slots).text);
    }
    verso__text_string(&text, "</dl>\n<h2>Choices: peak against time</h2>\n");
    verso__tuning_chart(tuning, measured, &text);
    write_groups(view, &text);
    verso__page_end(&text);
    return verso__text_close(&text);
}
