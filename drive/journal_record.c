/* The parts of a journal as bytes. The header is magic · version · XXH3-64 of both. A record is 64-bit words,
 * little-endian, and two runs of plain bytes:
 *
 *   length of the payload · type · number · payload · XXH3-128 of all of these, seeded with that of the record before
 *
 *   head       program[2] run[2] base[2] started capsule_size adjoint_size places[8] · length of the reason, its bytes
 *   commit     number flags adjoint working · pending: kind tier slot from to · counts: five wide, recovered_capsules,
 *              writes[8] reads[8] adjoint_stores reached seconds · length of the cursor, length of the list ·
 *              the list: tier slot from to each · the cursor's bytes
 *   continued  from date pid
 *   earlier    commits restarts
 *
 * A checksum that fits is not believed blindly: counts are held against the length, numbers that will index arrays and
 * enumerations against their limits, and doubles must be finite. So no reader is led astray by what is in a journal,
 * whoever wrote it. */
#include "drive/journal_record.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/words.h"

#include <math.h>

static const uint64_t magic = 0x6c6e726a6f737276; /* "vrsojrnl" */

enum {
    FORMAT_VERSION = 2,
    LIVE_WORDS = 4,
    LIVE_SIZE = LIVE_WORDS * VERSO_WORD,
    HEAD_WORDS = 6 + 3 + VERSO_TIERS_MAX + 1,
    PENDING_WORDS = 5,
    COUNTS_WORDS = 5 * 2 + 1 + 2 * VERSO_TIERS_MAX + 3,
    COMMIT_WORDS = 4 + PENDING_WORDS + COUNTS_WORDS + 2,
    FLAG_SUSPENDED = 1,
    FLAG_DONE = 2,
};
_Static_assert(VERSO_TIERS_MAX == 8,
               "the format has eight places, writes and reads: another number is another version");

/* ---- The file ---- */

void verso_journal_put_header(unsigned char header[VERSO_JOURNAL_HEADER]) {
    unsigned char *at = header;
    verso_put_word(&at, magic);
    verso_put_word(&at, FORMAT_VERSION);
    verso_put_word(&at, verso_checksum(header, 2 * VERSO_WORD));
}

verso_status verso_journal_check_header(const unsigned char *bytes, size_t size, const char *path, verso_error *error) {
    verso_words words = {.at = bytes, .left = size};
    uint64_t found = verso_take_word(&words), version = verso_take_word(&words), sum = verso_take_word(&words);
    if (words.over || found != magic)
        return verso_fail(error, VERSO_CORRUPT, "'%s' is not a journal of Verso", path);
    if (sum != verso_checksum(bytes, 2 * VERSO_WORD))
        return verso_fail(error, VERSO_CORRUPT, "the journal '%s' is damaged in its first bytes", path);
    if (version > FORMAT_VERSION)
        return verso_fail(error, VERSO_CORRUPT,
                          "a newer Verso wrote the journal '%s' (format %llu, this one reads %d); use that one", path,
                          (unsigned long long)version, FORMAT_VERSION);
    if (version != FORMAT_VERSION)
        return verso_fail(error, VERSO_CORRUPT, "the journal '%s' has format %llu; this Verso reads only %d", path,
                          (unsigned long long)version, FORMAT_VERSION);
    return VERSO_OK;
}

/* ---- Frames ---- */

void verso_record_seal(unsigned char *record, verso_record_type type, uint64_t number, size_t payload_size,
                       verso_identity *chain) {
    unsigned char *at = record;
    verso_put_word(&at, payload_size);
    verso_put_word(&at, (uint64_t)type);
    verso_put_word(&at, number);
    at += payload_size;
    *chain = verso_checksum_chain(*chain, record, VERSO_RECORD_BEFORE + payload_size);
    verso_put_identity(&at, *chain);
}

bool verso_record_open(const unsigned char *bytes, size_t size, uint64_t number, verso_identity *chain,
                       verso_record *record) {
    if (size < VERSO_RECORD_FRAME)
        return false;
    verso_words words = {.at = bytes, .left = size};
    uint64_t length = verso_take_word(&words);
    record->type = verso_take_word(&words);
    if (length > size - VERSO_RECORD_FRAME || verso_take_word(&words) != number)
        return false;
    record->payload = words.at;
    record->payload_size = (size_t)length;
    words.at += record->payload_size;
    words.left -= record->payload_size;
    verso_identity expected = verso_checksum_chain(*chain, bytes, VERSO_RECORD_BEFORE + record->payload_size);
    if (!verso_identity_equal(verso_take_identity(&words), expected))
        return false;
    *chain = expected;
    return true;
}

