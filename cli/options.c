/* Reads a command line with getopt_long, because users expect its conventions (abbreviations, `--name=value`, options
 * after operands, `--`). Its messages are replaced by our own, which suggest what was probably meant. The number of an
 * option is its index in the subcommand's table. */
#include "cli/options.h"

#include "base/suggest.h"
#include "cli/message.h"

#include <getopt.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* getopt_long returns FIRST_VALUE + index for long options, so that they differ from the letters of short ones. */
enum { FIRST_VALUE = 256 };

static void describe_for_getopt(const cli_command *command, struct option *longs, char *shorts) {
    *shorts++ = ':'; /* makes getopt_long distinguish a missing argument from an unknown option */
    for (size_t i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        longs[i] = (struct option){.name = option->name,
                                   .has_arg = option->argument ? required_argument : no_argument,
                                   .val = FIRST_VALUE + (int)i};
        if (option->letter) {
            *shorts++ = option->letter;
            if (option->argument)
                *shorts++ = ':';
        }
    }
    longs[command->option_count] = (struct option){0};
    *shorts = '\0';
}

static const cli_option *option_of_value(const cli_command *command, int value) {
    if (value >= FIRST_VALUE)
        return &command->options[value - FIRST_VALUE];
    for (size_t i = 0; i < command->option_count && value; i++)
        if (command->options[i].letter == value)
            return &command->options[i];
    return NULL;
}

/* The number of options that begin with these letters. If it exceeds 1, the abbreviation is ambiguous. */
static size_t count_matching_options(const cli_command *command, const char *text, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < command->option_count; i++)
        count += strncmp(command->options[i].name, text, length) == 0;
    return count;
}

int cli_unknown_option(const cli_command *command, const char *word) {
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    if (count_matching_options(command, name, length) > 1)
        return cli_usage_error(command, "'%s' is short for more than one option", word);

    verso__suggestion suggestion;
    verso__suggest_begin(&suggestion, name, length);
    for (size_t i = 0; i < command->option_count; i++)
        if (!command->options[i].hidden)
            verso__suggest_word(&suggestion, command->options[i].name);
    if (suggestion.best)
        return cli_usage_error(command, "there is no option '%s'; did you mean '--%s'?", word, suggestion.best);
    return cli_usage_error(command, "there is no option '%s'", word);
}

static int unknown_argument(const cli_command *command, const char *word) {
    if (strncmp(word, "--", 2) == 0)
        return cli_unknown_option(command, word);
    if (command->passes_on)
        return cli_usage_error(command, "there is no option '-%c'; what is passed on comes after '--'", optopt);
    return cli_usage_error(command, "there is no option '-%c'", optopt);
}

/* Puts the arguments after the first "--" into arguments->passed, so that getopt_long does not see them. Returns the
 * number of arguments before it. */
static int split_passed(int argc, char **argv, cli_arguments *arguments) {
    for (int i = 1; i < argc; i++)
        if (strcmp(argv[i], "--") == 0) {
            arguments->passed = argv + i + 1;
            arguments->passed_count = argc - i - 1;
            return i;
        }
    return argc;
}

/* Allocates arguments->given if an option repeats. There are at most as many values as arguments. */
static bool allocate_given(const cli_command *command, int argc, cli_arguments *arguments) {
    for (size_t i = 0; i < command->option_count && !arguments->given; i++)
        if (command->options[i].repeats) {
            arguments->given = malloc((size_t)(argc + 1) * sizeof *arguments->given);
            return arguments->given != NULL;
        }
    return true;
}

static void keep_value(const cli_command *command, const cli_option *option, cli_arguments *arguments) {
    size_t place = (size_t)(option - command->options);
    arguments->values[place] = option->argument ? optarg : "";
    if (option->repeats)
        arguments->given[arguments->given_count++] = (cli_given){place, arguments->values[place]};
}

int cli_options_read(const cli_command *command, int argc, char **argv, cli_arguments *arguments) {
    struct option longs[CLI_OPTIONS_MAX + 1];
    char shorts[2 * CLI_OPTIONS_MAX + 2];
    describe_for_getopt(command, longs, shorts);
    *arguments = (cli_arguments){0};
    if (command->passes_on)
        argc = split_passed(argc, argv, arguments);
    if (!allocate_given(command, argc, arguments))
        return cli_failure(command, "out of memory");
    opterr = 0;
    optind = 1;
    for (int value; (value = getopt_long(argc, argv, shorts, longs, NULL)) != -1;) {
        const cli_option *option = option_of_value(command, value == ':' || value == '?' ? optopt : value);
        if (value == ':')
            return cli_usage_error(command, "--%s needs a value: --%s %s", option->name, option->name,
                                   option->argument);
        if (value == '?' && option)
            return cli_usage_error(command, "--%s takes no value", option->name);
        if (value == '?')
            return unknown_argument(command, argv[optind - 1]);
        keep_value(command, option, arguments);
    }
    arguments->operand_count = argc - optind;
    arguments->operands = argv + optind;
    return CLI_OK;
}

void cli_arguments_free(cli_arguments *arguments) {
    free(arguments->given);
    *arguments = (cli_arguments){0};
}
