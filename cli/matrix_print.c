/* Prints and writes the matrices of `verso jacobian` and `verso hessian`. */
#include "cli/matrix.h"

#include "cli/grad.h"
#include "cli/json.h"
#include "cli/message.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

/* ---- A page ---- */

/* Of a matrix with more rows or columns, or elements, only the first ones are printed. */
enum { SHOWN_ROWS = 12, SHOWN_COLUMNS = 8, SHOWN_ENTRIES = 24 };

static size_t shown(size_t count, size_t most) {
    return count < most ? count : most;
}

static void print_cell(FILE *out, double number) {
    fprintf(out, " %14.7g", number);
}

static void print_dense(FILE *out, const matrix_answer *answer) {
    size_t columns = shown(answer->columns, SHOWN_COLUMNS);
    for (size_t i = 0; i < shown(answer->rows, SHOWN_ROWS); i++) {
        fputs("  ", out);
        for (size_t k = 0; k < columns; k++)
            print_cell(out, answer->numbers[i * answer->columns + k]);
        fputs(columns < answer->columns ? " ...\n" : "\n", out);
    }
    if (answer->rows > SHOWN_ROWS)
        fputs("  ...\n", out);
}

static void print_sparse(FILE *out, const matrix_answer *answer) {
    for (size_t i = 0; i < shown(answer->entries, SHOWN_ENTRIES); i++) {
        const double *triple = answer->numbers + 3 * i;
        fprintf(out, "  (%.0f, %.0f)", triple[0], triple[1]);
        print_cell(out, triple[2]);
        fputc('\n', out);
    }
    if (answer->entries > SHOWN_ENTRIES)
        fputs("  ...\n", out);
}

void matrix_print_page(FILE *out, const derive *task, const matrix_answer *answer) {
    derive_print_call(out, &task->signature);
    fprintf(out, "  %s: %zu rows, %zu columns", answer->name, answer->rows, answer->columns);
    if (answer->sparse)
        fprintf(out, ", %zu elements that are not zero", answer->entries);
    fprintf(out, " (%" PRIu64 " passes)\n\n", answer->passes);
    if (answer->sparse)
        print_sparse(out, answer);
    else
        print_dense(out, answer);
}

/* ---- JSON ---- */

static void print_triples(FILE *out, const matrix_answer *answer, const char *name, size_t part) {
    fprintf(out, "\"%s\": [", name);
    for (size_t i = 0; i < answer->entries; i++) {
        fputs(i ? ", " : "", out);
        grad_print_json_number(out, answer->numbers[3 * i + part]);
    }
    fputc(']', out);
}

static void print_rows(FILE *out, const matrix_answer *answer) {
    fputc('[', out);
    for (size_t i = 0; i < answer->rows; i++) {
        fputs(i ? ", [" : "[", out);
        for (size_t k = 0; k < answer->columns; k++) {
            fputs(k ? ", " : "", out);
            grad_print_json_number(out, answer->numbers[i * answer->columns + k]);
        }
        fputc(']', out);
    }
    fputc(']', out);
}

void matrix_print_json(FILE *out, const matrix_answer *answer) {
    fprintf(out, "{\"rows\": %zu, \"columns\": %zu, \"passes\": %" PRIu64 ", \"%s\": ", answer->rows, answer->columns,
            answer->passes, answer->name);
    if (answer->sparse) {
        fputc('{', out);
        print_triples(out, answer, "row", 0);
        fputs(", ", out);
        print_triples(out, answer, "column", 1);
        fputs(", ", out);
        print_triples(out, answer, "value", 2);
        fputc('}', out);
    } else {
        print_rows(out, answer);
    }
    fputs("}\n", out);
}

/* ---- Files ---- */

static bool ends_with(const char *path, const char *end) {
    size_t length = strlen(path), wanted = strlen(end);
    return length > wanted && strcmp(path + length - wanted, end) == 0;
}

/* Format 1.0 of NumPy: magic, version, length of the header, and the header, padded to a multiple of 64 bytes. */
static void write_npy(FILE *out, const matrix_answer *answer) {
    enum { PREFIX = 10, GRAIN = 64 };
    char header[256];
    int length = snprintf(header, sizeof header, "{'descr': '<f8', 'fortran_order': False, 'shape': (%zu, %zu), }",
                          answer->rows, answer->columns);
    int padded = (PREFIX + length + 1 + GRAIN - 1) / GRAIN * GRAIN - PREFIX;
    fwrite("\x93NUMPY\x01\x00", 1, 8, out);
    fputc(padded & 255, out);
    fputc(padded >> 8, out);
    fprintf(out, "%-*s\n", padded - 1, header);
    fwrite(answer->numbers, sizeof *answer->numbers, answer->rows * answer->columns, out);
}

/* Matrix Market lists columns first, and counts from 1. */
static void write_market(FILE *out, const matrix_answer *answer) {
    fprintf(out, "%%%%MatrixMarket matrix %s real general\n", answer->sparse ? "coordinate" : "array");
    if (answer->sparse) {
        fprintf(out, "%zu %zu %zu\n", answer->rows, answer->columns, answer->entries);
        for (size_t i = 0; i < answer->entries; i++) {
            const double *triple = answer->numbers + 3 * i;
            fprintf(out, "%.0f %.0f ", triple[0] + 1, triple[1] + 1);
            grad_print_number(out, triple[2]);
            fputc('\n', out);
        }
        return;
    }
    fprintf(out, "%zu %zu\n", answer->rows, answer->columns);
    for (size_t k = 0; k < answer->columns; k++)
        for (size_t i = 0; i < answer->rows; i++) {
            grad_print_number(out, answer->numbers[i * answer->columns + k]);
            fputc('\n', out);
        }
}

static void write_text(FILE *out, const matrix_answer *answer) {
    size_t width = answer->sparse ? 3 : answer->columns, lines = answer->sparse ? answer->entries : answer->rows;
    for (size_t i = 0; i < lines; i++)
        for (size_t k = 0; k < width; k++) {
            grad_print_number(out, answer->numbers[i * width + k]);
            fputc(k + 1 < width ? ' ' : '\n', out);
        }
}

int matrix_write_file(derive *task, const matrix_answer *answer, const char *path) {
    bool npy = ends_with(path, ".npy");
    if (npy && answer->sparse)
        return cli_usage_error(task->command, "--out: a .npy file holds a dense matrix; leave out --sparse, or write "
                                              "Matrix Market (.mtx)");
    FILE *out = fopen(path, "wb");
    if (!out)
        return cli_failure(task->command, "cannot write '%s': %s", path, strerror(errno));
    if (npy)
        write_npy(out, answer);
    else if (ends_with(path, ".mtx"))
        write_market(out, answer);
    else
        write_text(out, answer);
    errno = 0;
    if (fflush(out) | ferror(out) | fclose(out))
        return cli_failure(task->command, "cannot write '%s': %s", path, strerror(errno ? errno : EIO));
    return CLI_OK;
}
