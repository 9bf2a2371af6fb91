/* Implements fortran_options.h. The lists are those of flang 19's --help-hidden. */
#include "cc/driver/fortran_options.h"

#include <stddef.h>
#include <string.h>

static bool begins_with_one_of(const char *word, const char *const *list) {
    for (; *list != NULL; list++)
        if (strncmp(word, *list, strlen(*list)) == 0)
            return true;
    return false;
}

static bool is_one_of(const char *word, const char *const *list) {
    for (; *list != NULL; list++)
        if (strcmp(word, *list) == 0)
            return true;
    return false;
}

bool driver_fortran_option_takes_value(const char *word) {
    static const char *const options[] = {"-J", "-module-dir", "-Xflang", "-fintrinsic-modules-path", NULL};
    return is_one_of(word, options);
}

bool driver_is_fortran_option(const char *word) {
    static const char *const starts[] = {"-J",
                                         "-falternative-parameter-statement",
                                         "-fbackslash",
                                         "-fconvert=",
                                         "-fd-lines-as-",
                                         "-fdefault-double-8",
                                         "-fdefault-integer-8",
                                         "-fdefault-real-8",
                                         "-ffixed-form",
                                         "-ffixed-line-length",
                                         "-ffree-form",
                                         "-fhermetic-module-files",
                                         "-fimplicit-none",
                                         "-fintrinsic-modules-path",
                                         "-flarge-sizes",
                                         "-flogical-abbreviations",
                                         "-fno-automatic",
                                         "-fno-backslash",
                                         "-fno-fixed-form",
                                         "-fno-implicit-none",
                                         "-fno-ppc-native-vector-element-order",
                                         "-fno-stack-arrays",
                                         "-fno-underscoring",
                                         "-fno-version-loops-for-stride",
                                         "-fstack-arrays",
                                         "-funderscoring",
                                         "-fversion-loops-for-stride",
                                         "-fxor-operator",
                                         "-module-dir",
                                         "-std=f",
                                         NULL};
    static const char *const words[] = {"-Xflang", "-cpp", "-nocpp", NULL};
    return begins_with_one_of(word, starts) || is_one_of(word, words);
}

bool driver_is_shared_option(const char *word) {
    static const char *const starts[] = {"-D", "-I", "-O", "-U", "-g", "-isysroot", NULL};
    static const char *const words[] = {"-Werror",
                                        "-fassociative-math",
                                        "-ffast-math",
                                        "-fno-fast-math",
                                        "-fno-signed-zeros",
                                        "-fopenmp",
                                        "-freciprocal-math",
                                        "-pthread",
                                        "-v",
                                        "-w",
                                        NULL};
    return begins_with_one_of(word, starts) || is_one_of(word, words) || driver_is_code_option(word);
}

bool driver_is_code_option(const char *word) {
    static const char *const starts[] = {
        "-O",    "-march=", "-mcmodel=", "-mcpu=",  "-mllvm",    "-mno-", "-mprefer-vector-width=",
        "-msse", "-mavx",   "-mfma",     "-mtune=", "--target=", NULL};
    static const char *const words[] = {"-fPIC",    "-fPIE", "-fno-PIC", "-fno-PIE", "-fno-pic",
                                        "-fno-pie", "-fpic", "-fpie",    NULL};
    return begins_with_one_of(word, starts) || is_one_of(word, words);
}
