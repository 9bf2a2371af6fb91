/* Reversible functions inside C: the header that every FILE.rev.c includes. It has two modes:
 *
 *  - Plain mode, with this header alone: the keywords are macros, and functions marked `rev` run forward. Any C
 *    compiler compiles the file.
 *  - Generated mode: `verso rev FILE.rev.c -o FILE.c` translates the keywords to C and defines VERSO_REV_GENERATED.
 *    This header is then the run time of the generated functions: checks, exact numbers, stacks.
 *
 *     rev void norm(double *out, const double *x, passive int n) {
 *         anc double s = 0;
 *         compute { for (int i = 0; i < n; i++) s += x[i] * x[i]; }
 *         use     { *out += sqrt(s); }
 *     }
 *
 * Host code (code outside rev functions) in the same file works in both modes if it makes and reads exact numbers only
 * with rev_fixed, rev_fixed_value, rev_ulog and rev_ulog_value. There is no library to link; the header works with C17,
 * C++17 and nvcc. See docs/rev.md and docs/rev-library.md.
 *
 * Errors: a failed check raises a fault (verso/rev/fault.h), which by default is printed and aborts the program. Thread
 * safety: different threads may run reversible functions on different data; set handler and tolerances before threads
 * start. */
#ifndef VERSO_REV_H
#define VERSO_REV_H

#include <verso/rev/fault.h>
#include <verso/rev/stack.h>

#ifdef VERSO_REV_GENERATED
#include <verso/rev/check.h>
#include <verso/rev/fixed.h>
#include <verso/rev/ulog.h>
/* No-op: in generated mode the inverse of the `compute` block has emptied the memory. See verso/rev/plain.h. */
#define rev_plain_clear(memory, bytes) ((void)0)
#else
#include <verso/rev/plain.h>
#endif

#endif
