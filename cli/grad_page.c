/* Prints the answer of `verso grad` for reading: value, gradient, speed and memory. */
#include "cli/grad.h"

#include "base/text.h"
#include "cli/number.h"

/* Of arrays with more than SHOWN_WHOLE elements, only the first and last SHOWN_ENDS are printed. */
enum { SHOWN_WHOLE = 12, SHOWN_ENDS = 4 };

static void begin_line(FILE *out, const char *name) {
    fprintf(out, "  %-16s", name);
}

/* Prints a duration in a suitable unit: s, ms, us or ns. */
static void print_time(FILE *out, double seconds) {
    static const char *const units[] = {"s", "ms", "us", "ns"};
    size_t unit = 0;
    while (unit + 1 < sizeof units / sizeof *units && seconds < 1) {
        seconds *= 1000;
        unit++;
    }
    fprintf(out, "%.*f %s", seconds < 10 ? 2 : seconds < 100 ? 1 : 0, seconds, units[unit]);
}

/* ---- The gradient ---- */

static void print_entry(FILE *out, const char *heading, const char *entry, double number) {
    begin_line(out, heading);
    fprintf(out, "%-12s ", entry);
    fputs(number < 0 || (number == 0 && 1 / number < 0) ? "" : " ", out);
    grad_print_number(out, number);
    fputc('\n', out);
}

static const double *print_parameter(FILE *out, cli_region *region, const derive_signature *signature,
                                     const derive_parameter *parameter, const double *gradient, const char **heading) {
    bool whole = parameter->count <= SHOWN_WHOLE;
    for (size_t i = 0; i < parameter->count; i++) {
        if (!whole && i == SHOWN_ENDS) {
            begin_line(out, "");
            fprintf(out, "... %zu more ...\n", parameter->count - 2 * SHOWN_ENDS);
            i = parameter->count - SHOWN_ENDS;
        }
        print_entry(out, *heading, derive_element(region, signature, parameter, i), gradient[i]);
        *heading = "";
    }
    return gradient + parameter->count;
}

static void print_gradient(FILE *out, derive *task, const grad_answer *answer) {
    const double *next = answer->gradient;
    const char *heading = "gradient by";
    for (size_t i = 0; i < task->signature.parameter_count; i++)
        if (task->signature.parameters[i].wrt)
            next =
                print_parameter(out, &task->region, &task->signature, &task->signature.parameters[i], next, &heading);
}

/* ---- Costs ---- */

static void print_speed(FILE *out, const grad_answer *answer) {
    if (answer->seconds_gradient < 0)
        return;
    begin_line(out, "speed");
    if (answer->seconds_primal > 0)
        fprintf(out, "%.2f times a plain call: ", answer->seconds_gradient / answer->seconds_primal);
    print_time(out, answer->seconds_gradient);
    if (answer->seconds_primal > 0) {
        fputs(" / ", out);
        print_time(out, answer->seconds_primal);
    }
    fputc('\n', out);
}

static void print_memory(FILE *out, const grad_answer *answer) {
    begin_line(out, "memory");
    fprintf(out, "%s at most", verso__bytes((double)answer->peak_bytes).text);
    if (answer->budget_bytes > 0)
        fprintf(out, " of %s", verso__bytes((double)answer->budget_bytes).text);
    if (answer->offload_bytes > 0)
        fprintf(out, "; %s recorded, up to %s of it in a file\n", verso__bytes((double)answer->tape_bytes).text,
                verso__bytes((double)answer->offload_bytes).text);
    else
        fprintf(out, ", %s of it recorded%s\n", verso__bytes((double)answer->tape_bytes).text,
                answer->steps > 1 ? " at a time" : "");
}

static void print_begun_anew(FILE *out, const grad_answer *answer) {
    if (answer->begun_anew == 0)
        return;
    begin_line(out, "begun anew");
    cli_print_grouped(out, answer->begun_anew);
    fprintf(out, " time%s: the files of the run could not be used, or the budget had to be divided again\n",
            answer->begun_anew == 1 ? "" : "s");
}

static void print_schedule(FILE *out, const grad_answer *answer) {
    begin_line(out, "schedule");
    fprintf(out, "%s\n", answer->schedule);
    if (answer->leaf_bytes == 0)
        return;
    begin_line(out, "steps");
    cli_print_grouped(out, answer->steps);
    fprintf(out, " of %s, ", verso__bytes((double)answer->leaf_bytes).text);
    cli_print_grouped(out, answer->forward_steps);
    fputs(" run without being recorded (", out);
    cli_print_ratio(out, answer->forward_steps, answer->steps > 0 ? answer->steps : 1);
    fputs(" times each), ", out);
    cli_print_grouped(out, answer->capsules);
    fputs(answer->capsules == 1 ? " capsule\n" : " capsules\n", out);
}

void grad_print_page(FILE *out, derive *task, const grad_answer *answer) {
    derive_print_call(out, &task->signature);
    begin_line(out, "value");
    grad_print_number(out, answer->value);
    fputc('\n', out);
    print_gradient(out, task, answer);
    print_speed(out, answer);
    print_memory(out, answer);
    print_schedule(out, answer);
    print_begun_anew(out, answer);
    if (task->scratch.kept && task->arguments.values[DERIVE_KEEP])
        fprintf(out, "\nThe program, its sources, input and result are in '%s'.\n", task->scratch.path);
}
