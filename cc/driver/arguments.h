/* A clang command line, read only as far as is needed: which words are inputs, and what shall be made of them. All
 * words go on to clang, but for those that are Verso's own ("--verso-...").
 *
 * Inputs are what is left when options and their values are taken away, so the only table is that of options whose
 * value is the next word. */
#ifndef CC_DRIVER_ARGUMENTS_H
#define CC_DRIVER_ARGUMENTS_H

#include "cc/driver/words.h"

#include <stdbool.h>
#include <stddef.h>

typedef enum driver_mode {
    DRIVER_MODE_PASS,   /* nothing of ours: preprocess, assemble text, print, other machines, nothing to do */
    DRIVER_MODE_OBJECT, /* sources to object files */
    DRIVER_MODE_LINK,   /* to a program or library, maybe from sources */
} driver_mode;

typedef enum driver_input {
    DRIVER_INPUT_LINKED,  /* an object, an archive, a shared library: for the linker */
    DRIVER_INPUT_SOURCE,  /* C, C++, and what the preprocessor made of them */
    DRIVER_INPUT_FOREIGN, /* assembler and other languages: compiled, but not by us */
    DRIVER_INPUT_HEADER,  /* to be precompiled */
} driver_input;

typedef enum driver_argument_kind {
    DRIVER_ARGUMENT_OPTION,
    DRIVER_ARGUMENT_VALUE,    /* of the option before it */
    DRIVER_ARGUMENT_LANGUAGE, /* -x: said again for every input where it matters */
    DRIVER_ARGUMENT_OUTPUT,   /* -o: in driver_arguments.output */
    DRIVER_ARGUMENT_LIBRARY,  /* -lNAME; text is NAME */
    DRIVER_ARGUMENT_LINKER,   /* one word for the linker, from -Wl, or -Xlinker */
    DRIVER_ARGUMENT_INPUT,
} driver_argument_kind;

typedef struct driver_argument {
    driver_argument_kind kind;
    const char *text;
    /* Inputs only */
    driver_input input;
    const char *language; /* as -x named it; NULL: by the file's name */
    const char *source;   /* what it was compiled from, when it was; else NULL */
} driver_argument;

typedef struct driver_arguments {
    driver_words words;  /* the whole line but Verso's own words, response files replaced by what is in them */
    size_t end;          /* where words has "--"; its length when it has none */
    driver_words pieces; /* of words, that `at` points to */
    driver_argument *at;
    size_t count;
    size_t capacity;
    driver_mode mode;
    const char *output; /* NULL: not named */
    char optimise;      /* 0: not said; else '0' '1' '2' '3' 's' 'z' */
    bool debug;         /* the last word on -g */
    bool shared;
    bool relocatable;  /* -r */
    bool fixed;        /* -static: the program has no use for a dynamic linker */
    bool dependencies; /* -MD or -MMD */
    bool dependency_file, dependency_target;
    bool dump_folder; /* -dumpdir */
    bool save_temps, save_temps_beside_output;
    bool instrumented;  /* by a sanitizer whose code is nothing to differentiate */
    bool traced;        /* the user asked for what the linker prints himself */
    bool has_source;    /* an input is C or C++ */
    bool reads_headers; /* an input goes through the preprocessor */
    /* Verso's own */
    bool show, keep, plain, externals;
    const char *dump;
    driver_words inactive;
} driver_arguments;

/* False after putting a message into `complaint`: one of Verso's own options is wrong. Without memory words.failed is
 * set. */
bool driver_arguments_read(driver_arguments *arguments, int argc, char **argv, driver_words *complaint);
void driver_arguments_free(driver_arguments *arguments);

/* -flto, -fembed-bitcode and their kin: object files hold bitcode as they are, and the linker must not optimise it. */
bool driver_argument_is_lto(const char *word);

#endif
