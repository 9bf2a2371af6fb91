/* Binds values to parameters, in this order:
 *  1. values with a name (--set NAME=..., --at NAME=...) to their parameters;
 *  2. the other numbers of --at to the remaining floating-point parameters in order: one to a number, as many as its
 *     length to an array of known length, and all remaining ones to an array of unknown length, of which there may be
 *     one;
 *  3. to each remaining integer that directly follows an array, the length of that array, and to one that is a size in
 *     the declaration of an array, that size;
 *  4. zeros to the array of --of, if it has no numbers yet.
 * If a parameter is then still without a value, the user is asked for it. */
#include "cli/derive.h"

#include "base/suggest.h"
#include "cli/message.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

/* ---- Texts ---- */

/* "--at x", for messages. */
static const char *option_text(derive *task, const char *option, const derive_parameter *parameter) {
    return cli_region_print(&task->region, "--%s %s", option, parameter->name);
}

static bool is_any(const derive_parameter *parameter) {
    (void)parameter;
    return true;
}

/* ---- Names ---- */

/* The length of NAME in "NAME=..."; 0 if the text does not have that form. */
static size_t name_length(const char *text) {
    static const char letters[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ_$0123456789";
    size_t length = strspn(text, letters);
    for (; (unsigned char)text[length] >= 0x80; length += 1 + strspn(text + length + 1, letters))
        ;
    return text[length] == '=' ? length : 0;
}

static int unknown_name(derive *task, const char *option, const char *name, size_t length) {
    const derive_signature *signature = &task->signature;
    verso__suggestion suggestion;
    verso__suggest_begin(&suggestion, name, length);
    for (size_t i = 0; i < signature->parameter_count; i++)
        verso__suggest_word(&suggestion, signature->parameters[i].name);
    if (suggestion.best && length > 2) /* shorter names are all similar to each other */
        return cli_usage_error(task->command, "--%s: %s has no parameter '%.*s'; did you mean '%s'?", option,
                               signature->name, (int)length, name, suggestion.best);
    return cli_usage_error(task->command, "--%s: %s has no parameter '%.*s'; it has %s", option, signature->name,
                           (int)length, name, derive_names(task, is_any));
}

static int find_parameter(derive *task, const char *option, const char *name, size_t length,
                          derive_parameter **parameter) {
    derive_signature *signature = &task->signature;
    for (size_t i = 0; i < signature->parameter_count; i++)
        if (strlen(signature->parameters[i].name) == length &&
            (signature->file->fortran ? strncasecmp : strncmp)(signature->parameters[i].name, name, length) == 0) {
            *parameter = &signature->parameters[i];
            return CLI_OK;
        }
    return unknown_name(task, option, name, length);
}

/* The length of "NAME(2,3)" in "NAME(2,3)=..."; 0 if the text does not have that form. */
static size_t shaped_length(const char *text) {
    const char *open = strchr(text, '('), *close = open ? strchr(open, ')') : NULL;
    bool sizes = close && strspn(open + 1, "0123456789, ") == (size_t)(close - open) - 1;
    return sizes && close[1] == '=' ? (size_t)(close + 1 - text) : 0;
}

/* Reads the extents of an array of assumed shape. */
static int read_extents(derive *task, derive_parameter *parameter, const char *sizes) {
    size_t rank = parameter->type.dimension_count;
    int64_t numbers = 1;
    for (char *end; *sizes != ')'; sizes = end + (*end == ',')) {
        long long extent = strtoll(sizes, &end, 10);
        if (end == sizes || parameter->extent_count == rank || __builtin_mul_overflow(numbers, extent, &numbers))
            break;
        parameter->extents[parameter->extent_count++] = extent;
    }
    if (*sizes != ')' || parameter->extent_count != rank || !parameter->assumed)
        return cli_usage_error(task->command, "--at %s: it is '%s', for which these sizes are not right",
                               parameter->name, parameter->type.printed);
    for (size_t i = 0; i < rank; i++)
        parameter->type.dimensions[i] = (derive_dimension){.known = true, .size = parameter->extents[rank - 1 - i]};
    return CLI_OK;
}

static int add_at(derive *task, const char *value, derive_numbers *unnamed) {
    size_t length = name_length(value), shaped = task->signature.file->fortran ? shaped_length(value) : 0;
    if (length == 0 && shaped == 0)
        return derive_read_numbers(task, "--at", value, unnamed);
    derive_parameter *parameter;
    if (shaped > 0)
        length = strcspn(value, "(");
    int status = find_parameter(task, "at", value, length, &parameter);
    if (status != CLI_OK)
        return status;
    if (!derive_is_floating(parameter))
        return cli_usage_error(task->command, "--at %s: it is '%s', not a floating-point number or array; use --set",
                               parameter->name, parameter->type.printed);
    if (shaped > 0)
        status = read_extents(task, parameter, value + length + 1);
    if (status != CLI_OK)
        return status;
    return derive_read_numbers(task, option_text(task, "at", parameter), value + (shaped > 0 ? shaped : length) + 1,
                               &parameter->at);
}

static int add_set(derive *task, const char *value) {
    size_t length = name_length(value);
    if (length == 0)
        return cli_usage_error(task->command, "--set: '%s' is not NAME=VALUE", value);
    derive_parameter *parameter;
    int status = find_parameter(task, "set", value, length, &parameter);
    if (status != CLI_OK)
        return status;
    if (parameter->set)
        return cli_usage_error(task->command, "--set %s: it is set twice", parameter->name);
    parameter->set = value + length + 1;
    return CLI_OK;
}

static int read_given(derive *task, derive_numbers *unnamed) {
    for (size_t i = 0; i < task->arguments.given_count; i++) {
        const cli_given *given = &task->arguments.given[i];
        int status = given->option == DERIVE_AT ? add_at(task, given->value, unnamed) : add_set(task, given->value);
        if (status != CLI_OK)
            return status;
    }
    const char *of = task->arguments.values[DERIVE_OF];
    if (!of)
        return CLI_OK;
    derive_parameter *parameter;
    int status = find_parameter(task, "of", of, strlen(of), &parameter);
    if (status != CLI_OK)
        return status;
    if (!derive_is_array(parameter) || parameter->type.constant)
        return cli_usage_error(task->command, "--of %s: it is '%s', not a writable array of floating-point numbers", of,
                               parameter->type.printed);
    parameter->of = true;
    return CLI_OK;
}

/* ---- Values ---- */

static bool is_text(const derive_type *type) {
    return type->class == DERIVE_POINTER && type->scalar && strcmp(type->scalar->name, "char") == 0;
}

static void bind_bytes(derive_parameter *parameter, void *bytes, size_t count) {
    parameter->bytes = bytes;
    parameter->count = count;
    parameter->bound = true;
}

static int bind_text(derive *task, derive_parameter *parameter) {
    const char *text = parameter->set;
    size_t size = strlen(text);
    if (text[0] == '@') {
        text = cli_file_read(&task->region, text + 1, &size);
        if (!text)
            return cli_failure(task->command, "--set %s: cannot read '%s': %s", parameter->name, parameter->set + 1,
                               strerror(errno));
    }
    bind_bytes(parameter, cli_region_copy(&task->region, text, size), size + 1);
    return CLI_OK;
}

static int refuse_type(derive *task, const derive_parameter *parameter) {
    return cli_failure(task->command,
                       "'%s' is '%s', which has no value on the command line; write a function that takes numbers and "
                       "arrays and calls %s%s",
                       parameter->name, parameter->type.printed, task->signature.name,
                       parameter->type.class == DERIVE_POINTER
                           ? cli_region_print(&task->region, ", or --set %s=NULL", parameter->name)
                           : "");
}

/* Binds the value of --set. */
static int bind_set(derive *task, derive_parameter *parameter) {
    const derive_type *type = &parameter->type;
    if (parameter->at.count > 0)
        return cli_usage_error(task->command, "'%s' is given by both --at and --set; give only one", parameter->name);
    if (type->class == DERIVE_POINTER && !type->reference && strcmp(parameter->set, "NULL") == 0) {
        parameter->null = parameter->bound = true;
        return CLI_OK;
    }
    if (is_text(type))
        return bind_text(task, parameter);
    const derive_scalar *scalar = type->class == DERIVE_ENUM ? &derive_enum : type->scalar;
    if (!scalar)
        return refuse_type(task, parameter);
    derive_numbers numbers = {0};
    const char *what = option_text(task, "set", parameter);
    int status = derive_read_numbers(task, what, parameter->set, &numbers);
    if (status != CLI_OK)
        return status;
    if (type->class != DERIVE_POINTER && numbers.count != 1)
        return cli_usage_error(task->command, "%s: expected one number, not %zu", what, numbers.count);
    void *bytes;
    status = derive_convert_all(task, what, &numbers, 0, numbers.count, scalar, &bytes);
    bind_bytes(parameter, bytes, numbers.count);
    return status;
}

static int bind_numbers(derive *task, derive_parameter *parameter, const char *what, const derive_numbers *numbers,
                        size_t first, size_t count) {
    void *bytes;
    int status = derive_convert_all(task, what, numbers, first, count, parameter->type.scalar, &bytes);
    bind_bytes(parameter, bytes, count);
    parameter->wrt = true;
    return status;
}

static int bind_named(derive *task, derive_parameter *parameter) {
    const char *what = option_text(task, "at", parameter);
    if (parameter->type.class == DERIVE_FLOATING && parameter->at.count != 1)
        return cli_usage_error(task->command, "%s: expected one number, not %zu", what, parameter->at.count);
    return bind_numbers(task, parameter, what, &parameter->at, 0, parameter->at.count);
}

/* ---- Numbers without a name ---- */

/* Finds the length before unnamed numbers are distributed: from the declaration, or from a bound integer that follows
 * the array. Returns false if it is unknown. */
static bool known_length(const derive_signature *signature, const derive_parameter *parameter, int64_t *length) {
    *length = 1;
    if (parameter->type.class == DERIVE_FLOATING || derive_declared_length(signature, parameter, length))
        return true;
    const derive_parameter *next = parameter + 1;
    int64_t row;
    if (next == signature->parameters + signature->parameter_count || next->type.class != DERIVE_INTEGER ||
        !next->bound || !derive_row_length(signature, parameter, &row))
        return false;
    *length = derive_integer(next);
    return *length >= 0 && !__builtin_mul_overflow(*length, row, length);
}

/* The parameters that take numbers without a name. */
typedef struct sharing {
    size_t takers;                /* how many they are */
    size_t fixed;                 /* numbers that those of known length take together */
    size_t open;                  /* how many are of unknown length */
    const derive_parameter *rest; /* the last of these; takes all remaining numbers */
} sharing;

static sharing find_takers(derive_signature *signature, bool with_results) {
    sharing all = {0};
    for (size_t i = 0; i < signature->parameter_count; i++) {
        derive_parameter *parameter = &signature->parameters[i];
        int64_t length;
        parameter->taker = !parameter->bound && !parameter->optional && derive_is_floating(parameter) &&
                           (with_results || !parameter->of);
        if (!parameter->taker)
            continue;
        all.takers++;
        if (known_length(signature, parameter, &length)) {
            all.fixed += (size_t)length;
        } else {
            all.open++;
            all.rest = parameter;
        }
    }
    return all;
}

static bool fits(const sharing *all, size_t count) {
    return all->open == 0 ? count == all->fixed : all->open == 1 && count > all->fixed;
}

static bool is_taker(const derive_parameter *parameter) {
    return parameter->taker;
}

static bool is_taking_array(const derive_parameter *parameter) {
    return parameter->taker && derive_is_array(parameter);
}

static int refuse_sharing(derive *task, const sharing *all, size_t count) {
    if (all->takers == 0)
        return cli_usage_error(task->command, "--at: all parameters have values; these numbers are too many");
    if (all->open > 1)
        return cli_usage_error(task->command, "--at: which numbers are for which array? Write --at NAME=VALUES for %s",
                               derive_names(task, is_taking_array));
    return cli_usage_error(task->command, "--at: %zu number%s for %s, which need%s %zu%s", count, count == 1 ? "" : "s",
                           derive_names(task, is_taker), all->takers == 1 ? "s" : "", all->fixed + all->open,
                           all->open ? " or more" : "");
}

/* Distributes the numbers without a name. The array of --of takes numbers only if they fit no other way. */
static int bind_unnamed(derive *task, const derive_numbers *unnamed) {
    derive_signature *signature = &task->signature;
    if (unnamed->count == 0)
        return CLI_OK;
    sharing all = find_takers(signature, false);
    if (!fits(&all, unnamed->count)) {
        sharing with_results = find_takers(signature, true);
        if (!fits(&with_results, unnamed->count)) {
            all = find_takers(signature, all.takers == 0);
            return refuse_sharing(task, &all, unnamed->count);
        }
        all = with_results;
    }
    size_t next = 0;
    for (size_t i = 0; i < signature->parameter_count; i++) {
        derive_parameter *parameter = &signature->parameters[i];
        int64_t length = (int64_t)(unnamed->count - all.fixed);
        if (!parameter->taker)
            continue;
        if (parameter != all.rest)
            known_length(signature, parameter, &length);
        int status = bind_numbers(task, parameter, "--at", unnamed, next, (size_t)length);
        if (status != CLI_OK)
            return status;
        next += (size_t)length;
    }
    return CLI_OK;
}

/* ---- Lengths ---- */

static bool is_bound_array(const derive_parameter *parameter) {
    return parameter->type.class == DERIVE_POINTER && parameter->bound && !parameter->null;
}

/* Finds the size that the integer is in the declaration of a bound array, or the length of the array before it. */
static bool find_length(const derive_signature *signature, const derive_parameter *integer, size_t *count) {
    const derive_parameter *array = integer - 1;
    int64_t row;
    if (integer > signature->parameters && is_bound_array(array) && derive_row_length(signature, array, &row)) {
        *count = is_text(&array->type) ? array->count - 1 : array->count / (size_t)row;
        return true;
    }
    for (size_t i = 0; i < signature->parameter_count; i++) {
        array = &signature->parameters[i];
        if (is_bound_array(array) && derive_other_lengths(signature, array, integer->name, &row) && row > 0 &&
            array->count % (size_t)row == 0) {
            *count = array->count / (size_t)row;
            return true;
        }
    }
    return false;
}

/* Binds unset integers that are lengths of bound arrays. */
static int bind_lengths(derive *task) {
    derive_signature *signature = &task->signature;
    for (size_t i = 0; i < signature->parameter_count; i++) {
        derive_parameter *parameter = &signature->parameters[i];
        size_t count;
        if (parameter->bound || parameter->optional || parameter->type.class != DERIVE_INTEGER ||
            !find_length(signature, parameter, &count))
            continue;
        derive_numbers number = {0};
        const char *what = option_text(task, "set", parameter), *text = cli_region_print(&task->region, "%zu", count);
        int status = derive_read_numbers(task, what, text, &number);
        void *bytes = NULL;
        if (status == CLI_OK)
            status = derive_convert_all(task, what, &number, 0, 1, parameter->type.scalar, &bytes);
        if (status != CLI_OK)
            return status;
        bind_bytes(parameter, bytes, 1);
    }
    return CLI_OK;
}

/* Binds the array of --of, if it has no numbers, to zeros. Its length follows from the declaration, from an integer
 * that follows it, or from the number of weights. */
static int bind_results(derive *task, const derive_numbers *weights) {
    derive_signature *signature = &task->signature;
    for (size_t i = 0; i < signature->parameter_count; i++) {
        derive_parameter *parameter = &signature->parameters[i];
        int64_t length;
        if (!parameter->of || parameter->bound)
            continue;
        if (!known_length(signature, parameter, &length))
            length = (int64_t)weights->count;
        if (length == 0) {
            const derive_parameter *next = parameter + 1;
            bool integer = i + 1 < signature->parameter_count && next->type.class == DERIVE_INTEGER;
            return cli_usage_error(task->command, "--of %s: its length is unknown; give %s%s%s=... or --weights VALUES",
                                   parameter->name, integer ? "--set " : "--at ",
                                   integer ? next->name : parameter->name, "");
        }
        bind_bytes(parameter, cli_region_alloc(&task->region, (size_t)length + 1, parameter->type.scalar->size),
                   (size_t)length);
    }
    return CLI_OK;
}

/* Checks that an array has its declared length and consists of whole rows. */
static int check_length(derive *task, const derive_parameter *parameter) {
    int64_t numbers;
    if (parameter->type.class != DERIVE_POINTER || parameter->null || is_text(&parameter->type))
        return CLI_OK;
    if (derive_declared_length(&task->signature, parameter, &numbers) && numbers != (int64_t)parameter->count)
        return cli_usage_error(task->command, "'%s' is declared with %lld numbers, but %zu are given", parameter->name,
                               (long long)numbers, parameter->count);
    if (parameter->assumed && parameter->extent_count == 0 && parameter->type.dimension_count > 1)
        return cli_usage_error(task->command,
                               "the shape of '%s' ('%s') is unknown; give it with the numbers: --at '%s(3,4)=...'",
                               parameter->name, parameter->type.printed, parameter->name);
    if (!derive_row_length(&task->signature, parameter, &numbers))
        return cli_usage_error(task->command,
                               "the size of '%s' ('%s') is unknown; give the parameters in its declaration with --set",
                               parameter->name, parameter->type.printed);
    if (parameter->count % (size_t)numbers != 0)
        return cli_usage_error(task->command, "'%s' has rows of %lld numbers, but %zu numbers are not whole rows",
                               parameter->name, (long long)numbers, parameter->count);
    return CLI_OK;
}

/* ---- Missing values ---- */

static int missing(derive *task, const derive_parameter *parameter) {
    const derive_type *type = &parameter->type;
    bool floating = derive_is_floating(parameter);
    return cli_usage_error(task->command, "'%s' ('%s') has no value; write --%s %s=%s", parameter->name, type->printed,
                           floating ? "at" : "set", parameter->name,
                           is_text(type)                   ? "TEXT"
                           : type->class == DERIVE_POINTER ? "VALUES or @FILE"
                                                           : "VALUE");
}

static int check_complete(derive *task) {
    derive_signature *signature = &task->signature;
    bool wrt = false, of = false;
    for (size_t i = 0; i < signature->parameter_count; i++) {
        const derive_parameter *parameter = &signature->parameters[i];
        if (!parameter->bound)
            return missing(task, parameter);
        int status = check_length(task, parameter);
        if (status != CLI_OK)
            return status;
        wrt |= parameter->wrt;
        of |= parameter->of;
    }
    if (!wrt)
        return cli_usage_error(task->command,
                               "there is nothing to differentiate with respect to; give the numbers of at "
                               "least one parameter with --at");
    if (!of && signature->result.class != DERIVE_FLOATING)
        return cli_usage_error(task->command,
                               "%s returns '%s', not a floating-point number; name the array of its results with --of "
                               "NAME",
                               signature->name, signature->result.printed);
    return CLI_OK;
}

static int bind_weights(derive *task, const derive_numbers *weights) {
    const derive_parameter *of = NULL;
    for (size_t i = 0; i < task->signature.parameter_count; i++)
        if (task->signature.parameters[i].of)
            of = &task->signature.parameters[i];
    if (!of)
        return CLI_OK;
    task->weights = cli_region_alloc(&task->region, of->count + 1, sizeof *task->weights);
    for (size_t i = 0; i < of->count; i++)
        task->weights[i] = 1;
    if (weights->count == 0)
        return CLI_OK;
    if (weights->count != of->count)
        return cli_usage_error(task->command, "--weights: %zu numbers are given, but '%s' has %zu", weights->count,
                               of->name, of->count);
    return derive_convert_all(task, "--weights", weights, 0, weights->count, &derive_double, (void **)&task->weights);
}

/* Rejects parameters whose type no value on the command line can have. Optional arguments without a value are left
 * out. */
static int check_types(derive *task) {
    for (size_t i = 0; i < task->signature.parameter_count; i++) {
        derive_parameter *parameter = &task->signature.parameters[i];
        bool pointer = parameter->type.class == DERIVE_POINTER && !parameter->type.scalar;
        if (parameter->optional && !parameter->set && parameter->at.count == 0) {
            parameter->null = parameter->bound = true;
            continue;
        }
        if (parameter->type.class == DERIVE_OTHER || (pointer && !parameter->set))
            return refuse_type(task, parameter);
    }
    return CLI_OK;
}

int derive_bind(derive *task) {
    derive_numbers unnamed = {0}, weights = {0};
    int status = read_given(task, &unnamed);
    if (status == CLI_OK)
        status = check_types(task);
    const char *given_weights = task->arguments.values[DERIVE_WEIGHTS];
    if (status == CLI_OK && given_weights && !task->arguments.values[DERIVE_OF])
        return cli_usage_error(task->command, "--weights needs --of NAME");
    if (status == CLI_OK && given_weights)
        status = derive_read_numbers(task, "--weights", given_weights, &weights);
    for (size_t i = 0; status == CLI_OK && i < task->signature.parameter_count; i++) {
        derive_parameter *parameter = &task->signature.parameters[i];
        if (parameter->set)
            status = bind_set(task, parameter);
        else if (parameter->at.count > 0)
            status = bind_named(task, parameter);
    }
    if (status == CLI_OK)
        status = bind_unnamed(task, &unnamed);
    if (status == CLI_OK)
        status = bind_lengths(task);
    if (status == CLI_OK)
        status = bind_results(task, &weights);
    if (status == CLI_OK)
        status = bind_lengths(task); /* again, because the array of --of now has a length */
    if (status == CLI_OK)
        status = check_complete(task);
    return status == CLI_OK ? bind_weights(task, &weights) : status;
}
