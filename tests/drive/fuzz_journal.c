/* libFuzzer target: reads arbitrary bytes as a journal. Reading neither crashes nor leaks; trusted records are within
 * the limits that drive/ relies on, and are trusted again if the rest is cut off.
 *
 * Each input is tried as it is, and with its header, lengths (if too long), numbers and chain of checksums corrected,
 * so that the checks after them are reached. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/words.h"
#include "drive/journal_record.h"

static void require(bool holds) {
    if (!holds)
        abort();
}

static void check_commit(const verso__commit *commit) {
    require(commit->pending.kind <= VERSO_ACTION_DONE && commit->pending.tier < VERSO_TIERS_MAX);
    require(isfinite(commit->counts.seconds));
    uint64_t sum = 0; /* every byte is there to be read */
    for (size_t i = 0; i < commit->live_count; i++) {
        require(commit->live[i].tier < VERSO_TIERS_MAX && commit->live[i].from <= commit->live[i].to);
        sum += commit->live[i].slot;
    }
    for (size_t i = 0; i < commit->cursor_size; i++)
        sum += commit->cursor[i];
    static volatile uint64_t sink;
    sink = sum;
    (void)sink;
}

static void check(const verso__journal_contents *contents, size_t size) {
    require(contents->bytes == size && contents->trusted <= size && contents->trusted > VERSO_JOURNAL_HEADER);
    require(contents->commit_count <= VERSO_COMMITS_KEPT && contents->records > 0);
    require(memchr(contents->head.reason, '\0', VERSO_REASON_MAX) != NULL && isfinite(contents->head.started));
    for (size_t i = 0; i < VERSO_TIERS_MAX; i++)
        require(contents->head.places[i] <= VERSO_PLACE_FILES);
    for (size_t i = 0; i < contents->commit_count; i++) {
        check_commit(&contents->commits[i]);
        require(contents->commits[i].number + i == contents->commits[0].number);
    }
    require(!contents->done || (contents->commit_count > 0 && contents->commits[0].adjoint == 0));
}

static void run(const unsigned char *bytes, size_t size) {
    verso__journal_contents contents, again;
    verso_error error;
    verso_status status = verso__journal_parse(bytes, size, "journal", &contents, &error);
    if (status != VERSO_STATUS_OK) {
        require(status == VERSO_STATUS_CORRUPT && contents.commit_count == 0);
        return;
    }
    check(&contents, size);
    require(verso__journal_parse(bytes, (size_t)contents.trusted, "journal", &again, &error) == VERSO_STATUS_OK);
    require(again.trusted == contents.trusted && again.commit_count == contents.commit_count &&
            again.records == contents.records && again.done == contents.done && again.restarts == contents.restarts &&
            verso__identity_equal(again.chain, contents.chain));
    verso__journal_contents_free(&again);
    verso__journal_contents_free(&contents);
}

static void run_repaired(const uint8_t *data, size_t size) {
    if (size < VERSO_JOURNAL_HEADER + VERSO_RECORD_FRAME)
        return;
    unsigned char *bytes = malloc(size);
    if (bytes == NULL)
        return;
    memcpy(bytes, data, size);
    verso__journal_put_header(bytes);
    verso_identity chain = verso__checksum_wide(bytes, VERSO_JOURNAL_HEADER);
    size_t at = VERSO_JOURNAL_HEADER;
    for (uint64_t number = 0; size - at >= VERSO_RECORD_FRAME; number++) {
        const unsigned char *frame = bytes + at;
        uint64_t most = size - at - VERSO_RECORD_FRAME, length = verso__get_word(&frame),
                 type = verso__get_word(&frame);
        if (length > most)
            length %= most + 1;
        verso__record_seal(bytes + at, (verso__record_type)(type > 5 ? 1 + type % 4 : type), number, (size_t)length,
                           &chain);
        at += VERSO_RECORD_FRAME + (size_t)length;
    }
    run(bytes, size);
    free(bytes);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    run(data, size);
    run_repaired(data, size);
    return 0;
}
