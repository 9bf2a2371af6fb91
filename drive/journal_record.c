/* Encodes and decodes the parts of a journal. The header is magic, version, XXH3-64 of both. A record consists of
 * 64-bit words, little-endian, and two byte strings:
 *
 *   record     length of the payload, type, number, payload, XXH3-128 of all these, seeded with the previous record's
 *
 *   Payloads by type:
 *   head       program[2], run[2], base[2], started, capsule_size, adjoint_size, places[8], length of the reason,
 *              the reason's bytes
 *   commit     number, flags, adjoint, working; pending: kind, tier, slot, from, to; counts: six wide numbers,
 *              recovered_capsules, writes[8], reads[8], adjoint_stores, reached, seconds; length of the cursor,
 *              length of the list; the list: tier, slot, from, to of each slot; the cursor's bytes
 *   continued  from, date, pid
 *   earlier    commits, restarts
 *
 * A valid checksum is not enough, since anyone can compute one: decoding compares counts with the length, array
 * indices and enumerators with their limits, and requires doubles to be finite. A forged journal is therefore safe
 * to read. */
#include "drive/journal_record.h"

#include "base/alloc.h"
#include "base/checksum.h"

#include <math.h>

static const uint64_t magic = 0x6c6e726a6f737276; /* "vrsojrnl" */

enum {
    FORMAT_VERSION = 3,
    LIVE_WORDS = 4,
    LIVE_SIZE = LIVE_WORDS * VERSO_WORD,
    HEAD_WORDS = 6 + 3 + VERSO_TIERS_MAX + 1,
    PENDING_WORDS = 5,
    COMMIT_WORDS = 4 + PENDING_WORDS + VERSO_COUNTS_WORDS + 2,
    FLAG_SUSPENDED = 1,
    FLAG_DONE = 2,
};
_Static_assert(VERSO_TIERS_MAX == 8,
               "the format has eight places, writes and reads: another number is another version");

/* ---- The file ---- */

void verso__journal_put_header(unsigned char header[VERSO_JOURNAL_HEADER]) {
    unsigned char *at = header;
    verso__put_word(&at, magic);
    verso__put_word(&at, FORMAT_VERSION);
    verso__put_word(&at, verso__checksum(header, 2 * VERSO_WORD));
}

verso_status verso__journal_check_header(const unsigned char *bytes, size_t size, const char *path,
                                         verso_error *error) {
    verso__words words = {.at = bytes, .left = size};
    uint64_t found = verso__take_word(&words), version = verso__take_word(&words), sum = verso__take_word(&words);
    if (words.over || found != magic)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "'%s' is not a journal of Verso", path);
    if (sum != verso__checksum(bytes, 2 * VERSO_WORD))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the journal '%s' is damaged in its first bytes", path);
    if (version > FORMAT_VERSION)
        return verso__fail(error, VERSO_STATUS_CORRUPT,
                           "a newer Verso wrote the journal '%s' (format %llu; this one reads %d); use the newer one",
                           path, (unsigned long long)version, FORMAT_VERSION);
    if (version != FORMAT_VERSION)
        return verso__fail(error, VERSO_STATUS_CORRUPT, "the journal '%s' has format %llu; this Verso reads only %d",
                           path, (unsigned long long)version, FORMAT_VERSION);
    return VERSO_STATUS_OK;
}

/* ---- Frames ---- */

void verso__record_seal(unsigned char *record, verso__record_type type, uint64_t number, size_t payload_size,
                        verso_identity *chain) {
    unsigned char *at = record;
    verso__put_word(&at, payload_size);
    verso__put_word(&at, (uint64_t)type);
    verso__put_word(&at, number);
    at += payload_size;
    *chain = verso__checksum_chain(*chain, record, VERSO_RECORD_BEFORE + payload_size);
    verso__put_identity(&at, *chain);
}

