/* Sorted tables of what is known about functions of the C library. They do not need LLVM, so tests can read them,
 * too. */
#ifndef CC_KNOWN_TABLE_H
#define CC_KNOWN_TABLE_H

#include <stddef.h>

typedef enum cc_known_class {
    CC_KNOWN_NOT,     /* unknown: refused, with remedies */
    CC_KNOWN_RULE,    /* a mathematical function with a rule */
    CC_KNOWN_LIBRARY, /* replaced by verso__lib_NAME of native/lib, which is differentiated */
    CC_KNOWN_MEMORY,  /* memcpy, memset, malloc, ...: cc_call_kind_of gives it a kind of its own */
    CC_KNOWN_READS,   /* reads memory and returns no derivative: strlen, printf, fputs, atoi ... */
    CC_KNOWN_WRITES,  /* writes memory as `writes` describes: fread, snprintf, strcpy ... */
    CC_KNOWN_JUMP,    /* setjmp, longjmp and similar functions */
    CC_KNOWN_THREAD,  /* pthread_create, __kmpc_fork_call, ...: refused, with a message of its own */
} cc_known_class;

/* How a function depends on the world outside the program's memory, which matters where a run is repeated
 * (native/run/world.c). */
typedef enum cc_world {
    CC_WORLD_NOT,    /* not at all: it is called each time */
    CC_WORLD_ONCE,   /* called the first time only; its result, errno and what it writes to memory are logged */
    CC_WORLD_RANDOM, /* draws from, or seeds, a generator whose state is part of capsules: called each time */
    CC_WORLD_NEVER,  /* has state that can be neither logged nor restored: refused where a run is repeated */
} cc_world;

typedef struct cc_known {
    const char *name;
    cc_known_class class;
    /* What the function writes, if its class is CC_KNOWN_WRITES or its world CC_WORLD_ONCE. Two letters per area,
     * at most four areas. The first letter is the argument with the address of the area ('0'..'9'; 'r': the
     * result). The second letter is its size:
     *   '0'..'9'      as many bytes as the value of that argument
     *   'x'           argument 1 times the result, in bytes (what fread has read)
     *   'r'           as many bytes as the result, if that is positive (read)
     *   's'           a string, up to its NUL
     *   'n'           a string, up to its NUL, unless argument 1 is 0 (snprintf)
     *   'f'           the argument is a scanf format, which describes the variadic arguments after it
     *   'F'           the argument is a printf format; nothing is written, provided that it has no %n
     *   'd' 'i' 'l'   one double, int, long
     *   'b'           one byte
     *   'D'           the argument is flang's descriptor of contiguous elements, which are written; NULL: none
     *   'A' ... 'U'   a struct of cc_struct_bytes(letter) bytes
     *   'E'           an array of 8-byte structs; argument 2 is their number (regexec)
     *   'P'           an array of 8-byte structs; argument 1 is their number (poll)
     *   'W'           an array of wide characters; argument 1 is their number (fgetws)
     * If the address of an area is NULL, the area is not written.
     *
     * For CC_KNOWN_MEMORY the first letter is 'c' (copies), 's' (sets), 'f' (frees) or 'a' (allocates); after 'a',
     * the arguments whose product is the size follow. */
    const char *writes;
    cc_world world;
} cc_known;

/* Returns the size in bytes of a struct of the C library; 0 for any other letter:
 *   'A' sigaction   'C' tms                  'G' sigset_t, fd_set
 *   'K' stack_t     'M' tm                   'N' utsname
 *   'R' regex_t     'S' stat                 'T' two words: timespec, timeval, rlimit, fpos_t
 *   'U' rusage */
size_t cc_struct_bytes(char letter);

/* known_held.c: returns how a function of CC_WORLD_ONCE depends on the process that calls it, two letters per
 * dependence; "" if it does not. '0'..'9' is an argument:
 *   's' '0'..'9'        uses the stream, or another object of the C library, that the argument points to
 *   "si"                uses standard input
 *   'd' '0'..'9'        uses the file descriptor that the argument is
 *   'k' '0'..'9'        uses the key of thread-specific data that the argument is
 *   'o' '0'..'9', 'r'   opens a stream (or object): the argument, or the result
 *   'O' '0'..'9', 'r'   opens a file descriptor: the argument, or the result
 *   "pr"                the result points to memory of the C library
 *   "cc"                changes the process itself: its working directory, environment or signals */
const char *cc_known_held(const char *name);

/* Returns the table's entry for exactly this name; its class is CC_KNOWN_NOT if there is none. The table has no
 * intrinsics and no functions with rules. */
cc_known cc_known_in_table(const char *name);

/* known_fortran.c: the same two for functions of flang's run-time library. */
cc_known cc_known_fortran(const char *name);
const char *cc_known_fortran_held(const char *name);

#endif
