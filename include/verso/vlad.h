/* Programs of VLAD (docs/vlad.md) from C: evaluated in steps, interrupted between any two of them, and resumed from
 * copies any number of times. Nothing of this is about derivatives; an evaluation can be interrupted within one, too.
 *
 *     verso_vlad *program;
 *     verso_vlad_open("newton.vlad", NULL, stdin, stdout, 0, &program, &error);
 *     verso_vlad_run(program, 1000, &ended, &error);           // a thousand steps, or to the end
 *     verso_vlad_capture(program, &copy, &error);
 *     verso_vlad_run(program, UINT64_MAX, &ended, &error);     // to the end
 *     verso_vlad_resume(program, copy, &error);                // and again from there
 *
 * A step is one expression being evaluated; how many a program takes is the same for whoever evaluates it. What it
 * prints and reads happens once, however often it passes there. */
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

typedef struct verso_vlad verso_vlad;
typedef struct verso_vlad_copy verso_vlad_copy;

/* The program in the file `name`; or, unless `text` is NULL, that text, and `name` is for messages. `in` and `out` are
 * borrowed, for read-real and write-real. `limit`: bytes of memory; 0: what there is. Messages have the place in the
 * program, its line, and a caret below it. */
VERSO_API verso_status verso_vlad_open(const char *name, const char *text, FILE *in, FILE *out, uint64_t limit,
                                       verso_vlad **program, verso_error *error);
VERSO_API void verso_vlad_close(verso_vlad *program); /* NULL is nothing */

/* Lets it go on for so many steps, or to its end. A program that has failed fails again until it is resumed. */
VERSO_API verso_status verso_vlad_run(verso_vlad *program, uint64_t steps, bool *ended, verso_error *error);
/* Done so far, from the beginning. */
VERSO_API uint64_t verso_vlad_steps(const verso_vlad *program);
/* The value of the last expression that was evaluated, as the language would write it, or the beginning of that; ""
 * when there is none. Returns `text`, in which there are `size` bytes. */
VERSO_API char *verso_vlad_value(const verso_vlad *program, char *text, size_t size);

/* Where it stands. A copy belongs to its program, and is to be freed before that is closed. */
VERSO_API verso_status verso_vlad_capture(verso_vlad *program, verso_vlad_copy **copy, verso_error *error);
VERSO_API verso_status verso_vlad_resume(verso_vlad *program, const verso_vlad_copy *copy, verso_error *error);
VERSO_API size_t verso_vlad_copy_size(const verso_vlad_copy *copy);
VERSO_API void verso_vlad_copy_free(verso_vlad_copy *copy); /* NULL is nothing */

#ifdef __cplusplus
}
#endif
#endif
