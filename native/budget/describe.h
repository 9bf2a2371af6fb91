/* Describes the schedule of a gradient in words, for reports. */
#ifndef NATIVE_BUDGET_DESCRIBE_H
#define NATIVE_BUDGET_DESCRIBE_H

#include <verso/native.h>

/* Sets report->schedule to a description of `spec`, which was played with `steps` steps. If that is fewer than
 * report->steps, the other steps were reversed without a schedule. */
void verso__native_describe_schedule(const verso_schedule_spec *spec, uint64_t steps, verso_native_report *report);
/* Sets report->schedule for a single pass, and fills in options->run_report unless that is NULL. */
void verso__native_describe_single_pass(const verso_native_options *options, verso_native_report *report);

#endif
