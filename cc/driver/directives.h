/* Reads the comments "!verso$ WORD NAME, NAME ..." of a Fortran source, which say about procedures what macros of
 * <verso/native.h> say in C:
 *
 *   !verso$ inactive report_progress           no derivatives
 *   !verso$ pure density                       besides, keeps nothing (foreign procedures)
 *   !verso$ checkpoint step                    its calls are always checkpointed
 *   !verso$ nocheckpoint bump                  its calls are never checkpointed
 *   !verso$ noinline step                      its calls stay calls
 *   !verso$ adjoint solve = solve_adjoint [, solve_tangent]                     an adjoint in one piece
 *   !verso$ custom_adjoint solve = solve_record, solve_sweep [, solve_tangent]  one in two pieces
 *
 * A name is that of a procedure in any program unit of the file, or "module::procedure". In fixed form, the comment may
 * begin with C or *. */
#ifndef CC_DRIVER_DIRECTIVES_H
#define CC_DRIVER_DIRECTIVES_H

#include "cc/driver/elf.h"
#include "cc/driver/session.h"

typedef enum driver_directive_kind {
    DRIVER_DIRECTIVE_INACTIVE,
    DRIVER_DIRECTIVE_PURE,
    DRIVER_DIRECTIVE_CHECKPOINT,
    DRIVER_DIRECTIVE_NOCHECKPOINT,
    DRIVER_DIRECTIVE_NOINLINE,
    DRIVER_DIRECTIVE_ADJOINT, /* in one piece */
    DRIVER_DIRECTIVE_CUSTOM,  /* in two pieces */
} driver_directive_kind;

typedef struct driver_directive {
    driver_directive_kind kind;
    unsigned line;
    const char *name;     /* the procedure, in lower case: "step" or "m::step" */
    const char *given[3]; /* of an adjoint: the procedures after "="; NULL: not given */
} driver_directive;

typedef struct driver_directives {
    driver_directive *list;
    size_t count;
    driver_words texts; /* owns the names */
    driver_words calls; /* symbols that the named procedures may have: their calls must stay calls */
} driver_directives;

/* Reads the directives of the source `text`; `path` is for messages. Returns false after printing a message. */
bool driver_directives_read(const driver_session *session, const char *path, driver_bytes text,
                            driver_directives *directives);
void driver_directives_free(driver_directives *directives);

/* Returns whether the symbol is that of the procedure `name` ("step", "m::step"): "step_", "step", "_QMmPstep", … */
bool driver_is_symbol_of(const char *symbol, size_t size, const char *name);

#endif