bool verso__record_open(const unsigned char *bytes, size_t size, uint64_t number, verso_identity *chain,
                        verso__record *record) {
    if (size < VERSO_RECORD_FRAME)
        return false;
    verso__words words = {.at = bytes, .left = size};
    uint64_t length = verso__take_word(&words);
    record->type = verso__take_word(&words);
    if (length > size - VERSO_RECORD_FRAME || verso__take_word(&words) != number)
        return false;
    record->payload = words.at;
    record->payload_size = (size_t)length;
    words.at += record->payload_size;
    words.left -= record->payload_size;
    verso_identity expected = verso__checksum_chain(*chain, bytes, VERSO_RECORD_BEFORE + record->payload_size);
    if (!verso__identity_equal(verso__take_identity(&words), expected))
        return false;
    *chain = expected;
    return true;
}

/* A damaged length could claim anything, so it is compared with the lengths inside a commit. Records of other types
 * are shorter than a commit's fixed part. */
bool verso__record_may_be_torn(const unsigned char *bytes, size_t size, uint64_t number) {
    size_t fixed = COMMIT_WORDS * VERSO_WORD;
    if (size < VERSO_RECORD_BEFORE + fixed)
        return true;
    verso__words words = {.at = bytes, .left = size};
    uint64_t length = verso__take_word(&words), type = verso__take_word(&words), place = verso__take_word(&words);
    words.at += fixed - 2 * VERSO_WORD;
    uint64_t cursor_size = verso__take_word(&words), live_count = verso__take_word(&words);
    return type == VERSO_RECORD_COMMIT && place == number && length >= fixed && length >= size - VERSO_RECORD_FRAME &&
           live_count <= (length - fixed) / LIVE_SIZE && cursor_size == length - fixed - live_count * LIVE_SIZE;
}

static verso__words words_of(const verso__record *record) {
    return (verso__words){.at = record->payload, .left = record->payload_size};
}

/* ---- Head ---- */

static size_t reason_length(const verso__journal_head *head) {
    const char *end = memchr(head->reason, '\0', VERSO_REASON_MAX - 1);
    return end != NULL ? (size_t)(end - head->reason) : VERSO_REASON_MAX - 1;
}

size_t verso__record_head_size(const verso__journal_head *head) {
    return HEAD_WORDS * VERSO_WORD + reason_length(head);
}

void verso__record_put_head(unsigned char *payload, const verso__journal_head *head) {
    unsigned char *at = payload;
    verso__put_identity(&at, head->program);
    verso__put_identity(&at, head->run);
    verso__put_identity(&at, head->base);
    verso__put_double(&at, head->started);
    verso__put_word(&at, head->capsule_size);
    verso__put_word(&at, head->adjoint_size);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        verso__put_word(&at, (uint64_t)head->places[i]);
    size_t length = reason_length(head);
    verso__put_word(&at, length);
    memcpy(at, head->reason, length);
}

bool verso__record_get_head(const verso__record *record, verso__journal_head *head) {
    verso__words words = words_of(record);
    *head = (verso__journal_head){0};
    head->program = verso__take_identity(&words);
    head->run = verso__take_identity(&words);
    head->base = verso__take_identity(&words);
    head->started = verso__take_double(&words);
    head->capsule_size = verso__take_word(&words);
    head->adjoint_size = verso__take_word(&words);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        uint64_t place = verso__take_word(&words);
        if (place > VERSO_PLACE_FILES)
            return false;
        head->places[i] = (verso_place)place;
    }
    uint64_t length = verso__take_word(&words);
    if (words.over || length != words.left || length >= VERSO_REASON_MAX || !isfinite(head->started))
        return false;
    if (memchr(words.at, '\0', words.left) != NULL)
        return false;
    memcpy(head->reason, words.at, words.left);
    return true;
}

/* ---- Commit ---- */

/* Cannot overflow, because list and cursor are both in memory. */
size_t verso__record_commit_size(const verso__commit *commit) {
    return COMMIT_WORDS * VERSO_WORD + commit->live_count * LIVE_SIZE + commit->cursor_size;
}

