/* Reads the result of the harness of `verso grad`, and prints it as JSON and as a file of numbers. */
#include "cli/grad.h"

#include "base/json.h"
#include "cli/json.h"
#include "cli/message.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <string.h>

int grad_read_answer(derive *task, const derive_result *result, grad_answer *answer) {
    *answer = (grad_answer){.steps = derive_result_count(result, "steps"),
                            .forward_steps = derive_result_count(result, "forward_steps"),
                            .recordings = derive_result_count(result, "recordings"),
                            .capsules = derive_result_count(result, "capsules"),
                            .leaf_bytes = derive_result_count(result, "leaf_bytes"),
                            .budget_bytes = derive_result_count(result, "budget_bytes"),
                            .schedule = derive_result_text(task, result, "schedule"),
                            .tape_bytes = derive_result_count(result, "tape_bytes"),
                            .offload_bytes = derive_result_count(result, "offload_bytes"),
                            .begun_anew = derive_result_count(result, "begun_anew"),
                            .peak_bytes = derive_result_count(result, "peak_bytes")};
    bool complete = derive_result_number(result, "value", &answer->value);
    if (!derive_result_number(result, "seconds_gradient", &answer->seconds_gradient))
        answer->seconds_gradient = -1;
    if (!derive_result_number(result, "seconds_primal", &answer->seconds_primal))
        answer->seconds_primal = -1;
    for (size_t i = 0; i < task->signature.parameter_count; i++)
        if (task->signature.parameters[i].wrt) {
            answer->count += task->signature.parameters[i].count;
            answer->parameters++;
        }
    answer->gradient = derive_result_gradient(task, result, answer->count);
    if (!complete || !answer->gradient || !answer->schedule)
        return cli_failure(task->command, "the program's result is incomplete");
    return CLI_OK;
}

void grad_print_number(FILE *out, double number) {
    if (isnan(number))
        fputs("nan", out);
    else if (isinf(number))
        fputs(number < 0 ? "-inf" : "inf", out);
    else if (number == 0)
        fputs(signbit(number) ? "-0" : "0", out);
    else
        fputs(verso__shortest(number).text, out);
}

/* ---- A file ---- */

int grad_write_file(derive *task, const grad_answer *answer, const char *path) {
    FILE *out = fopen(path, "w");
    if (!out)
        return cli_failure(task->command, "cannot write '%s': %s", path, strerror(errno));
    for (size_t i = 0; i < answer->count; i++) {
        grad_print_number(out, answer->gradient[i]);
        fputc('\n', out);
    }
    errno = 0;
    if (fflush(out) | ferror(out) | fclose(out))
        return cli_failure(task->command, "cannot write '%s': %s", path, strerror(errno ? errno : EIO));
    return CLI_OK;
}

/* ---- JSON ---- */

void grad_print_json_number(FILE *out, double number) {
    if (isfinite(number))
        grad_print_number(out, number);
    else
        fputs("null", out);
}

static void print_list(FILE *out, const double *numbers, size_t count) {
    fputc('[', out);
    for (size_t i = 0; i < count; i++) {
        fputs(i ? ", " : "", out);
        grad_print_json_number(out, numbers[i]);
    }
    fputc(']', out);
}

static void print_gradient(FILE *out, const derive *task, const grad_answer *answer) {
    if (answer->parameters == 1) {
        print_list(out, answer->gradient, answer->count);
        return;
    }
    const double *next = answer->gradient;
    fputc('{', out);
    for (size_t i = 0; i < task->signature.parameter_count; i++) {
        const derive_parameter *parameter = &task->signature.parameters[i];
        if (!parameter->wrt)
            continue;
        fputs(next == answer->gradient ? "" : ", ", out);
        cli_json_string(out, parameter->name);
        fputs(": ", out);
        print_list(out, next, parameter->count);
        next += parameter->count;
    }
    fputc('}', out);
}

static void print_count(FILE *out, const char *name, uint64_t count) {
    fprintf(out, ", \"%s\": %" PRIu64, name, count);
}

/* Nine decimals, because clocks have a resolution of nanoseconds. */
static void print_seconds(FILE *out, const char *name, double seconds) {
    if (seconds < 0)
        fprintf(out, ", \"%s\": null", name);
    else
        fprintf(out, ", \"%s\": %.9f", name, seconds);
}

void grad_print_json(FILE *out, const derive *task, const grad_answer *answer) {
    fputs("{\"value\": ", out);
    grad_print_json_number(out, answer->value);
    fputs(", \"gradient\": ", out);
    print_gradient(out, task, answer);
    print_count(out, "steps", answer->steps);
    print_count(out, "forward_steps", answer->forward_steps);
    print_count(out, "recordings", answer->recordings);
    print_count(out, "capsules", answer->capsules);
    print_count(out, "peak_bytes", answer->peak_bytes);
    if (answer->budget_bytes == 0)
        fputs(", \"budget_bytes\": null", out);
    else
        print_count(out, "budget_bytes", answer->budget_bytes);
    print_count(out, "begun_anew", answer->begun_anew);
    print_seconds(out, "seconds_primal", answer->seconds_primal);
    print_seconds(out, "seconds_gradient", answer->seconds_gradient);
    fputs(", \"schedule\": ", out);
    cli_json_string(out, answer->schedule);
    fputs("}\n", out);
}
