/* All of Verso's public headers. */
#ifndef VERSO_VERSO_H
#define VERSO_VERSO_H

#include <verso/failures.h>
#include <verso/picture.h>
#include <verso/schedule.h>
#include <verso/status.h>
#include <verso/version.h>
#include <verso/wide.h>

#endif
