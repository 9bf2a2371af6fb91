/* libFuzzer target: reads arbitrary bytes as the file that says how far a survey of a durable run has come
 * (native/budget/survey.c), as they are and with a corrected checksum, so that the fields are checked, too. */
#include "base/checksum.h"
#include "base/words.h"
#include "native/api/api.h"

#include <math.h>
#include <stdlib.h>

static void require(bool holds) {
    if (!holds)
        abort();
}

static void look(const unsigned char *bytes, size_t size) {
    verso__native_survey survey;
    if (!verso__native_survey_take(bytes, size, &survey)) {
        require(survey.size == 0 && survey.purpose == VERSO_SURVEY_NONE && survey.capsule == 0);
        return;
    }
    require(survey.purpose <= VERSO_SURVEY_GROWTH && survey.size < size && survey.cells <= 64);
    require(isfinite(survey.seconds) && survey.seconds >= 0);
    require((survey.size == 0) == (survey.purpose == VERSO_SURVEY_NONE));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    unsigned char *bytes = malloc(size + 1);
    if (bytes == NULL)
        return 0;
    if (size > 0)
        memcpy(bytes, data, size);
    look(bytes, size);
    if (size >= 2 * VERSO_WORD) {
        unsigned char *sum = bytes + size - 2 * VERSO_WORD;
        verso__put_identity(&sum, verso__checksum_wide(bytes, size - 2 * VERSO_WORD));
        look(bytes, size);
    }
    free(bytes);
    return 0;
}
