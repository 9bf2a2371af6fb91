/* Room `api`: the functions of <verso/native.h>, and what must hold before and after them.
 *
 *   derive.c     verso_gradient, verso_directional, verso_vjp, verso_jvp
 *   choose.c     chooses the kind of sweep for a gradient
 *   settings.c   environment variables that apply to gradients
 *   configured.c a gradient with these settings; writes the files of VERSO_REPORT, VERSO_PROFILE and VERSO_MEASURE
 *   jacobian.c   verso_jacobian; sparse.c: verso_jacobian_sparse
 *   hessian.c    verso_hvp, verso_hessian, verso_hessian_sparse
 *   execution.c  verso_execution_open, _close, _run, _capture, _resume, _copy_...: without derivatives
 *   sites.c      which calls are checkpointed, as text
 *   profile.c    measures the cost of all choices of checkpointed calls
 *   check.c      verso_check: dot-product and cut tests; taylor.c, slope.c, remainder.c: the Taylor test; races.c:
 *                races of programs with OpenMP
 *   fortran.c    what the module `verso` of Fortran needs of C
 *   tests.c      what verso_check shares with vlad/
 *   math.c       derivatives that the C library cannot express; complex.c: its complex functions under other names
 *
 * Requires: all rooms below.
 * Leaves: what <verso/native.h> promises.
 * Owns: whether a differentiation runs, and which settings of the environment were applied. */
#ifndef NATIVE_API_API_H
#define NATIVE_API_API_H

#include "native/api/choose.h"
#include "native/api/configured.h"
#include "native/api/derive.h"
#include "native/api/profile.h"
#include "native/api/settings.h"
#include "native/api/sites.h"
#include "native/budget/budget.h"

#endif
