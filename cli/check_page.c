/* What `verso check` found: a table and a verdict for people, or JSON. */
#include "cli/check.h"

#include "cli/grad.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- For people ---- */

static const char *verdict(bool passed) {
    return passed ? "pass" : "FAIL";
}

static void print_row(FILE *out, const char *test, const char *measured, const char *bound, const char *result) {
    fprintf(out, "  %-14s%-44s%-12s%s\n", test, measured, bound, result);
}

static void print_dot(FILE *out, const check_findings *findings) {
    char measured[64], bound[32];
    snprintf(measured, sizeof measured, "%.2e apart, of %.6g", findings->dot.difference, findings->dot.tangent);
    snprintf(bound, sizeof bound, "< %.0e", findings->dot.tolerance);
    print_row(out, "dot product", measured, bound, verdict(findings->dot.passed));
}

static void print_taylor(FILE *out, const check_findings *findings) {
    char measured[64], bound[32];
    if (findings->taylor.exact)
        snprintf(measured, sizeof measured, "no remainder: linear as far as can be seen");
    else
        snprintf(measured, sizeof measured, "order %.3f", findings->taylor.observed);
    snprintf(bound, sizeof bound, "> %.2f", findings->taylor.wanted);
    print_row(out, "Taylor", measured, findings->taylor.exact ? "" : bound, verdict(findings->taylor.passed));
    for (size_t i = 0; i < findings->taylor.count; i++) {
        char row[64];
        int length =
            snprintf(row, sizeof row, "h %.1e  remainder %.2e", findings->taylor.h[i], findings->taylor.remainder[i]);
        if (i > 0 && isfinite(findings->taylor.order[i]) && length > 0 && (size_t)length < sizeof row)
            snprintf(row + length, sizeof row - (size_t)length, "  order %.3f", findings->taylor.order[i]);
        print_row(out, "", row, "", "");
    }
}

static void print_cuts(FILE *out, const check_findings *findings) {
    char measured[96];
    snprintf(measured, sizeof measured, "%" PRIu64 " bits differ, %" PRIu64 " sweeps of %" PRIu64 " stretches",
             findings->cuts.differing, findings->cuts.sweeps, findings->cuts.stretches);
    print_row(out, "cuts", measured, "none", verdict(findings->cuts.passed));
}

static bool wants_colour(FILE *out) {
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(out)) && !(refused && refused[0]) && terminal && terminal[0];
}

void check_print_page(FILE *out, const derive *task, const check_findings *findings) {
    derive_print_call(out, &task->signature);
    print_row(out, "test", "measured", "wanted", "");
    print_dot(out, findings);
    print_taylor(out, findings);
    print_cuts(out, findings);
    bool colour = wants_colour(out);
    fprintf(out, "\n%s%s%s\n",
            !colour            ? ""
            : findings->passed ? "\033[32m"
                               : "\033[31m",
            findings->passed ? "PASS" : "FAIL", colour ? "\033[0m" : "");
}

/* ---- JSON ---- */

static void print_number(FILE *out, const char *name, double number) {
    fprintf(out, "\"%s\": ", name);
    grad_print_json_number(out, number);
}

static void print_list(FILE *out, const char *name, const double *numbers, size_t first, size_t count) {
    fprintf(out, "\"%s\": [", name);
    for (size_t i = first; i < count; i++) {
        fputs(i > first ? ", " : "", out);
        grad_print_json_number(out, numbers[i]);
    }
    fputc(']', out);
}

static void print_passed(FILE *out, bool passed) {
    fprintf(out, ", \"passed\": %s}", passed ? "true" : "false");
}

void check_print_json(FILE *out, const check_findings *findings) {
    fputs("{", out);
    print_number(out, "value", findings->value);
    fprintf(out, ", \"steps\": %" PRIu64 ", \"dot_product\": {", findings->steps);
    print_number(out, "reverse", findings->dot.reverse);
    fputs(", ", out);
    print_number(out, "tangent", findings->dot.tangent);
    fputs(", ", out);
    print_number(out, "difference", findings->dot.difference);
    fputs(", ", out);
    print_number(out, "tolerance", findings->dot.tolerance);
    print_passed(out, findings->dot.passed);
    fputs(", \"taylor\": {", out);
    print_list(out, "h", findings->taylor.h, 0, findings->taylor.count);
    fputs(", ", out);
    print_list(out, "remainders", findings->taylor.remainder, 0, findings->taylor.count);
    fputs(", ", out);
    print_list(out, "orders", findings->taylor.order, 1, findings->taylor.count);
    fputs(", ", out);
    print_number(out, "order", findings->taylor.exact ? NAN : findings->taylor.observed);
    print_passed(out, findings->taylor.passed);
    fprintf(out, ", \"cuts\": {\"sweeps\": %" PRIu64 ", \"stretches\": %" PRIu64 ", \"differing\": %" PRIu64,
            findings->cuts.sweeps, findings->cuts.stretches, findings->cuts.differing);
    print_passed(out, findings->cuts.passed);
    print_passed(out, findings->passed);
    fputc('\n', out);
}
