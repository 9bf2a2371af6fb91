/* The memory that calls of C library functions write. */
#ifndef CC_FRONT_AREAS_H
#define CC_FRONT_AREAS_H

#include "cc/ir/program.h"

/* A call of a C library function. */
typedef struct cc_library_call {
    LLVMValueRef result;
    LLVMValueRef *arguments;
    unsigned count;     /* number of arguments */
    const char *format; /* the format of a scanf, if it is a constant string; else NULL */
} cc_library_call;
/* A piece of memory that a call has written. */
typedef struct cc_area {
    LLVMValueRef data;  /* its address; at run time it may be NULL, which means that nothing was written */
    LLVMValueRef bytes; /* its size in bytes; NULL: a string, up to its NUL */
} cc_area;
typedef void cc_visit_area(cc_unit *unit, cc_area area, void *context);

/* Returns the text of a constant string; NULL if `pointer` does not point to one. */
const char *cc_constant_string(cc_unit *unit, LLVMValueRef pointer);
/* Describes a call for cc_each_area. `writes` is cc_known.writes of the called function. */
cc_library_call cc_describe_call(cc_unit *unit, LLVMValueRef call, const char *writes);
/* Builds address and size of each area that the call has written, and calls visit(unit, area, context) for each.
 * Returns false, without any visit, if the format of a scanf is not constant or not understood. */
bool cc_each_area(cc_unit *unit, const cc_library_call *call, const char *writes, cc_visit_area *visit, void *context);

/* scan_format.c: what a scanf writes to one of the arguments after its format. */
typedef struct cc_scanned {
    uint64_t bytes; /* number of bytes written; 0: a string, up to its NUL */
    bool counted;   /* the result of scanf counts this assignment */
} cc_scanned;
/* Sets *scanned to an array of *count elements, one per argument. Returns false if it does not understand the
 * format. */
bool cc_scan_format(cc_unit *unit, const char *format, cc_scanned **scanned, size_t *count);

#endif
