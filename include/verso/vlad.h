/* Evaluates programs in the language VLAD (docs/vlad.md) step by step: an evaluation can be interrupted between any two
 * steps, also within a derivative, copied, and resumed from a copy any number of times.
 *
 *     verso_vlad *program;
 *     verso_vlad_open("newton.vlad", NULL, stdin, stdout, 0, &program, &error);
 *     verso_vlad_run(program, 1000, &ended, &error);           // 1000 steps, or to the end
 *     verso_vlad_capture(program, &copy, &error);
 *     verso_vlad_run(program, UINT64_MAX, &ended, &error);     // to the end
 *     verso_vlad_resume(program, copy, &error);                // back to step 1000
 *     verso_vlad_copy_free(copy);
 *     verso_vlad_close(program);
 *
 * A step is the evaluation of one expression; all evaluators of VLAD count the same number of steps for a program. Each
 * read and write of a program is carried out once, even if the program passes it again after verso_vlad_resume.
 *
 * Errors: verso/status.h. Messages about a program name the place, and show the line with a caret below it.
 * Thread safety: a program and its copies may be used by one thread at a time; different programs may be used by
 * different threads at the same time. */
#ifndef VERSO_VLAD_H
#define VERSO_VLAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <verso/export.h>
#include <verso/status.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct verso_vlad verso_vlad;           /* a program and the state of its evaluation */
typedef struct verso_vlad_copy verso_vlad_copy; /* a copy of such a state */

/* Reads a program and prepares its evaluation. If `text` is NULL the program is read from the file `name`; else it is
 * `text`, and `name` is only used in messages. read-real reads from `in` and write-real writes to `out`; both are
 * borrowed until verso_vlad_close. `limit` is the memory that the evaluation may take, in bytes; 0: unlimited. On
 * failure *program is NULL. */
VERSO_API verso_status verso_vlad_open(const char *name, const char *text, FILE *in, FILE *out, uint64_t limit,
                                       verso_vlad **program, verso_error *error);
VERSO_API void verso_vlad_close(verso_vlad *program); /* no-op on NULL */

/* Runs the next `steps` steps, or to the end of the program if that comes first; *ended says which. If the program
 * fails, this call and all later ones return the same error, until verso_vlad_resume. */
VERSO_API verso_status verso_vlad_run(verso_vlad *program, uint64_t steps, bool *ended, verso_error *error);
/* The number of steps from the beginning of the program to where it stands. */
VERSO_API uint64_t verso_vlad_steps(const verso_vlad *program);
/* Writes the value of the program's last expression, in the syntax of the language, to `text`, which has room for
 * `size` bytes, and returns `text`. A value that is too long is cut and ends with "...". The text is "" until the
 * program has ended, for a program without expressions, and if `size` is less than 4. */
VERSO_API char *verso_vlad_value(const verso_vlad *program, char *text, size_t size);

/* Copies the state of the evaluation. Only the same program can be resumed from the copy. Free it with
 * verso_vlad_copy_free before the program is closed. VERSO_STATUS_STATE if the program has failed. */
VERSO_API verso_status verso_vlad_capture(verso_vlad *program, verso_vlad_copy **copy, verso_error *error);
/* Puts the program back to where it stood when `copy` was made. The copy stays valid. */
VERSO_API verso_status verso_vlad_resume(verso_vlad *program, const verso_vlad_copy *copy, verso_error *error);
/* Returns the number of bytes that the copy takes. */
VERSO_API size_t verso_vlad_copy_size(const verso_vlad_copy *copy);
/* Frees a copy. No-op on NULL. */
VERSO_API void verso_vlad_copy_free(verso_vlad_copy *copy);

#ifdef __cplusplus
}
#endif
#endif
