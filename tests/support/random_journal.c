/* Implements random_journal.h. */
#include "tests/support/random_journal.h"
#include "base/wide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static uint64_t any_word(random_source *source) {
    switch (random_below(source, 4)) {
    case 0: return VERSO_UNKNOWN - random_below(source, 3);
    case 1: return random_below(source, 3);
    default: return random_below(source, VERSO_UNKNOWN) >> random_below(source, 64);
    }
}

static verso__wide any_wide(random_source *source) {
    return (verso__wide)any_word(source) << 64 | any_word(source);
}

static double any_double(random_source *source) {
    static const double edges[] = {0, -0.0, 1, -1, 1e300, 5e-324, 0.1};
    uint64_t choice = random_below(source, 2 * sizeof edges / sizeof *edges);
    return choice < sizeof edges / sizeof *edges ? edges[choice] : (double)any_word(source) / 1e6;
}

static verso_identity any_identity(random_source *source) {
    return (verso_identity){{any_word(source), any_word(source)}};
}

verso__journal_head random_head(random_source *source) {
    verso__journal_head head = {
        .program = any_identity(source),
        .run = any_identity(source),
        .base = any_identity(source),
        .started = any_double(source),
        .capsule_size = any_word(source),
        .adjoint_size = any_word(source),
    };
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        head.places[i] = (verso_place)random_below(source, 3);
    uint64_t length = random_below(source, 3) == 0 ? VERSO_REASON_MAX - 1 : random_below(source, VERSO_REASON_MAX);
    for (uint64_t i = 0; i < length; i++)
        head.reason[i] = (char)(1 + random_below(source, 127));
    return head;
}

static verso_action any_action(random_source *source) {
    verso_action action = {.kind = (verso_action_kind)random_below(source, VERSO_ACTION_DONE + 1),
                           .tier = (uint32_t)random_below(source, VERSO_TIERS_MAX),
                           .slot = any_word(source),
                           .from = any_word(source),
                           .to = any_word(source)};
    bool backwards = action.kind == VERSO_ACTION_REVERSE || action.kind == VERSO_ACTION_SWEEP;
    if ((action.from > action.to) != backwards) {
        uint64_t from = action.from;
        action.from = action.to;
        action.to = from;
    }
    return action;
}

static verso__counts any_counts(random_source *source) {
    verso__counts counts = {
        .work_forward = any_wide(source),
        .work_reversed = any_wide(source),
        .forward_steps = any_wide(source),
        .reversed_steps = any_wide(source),
        .recovered_steps = any_wide(source),
        .lost_steps = any_wide(source),
        .recovered_capsules = any_word(source),
        .adjoint_stores = any_word(source),
        .reached = any_word(source),
        .seconds = any_double(source),
    };
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        counts.writes[i] = any_word(source);
        counts.reads[i] = any_word(source);
    }
    return counts;
}

verso__commit random_commit(random_source *source, uint64_t number, size_t most_bytes) {
    verso__commit commit = {
        .number = number,
        .suspended = random_below(source, 4) == 0,
        .adjoint = any_word(source),
        .working = any_word(source),
        .pending = any_action(source),
        .counts = any_counts(source),
        .cursor_size = (size_t)random_below(source, most_bytes + 1),
        .live_count = (size_t)random_below(source, 5),
    };
    unsigned char *cursor = malloc(commit.cursor_size + 1);
    verso__live *live = calloc(commit.live_count + 1, sizeof *live);
    if (cursor == NULL || live == NULL) {
        fputs("random_commit: no memory\n", stderr);
        abort();
    }
    for (size_t i = 0; i < commit.cursor_size; i++)
        cursor[i] = (unsigned char)random_below(source, 256);
    for (size_t i = 0; i < commit.live_count; i++) {
        live[i] = (verso__live){(uint32_t)random_below(source, VERSO_TIERS_MAX), any_word(source), any_word(source), 0};
        live[i].to = live[i].from + random_below(source, VERSO_UNKNOWN - live[i].from);
    }
    commit.cursor = cursor;
    commit.live = live;
    return commit;
}

void random_commit_free(verso__commit *commit) {
    free((void *)commit->cursor);
    free((void *)commit->live);
    *commit = (verso__commit){0};
}

static bool same_identity(verso_identity a, verso_identity b) {
    return a.words[0] == b.words[0] && a.words[1] == b.words[1];
}

/* Compares bits, so that 0 differs from -0. */
static bool same_double(double a, double b) {
    return memcmp(&a, &b, sizeof a) == 0;
}

bool same_head(const verso__journal_head *a, const verso__journal_head *b) {
    return same_identity(a->program, b->program) && same_identity(a->run, b->run) && same_identity(a->base, b->base) &&
           same_double(a->started, b->started) && a->capsule_size == b->capsule_size &&
           a->adjoint_size == b->adjoint_size && memcmp(a->places, b->places, sizeof a->places) == 0 &&
           memcmp(a->reason, b->reason, sizeof a->reason) == 0;
}

static bool same_counts(const verso__counts *a, const verso__counts *b) {
    return a->work_forward == b->work_forward && a->work_reversed == b->work_reversed &&
           a->forward_steps == b->forward_steps && a->reversed_steps == b->reversed_steps &&
           a->recovered_steps == b->recovered_steps && a->lost_steps == b->lost_steps &&
           a->recovered_capsules == b->recovered_capsules && memcmp(a->writes, b->writes, sizeof a->writes) == 0 &&
           memcmp(a->reads, b->reads, sizeof a->reads) == 0 && a->adjoint_stores == b->adjoint_stores &&
           a->reached == b->reached && same_double(a->seconds, b->seconds);
}

static bool same_live(const verso__commit *a, const verso__commit *b) {
    if (a->live_count != b->live_count)
        return false;
    for (size_t i = 0; i < a->live_count; i++)
        if (a->live[i].tier != b->live[i].tier || a->live[i].slot != b->live[i].slot ||
            a->live[i].from != b->live[i].from || a->live[i].to != b->live[i].to)
            return false;
    return true;
}

bool same_commit(const verso__commit *a, const verso__commit *b) {
    const verso_action *p = &a->pending, *q = &b->pending;
    return a->number == b->number && a->suspended == b->suspended && a->adjoint == b->adjoint &&
           a->working == b->working && p->kind == q->kind && p->tier == q->tier && p->slot == q->slot &&
           p->from == q->from && p->to == q->to && same_counts(&a->counts, &b->counts) && same_live(a, b) &&
           a->cursor_size == b->cursor_size && memcmp(a->cursor, b->cursor, a->cursor_size) == 0;
}
