/* A unit: one object file of a link, either a file or a member of an archive, and what the driver needs to know about
 * it. */
#ifndef CC_DRIVER_UNIT_H
#define CC_DRIVER_UNIT_H

#include "cc/driver/mapping.h"

#include <stdbool.h>

typedef struct driver_unit {
    const char *path;           /* path of the file, as in the linker's trace */
    const char *member;         /* name of the member of the archive at `path`; NULL: the file itself */
    const char *label;          /* name for messages: "main.c", "heat.o", "libgsl.a(odeiv.o)" */
    const driver_mapping *file; /* the file at `path` */
    driver_bytes content;       /* the object file itself */
    bool bitcode;               /* it contains bitcode */
    bool differentiates;        /* it calls verso_gradient or a related function */
    bool fortran;               /* it calls flang's run-time library */
    bool module;                /* it calls the Fortran module `verso` */
    bool uses_library;          /* it calls a function of libverso.a for compiled programs, such as verso_keep */
    const char *calls;          /* one of the functions by which it differentiates; NULL: none */
} driver_unit;

/* Names of the sections that contain bitcode; NULL ends the list. See embed.h. */
extern const char *const driver_bitcode_sections[];

/* The functions by which a program differentiates; NULL ends the list. */
extern const char *const driver_unit_differentiating[];

/* Sets the last four fields from unit->content. If the content is not an object file, sets them to false. Fails with
 * VERSO_STATUS_CORRUPT if it is a damaged one. */
verso_status driver_unit_read(driver_unit *unit, verso_error *error);

#endif
