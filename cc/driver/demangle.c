/* Implements demangle.h, for C++ with __cxa_demangle of the C++ run-time library. In flang's names each part begins
 * with a capital letter that says what it is: M module, S submodule, F procedure that contains the next one, P
 * procedure, E variable. */
#include "cc/driver/demangle.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

char *__cxa_demangle(const char *name, char *buffer, size_t *length, int *status); /* in libstdc++ */

static bool is_letter(char letter) {
    return isalnum((unsigned char)letter) || letter == '_' || letter == '$';
}

/* Returns the length of the mangled name at `at`, including suffixes of compilers (".isra.0"); 0 if there is none. A
 * name after "=" is the value of an option, which takes mangled names, and does not count. */
static size_t name_length(const char *text, const char *at) {
    bool fortran = strncmp(at, "_Q", 2) == 0 && strchr("MF", at[2]) != NULL && at[2] != '\0';
    if ((strncmp(at, "_Z", 2) != 0 && !fortran) || (at > text && (is_letter(at[-1]) || at[-1] == '=')))
        return 0;
    size_t length = 2;
    while (is_letter(at[length]) || (at[length] == '.' && is_letter(at[length + 1])))
        length++;
    return length;
}

static void write_name(FILE *out, const char *name, bool html) {
    for (; *name != '\0'; name++)
        if (html && strchr("<>&", *name) != NULL)
            fputs(*name == '<' ? "&lt;" : *name == '>' ? "&gt;" : "&amp;", out);
        else
            fputc(*name, out);
}

static bool write_fortran(FILE *out, const char *at, size_t length) {
    bool first = true;
    for (size_t i = 2; i < length; i++) {
        if (!isupper((unsigned char)at[i])) {
            fputc(at[i], out);
            continue;
        }
        if (i + 1 == length || isupper((unsigned char)at[i + 1]))
            continue; /* the main program has no name */
        fputs(first ? "" : "::", out);
        first = false;
    }
    return true;
}

/* Returns false, and writes nothing, if the text is not a valid mangled name. */
static bool write_demangled(FILE *out, const char *at, size_t length, bool html) {
    if (at[1] == 'Q')
        return write_fortran(out, at, length);
    char *copy = strndup(at, length);
    int status;
    char *name = copy == NULL ? NULL : __cxa_demangle(copy, NULL, NULL, &status);
    if (name != NULL)
        write_name(out, name, html);
    free(copy);
    free(name);
    return name != NULL;
}

char *driver_demangled(const char *text, bool html) {
    char *result = NULL;
    size_t size;
    FILE *out = open_memstream(&result, &size);
    if (out == NULL)
        return NULL;
    for (const char *at = text; *at != '\0';) {
        size_t length = name_length(text, at);
        if (length > 0 && write_demangled(out, at, length, html)) {
            at += length;
            continue;
        }
        fputc(*at++, out);
    }
    bool failed = ferror(out) != 0;
    if (fclose(out) != 0 || failed) {
        free(result);
        return NULL;
    }
    return result;
}
