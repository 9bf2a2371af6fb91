/* libFuzzer target: notes beside a lock, from anyone, as they are and with magic, version and checksum put right. What
 * is read keeps to the limits that `verso status` relies on. */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/checksum.h"
#include "base/words.h"
#include "drive/lock.h"

enum { NOTE_SIZE = 208 };

static void require(bool holds) {
    if (!holds)
        abort();
}

static bool run(const unsigned char *bytes, size_t size) {
    verso_lock_note note;
    if (!verso_lock_parse(bytes, size, &note)) {
        require(note.pid == 0 && note.host[0] == '\0' && note.updated == 0);
        return false;
    }
    require(memchr(note.host, '\0', sizeof note.host) != NULL && isfinite(note.updated));
    require(note.progress.phase <= VERSO_PHASE_DONE && isfinite(note.progress.seconds) &&
            isfinite(note.progress.seconds_at_risk) && isfinite(note.progress.seconds_left));
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    (void)run(data, size);
    if (size < NOTE_SIZE)
        return 0;
    unsigned char bytes[NOTE_SIZE], *at = bytes;
    memcpy(bytes, data, NOTE_SIZE);
    verso_put_word(&at, 0x6b636c6f73726576);
    verso_put_word(&at, 1);
    at = bytes + NOTE_SIZE - VERSO_WORD;
    verso_put_word(&at, verso_checksum(bytes, NOTE_SIZE - VERSO_WORD));
    (void)run(bytes, NOTE_SIZE);
    return 0;
}
