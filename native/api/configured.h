/* A gradient with the settings of the environment. */
#ifndef NATIVE_API_CONFIGURED_H
#define NATIVE_API_CONFIGURED_H

#include "native/api/settings.h"
#include "native/run/run.h"

/* Does what verso__native_reverse does, with the options and settings combined, and writes the files that the
 * settings name. If a run is suspended because of the environment, it ends the process. */
verso_status verso__native_reverse_with_settings(verso__native_job *job, verso__native_settings *settings,
                                                 const verso_native_options *options, verso_native_report *report,
                                                 verso_error *error);

#endif
