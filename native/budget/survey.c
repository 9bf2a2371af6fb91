/* Surveys of a durable run, before its first restart point or after a state has grown, as a file. See budget.h.
 *
 *     DIRECTORY/survey        the results so far, and a capsule of the program
 *     DIRECTORY/survey.new    the same while it is being written
 *
 * Counting the steps of a run, or measuring how large its states become, may take as long as the program
 * itself. So it is durable, too: the program's state is stored soon and then ever more rarely, and the next
 * process continues from there. The sizes that were found are used even without a capsule. Nothing else depends
 * on the file: without a valid file, the survey is repeated.
 *
 *     magic | version | checksum of the facts [2] | purpose | leaf | asked | surveyed | seconds | capsule | longer |
 *     whole | cells | begun anew | length | size | `size` bytes of a capsule | XXH3-128 of all */
#include "native/budget/budget.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/file.h"
#include "base/words.h"

#include <math.h>
#include <string.h>

enum { VERSION = 3, HEAD_WORDS = 16, SUM_WORDS = 2, CELLS_MOST = 64 };
static const uint64_t magic = UINT64_C(0x767275736f737276); /* "vrsosurv" */

#define EARLY_SECONDS 0.1
#define COST_TIMES 2

/* ---- Bytes ---- */

static void put_head(const verso__native_survey *survey, uint64_t size, unsigned char *at) {
    uint64_t seconds;
    memcpy(&seconds, &survey->seconds, sizeof seconds);
    const uint64_t head[HEAD_WORDS] = {magic,
                                       VERSION,
                                       survey->facts.words[0],
                                       survey->facts.words[1],
                                       survey->purpose,
                                       survey->leaf,
                                       survey->asked,
                                       survey->surveyed,
                                       seconds,
                                       survey->capsule,
                                       survey->longer,
                                       survey->whole,
                                       survey->cells,
                                       survey->begun_anew,
                                       survey->length,
                                       size};
    for (size_t i = 0; i < HEAD_WORDS; i++)
        verso__put_word(&at, head[i]);
}

/* Returns true if the fields have possible values. */
static bool is_possible(const verso__native_survey *survey, uint64_t surveyed) {
    return survey->purpose <= VERSO_SURVEY_GROWTH && surveyed <= 1 && isfinite(survey->seconds) &&
           survey->seconds >= 0 && survey->cells <= CELLS_MOST && survey->begun_anew < UINT32_MAX &&
           (survey->purpose == VERSO_SURVEY_NONE) == (survey->size == 0);
}

bool verso__native_survey_take(const void *bytes, size_t size, verso__native_survey *survey) {
    const size_t beside = (HEAD_WORDS + SUM_WORDS) * VERSO_WORD;
    verso__words words = {bytes, size, false};
    *survey = (verso__native_survey){0};
    if (size < beside || verso__take_word(&words) != magic || verso__take_word(&words) != VERSION)
        return false;
    verso__words sum = {(const unsigned char *)bytes + size - SUM_WORDS * VERSO_WORD, SUM_WORDS * VERSO_WORD, false};
    if (!verso__identity_equal(verso__take_identity(&sum), verso__checksum_wide(bytes, size - SUM_WORDS * VERSO_WORD)))
        return false;
    verso__native_survey read = {.facts = verso__take_identity(&words)};
    uint64_t surveyed, seconds;
    uint64_t *const fields[] = {&read.purpose, &read.leaf,  &read.asked, &surveyed,        &seconds,     &read.capsule,
                                &read.longer,  &read.whole, &read.cells, &read.begun_anew, &read.length, &read.size};
    for (size_t i = 0; i < sizeof fields / sizeof *fields; i++)
        *fields[i] = verso__take_word(&words);
    memcpy(&read.seconds, &seconds, sizeof read.seconds);
    read.surveyed = surveyed == 1;
    if (read.size != size - beside || !is_possible(&read, surveyed))
        return false;
    *survey = read;
    return true;
}

/* ---- The file ---- */

