/* libFuzzer target: reads arbitrary texts of VERSO_SCHEDULE, VERSO_MEMORY, VERSO_INTERVAL, VERSO_REPORT and
 * VERSO_OFFLOAD. Each is read, or refused with a message that names the variable; the result is within the limits
 * that schedules rely on. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/quantity.h"
#include "native/api/settings.h"

static void require(bool holds) {
    if (!holds)
        abort();
}

static void require_reason(verso_status status, const verso_error *error) {
    require(status == VERSO_STATUS_INVALID && error->status == VERSO_STATUS_INVALID);
    require(strncmp(error->message, "NAME: ", 6) == 0 && strlen(error->message) > 6);
}

static void read_schedule(const char *text) {
    verso__spec_text read = {0};
    verso_error error = {0};
    verso_status status = verso__spec_text_read("NAME", text, VERSO_LEAF_BYTES, &read, &error);
    require(read.is_set == (status == VERSO_STATUS_OK));
    if (status != VERSO_STATUS_OK) {
        require_reason(status, &error);
        return;
    }
    const verso_schedule_spec *spec = &read.spec;
    require(spec->kind < VERSO_KIND_COUNT && spec->tier_count <= VERSO_TIERS_MAX && spec->steps == 0 &&
            spec->leaf == 1);
    require(spec->slots < VERSO_UNKNOWN && spec->distance < VERSO_UNKNOWN && read.leaf < VERSO_UNKNOWN);
    require(spec->kind != VERSO_KIND_LEVELS || read.automatic || spec->tier_count > 0);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    if (text == NULL)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    text[size] = '\0';
    read_schedule(text);
    uint64_t memory = 0;
    const char *path;
    verso_error error = {0};
    verso_status status = verso__memory_read("NAME", text, &memory, &error);
    if (status == VERSO_STATUS_OK)
        require(memory > 0 && memory < UINT64_MAX);
    else
        require_reason(status, &error);
    double seconds = 0;
    status = verso__seconds_read("NAME", text, &seconds, &error);
    if (status == VERSO_STATUS_OK)
        require(seconds > 0 && seconds < 1e13);
    else
        require_reason(status, &error);
    status = verso__native_report_read("NAME", text, &path, &error);
    if (status != VERSO_STATUS_OK)
        require_reason(status, &error);
    verso__native_offload_text offload;
    status = verso__native_offload_read("NAME", text, &offload, &error);
    require((status == VERSO_STATUS_OK) == (offload.directory[0] != '\0'));
    if (status != VERSO_STATUS_OK)
        require_reason(status, &error);
    free(text);
    return 0;
}
