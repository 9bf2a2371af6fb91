/* What `verso check` found: a table and a verdict for people, or JSON. */
#include "cli/check.h"

#include "cli/grad.h"
#include "cli/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- For people ---- */

static const char *verdict(bool passed) {
    return passed ? "pass" : "FAIL";
}

/* No blanks at the end of a line. */
static void print_row(FILE *out, const char *test, const char *measured, const char *bound, const char *result) {
    if (result[0])
        fprintf(out, "  %-14s%-43s %-12s%s\n", test, measured, bound, result);
    else
        fprintf(out, "  %-14s%s\n", test, measured);
}

static void print_dot(FILE *out, const check_findings *findings) {
    char measured[64], bound[32];
    snprintf(measured, sizeof measured, "%.6g, %.1e apart", findings->dot.tangent,
             fabs(findings->dot.tangent - findings->dot.reverse));
    snprintf(bound, sizeof bound, "< %.1e", findings->dot.bound);
    print_row(out, "dot product", measured, bound, verdict(findings->dot.passed));
}

static void print_taylor(FILE *out, const check_findings *findings) {
    char row[64];
    snprintf(row, sizeof row, "order %.3f", findings->taylor.observed);
    print_row(out, "Taylor", findings->taylor.linear ? "linear, as far as can be seen" : row,
              findings->taylor.linear ? "" : "> 1.8", verdict(findings->taylor.passed));
    for (size_t i = 0; i < findings->taylor.count && !findings->taylor.linear; i++) {
        if (!isfinite(findings->taylor.order[i]))
            continue;
        snprintf(row, sizeof row, "h %.1e  remainder %.1e  order %.3f", findings->taylor.h[i],
                 findings->taylor.remainder[i], findings->taylor.order[i]);
        print_row(out, "", row, "", "");
    }
}

static void print_cuts(FILE *out, const check_findings *findings) {
    char measured[96];
    snprintf(measured, sizeof measured, "%" PRIu64 " numbers differ, %" PRIu64 " stretches", findings->cuts.differing,
             findings->cuts.stretches);
    print_row(out, "cuts", measured, "none", verdict(findings->cuts.passed));
}

static void print_budget(FILE *out, const check_findings *findings) {
    char measured[160];
    if (!findings->budget.asked)
        return;
    snprintf(measured, sizeof measured, "%" PRIu64 " numbers differ, %s", findings->budget.differing,
             findings->budget.schedule);
    print_row(out, "budget", measured, "none", verdict(findings->budget.passed));
}

static bool wants_colour(FILE *out) {
    const char *refused = getenv("NO_COLOR"), *terminal = getenv("TERM");
    return isatty(fileno(out)) && !(refused && refused[0]) && terminal && terminal[0];
}

void check_print_page(FILE *out, const derive *task, const check_findings *findings) {
    derive_print_call(out, &task->signature);
    print_row(out, "test", "measured", "wanted", "verdict");
    print_dot(out, findings);
    print_taylor(out, findings);
    print_cuts(out, findings);
    print_budget(out, findings);
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

static void print_list(FILE *out, const char *name, const double *numbers, size_t count) {
    fprintf(out, "\"%s\": [", name);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        grad_print_json_number(out, numbers[i]);
    }
    fputc(']', out);
}

static void print_passed(FILE *out, bool passed) {
    fprintf(out, ", \"passed\": %s}", passed ? "true" : "false");
}

void check_print_json(FILE *out, const check_findings *findings) {
    fprintf(out, "{\"steps\": %" PRIu64 ", \"dot_product\": {", findings->steps);
    print_number(out, "reverse", findings->dot.reverse);
    fputs(", ", out);
    print_number(out, "tangent", findings->dot.tangent);
    fputs(", ", out);
    print_number(out, "bound", findings->dot.bound);
    print_passed(out, findings->dot.passed);
    fputs(", \"taylor\": {", out);
    print_list(out, "h", findings->taylor.h, findings->taylor.count);
    fputs(", ", out);
    print_list(out, "remainders", findings->taylor.remainder, findings->taylor.count);
    fputs(", ", out);
    print_list(out, "orders", findings->taylor.order, findings->taylor.count);
    fputs(", ", out);
    print_number(out, "noise", findings->taylor.noise);
    fputs(", ", out);
    print_number(out, "order", findings->taylor.linear ? NAN : findings->taylor.observed);
    fprintf(out, ", \"linear\": %s", findings->taylor.linear ? "true" : "false");
    print_passed(out, findings->taylor.passed);
    fprintf(out, ", \"cuts\": {\"sweeps\": %" PRIu64 ", \"stretches\": %" PRIu64 ", \"differing\": %" PRIu64,
            findings->cuts.sweeps, findings->cuts.stretches, findings->cuts.differing);
    print_passed(out, findings->cuts.passed);
    if (findings->budget.asked) {
        fputs(", \"budget\": {\"schedule\": ", out);
        cli_json_string(out, findings->budget.schedule);
        fprintf(out, ", \"differing\": %" PRIu64, findings->budget.differing);
        print_passed(out, findings->budget.passed);
    }
    print_passed(out, findings->passed);
    fputc('\n', out);
}
