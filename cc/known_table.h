/* What is known about functions of the C library: sorted tables. They need nothing of LLVM, so that a test
 * can read it. */
#ifndef CC_KNOWN_TABLE_H
#define CC_KNOWN_TABLE_H

#include <stddef.h>

typedef enum cc_known_class {
    CC_KNOWN_NOT,     /* nobody knows it: refused, with the three remedies */
    CC_KNOWN_RULE,    /* math with a rule */
    CC_KNOWN_LIBRARY, /* lib/ has a version that is differentiated: verso_lib_NAME */
    CC_KNOWN_MEMORY,  /* memcpy, memset, malloc, ... : one of the kinds of known.h */
    CC_KNOWN_READS,   /* reads memory and returns no derivative: strlen, printf, fputs, atoi ... */
    CC_KNOWN_WRITES,  /* writes memory, how much is described in the table: fread, snprintf, strcpy ... */
    CC_KNOWN_JUMP,    /* setjmp and its kin */
    CC_KNOWN_THREAD,  /* pthread_create, __kmpc_fork_call, ...: refused, with a message of its own */
} cc_known_class;

/* What it has to do with the world outside the program's memory, where a run is repeated (native/world.c). */
typedef enum cc_world {
    CC_WORLD_NOT,    /* nothing: it is called each time */
    CC_WORLD_ONCE,   /* called the first time; result, errno and what it writes to memory are logged */
    CC_WORLD_RANDOM, /* draws from a generator whose state is part of capsules, or sets it: called each time */
    CC_WORLD_NEVER,  /* has state that can be neither logged nor restored: refused where a run is repeated */
} cc_world;

typedef struct cc_known {
    const char *name;
    cc_known_class class;
    /* CC_KNOWN_WRITES, and CC_WORLD_ONCE of any class: what is written. Two letters an area, up to four areas: the
     * argument ('0'..'9'; 'r' for where the result points), then how many bytes:
     *   '0'..'9'        the value of that argument
     *   'x'             the product of argument 1 and the result (fread: what was read)
     *   'r'             the value of the result, when it is positive (read)
     *   's'             a string, to its NUL; 'n': the same, unless argument 1 is 0 (snprintf)
     *   'f'             what the scanf format that this argument is says of the variadic arguments behind it
     *   'F'             nothing, if the printf format that this argument is has no %n
     *   'd' 'i' 'l'     one double, int, long
     *   'A' ... 'U'     a struct: cc_struct_bytes
     *   'E' 'P' 'W'     so many 8-byte structs as argument 2 (1) says; so many wide characters as argument 1 says
     * An area at NULL is not written. CC_KNOWN_MEMORY: 'c' copies, 's' sets, 'r' reallocates, 'f' frees, 'a' allocates,
     * followed by the arguments whose product is the size. */
    const char *writes;
    cc_world world;
} cc_known;

/* Bytes of a struct of the C library: 'A' sigaction, 'C' tms, 'G' sigset_t and fd_set, 'K' stack_t, 'M' tm, 'N'
 * utsname, 'R' regex_t, 'S' stat, 'T' two words (timespec, timeval, rlimit, fpos_t), 'U' rusage. 0: no such letter. */
size_t cc_struct_bytes(char letter);

/* known_held.c: what a call of CC_WORLD_ONCE has to do with the process, two letters each:
 *   's' 'd' 'k'   it uses the stream (or another object of the C library), the descriptor, the key that is argument
 *                 '0'..'9'; "si": standard input
 *   'o' 'O'       it opens a stream (an object), a descriptor: argument '0'..'9', or the result, 'r'
 *   "pr"          its result points to memory
 *   "cc"          it changes the process itself: its working directory, its environment, its signals
 * Empty: nothing. */
const char *cc_known_held(const char *name);

/* Exactly this name; class CC_KNOWN_NOT when it is not there. Intrinsics and rules are not. */
cc_known cc_known_in_table(const char *name);

#endif
