/* See page.h. */
#include "profile/page.h"

#include "base/page.h"
#include "profile/profile.h"
#include "profile/sites.h"

#include <math.h>
#include <string.h>

static const char style[] =
    ".facts{display:grid;grid-template-columns:repeat(auto-fit,minmax(9.5rem,1fr));gap:.8rem;margin:1.2rem 0 "
    "0;padding:0}\n"
    ".facts div{border:1px solid var(--rule);border-radius:.5rem;padding:.5rem .8rem}\n"
    ".facts dt{color:var(--soft);font-size:.85rem}.facts dd{margin:0;font-size:1.25rem}\n"
    ".scroll{overflow-x:auto}p{max-width:48rem}.soft{color:var(--soft)}td{white-space:nowrap}\n"
    "code{font-size:.95em}th span{color:var(--soft)}\n"
    "@media (max-width:40rem){main{padding:1rem}th,td{padding-right:.7rem}table{font-size:.9rem}}\n";

/* ---- Numbers ---- */

static verso_number with_sign(char sign, verso_number number) {
    memmove(number.text + 1, number.text, sizeof number.text - 1); /* numbers are shorter than their room */
    number.text[0] = sign;
    return number;
}

verso_number verso_bytes_change(int64_t bytes) {
    if (bytes == 0)
        return (verso_number){"0"};
    uint64_t size = bytes < 0 ? 0 - (uint64_t)bytes : (uint64_t)bytes;
    return with_sign(bytes < 0 ? '-' : '+', verso_grouped(size));
}

verso_number verso_seconds_change(double seconds) {
    return seconds == 0 ? (verso_number){"0"} : with_sign(seconds < 0 ? '-' : '+', verso_duration(fabs(seconds)));
}

/* ---- Parts ---- */

static void write_fact(verso_text *text, const char *what, const char *value) {
    verso_text_print(text, "<div><dt>%s</dt><dd>%s</dd></div>\n", what, value);
}

static void write_row(verso_text *text, const verso_profile *profile, const verso_effect *effect) {
    const verso_site *site = &profile->sites[effect->site];
    verso_text_string(text, "<tr><th scope=\"row\"><code>");
    verso_text_escaped(text, site->caller);
    verso_text_string(text, " &rarr; ");
    verso_text_escaped(text, site->callee);
    verso_text_string(text, "</code> <span>");
    verso_text_escaped(text, site->where);
    if (verso_site_is_one_of_several(profile->sites, profile->count, effect->site))
        verso_text_print(text, "#%llu", (unsigned long long)site->number);
    verso_text_print(text, "</span></th><td>%s</td>", verso_grouped(effect->calls).text);
    verso_text_print(text, "<td>%s</td><td>%s</td><td>%s</td></tr>\n", verso_seconds_change(effect->seconds).text,
                     verso_bytes_change(effect->turn_bytes).text, verso_bytes_change(effect->peak_bytes).text);
}

static void write_group(const verso_profile_view *view, verso_effect_group group, verso_text *text) {
    bool begun = false;
    for (size_t i = 0; i < view->profile->count; i++) {
        if (view->effects[i].group != group)
            continue;
        if (!begun)
            verso_text_print(text,
                             "<h2>%s</h2>\n<div class=\"scroll\">\n<table>\n<thead><tr><th scope=\"col\">call</th><th "
                             "scope=\"col\">calls</th><th scope=\"col\">time</th><th scope=\"col\">bytes at the "
                             "turn</th><th scope=\"col\">bytes at the peak</th></tr></thead>\n<tbody>\n",
                             verso_effect_heading(group));
        begun = true;
        write_row(text, view->profile, &view->effects[i]);
    }
    if (begun)
        verso_text_string(text, "</tbody>\n</table>\n</div>\n");
}

static void write_groups(const verso_profile_view *view, verso_text *text) {
    for (int group = 0; group < VERSO_EFFECT_GROUPS; group++)
        write_group(view, (verso_effect_group)group, text);
    verso_text_string(text,
                      "<p class=\"soft\">Each line: what switching that one call alone would change. Bytes are of "
                      "recordings and snapshots, and exact; times are measured ones, added up.</p>\n");
}

static void begin(verso_text *text, const char *what, const char *program, const char *lead) {
    verso_page_begin(text);
    verso_text_string(text, style);
    verso_text_string(text, verso_tuning_chart_style);
    verso_page_title(text);
    verso_text_print(text, "%s: ", what);
    verso_text_escaped(text, program);
    verso_page_main(text);
    verso_text_print(text, "<h1>%s of <code>", what);
    verso_text_escaped(text, program);
    verso_text_print(text, "</code></h1>\n<p class=\"lead\">%s</p>\n<dl class=\"facts\">\n", lead);
}

/* ---- Pages ---- */

verso_status verso_profile_html(const verso_profile_view *view, verso_sink sink, void *context) {
    verso_text text = {.sink = sink, .context = context};
    begin(&text, "Profile", view->program, "What checkpointing each call costs and saves in one gradient.");
    write_fact(&text, "time", verso_duration(view->cost.seconds).text);
    write_fact(&text, "peak", verso_bytes((double)view->cost.peak_bytes).text);
    write_fact(&text, "memory in all", verso_bytes((double)view->cost.memory_bytes).text);
    write_fact(&text, "at the turn", verso_bytes((double)view->cost.turn_bytes).text);
    write_fact(&text, "calls in the program", verso_grouped(view->profile->count).text);
    verso_text_string(&text, "</dl>\n");
    write_groups(view, &text);
    verso_page_end(&text);
    return verso_text_close(&text);
}

verso_status verso_tuning_html(const verso_profile_view *view, const verso_tuning *tuning,
                               const verso_profile_cost *measured, verso_sink sink, void *context) {
    verso_text text = {.sink = sink, .context = context};
    begin(&text, "Tuning", view->program,
          "The fastest choice of checkpointed calls within a budget, from one profile, and what it took.");
    write_fact(&text, "budget", verso_bytes((double)tuning->memory).text);
    write_fact(&text, "strategy", verso_tune_word(tuning->strategy));
    write_fact(&text, tuning->plan.memory > 0 ? "memory at most" : "memory predicted",
               verso_grouped(tuning->cost.memory_bytes).text);
    write_fact(&text, "memory measured", verso_grouped(measured->memory_bytes).text);
    write_fact(&text, "of it recordings and snapshots", verso_grouped(measured->peak_bytes).text);
    write_fact(&text, "time predicted", verso_duration(tuning->cost.seconds).text);
    write_fact(&text, "time measured", verso_duration(measured->seconds).text);
    if (tuning->plan.leaf > 0) {
        write_fact(&text, "steps of a schedule, about", verso_grouped(tuning->planned.steps).text);
        write_fact(&text, "capsules at a time", verso_grouped(tuning->planned.slots).text);
    }
    verso_text_string(&text, "</dl>\n<h2>Choices: peak against time</h2>\n");
    verso_tuning_chart(tuning, measured, &text);
    write_groups(view, &text);
    verso_page_end(&text);
    return verso_text_close(&text);
}
