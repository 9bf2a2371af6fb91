/* Reading a command line by a subcommand's option table.
 *
 * getopt_long does the reading, because its habits (abbreviations, `--name=value`, options after operands, `--`) are
 * what users expect; its messages are replaced, because they cannot suggest what was probably meant. Relies on the
 * table alone: an option's number is its place in the table. */
#include "cli/options.h"

#include "cli/message.h"
#include "cli/suggest.h"

#include <getopt.h>
#include <stdio.h>
#include <string.h>

/* Keeps the numbers of options away from the letters of short forms. */
enum { FIRST_VALUE = 256 };

static void describe_for_getopt(const cli_command *command, struct option *longs, char *shorts) {
    *shorts++ = ':'; /* tells a missing argument from an unknown option */
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

/* How many options begin with these letters: more than one is what getopt_long calls ambiguous. */
static size_t options_beginning_with(const cli_command *command, const char *text, size_t length) {
    size_t count = 0;
    for (size_t i = 0; i < command->option_count; i++)
        count += strncmp(command->options[i].name, text, length) == 0;
    return count;
}

static int unknown_option(const cli_command *command, const char *word) {
    if (strncmp(word, "--", 2) != 0)
        return cli_usage_error(command, "there is no option '-%c'", optopt);
    const char *name = word + 2;
    size_t length = strcspn(name, "=");
    if (options_beginning_with(command, name, length) > 1)
        return cli_usage_error(command, "'%s' is short for more than one option", word);

    cli_suggestion suggestion;
    cli_suggest_begin(&suggestion, name, length);
    for (size_t i = 0; i < command->option_count; i++)
        if (!command->options[i].hidden)
            cli_suggest_word(&suggestion, command->options[i].name);
    if (suggestion.best)
        return cli_usage_error(command, "there is no option '%s'; did you mean '--%s'?", word, suggestion.best);
    return cli_usage_error(command, "there is no option '%s'", word);
}

int cli_options_read(const cli_command *command, int argc, char **argv, cli_arguments *arguments) {
    struct option longs[CLI_OPTIONS_MAX + 1];
    char shorts[2 * CLI_OPTIONS_MAX + 2];
    describe_for_getopt(command, longs, shorts);
    *arguments = (cli_arguments){0};
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
            return unknown_option(command, argv[optind - 1]);
        arguments->values[option - command->options] = option->argument ? optarg : "";
    }
    arguments->operand_count = argc - optind;
    arguments->operands = argv + optind;
    return CLI_OK;
}
