/* Prints the findings of `verso check`: a table and a verdict, or JSON. */
#include "cli/check.h"

#include "cli/grad.h"
#include "cli/json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <unistd.h>

/* ---- The table ---- */

static const char *verdict(bool passed) {
    return passed ? "pass" : "FAIL";
}

/* Prints a row without trailing blanks. */
static void print_row(FILE *out, const char *test, const char *measured, const char *bound, const char *result) {
    if (result[0])
        fprintf(out, "  %-14s%-43s %-12s%s\n", test, measured, bound, result);
    else
        fprintf(out, "  %-14s%s\n", test, measured);
}

static void print_value(FILE *out, const check_findings *findings) {
    char measured[96], bound[32];
    if (findings->value.other > 0)
        snprintf(measured, sizeof measured, "%" PRIu64 " numbers differ between runs", findings->value.other);
    else
        snprintf(measured, sizeof measured, "%.6g, %.1e from a plain call", findings->value.recorded,
                 findings->value.plain == findings->value.recorded
                     ? 0
                     : fabs(findings->value.plain - findings->value.recorded));
    snprintf(bound, sizeof bound, findings->value.fast ? "< %.1e" : "same bits", findings->value.bound);
    print_row(out, "value", measured, bound, verdict(findings->value.passed));
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
    print_row(out, "Taylor", findings->taylor.linear ? "linear, as far as can be measured" : row,
              findings->taylor.linear ? "" : "> 1.6", verdict(findings->taylor.passed));
    for (size_t i = 0; i < findings->taylor.count && !findings->taylor.linear; i++) {
        if (!isfinite(findings->taylor.order[i]))
            continue;
        snprintf(row, sizeof row, "h %.1e  remainder %.1e  order %.3f", findings->taylor.h[i],
                 findings->taylor.remainder[i], findings->taylor.order[i]);
        print_row(out, "", row, "", "");
    }
}

static void print_difference(FILE *out, const check_findings *findings) {
    char row[96];
    if (findings->taylor.passed || !isfinite(findings->difference.slope))
        return;
    snprintf(row, sizeof row, "gradient %.6g, differences %.6g +- %.0e", findings->dot.reverse,
             findings->difference.slope, findings->difference.doubt);
    print_row(out, "", row, "", "");
}

/* Both modes agree, and the function and its derivative are smooth, but differences disagree. Then the program finds a
 * number by comparisons, sends one through text, or both modes have the same bug. */
static void print_note_on_comparisons(FILE *out, const check_findings *findings) {
    if (findings->taylor.passed || !findings->dot.passed || !isfinite(findings->difference.nearby_least))
        return;
    fputs(
        "\nReverse and tangent mode agree with each other, but differences of all sizes agree on another number. This\n"
        "happens if the program finds a number by comparisons: by bisection, by a search in a table, or by setting\n"
        "bits one by one. Comparisons have no derivative. Add one step of Newton's method to the number found\n"
        "(docs/native.md#a-number-found-by-comparisons). Neither have numbers that are printed as text and parsed\n"
        "again: keep them as numbers. If the program does nothing of this kind, please report this.\n",
        out);
}

/* Explains why the value or Taylor test failed, if the reason is known. */
static void print_note(FILE *out, const check_findings *findings) {
    if (!findings->value.passed && findings->value.fast)
        fputs(
            "\nThe function was compiled with fast-math or OpenMP, and a plain call returns another number than the\n"
            "recorded run, which keeps the order of operations in the source. The result may depend on rounding, NaN\n"
            "or infinity; compile without fast-math to find out. Threads may also race for a variable: then a plain\n"
            "call with OMP_NUM_THREADS=1 returns the number of the recorded run.\n",
            out);
    if (!findings->difference.ill_conditioned) {
        print_note_on_comparisons(out, findings);
        return;
    }
    fprintf(
        out,
        "\nThe derivative is ill-conditioned: differences agree on %.3g, but derivatives at neighbouring points range\n"
        "from %.3g to %.3g. This happens if the step control of an adaptive solver is differentiated. Take its error\n"
        "norm out of the derivative: write verso_frozen(norm) in the source, or use --verso-inactive=NAME with the\n"
        "function that computes it (docs/adaptive-solvers.md). Numbers found by bisection can have the same effect\n"
        "(docs/native.md#a-number-found-by-comparisons).\n",
        findings->difference.slope, findings->difference.nearby_least, findings->difference.nearby_most);
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
    print_row(out, "test", "measured", "required", "verdict");
    print_value(out, findings);
    print_dot(out, findings);
    print_taylor(out, findings);
    print_difference(out, findings);
    print_cuts(out, findings);
    print_budget(out, findings);
    print_note(out, findings);
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

static void print_json_value(FILE *out, const check_findings *findings) {
    fputs("\"value\": {", out);
    print_number(out, "plain", findings->value.plain);
    fputs(", ", out);
    print_number(out, "recorded", findings->value.recorded);
    fputs(", ", out);
    print_number(out, "bound", findings->value.bound);
    fprintf(out, ", \"differing\": %" PRIu64 ", \"fast_math\": %s", findings->value.other,
            findings->value.fast ? "true" : "false");
    print_passed(out, findings->value.passed);
}

static void print_json_difference(FILE *out, const check_findings *findings) {
    fputs(", \"differences\": {", out);
    print_number(out, "slope", findings->difference.slope);
    fputs(", ", out);
    print_number(out, "doubt", findings->difference.doubt);
    fputs(", ", out);
    print_number(out, "nearby_least", findings->difference.nearby_least);
    fputs(", ", out);
    print_number(out, "nearby_most", findings->difference.nearby_most);
    fprintf(out, ", \"ill_conditioned\": %s}", findings->difference.ill_conditioned ? "true" : "false");
}

void check_print_json(FILE *out, const check_findings *findings) {
    fprintf(out, "{\"steps\": %" PRIu64 ", ", findings->steps);
    print_json_value(out, findings);
    fputs(", \"dot_product\": {", out);
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
    print_json_difference(out, findings);
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
