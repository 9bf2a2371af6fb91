/* Implements arguments.h. */
#include "cc/driver/arguments.h"

#include "base/alloc.h"
#include "cc/driver/fortran_options.h"
#include "cc/driver/inputs.h"
#include "cc/driver/own_options.h"
#include "cc/driver/response.h"

#include <string.h>

static bool begins(const char *word, const char *start) {
    return strncmp(word, start, strlen(start)) == 0;
}

static bool is_one_of(const char *word, const char *const *list) {
    for (; *list != NULL; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

/* ---- Options whose value is the next argument, found by trying all options of clang 19 ---- */

static const char *const with_value[] = {"-o",
                                         "-x",
                                         "-I",
                                         "-D",
                                         "-U",
                                         "-L",
                                         "-l",
                                         "-F",
                                         "-T",
                                         "-B",
                                         "-A",
                                         "-G",
                                         "-V",
                                         "-b",
                                         "-e",
                                         "-u",
                                         "-z",
                                         "-MF",
                                         "-MJ",
                                         "-MQ",
                                         "-MT",
                                         "-Xanalyzer",
                                         "-Xassembler",
                                         "-Xclang",
                                         "-Xcuda-fatbinary",
                                         "-Xcuda-ptxas",
                                         "-Xlinker",
                                         "-Xoffload-linker",
                                         "-Xpreprocessor",
                                         "-arch",
                                         "-ccc-gcc-name",
                                         "-ccc-install-dir",
                                         "-cxx-isystem",
                                         "-dependency-dot",
                                         "-dependency-file",
                                         "-dumpdir",
                                         "-fdebug-compilation-dir",
                                         "-filelist",
                                         "-fmodules-user-build-path",
                                         "-fnew-alignment",
                                         "-framework",
                                         "-ftrapv-handler",
                                         "-gen-cdb-fragment-path",
                                         "-iapinotes-modules",
                                         "-idirafter",
                                         "-iframework",
                                         "-iframeworkwithsysroot",
                                         "-imacros",
                                         "-imultilib",
                                         "-include",
                                         "-include-pch",
                                         "-iprefix",
                                         "-iquote",
                                         "-isysroot",
                                         "-isystem",
                                         "-isystem-after",
                                         "-ivfsoverlay",
                                         "-iwithprefix",
                                         "-iwithprefixbefore",
                                         "-iwithsysroot",
                                         "-init",
                                         "-meabi",
                                         "-mllvm",
                                         "-mmlir",
                                         "-module-dependency-dir",
                                         "-mthread-model",
                                         "-object-file-name",
                                         "-resource-dir",
                                         "-rpath",
                                         "-serialize-diagnostics",
                                         "-specs",
                                         "-stdlib++-isystem",
                                         "-target",
                                         "-undefined",
                                         "-vfsoverlay",
                                         "-working-directory",
                                         "--analyzer-output",
                                         "--assert",
                                         "--config",
                                         "--define-macro",
                                         "--dyld-prefix",
                                         "--for-linker",
                                         "--force-link",
                                         "--imacros",
                                         "--include",
                                         "--include-directory",
                                         "--include-directory-after",
                                         "--include-prefix",
                                         "--include-with-prefix",
                                         "--include-with-prefix-after",
                                         "--include-with-prefix-before",
                                         "--language",
                                         "--library-directory",
                                         "--no-system-header-prefix",
                                         "--output",
                                         "--param",
                                         "--prefix",
                                         "--resource",
                                         "--rtlib",
                                         "--serialize-diagnostics",
                                         "--specs",
                                         "--std",
                                         "--stdlib",
                                         "--sysroot",
                                         "--system-header-prefix",
                                         "--undefine-macro",
                                         "--vfsoverlay",
                                         NULL};

static bool takes_value(const char *word) {
    return is_one_of(word, with_value) || driver_fortran_option_takes_value(word) || begins(word, "-Xarch_") ||
           begins(word, "-Xopenmp-target");
}

/* ---- Modes ---- */

/* True for options with which clang makes no object file. */
static bool ends_early(const char *word) {
    static const char *const options[] = {"-E",
                                          "-S",
                                          "-M",
                                          "-MM",
                                          "-###",
                                          "-fsyntax-only",
                                          "-fdriver-only",
                                          "-emit-ast",
                                          "-emit-llvm",
                                          "-emit-interface-stubs",
                                          "-emit-merged-ifs",
                                          "-extract-api",
                                          "-module-file-info",
                                          "-rewrite-objc",
                                          "-rewrite-legacy-objc",
                                          "-verify-pch",
                                          "-cc1",
                                          "-cc1as",
                                          "-help",
                                          "-dumpmachine",
                                          "-dumpversion",
                                          "--analyze",
                                          "--assemble",
                                          "--dependencies",
                                          "--emit-static-lib",
                                          "--help-hidden",
                                          "--precompile",
                                          "--preprocess",
                                          "--user-dependencies",
                                          "--version",
                                          NULL};
    return is_one_of(word, options) || begins(word, "-print-") || begins(word, "--print-") ||
           begins(word, "--autocomplete=") || begins(word, "-fmodule-header");
}

/* Verso supports x86-64 Linux only. */
static bool is_other_target(const char *triple) {
    return !begins(triple, "x86_64") || strstr(triple, "linux") == NULL || strstr(triple, "x32") != NULL;
}

bool driver_argument_is_lto(const char *word) {
    static const char *const options[] = {"-flto",
                                          "-fno-lto",
                                          "-ffat-lto-objects",
                                          "-fno-fat-lto-objects",
                                          "-funified-lto",
                                          "-fno-unified-lto",
                                          "-fsplit-lto-unit",
                                          "-fno-split-lto-unit",
                                          "-fwhole-program-vtables",
                                          "-fvirtual-function-elimination",
                                          NULL};
    return is_one_of(word, options) || begins(word, "-flto=") || begins(word, "-flto-jobs=") ||
           begins(word, "-fembed-bitcode");
}

/* True for sanitizers that instrument the code during optimisation. In an object with bitcode clang would instrument
 * the code twice, and the instrumentation cannot be differentiated. */
static bool is_instrumenting(const char *sanitizers) {
    static const char *const names[] = {"address", "thread", "memory",    "dataflow",
                                        "fuzzer",  "memtag", "numerical", NULL};
    for (size_t i = 0; names[i] != NULL; i++)
        if (strstr(sanitizers, names[i]) != NULL)
            return true;
    return false;
}

/* ---- Reading ---- */

typedef struct reading {
    driver_arguments *arguments;
    const char *language; /* value of the last -x; NULL: none */
    bool object;          /* -c is given */
    bool pass;            /* an option requires DRIVER_MODE_PASS */
    bool header;          /* an input is a header */
    bool incomplete;      /* the last option lacks its value */
} reading;

static void add(driver_arguments *arguments, driver_argument argument) {
    if (arguments->count == arguments->capacity) {
        size_t capacity = arguments->capacity == 0 ? 64 : 2 * arguments->capacity;
        driver_argument *at = verso__realloc(arguments->at, capacity, sizeof *at);
        if (at == NULL) {
            arguments->words.failed = true;
            return;
        }
        arguments->at = at;
        arguments->capacity = capacity;
    }
    arguments->at[arguments->count++] = argument;
}

bool driver_arguments_insert(driver_arguments *arguments, size_t index, driver_argument argument) {
    add(arguments, argument); /* grows the array; the order is corrected below */
    if (arguments->words.failed)
        return false;
    memmove(&arguments->at[index + 1], &arguments->at[index], (arguments->count - 1 - index) * sizeof *arguments->at);
    arguments->at[index] = argument;
    return true;
}

void driver_arguments_without_fortran(driver_arguments *arguments) {
    for (size_t i = 0; i < arguments->count; i++)
        if (arguments->at[i].kind == DRIVER_ARGUMENT_FORTRAN)
            arguments->at[i].kind = DRIVER_ARGUMENT_OPTION;
}

static void add_text(reading *reading, driver_argument_kind kind, const char *text) {
    add(reading->arguments, (driver_argument){.kind = kind, .text = text});
}

static void add_input(reading *reading, const char *path) {
    driver_arguments *arguments = reading->arguments;
    driver_input input = driver_input_of(path, reading->language);
    if (strcmp(path, "-") == 0 && reading->language == NULL)
        reading->pass = true; /* clang reports that -x is missing */
    if (input == DRIVER_INPUT_LINKED && path[0] == '-' &&
        path[1] != '\0') /* a file after "--"; linkers do not support "--" */
        path = driver_words_print(&arguments->pieces, "./%s", path);
    reading->header = reading->header || input == DRIVER_INPUT_HEADER;
    arguments->has_source = arguments->has_source || input == DRIVER_INPUT_SOURCE;
    arguments->has_fortran = arguments->has_fortran || input == DRIVER_INPUT_FORTRAN;
    arguments->reads_headers = arguments->reads_headers || driver_input_reads_headers(path, reading->language);
    add(arguments,
        (driver_argument){.kind = DRIVER_ARGUMENT_INPUT, .text = path, .input = input, .language = reading->language});
}

static void read_language(reading *reading, const char *language) {
    reading->language = strcmp(language, "none") == 0 ? NULL : language;
    add_text(reading, DRIVER_ARGUMENT_LANGUAGE, language);
}

/* Reads one argument for the linker. Linkers read response files, too. */
static void read_linker_word(reading *reading, const char *word) {
    static const char *const tracing[] = {"-t", "--trace", NULL};
    static const char *const sharing[] = {"-shared", "--shared", "-Bshareable", NULL};
    static const char *const partial[] = {"-r", "--relocatable", "-i", NULL};
    driver_arguments *arguments = reading->arguments;
    arguments->traced = arguments->traced || is_one_of(word, tracing);
    arguments->shared = arguments->shared || is_one_of(word, sharing);
    arguments->relocatable = arguments->relocatable || is_one_of(word, partial);
    if (word[0] != '@') {
        add_text(reading, DRIVER_ARGUMENT_LINKER, word);
        return;
    }
    driver_words *kept = &arguments->pieces;
    size_t first = kept->count;
    char *const given[] = {(char *)(uintptr_t)word};
    driver_response_expand(kept, given, 1);
    for (size_t i = first; i < kept->count; i++)
        add_text(reading, DRIVER_ARGUMENT_LINKER, kept->at[i]);
}

static void read_linker_words(reading *reading, const char *list) {
    for (;;) {
        size_t size = strcspn(list, ",");
        read_linker_word(reading, driver_words_add_part(&reading->arguments->pieces, list, size));
        if (list[size] == '\0')
            return;
        list += size + 1;
    }
}

/* Reads options that begin with -g. Those that only select a format do not enable debug information. */
static void read_debug(driver_arguments *arguments, const char *word) {
    static const char *const levels[] = {
        "-g", "-g1", "-g2", "-g3", "-gmlt", "-gline-tables-only", "-gline-directives-only", "-gfull", "-gused", NULL};
    if (strcmp(word, "-g0") == 0)
        arguments->debug = false;
    else if (is_one_of(word, levels) || begins(word, "-ggdb") || begins(word, "-gdwarf") || begins(word, "-glldb"))
        arguments->debug = true;
}

static void read_optimise(driver_arguments *arguments, const char *level) {
    if (level[0] == '\0' || strcmp(level, "g") == 0)
        arguments->optimise = '1';
    else if (strcmp(level, "fast") == 0 || (level[0] >= '4' && level[0] <= '9'))
        arguments->optimise = '3';
    else
        arguments->optimise = level[0];
}

/* Reads options that name auxiliary files. The driver must write them there also if it compiles and links in two steps.
 */
static void read_auxiliary(driver_arguments *arguments, const char *word) {
    if (strcmp(word, "-MD") == 0 || strcmp(word, "-MMD") == 0 || strcmp(word, "--write-dependencies") == 0 ||
        strcmp(word, "--write-user-dependencies") == 0)
        arguments->dependencies = true;
    else if (begins(word, "-MF"))
        arguments->dependency_file = true;
    else if (begins(word, "-MT") || begins(word, "-MQ"))
        arguments->dependency_target = true;
    else if (strcmp(word, "-dumpdir") == 0)
        arguments->dump_folder = true;
    else if (begins(word, "-save-temps") || begins(word, "--save-temps")) {
        arguments->save_temps = true;
        arguments->save_temps_beside_output = strstr(word, "=obj") != NULL;
    }
}

static void read_flag(reading *reading, const char *word) {
    driver_arguments *arguments = reading->arguments;
    if (strcmp(word, "-c") == 0 || strcmp(word, "--compile") == 0)
        reading->object = true;
    else if (strcmp(word, "-shared") == 0 || strcmp(word, "--shared") == 0)
        arguments->shared = true;
    else if (strcmp(word, "-static") == 0 || strcmp(word, "--static") == 0 || strcmp(word, "-static-pie") == 0)
        arguments->is_static = true;
    else if (strcmp(word, "-r") == 0)
        arguments->relocatable = true;
    else if (strcmp(word, "-t") == 0)
        arguments->traced = true;
    else if (strcmp(word, "-m32") == 0 || strcmp(word, "-mx32") == 0 || strcmp(word, "-m16") == 0)
        reading->pass = true;
    else if (begins(word, "--target=") && is_other_target(word + strlen("--target=")))
        reading->pass = true;
    else if (begins(word, "-fsanitize=cfi"))
        reading->pass = true; /* needs clang's own link-time optimisation */
    else if (begins(word, "-fsanitize-coverage=") ||
             (begins(word, "-fsanitize=") && is_instrumenting(word + strlen("-fsanitize="))))
        arguments->instrumented = true;
    else if (begins(word, "-O"))
        read_optimise(arguments, word + 2);
    else if (begins(word, "-g"))
        read_debug(arguments, word);
    else if (ends_early(word))
        reading->pass = true;
    else
        read_auxiliary(arguments, word);
}

/* Reads an option whose value is the next argument. */
static void read_pair(reading *reading, const char *word, const char *value) {
    if (strcmp(word, "-x") == 0 || strcmp(word, "--language") == 0) {
        read_language(reading, value);
    } else if (strcmp(word, "-o") == 0 || strcmp(word, "--output") == 0) {
        reading->arguments->output = value;
        add_text(reading, DRIVER_ARGUMENT_OUTPUT, value);
    } else if (strcmp(word, "-l") == 0) {
        add_text(reading, DRIVER_ARGUMENT_LIBRARY, value);
    } else if (strcmp(word, "-Xlinker") == 0 || strcmp(word, "--for-linker") == 0) {
        read_linker_word(reading, value);
    } else if (driver_is_fortran_option(word)) {
        add_text(reading, DRIVER_ARGUMENT_FORTRAN, word);
        add_text(reading, DRIVER_ARGUMENT_FORTRAN, value);
    } else {
        if (strcmp(word, "-target") == 0 && is_other_target(value))
            reading->pass = true;
        read_auxiliary(reading->arguments, word);
        add_text(reading, DRIVER_ARGUMENT_OPTION, word);
        add_text(reading, DRIVER_ARGUMENT_VALUE, value);
    }
}

static void read_option(reading *reading, const char *word) {
    if (begins(word, "-x")) {
        read_language(reading, word + 2);
    } else if (begins(word, "--language=")) {
        read_language(reading, word + strlen("--language="));
    } else if (begins(word, "-o") && !begins(word, "-obj")) {
        reading->arguments->output = word + 2;
        add_text(reading, DRIVER_ARGUMENT_OUTPUT, word + 2);
    } else if (begins(word, "--output=")) {
        reading->arguments->output = word + strlen("--output=");
        add_text(reading, DRIVER_ARGUMENT_OUTPUT, reading->arguments->output);
    } else if (begins(word, "-l")) {
        add_text(reading, DRIVER_ARGUMENT_LIBRARY, word + 2);
    } else if (begins(word, "-Wl,")) {
        read_linker_words(reading, word + strlen("-Wl,"));
    } else if (!driver_argument_is_lto(word)) {
        read_flag(reading, word);
        add_text(reading, driver_is_fortran_option(word) ? DRIVER_ARGUMENT_FORTRAN : DRIVER_ARGUMENT_OPTION, word);
    }
}

static void read_words(reading *reading) {
    driver_arguments *arguments = reading->arguments;
    size_t count = arguments->words.count;
    for (size_t i = 0; i < count; i++) {
        const char *word = arguments->words.at[i];
        if (arguments->end < i || word[0] != '-' || strcmp(word, "-") == 0)
            add_input(reading, word);
        else if (strcmp(word, "--") == 0)
            arguments->end = i;
        else if (!takes_value(word))
            read_option(reading, word);
        else if (i + 1 < count)
            read_pair(reading, word, arguments->words.at[++i]);
        else
            reading->incomplete = true;
    }
}

static void choose_mode(reading *reading) {
    driver_arguments *arguments = reading->arguments;
    bool something = false;
    for (size_t i = 0; i < arguments->count && !something; i++)
        something = arguments->at[i].kind == DRIVER_ARGUMENT_INPUT ||
                    arguments->at[i].kind == DRIVER_ARGUMENT_LIBRARY || arguments->at[i].kind == DRIVER_ARGUMENT_LINKER;
    if (reading->incomplete) /* nothing may be appended, so that clang reports the missing value */
        arguments->reads_headers = false;
    if (reading->pass || reading->header || reading->incomplete || !something)
        arguments->mode = DRIVER_MODE_PASS;
    else
        arguments->mode = reading->object ? DRIVER_MODE_OBJECT : DRIVER_MODE_LINK;
}

bool driver_arguments_read(driver_arguments *arguments, int argc, char **argv, driver_words *complaint) {
    *arguments = (driver_arguments){0};
    driver_words all = {0};
    driver_response_expand(&all, argv + 1, argc > 0 ? (size_t)argc - 1 : 0);
    bool right = driver_own_options_read(arguments, &all, complaint);
    arguments->words.failed = arguments->words.failed || all.failed;
    driver_words_free(&all);
    arguments->end = arguments->words.count;
    reading reading = {.arguments = arguments};
    read_words(&reading);
    choose_mode(&reading);
    return right;
}

void driver_arguments_free(driver_arguments *arguments) {
    driver_words_free(&arguments->words);
    driver_words_free(&arguments->pieces);
    driver_words_free(&arguments->inactive);
    driver_words_free(&arguments->pure);
    driver_words_free(&arguments->noinline);
    verso__dealloc(arguments->at);
    *arguments = (driver_arguments){0};
}