/* A length that is itself damaged would claim anything: a commit says it twice. All others are shorter than that. */
bool verso_record_may_be_torn(const unsigned char *bytes, size_t size, uint64_t number) {
    size_t fixed = COMMIT_WORDS * VERSO_WORD;
    if (size < VERSO_RECORD_BEFORE + fixed)
        return true;
    verso_words words = {.at = bytes, .left = size};
    uint64_t length = verso_take_word(&words), type = verso_take_word(&words), place = verso_take_word(&words);
    words.at += fixed - 2 * VERSO_WORD;
    uint64_t cursor_size = verso_take_word(&words), live_count = verso_take_word(&words);
    return type == VERSO_RECORD_COMMIT && place == number && length >= fixed && length >= size - VERSO_RECORD_FRAME &&
           live_count <= (length - fixed) / LIVE_SIZE && cursor_size == length - fixed - live_count * LIVE_SIZE;
}

static verso_words words_of(const verso_record *record) {
    return (verso_words){.at = record->payload, .left = record->payload_size};
}

/* ---- Head ---- */

static size_t reason_length(const verso_journal_head *head) {
    const char *end = memchr(head->reason, '\0', VERSO_REASON_MAX - 1);
    return end != NULL ? (size_t)(end - head->reason) : VERSO_REASON_MAX - 1;
}

size_t verso_record_head_size(const verso_journal_head *head) {
    return HEAD_WORDS * VERSO_WORD + reason_length(head);
}

void verso_record_put_head(unsigned char *payload, const verso_journal_head *head) {
    unsigned char *at = payload;
    verso_put_identity(&at, head->program);
    verso_put_identity(&at, head->run);
    verso_put_identity(&at, head->base);
    verso_put_double(&at, head->started);
    verso_put_word(&at, head->capsule_size);
    verso_put_word(&at, head->adjoint_size);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        verso_put_word(&at, (uint64_t)head->places[i]);
    size_t length = reason_length(head);
    verso_put_word(&at, length);
    memcpy(at, head->reason, length);
}

bool verso_record_get_head(const verso_record *record, verso_journal_head *head) {
    verso_words words = words_of(record);
    *head = (verso_journal_head){0};
    head->program = verso_take_identity(&words);
    head->run = verso_take_identity(&words);
    head->base = verso_take_identity(&words);
    head->started = verso_take_double(&words);
    head->capsule_size = verso_take_word(&words);
    head->adjoint_size = verso_take_word(&words);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++) {
        uint64_t place = verso_take_word(&words);
        if (place > VERSO_PLACE_FILES)
            return false;
        head->places[i] = (verso_place)place;
    }
    uint64_t length = verso_take_word(&words);
    if (words.over || length != words.left || length >= VERSO_REASON_MAX || !isfinite(head->started))
        return false;
    if (memchr(words.at, '\0', words.left) != NULL)
        return false;
    memcpy(head->reason, words.at, words.left);
    return true;
}

/* ---- Commit ---- */

/* Both the list and the cursor lie in memory, so the sum of their sizes is a size. */
size_t verso_record_commit_size(const verso_commit *commit) {
    return COMMIT_WORDS * VERSO_WORD + commit->live_count * LIVE_SIZE + commit->cursor_size;
}

static void put_action(unsigned char **at, const verso_action *action) {
    verso_put_word(at, (uint64_t)action->kind);
    verso_put_word(at, action->tier);
    verso_put_word(at, action->slot);
    verso_put_word(at, action->from);
    verso_put_word(at, action->to);
}

/* Stretches go the way of their kind. */
static bool get_action(verso_words *words, verso_action *action) {
    uint64_t kind = verso_take_word(words), tier = verso_take_word(words);
    if (kind > VERSO_DONE || tier >= VERSO_TIERS_MAX)
        return false;
    action->kind = (verso_action_kind)kind;
    action->tier = (uint32_t)tier;
    action->slot = verso_take_word(words);
    action->from = verso_take_word(words);
    action->to = verso_take_word(words);
    switch (action->kind) {
    case VERSO_ADVANCE:
    case VERSO_RECORD: return action->from <= action->to;
    case VERSO_REVERSE:
    case VERSO_SWEEP: return action->from >= action->to;
    default: return true;
    }
}

static void put_counts(unsigned char **at, const verso_counts *counts) {
    verso_put_wide(at, counts->work_forward);
    verso_put_wide(at, counts->work_reversed);
    verso_put_wide(at, counts->forward_steps);
    verso_put_wide(at, counts->reversed_steps);
    verso_put_wide(at, counts->recovered_steps);
    verso_put_word(at, counts->recovered_capsules);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        verso_put_word(at, counts->writes[i]);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        verso_put_word(at, counts->reads[i]);
    verso_put_word(at, counts->adjoint_stores);
    verso_put_word(at, counts->reached);
    verso_put_double(at, counts->seconds);
}

