/* Reversible functions inside C: the header of every FILE.rev.c.
 *
 * Plain mode (this header alone): the keywords are macros, and functions marked `rev` run forward with any C compiler.
 * Generated mode (`verso rev FILE.rev.c -o FILE.c`, which defines VERSO_REV_GENERATED): the keywords are gone, and this
 * header is the run time of the generated functions: checks, exact numbers, stacks. Header only; C17, C++17 and nvcc.
 *
 *     rev void norm(double *out, const double *x, passive int n) {
 *         anc double s = 0;
 *         compute { for (int i = 0; i < n; i++) s += x[i] * x[i]; }
 *         use     { *out += sqrt(s); }
 *     }
 *
 * Host code of the same file works in both modes when it makes and reads exact numbers through rev_fixed,
 * rev_fixed_value, rev_ulog and rev_ulog_value only. See docs/rev.md. */
#ifndef VERSO_REV_H
#define VERSO_REV_H

#include <verso/rev/fault.h>
#include <verso/rev/stack.h>

#ifdef VERSO_REV_GENERATED
#include <verso/rev/check.h>
#include <verso/rev/fixed.h>
#include <verso/rev/ulog.h>
/* What a `compute` block has filled is empty again: its inverse has run. */
#define rev_plain_clear(memory, bytes) ((void)0)
#else
#include <verso/rev/plain.h>
#endif

#endif