static void put_action(unsigned char **at, const verso_action *action) {
    verso__put_word(at, (uint64_t)action->kind);
    verso__put_word(at, action->tier);
    verso__put_word(at, action->slot);
    verso__put_word(at, action->from);
    verso__put_word(at, action->to);
}

/* Also checks that `from` and `to` are in the order that the kind requires. */
static bool get_action(verso__words *words, verso_action *action) {
    uint64_t kind = verso__take_word(words), tier = verso__take_word(words);
    if (kind > VERSO_ACTION_DONE || tier >= VERSO_TIERS_MAX)
        return false;
    action->kind = (verso_action_kind)kind;
    action->tier = (uint32_t)tier;
    action->slot = verso__take_word(words);
    action->from = verso__take_word(words);
    action->to = verso__take_word(words);
    switch (action->kind) {
    case VERSO_ACTION_ADVANCE:
    case VERSO_ACTION_RECORD: return action->from <= action->to;
    case VERSO_ACTION_REVERSE:
    case VERSO_ACTION_SWEEP: return action->from >= action->to;
    default: return true;
    }
}

void verso__put_counts(unsigned char **at, const verso__counts *counts) {
    verso__put_wide(at, counts->work_forward);
    verso__put_wide(at, counts->work_reversed);
    verso__put_wide(at, counts->forward_steps);
    verso__put_wide(at, counts->reversed_steps);
    verso__put_wide(at, counts->recovered_steps);
    verso__put_wide(at, counts->lost_steps);
    verso__put_word(at, counts->recovered_capsules);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        verso__put_word(at, counts->writes[i]);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        verso__put_word(at, counts->reads[i]);
    verso__put_word(at, counts->adjoint_stores);
    verso__put_word(at, counts->reached);
    verso__put_double(at, counts->seconds);
}

bool verso__take_counts(verso__words *words, verso__counts *counts) {
    counts->work_forward = verso__take_wide(words);
    counts->work_reversed = verso__take_wide(words);
    counts->forward_steps = verso__take_wide(words);
    counts->reversed_steps = verso__take_wide(words);
    counts->recovered_steps = verso__take_wide(words);
    counts->lost_steps = verso__take_wide(words);
    counts->recovered_capsules = verso__take_word(words);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        counts->writes[i] = verso__take_word(words);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        counts->reads[i] = verso__take_word(words);
    counts->adjoint_stores = verso__take_word(words);
    counts->reached = verso__take_word(words);
    counts->seconds = verso__take_double(words);
    return isfinite(counts->seconds);
}

static bool get_live(verso__words *words, verso__live *live) {
    uint64_t tier = verso__take_word(words);
    live->tier = (uint32_t)tier;
    live->slot = verso__take_word(words);
    live->from = verso__take_word(words);
    live->to = verso__take_word(words);
    return tier < VERSO_TIERS_MAX && live->from <= live->to;
}

void verso__record_put_commit(unsigned char *payload, const verso__commit *commit, bool done) {
    unsigned char *at = payload;
    verso__put_word(&at, commit->number);
    verso__put_word(&at, (commit->suspended ? FLAG_SUSPENDED : 0) | (done ? FLAG_DONE : 0));
    verso__put_word(&at, commit->adjoint);
    verso__put_word(&at, commit->working);
    put_action(&at, &commit->pending);
    verso__put_counts(&at, &commit->counts);
    verso__put_word(&at, commit->cursor_size);
    verso__put_word(&at, commit->live_count);
    for (size_t i = 0; i < commit->live_count; i++) {
        verso__put_word(&at, commit->live[i].tier);
        verso__put_word(&at, commit->live[i].slot);
        verso__put_word(&at, commit->live[i].from);
        verso__put_word(&at, commit->live[i].to);
    }
    if (commit->cursor_size > 0)
        memcpy(at, commit->cursor, commit->cursor_size);
}