static verso_status keep(verso__native_durable *durable, verso__native_survey *survey, size_t size,
                         verso_error *error) {
    size_t whole = (HEAD_WORDS + SUM_WORDS) * VERSO_WORD + size;
    unsigned char *bytes = verso__block_new(whole), *at;
    if (bytes == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory to save the state of a durable run");
    put_head(survey, size, bytes);
    at = bytes + HEAD_WORDS * VERSO_WORD;
    if (size > 0)
        verso__native_capsule_write((char *)at);
    at += size;
    verso__put_identity(&at, verso__checksum_wide(bytes, whole - SUM_WORDS * VERSO_WORD));
    verso_status status = verso__native_durable_replace(durable, "survey", bytes, whole, error);
    verso__block_free(bytes, whole);
    return status;
}

verso_status verso__native_survey_keep_sizes(verso__native_durable *durable, verso__native_survey *survey,
                                             verso_error *error) {
    survey->purpose = VERSO_SURVEY_NONE;
    return keep(durable, survey, 0, error);
}

verso_status verso__native_survey_keep_place(verso__native_durable *durable, verso__native_survey *survey,
                                             verso_error *error) {
    double began = verso__now();
    verso_status status = verso__native_log_sync(error);
    if (status == VERSO_STATUS_OK)
        status = keep(durable, survey, verso__native_capsule_size(), error);
    survey->kept = verso__now();
    survey->cost = survey->kept - began;
    return status;
}

static char *path_of(const verso__native_durable *durable) {
    return verso__path_join(durable->directory, "survey");
}

/* Reads the file into a block. *bytes is NULL if there is no valid file of this run. */
static void read_file(const verso__native_durable *durable, verso_identity facts, char **bytes, size_t *size,
                      verso__native_survey *survey) {
    char *path = path_of(durable);
    *bytes = NULL;
    *size = 0;
    if (path != NULL && verso__file_block_own(durable->system, path, bytes, size, NULL) == VERSO_STATUS_OK &&
        (!verso__native_survey_take(*bytes, *size, survey) || !verso__identity_equal(survey->facts, facts))) {
        verso__block_free(*bytes, *size);
        *bytes = NULL;
    }
    verso__dealloc(path);
}

void verso__native_survey_forget(const verso__native_durable *durable) {
    char *path = path_of(durable);
    if (path != NULL)
        (void)verso__file_remove(durable->system, path, NULL);
    verso__dealloc(path);
}

void verso__native_survey_open(const verso__native_durable *durable, verso__native_survey *survey) {
    verso_identity facts =
        verso__checksum_wide(durable->facts.list, durable->facts.count * sizeof *durable->facts.list);
    char *bytes;
    size_t size;
    *survey = (verso__native_survey){0};
    read_file(durable, facts, &bytes, &size, survey);
    if (bytes == NULL)
        *survey = (verso__native_survey){0};
    verso__block_free(bytes, size);
    survey->facts = facts;
    if (durable->continued && survey->purpose != VERSO_SURVEY_GROWTH)
        verso__native_survey_forget(durable);
}

bool verso__native_survey_resume(const verso__native_durable *durable, verso__survey_purpose purpose, uint64_t leaf,
                                 double *seconds) {
    verso__native_survey kept;
    char *bytes;
    size_t size;
    verso_identity facts =
        verso__checksum_wide(durable->facts.list, durable->facts.count * sizeof *durable->facts.list);
    read_file(durable, facts, &bytes, &size, &kept);
    const char *capsule = bytes != NULL ? bytes + HEAD_WORDS * VERSO_WORD : NULL;
    bool there =
        bytes != NULL && kept.purpose == (uint64_t)purpose && kept.leaf == leaf && verso__native_capsule_fits(capsule);
    if (there) {
        verso__native_capsule_read(capsule);
        *seconds = kept.seconds;
    }
    verso__block_free(bytes, size);
    return there;
}

bool verso__native_survey_is_due(const verso__native_survey *survey, double interval) {
    double now = verso__now(), gap = (survey->kept - survey->began) / 2, cost = COST_TIMES * survey->cost;
    gap = gap > cost ? gap : cost;
    gap = gap > EARLY_SECONDS ? gap : EARLY_SECONDS;
    return now - survey->kept >= (gap < interval ? gap : interval);
}
