/* verso-transform: the program that `verso cc` runs when it links a program that differentiates. It is separate from
 * `verso` so that `verso` starts without loading LLVM.
 *
 *   verso-transform -o OBJECT [-O N] [-g] [--externals] [--exports] [--shared] [--dump PASS] [--dump-file FILE]
 *                   [--inactive NAME]... [--pure NAME]... [--cpu NAME] [--strip BYTES] [--part COUNT]
 *                   [--check-reload] BITCODE:LABEL...
 *
 * BITCODE is a file with one module, LABEL its name in messages. --strip and --part are for tests: with a small
 * value, runs can be split more often, and generated code is divided into more parts. Exits with 0 on success;
 * otherwise with 1, after printing "FILE:LINE: error: TEXT" lines on
 * standard error. */
#include "cc/emit/emit.h"
#include "cc/plan/strips.h"
#include "cc/transform.h"

#include <errno.h>
#include <llvm-c/ErrorHandling.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct arguments {
    cc_request request;
    cc_input *inputs;
    const char **inactive, **pure;
} arguments;

static int complain(const char *what, const char *detail) {
    fprintf(stderr, "verso-transform: error: %s%s\n", what, detail);
    return 1;
}

/* LLVM calls this before it ends the process because of a fatal error. */
static void report_llvm_failure(const char *reason) {
    complain("LLVM failed: ", reason);
}

/* ---- Files ---- */

static char *read_stream(FILE *file, size_t *size) {
    char *bytes = NULL;
    size_t capacity = 0;
    for (*size = 0; !feof(file) && !ferror(file);) {
        if (*size == capacity) {
            capacity = capacity == 0 ? 1 << 16 : capacity * 2;
            char *grown = realloc(bytes, capacity);
            if (grown == NULL)
                break;
            bytes = grown;
        }
        *size += fread(bytes + *size, 1, capacity - *size, file);
    }
    if (feof(file) && !ferror(file))
        return bytes;
    free(bytes);
    return NULL;
}

/* Reads the file of "BITCODE:LABEL" into *input. Without a label, the path is the name. Returns 0 on success. */
static int read_input(char *text, cc_input *input) {
    char *colon = strchr(text, ':');
    if (colon != NULL)
        *colon = '\0';
    input->name = colon == NULL ? text : colon + 1;
    FILE *file = fopen(text, "rb");
    if (file == NULL) {
        fprintf(stderr, "verso-transform: error: cannot read %s: %s\n", text, strerror(errno));
        return 1;
    }
    char *bytes = read_stream(file, &input->size);
    fclose(file);
    if (bytes == NULL) {
        fprintf(stderr, "verso-transform: error: cannot read %s: %s\n", text, strerror(errno));
        return 1;
    }
    input->bitcode = bytes;
    return 0;
}

/* ---- Arguments ---- */

/* Returns the level of -O that the text names: 0 to 3, 's' or 'z'; -1 if it names none. */
static int level(const char *text) {
    if (strlen(text) != 1 || strchr("0123sz", *text) == NULL)
        return -1;
    return *text >= '0' && *text <= '3' ? *text - '0' : *text;
}

/* Applies an option that has a value. Returns 0 on success. */
static int take_option(arguments *all, const char *name, const char *value) {
    cc_request *request = &all->request;
    if (strcmp(name, "-o") == 0)
        request->object = value;
    else if (strcmp(name, "-O") == 0)
        request->optimise = level(value);
    else if (strcmp(name, "--dump") == 0)
        request->dump = value;
    else if (strcmp(name, "--dump-file") == 0)
        request->dump_file = value;
    else if (strcmp(name, "--cpu") == 0)
        request->cpu = value;
    else if (strcmp(name, "--strip") == 0)
        request->strip = strtoull(value, NULL, 10);
    else if (strcmp(name, "--part") == 0)
        request->part = strtoull(value, NULL, 10);
    else if (strcmp(name, "--inactive") == 0)
        all->inactive[request->inactive_count++] = value;
    else if (strcmp(name, "--pure") == 0)
        all->pure[request->pure_count++] = value;
    else
        return complain("unknown option ", name);
    return request->optimise < 0 ? complain("-O takes 0, 1, 2, 3, s or z, not ", value) : 0;
}

static int take_all(arguments *all, int count, char **texts) {
    for (int i = 1; i < count; i++) {
        if (strcmp(texts[i], "-g") == 0) {
            all->request.debug = true;
        } else if (strcmp(texts[i], "--externals") == 0) {
            all->request.externals = true;
        } else if (strcmp(texts[i], "--exports") == 0) {
            all->request.exports = true;
        } else if (strcmp(texts[i], "--shared") == 0) {
            all->request.shared = true;
        } else if (strcmp(texts[i], "--check-reload") == 0) {
            all->request.check_reload = true;
        } else if (texts[i][0] == '-') {
            if (i + 1 == count)
                return complain("a value must follow ", texts[i]);
            if (take_option(all, texts[i], texts[i + 1]) != 0)
                return 1;
            i++;
        } else if (read_input(texts[i], &all->inputs[all->request.input_count++]) != 0) {
            return 1;
        }
    }
    all->request.inputs = all->inputs;
    all->request.inactive = all->inactive;
    all->request.pure = all->pure;
    return all->request.object == NULL ? complain("-o OBJECT is missing", "") : 0;
}

static int transform(const cc_request *request) {
    verso_error error;
    char *diagnostics = NULL;
    verso_status status = cc_transform(request, &diagnostics, &error);
    if (diagnostics != NULL)
        fputs(diagnostics, stderr);
    if (status != VERSO_STATUS_OK && (diagnostics == NULL || strstr(diagnostics, ": error: ") == NULL))
        complain(error.message, "");
    free(diagnostics);
    return status == VERSO_STATUS_OK ? 0 : 1;
}

int main(int count, char **texts) {
    LLVMInstallFatalErrorHandler(report_llvm_failure);
    arguments all = {.request = {.optimise = 2, .strip = CC_STRIP_BYTES, .part = CC_PART_INSTRUCTIONS}};
    all.inputs = calloc((size_t)count + 1, sizeof *all.inputs);
    all.inactive = calloc((size_t)count + 1, sizeof *all.inactive);
    all.pure = calloc((size_t)count + 1, sizeof *all.pure);
    int status = 1;
    if (all.inputs == NULL || all.inactive == NULL || all.pure == NULL)
        complain("out of memory", "");
    else if (take_all(&all, count, texts) == 0)
        status = transform(&all.request);
    for (size_t i = 0; all.inputs != NULL && i < all.request.input_count; i++)
        free((void *)all.inputs[i].bitcode);
    free(all.inputs);
    free(all.inactive);
    free(all.pure);
    return status;
}
