/* What the module `verso` of Fortran (include/verso/verso.f90) needs of C: it reads and writes structures of
 * <verso/native.h>, whose layout Fortran does not know. The module has room for each. */
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <verso/linear.h>
#include <verso/native.h>

enum { ROOM = 2048 };
_Static_assert(sizeof(verso_native_options) <= ROOM && sizeof(verso_native_report) <= ROOM &&
                   sizeof(verso_check_report) <= ROOM && sizeof(verso_error) <= ROOM,
               "as in verso.f90");

void verso__fortran_options(verso_native_options *options, int64_t memory, int64_t leaf, const char *directory,
                            int64_t offload);
void verso__fortran_report_begin(verso_native_report *report);
void verso__fortran_report(const verso_native_report *report, int64_t counts[6], double seconds[2], char schedule[96]);
void verso__fortran_check_begin(verso_check_report *report);
int verso__fortran_check_holds(const verso_check_report *report, char *message, size_t length);
void verso__fortran_message(const verso_error *error, char *message, size_t length);
int verso__fortran_linear_solve(const char *where, const verso_linear_problem *problem, const double *b, double *x);
double verso__fortran_frozen_double(double value);
float verso__fortran_frozen_float(float value);

/* Copies a text, and fills the rest with blanks. */
static void fill(char *to, size_t length, const char *text) {
    size_t size = strlen(text);
    memset(to, ' ', length);
    memcpy(to, text, size < length ? size : length);
}

void verso__fortran_options(verso_native_options *options, int64_t memory, int64_t leaf, const char *directory,
                            int64_t offload) {
    verso_native_options fresh = VERSO_NATIVE_OPTIONS_INIT;
    *options = fresh;
    options->memory = memory > 0 ? (uint64_t)memory : 0;
    options->leaf = leaf > 0 ? (uint64_t)leaf : 0;
    options->offload_directory = directory;
    options->offload_memory = offload > 0 ? (uint64_t)offload : 0;
}

void verso__fortran_report_begin(verso_native_report *report) {
    verso_native_report fresh = VERSO_NATIVE_REPORT_INIT;
    *report = fresh;
}

void verso__fortran_report(const verso_native_report *report, int64_t counts[6], double seconds[2], char schedule[96]) {
    uint64_t values[] = {report->steps,    report->forward_steps, report->recordings,
                         report->capsules, report->tape_bytes,    report->peak_bytes};
    for (int i = 0; i < 6; i++)
        counts[i] = (int64_t)values[i];
    seconds[0] = report->seconds_forward;
    seconds[1] = report->seconds_reverse;
    fill(schedule, 96, report->schedule);
}

void verso__fortran_check_begin(verso_check_report *report) {
    verso_check_report fresh = VERSO_CHECK_REPORT_INIT;
    *report = fresh;
}

int verso__fortran_check_holds(const verso_check_report *report, char *message, size_t length) {
    char text[256];
    snprintf(text, sizeof text, "value %s, dot product %.1e apart, Taylor order %.2f, cuts %s",
             report->value_holds ? "same" : "differs", fabs(report->dot_tangent - report->dot_reverse),
             report->taylor_order, report->cuts_hold ? "same" : "differ");
    fill(message, length, text);
    return report->holds;
}

void verso__fortran_message(const verso_error *error, char *message, size_t length) {
    fill(message, length, error->message);
}

/* In differentiated programs, that of native/lib/fortran/solvers.c. */
int verso__fortran_linear_solve(const char *where, const verso_linear_problem *problem, const double *b, double *x) {
    return verso_linear_solve_at(where, problem, b, x);
}

double verso__fortran_frozen_double(double value) {
    return value;
}

float verso__fortran_frozen_float(float value) {
    return value;
}
