/* libFuzzer target: reads arbitrary bytes as the note of a lock, as they are and with magic, version and checksum
 * corrected. The result is within the limits that `verso status` relies on. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/words.h"
#include "drive/journal_record.h"
#include "drive/lock.h"

enum { NOTE_SIZE = 208 + 2 * 8 + 8 * VERSO_COUNTS_WORDS };

static void require(bool holds) {
    if (!holds)
        abort();
}

static bool run(const unsigned char *bytes, size_t size) {
    verso__lock_note note;
    if (!verso__lock_parse(bytes, size, &note)) {
        require(note.pid == 0 && note.host[0] == '\0' && note.updated == 0);
        return false;
    }
    require(memchr(note.host, '\0', sizeof note.host) != NULL && isfinite(note.updated));
    require(note.progress.phase <= VERSO_PHASE_DONE && isfinite(note.progress.seconds) &&
            isfinite(note.progress.seconds_at_risk) && isfinite(note.progress.seconds_left) &&
            isfinite(note.counts.seconds));
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)run(data, size);
    if (size < NOTE_SIZE)
        return 0;
    unsigned char bytes[NOTE_SIZE], *at = bytes;
    memcpy(bytes, data, NOTE_SIZE);
    verso__put_word(&at, 0x6b636c6f73726576);
    verso__put_word(&at, 2);
    at = bytes + NOTE_SIZE - VERSO_WORD;
    verso__put_word(&at, verso__checksum(bytes, NOTE_SIZE - VERSO_WORD));
    (void)run(bytes, NOTE_SIZE);
    return 0;
}
