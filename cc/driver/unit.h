/* A unit: one object file that takes part in a link, alone or as a member of an archive; and what the driver must know
 * of it. */
#ifndef CC_DRIVER_UNIT_H
#define CC_DRIVER_UNIT_H

#include "cc/driver/mapping.h"

#include <stdbool.h>

typedef struct driver_unit {
    const char *path;   /* of the file, as the linker names it */
    const char *member; /* of the archive at `path`; NULL: the file itself */
    const char *label;  /* for messages: "main.c", "heat.o", "libgsl.a(odeiv.o)" */
    const driver_mapping *file;
    driver_bytes content; /* the object file itself */
    bool bitcode;         /* it has some */
    bool differentiates;  /* it calls verso_gradient or its kin */
    bool uses_library;    /* it calls any function that is there for compiled programs, such as verso_keep */
    const char *calls;    /* one of the functions by which it differentiates */
} driver_unit;

/* The sections that bitcode can be in; NULL ends the list. See embed.h. */
extern const char *const driver_bitcode_sections[];

/* Reads what is to be known from unit->content, which may be anything: what is no object file needs nothing. */
verso_status driver_unit_read(driver_unit *unit, verso_error *error);

#endif