static bool get_counts(verso_words *words, verso_counts *counts) {
    counts->work_forward = verso_take_wide(words);
    counts->work_reversed = verso_take_wide(words);
    counts->forward_steps = verso_take_wide(words);
    counts->reversed_steps = verso_take_wide(words);
    counts->recovered_steps = verso_take_wide(words);
    counts->recovered_capsules = verso_take_word(words);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        counts->writes[i] = verso_take_word(words);
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        counts->reads[i] = verso_take_word(words);
    counts->adjoint_stores = verso_take_word(words);
    counts->reached = verso_take_word(words);
    counts->seconds = verso_take_double(words);
    return isfinite(counts->seconds);
}

static bool get_live(verso_words *words, verso_live *live) {
    uint64_t tier = verso_take_word(words);
    live->tier = (uint32_t)tier;
    live->slot = verso_take_word(words);
    live->from = verso_take_word(words);
    live->to = verso_take_word(words);
    return tier < VERSO_TIERS_MAX && live->from <= live->to;
}

void verso_record_put_commit(unsigned char *payload, const verso_commit *commit, bool done) {
    unsigned char *at = payload;
    verso_put_word(&at, commit->number);
    verso_put_word(&at, (commit->suspended ? FLAG_SUSPENDED : 0) | (done ? FLAG_DONE : 0));
    verso_put_word(&at, commit->adjoint);
    verso_put_word(&at, commit->working);
    put_action(&at, &commit->pending);
    put_counts(&at, &commit->counts);
    verso_put_word(&at, commit->cursor_size);
    verso_put_word(&at, commit->live_count);
    for (size_t i = 0; i < commit->live_count; i++) {
        verso_put_word(&at, commit->live[i].tier);
        verso_put_word(&at, commit->live[i].slot);
        verso_put_word(&at, commit->live[i].from);
        verso_put_word(&at, commit->live[i].to);
    }
    if (commit->cursor_size > 0)
        memcpy(at, commit->cursor, commit->cursor_size);
}

/* All that is not list or cursor; the words then stand before the list. */
static bool get_fixed(verso_words *words, verso_commit *commit, bool *done) {
    commit->number = verso_take_word(words);
    uint64_t flags = verso_take_word(words);
    commit->adjoint = verso_take_word(words);
    commit->working = verso_take_word(words);
    if (!get_action(words, &commit->pending) || !get_counts(words, &commit->counts))
        return false;
    uint64_t cursor_size = verso_take_word(words), live_count = verso_take_word(words);
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

bool verso_record_get_commit(const verso_record *record, verso_commit *commit, bool *done) {
    verso_words words = words_of(record);
    *commit = (verso_commit){0};
    if (!get_fixed(&words, commit, done))
        return false;
    for (size_t i = 0; i < commit->live_count; i++) {
        verso_live live;
        if (!get_live(&words, &live))
            return false;
    }
    commit->cursor = words.at;
    return true;
}

verso_status verso_record_own_commit(const verso_record *record, verso_commit *commit, verso_error *error) {
    size_t list_size = commit->live_count * sizeof(verso_live);
    unsigned char *block = verso_alloc(1, list_size + commit->cursor_size);
    if (block == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for a restart point of %zu bytes", record->payload_size);
    verso_live *live = (verso_live *)(void *)block;
    verso_words words = {.at = record->payload + COMMIT_WORDS * VERSO_WORD, .left = commit->live_count * LIVE_SIZE};
    for (size_t i = 0; i < commit->live_count; i++)
        (void)get_live(&words, &live[i]); /* which held when the commit was read */
    memcpy(block + list_size, commit->cursor, commit->cursor_size);
    commit->live = live;
    commit->cursor = block + list_size;
    return VERSO_OK;
}

void verso_record_disown_commit(verso_commit *commit) {
    verso_dealloc((void *)commit->live);
    *commit = (verso_commit){0};
}

/* ---- Continued ---- */

void verso_record_put_continued(unsigned char *payload, const verso_continued *continued) {
    unsigned char *at = payload;
    verso_put_word(&at, continued->from);
    verso_put_double(&at, continued->date);
    verso_put_word(&at, continued->pid);
}

bool verso_record_get_continued(const verso_record *record, verso_continued *continued) {
    if (record->payload_size != VERSO_RECORD_CONTINUED_SIZE)
        return false;
    verso_words words = words_of(record);
    continued->from = verso_take_word(&words);
    continued->date = verso_take_double(&words);
    continued->pid = verso_take_word(&words);
    return isfinite(continued->date);
}

/* ---- Earlier ---- */

void verso_record_put_earlier(unsigned char *payload, const verso_earlier *earlier) {
    unsigned char *at = payload;
    verso_put_word(&at, earlier->commits);
    verso_put_word(&at, earlier->restarts);
}

/* What is counted on from here does not overflow. */
bool verso_record_get_earlier(const verso_record *record, verso_earlier *earlier) {
    if (record->payload_size != VERSO_RECORD_EARLIER_SIZE)
        return false;
    verso_words words = words_of(record);
    earlier->commits = verso_take_word(&words);
    earlier->restarts = verso_take_word(&words);
    return earlier->commits <= INT64_MAX && earlier->restarts <= INT64_MAX;
}
