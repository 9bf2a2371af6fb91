/* Includes all public headers of Verso except rev.h, which is for the sources of `verso rev` (FILE.rev.c).
 *
 * Start with loop.h (gradients of a time loop), native.h (gradients of compiled C programs) or run.h (the driver).
 * status.h describes how errors are reported; each header describes the thread safety of its own objects. */
#ifndef VERSO_VERSO_H
#define VERSO_VERSO_H

#include <verso/capsule.h>
#include <verso/failures.h>
#include <verso/identity.h>
#include <verso/jacobian.h>
#include <verso/linear.h>
#include <verso/loop.h>
#include <verso/native.h>
#include <verso/picture.h>
#include <verso/profile.h>
#include <verso/program.h>
#include <verso/reversible.h>
#include <verso/run.h>
#include <verso/schedule.h>
#include <verso/sink.h>
#include <verso/status.h>
#include <verso/store.h>
#include <verso/version.h>
#include <verso/vlad.h>
#include <verso/wide.h>

#endif
