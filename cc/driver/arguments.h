/* Reads a clang command line as far as the driver needs it: which arguments are inputs, and what is to be made of them.
 * All arguments are passed on to clang, except Verso's own options ("--verso-...").
 *
 * Inputs are all arguments that are neither options nor values of options. So the only table needed is that of options
 * whose value is the next argument. */
#ifndef CC_DRIVER_ARGUMENTS_H
#define CC_DRIVER_ARGUMENTS_H

#include "cc/driver/words.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum driver_mode {
    DRIVER_MODE_PASS,   /* clang alone: preprocess only, compile to assembler, print, another target, or no input */
    DRIVER_MODE_OBJECT, /* compile sources to object files */
    DRIVER_MODE_LINK,   /* link a program or library; sources among the inputs are compiled first */
} driver_mode;

typedef enum driver_input {
    DRIVER_INPUT_LINKED,  /* for the linker: object, archive or shared library */
    DRIVER_INPUT_SOURCE,  /* C or C++, preprocessed or not, or LLVM IR */
    DRIVER_INPUT_FOREIGN, /* assembler and other languages: compiled by clang without bitcode */
    DRIVER_INPUT_FORTRAN, /* Fortran: compiled by flang, see fortran.h */
    DRIVER_INPUT_HEADER,  /* a header to be precompiled */
} driver_input;

typedef enum driver_argument_kind {
    DRIVER_ARGUMENT_OPTION,
    DRIVER_ARGUMENT_VALUE,    /* the value of the option before it */
    DRIVER_ARGUMENT_FORTRAN,  /* an option that only Fortran compilers have, or its value */
    DRIVER_ARGUMENT_LANGUAGE, /* -x; repeated for each input that is compiled separately */
    DRIVER_ARGUMENT_OUTPUT,   /* -o; also in driver_arguments.output */
    DRIVER_ARGUMENT_LIBRARY,  /* -lNAME; text is NAME */
    DRIVER_ARGUMENT_LINKER,   /* one argument for the linker, from -Wl, or -Xlinker */
    DRIVER_ARGUMENT_INPUT,
} driver_argument_kind;

typedef struct driver_argument {
    driver_argument_kind kind;
    const char *text;
    /* The following are for inputs only. */
    driver_input input;
    const char *language; /* value of -x for it; NULL: its suffix decides */
    /* What the file was made from: the source if the driver has compiled it, the archive if this is a renamed copy or a
     * member of it. NULL: the user's own file. */
    const char *source;
    bool own; /* the source is Verso's: the user's options for Fortran do not apply */
} driver_argument;

typedef struct driver_arguments {
    driver_words words;            /* the command line without Verso's own options, with response files expanded */
    size_t end;                    /* index of "--" in `words`; words.count if there is none */
    driver_words pieces;           /* owns strings in `at` that are parts of words, e.g. of -Wl,A,B */
    driver_argument *at;           /* the arguments, classified */
    size_t count;                  /* number of entries in `at` */
    size_t capacity;               /* room in `at` */
    driver_mode mode;              /* what is to be done */
    const char *output;            /* value of -o; NULL: not given */
    char optimise;                 /* level of -O: '0' '1' '2' '3' 's' 'z'; 0: not given */
    bool debug;                    /* -g is on: the last of several -g options counts */
    bool shared;                   /* -shared */
    bool relocatable;              /* -r */
    bool is_static;                /* -static or -static-pie */
    bool dependencies;             /* -MD or -MMD */
    bool dependency_file;          /* -MF is given */
    bool dependency_target;        /* -MT or -MQ is given */
    bool dump_folder;              /* -dumpdir is given */
    bool save_temps;               /* -save-temps */
    bool save_temps_beside_output; /* -save-temps=obj */
    bool instrumented;             /* a sanitizer is on whose code cannot be differentiated */
    bool traced;                   /* the user asked for the linker's trace (-t, --trace) */
    bool has_source;               /* an input is a DRIVER_INPUT_SOURCE */
    bool reads_headers;            /* an input goes through the preprocessor */
    bool has_fortran;              /* an input is a DRIVER_INPUT_FORTRAN */
    /* Verso's own options: --verso-show, --verso-keep, and so on. */
    bool show, keep, plain, externals, check_reload, symbols, other_main;
    const char *dump;                      /* value of --verso-dump; NULL: not given */
    driver_words inactive, pure, noinline; /* names of functions */
} driver_arguments;

/* Reads a command line. Returns false, and puts a message into `complaint`, if one of Verso's own options is wrong. If
 * memory is exhausted, sets words.failed. The caller frees `arguments` in any case. */
bool driver_arguments_read(driver_arguments *arguments, int argc, char **argv, driver_words *complaint);
void driver_arguments_free(driver_arguments *arguments);
/* Classifies options that only Fortran compilers have as ordinary ones, so that clang rejects them. */
void driver_arguments_without_fortran(driver_arguments *arguments);
/* Inserts an argument before at[index]. Returns false if memory is exhausted. */
bool driver_arguments_insert(driver_arguments *arguments, size_t index, driver_argument argument);

/* Returns true for -flto, -fembed-bitcode and related options. They are dropped: object files contain bitcode anyway,
 * and the linker must not optimise it. */
bool driver_argument_is_lto(const char *word);

#endif