/* Reads everything except the list and the cursor; `words` is then at the list. */
static bool get_fixed(verso__words *words, verso__commit *commit, bool *done) {
    commit->number = verso__take_word(words);
    uint64_t flags = verso__take_word(words);
    commit->adjoint = verso__take_word(words);
    commit->working = verso__take_word(words);
    if (!get_action(words, &commit->pending) || !verso__take_counts(words, &commit->counts))
        return false;
    uint64_t cursor_size = verso__take_word(words), live_count = verso__take_word(words);
    if (words->over || flags > (FLAG_SUSPENDED | FLAG_DONE))
        return false;
    if (live_count > words->left / LIVE_SIZE || cursor_size != words->left - live_count * LIVE_SIZE)
        return false;
    commit->suspended = (flags & FLAG_SUSPENDED) != 0;
    commit->cursor_size = (size_t)cursor_size;
    commit->live_count = (size_t)live_count;
    *done = (flags & FLAG_DONE) != 0;
    return !*done || commit->adjoint == 0;
}

bool verso__record_get_commit(const verso__record *record, verso__commit *commit, bool *done) {
    verso__words words = words_of(record);
    *commit = (verso__commit){0};
    if (!get_fixed(&words, commit, done))
        return false;
    for (size_t i = 0; i < commit->live_count; i++) {
        verso__live live;
        if (!get_live(&words, &live))
            return false;
    }
    commit->cursor = words.at;
    return true;
}

verso_status verso__record_own_commit(const verso__record *record, verso__commit *commit, verso_error *error) {
    size_t list_size = commit->live_count * sizeof(verso__live);
    unsigned char *block = verso__alloc(1, list_size + commit->cursor_size);
    if (block == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for a restart point of %zu bytes",
                           record->payload_size);
    verso__live *live = (verso__live *)(void *)block;
    verso__words words = {.at = record->payload + COMMIT_WORDS * VERSO_WORD, .left = commit->live_count * LIVE_SIZE};
    for (size_t i = 0; i < commit->live_count; i++)
        (void)get_live(&words, &live[i]); /* cannot fail: it was checked when the commit was read */
    memcpy(block + list_size, commit->cursor, commit->cursor_size);
    commit->live = live;
    commit->cursor = block + list_size;
    return VERSO_STATUS_OK;
}

void verso__record_disown_commit(verso__commit *commit) {
    verso__dealloc((void *)commit->live);
    *commit = (verso__commit){0};
}

/* ---- Continued ---- */

void verso__record_put_continued(unsigned char *payload, const verso__continued *continued) {
    unsigned char *at = payload;
    verso__put_word(&at, continued->from);
    verso__put_double(&at, continued->date);
    verso__put_word(&at, continued->pid);
}

bool verso__record_get_continued(const verso__record *record, verso__continued *continued) {
    if (record->payload_size != VERSO_RECORD_CONTINUED_SIZE)
        return false;
    verso__words words = words_of(record);
    continued->from = verso__take_word(&words);
    continued->date = verso__take_double(&words);
    continued->pid = verso__take_word(&words);
    return isfinite(continued->date);
}

/* ---- Earlier ---- */

void verso__record_put_earlier(unsigned char *payload, const verso__earlier *earlier) {
    unsigned char *at = payload;
    verso__put_word(&at, earlier->commits);
    verso__put_word(&at, earlier->restarts);
}

/* Also checks that counting on from these numbers cannot overflow. */
bool verso__record_get_earlier(const verso__record *record, verso__earlier *earlier) {
    if (record->payload_size != VERSO_RECORD_EARLIER_SIZE)
        return false;
    verso__words words = words_of(record);
    earlier->commits = verso__take_word(&words);
    earlier->restarts = verso__take_word(&words);
    return earlier->commits <= INT64_MAX && earlier->restarts <= INT64_MAX;
}
