/* Writes the input of the built program, runs it, and reads its result. harness/main.c is its counterpart. */
#include "cli/derive.h"

#include "cli/message.h"

#include <errno.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* The same numbers as in harness/main.c. Kinds below KIND_BYTES are values of verso_scalar. */
enum { KIND_BYTES = 3, KIND_NULL = 4, FLAG_WRT = 1, FLAG_OF = 2 };

static uint64_t kind_of(const derive_scalar *scalar) {
    if (!scalar || scalar->class != DERIVE_FLOATING)
        return KIND_BYTES;
    return scalar->size == sizeof(double) ? 0 : scalar->size == sizeof(float) ? 1 : 2;
}

static void write_word(FILE *out, uint64_t word) {
    fwrite(&word, sizeof word, 1, out);
}

static void write_parameter(FILE *out, const derive_parameter *parameter) {
    const derive_scalar *scalar = parameter->type.class == DERIVE_ENUM ? &derive_enum : parameter->type.scalar;
    size_t size = parameter->null ? 0 : scalar->size, count = parameter->null ? 0 : parameter->count;
    write_word(out, parameter->null ? KIND_NULL : kind_of(scalar));
    write_word(out, size);
    write_word(out, count);
    write_word(out, (parameter->wrt ? FLAG_WRT : 0) | (parameter->of ? FLAG_OF : 0));
    if (count > 0)
        fwrite(parameter->bytes, size, count, out);
}

static int write_input(derive *task, const char *path) {
    const derive_signature *signature = &task->signature;
    FILE *out = fopen(path, "wb");
    if (!out)
        return cli_failure(task->command, "cannot write '%s': %s", path, strerror(errno));
    write_word(out, kind_of(signature->result.class == DERIVE_FLOATING ? signature->result.scalar : NULL));
    write_word(out, signature->parameter_count);
    for (size_t i = 0; i < signature->parameter_count; i++)
        write_parameter(out, &signature->parameters[i]);
    for (size_t i = 0; i < signature->parameter_count; i++)
        if (signature->parameters[i].of)
            fwrite(task->weights, sizeof *task->weights, signature->parameters[i].count, out);
    for (size_t i = 0; task->direction && i < signature->parameter_count; i++)
        if (signature->parameters[i].wrt)
            fwrite(task->direction, sizeof *task->direction, signature->parameters[i].count, out);
    if (ferror(out) | fclose(out))
        return cli_failure(task->command, "cannot write '%s'", path);
    return CLI_OK;
}

/* Prints why the program ended without a result. */
static int explain_end(derive *task, const cli_ending *ending) {
    const char *name = task->signature.name;
    if (ending->exited)
        return cli_failure(task->command, "%s ended the program with exit status %d before the gradient was computed",
                           name, ending->code);
    return cli_failure(task->command, "%s was ended by signal %d (%s)", name, ending->signal,
                       strsignal(ending->signal));
}

static int report_suspended(derive *task) {
    task->interrupted = 0;
    cli_failure(task->command, "suspended in '%s'; give the same command again to continue", task->directory);
    return CLI_SUSPENDED;
}

int derive_run(derive *task, const char *mode, const char *const *arguments, derive_result *result) {
    char *program = cli_scratch_file(&task->scratch, &task->region, "program");
    char *input = cli_scratch_file(&task->scratch, &task->region, "input");
    char *output = cli_scratch_file(&task->scratch, &task->region, "result");
    int status = write_input(task, input);
    if (status != CLI_OK)
        return status;
    remove(output); /* a kept folder may have the result of an earlier run */
    derive_strings all = {0};
    const char *first[] = {program, mode, input, output};
    for (size_t i = 0; i < sizeof first / sizeof *first; i++)
        derive_add_string(task, &all, first[i]);
    for (; arguments && *arguments; arguments++)
        derive_add_string(task, &all, *arguments);
    cli_ending ending;
    cli_process process = {.path = program, .arguments = all.at, .mask = task->directory ? &task->mask : NULL};
    derive_progress("running", task->signature.name);
    status = cli_process_run(task->command, &process, &ending);
    derive_progress(NULL, NULL);
    task->interrupted = ending.interrupted;
    if (status == CLI_OK && task->directory && ending.exited && ending.code == CLI_SUSPENDED)
        return report_suspended(task);
    if (status != CLI_OK || (task->interrupted && !(ending.exited && ending.code == 0)))
        return CLI_FAILED;
    task->interrupted = 0; /* a signal arrived, but the program had finished */
    result->text = cli_file_read(&task->region, output, &result->size);
    if (!ending.exited || ending.code != 0 || !result->text || result->size == 0)
        return explain_end(task, &ending);
    const char *error = derive_result_line(result, "error");
    if (error)
        return cli_failure(task->command, "%.*s", (int)strcspn(error, "\n"), error);
    return CLI_OK;
}

const char *derive_result_line(const derive_result *result, const char *name) {
    size_t length = strlen(name);
    for (const char *line = result->text; line && *line;) {
        if (strncmp(line, name, length) == 0 && line[length] == ' ')
            return line + length + 1;
        if (strncmp(line, "gradient ", strlen("gradient ")) == 0)
            return NULL; /* binary data follows */
        line = strchr(line, '\n');
        line += line != NULL;
    }
    return NULL;
}

bool derive_result_number(const derive_result *result, const char *name, double *number) {
    const char *text = derive_result_line(result, name);
    *number = text ? strtod(text, NULL) : 0;
    return text != NULL;
}

uint64_t derive_result_count(const derive_result *result, const char *name) {
    const char *text = derive_result_line(result, name);
    return text ? strtoull(text, NULL, 10) : 0;
}

const char *derive_result_text(derive *task, const derive_result *result, const char *name) {
    const char *text = derive_result_line(result, name);
    return text ? cli_region_copy(&task->region, text, strcspn(text, "\n")) : NULL;
}

const double *derive_result_gradient(derive *task, const derive_result *result, size_t count) {
    const char *text = derive_result_line(result, "gradient"), *begin = text ? strchr(text, '\n') : NULL;
    if (!begin || strtoull(text, NULL, 10) != count ||
        (size_t)(result->text + result->size - (begin + 1)) != count * sizeof(double))
        return NULL;
    double *numbers = cli_region_alloc(&task->region, count + 1, sizeof *numbers);
    memcpy(numbers, begin + 1, count * sizeof *numbers);
    return numbers;
}
