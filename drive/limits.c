/* See limits.h. */
#include "drive/limits.h"

#include "base/quantity.h"

#include <stdlib.h>

static verso_status read_variable(const char *name, double *seconds, verso_error *error) {
    const char *text = getenv(name);
    return text != NULL && text[0] != '\0' ? verso__seconds_read(name, text, seconds, error) : VERSO_STATUS_OK;
}

verso_status verso__limits_read(verso__limits *limits, verso_error *error) {
    *limits = (verso__limits){0};
    verso_status status = read_variable("VERSO_INTERVAL", &limits->interval, error);
    return status == VERSO_STATUS_OK ? read_variable("VERSO_TIME_LIMIT", &limits->time_limit, error) : status;
}

verso_status verso__limits_options(verso__limits *limits, const char *interval, const char *time_limit,
                                   verso_error *error) {
    verso_status status = VERSO_STATUS_OK;
    if (interval != NULL)
        status = verso__seconds_read("--interval", interval, &limits->interval, error);
    if (status == VERSO_STATUS_OK && time_limit != NULL)
        status = verso__seconds_read("--time-limit", time_limit, &limits->time_limit, error);
    return status;
}

void verso__limits_apply(const verso__limits *limits, verso_run_options *run) {
    if (run->interval == 0)
        run->interval = limits->interval;
    if (run->time_limit == 0)
        run->time_limit = limits->time_limit;
}
