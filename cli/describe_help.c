/* Prints the help text of a subcommand (`--help`) from its record, as plain text of at most 100 columns. */
#include "cli/describe.h"

#include <string.h>

enum { LINE = 100, TEXT_COLUMN = 30 };

const cli_exit_status cli_exit_statuses[] = {
    {CLI_OK, "Success; all output was written."},
    {CLI_FAILED,
     "Failure: the request is impossible (the message names the smallest sufficient value), a check failed, or an "
     "input, output or memory error occurred."},
    {CLI_USAGE, "The command line is wrong: an unknown or missing option, or an invalid value."},
    {0, NULL},
};

/* Prints `text`, wrapped and indented by `indent` columns, and ends the line. `column` columns of the current line are
 * already printed; if they leave no room before `indent`, the text begins on the next line. */
static void print_wrapped(FILE *out, const char *text, int column, int indent) {
    if (column > 0 && column + 2 > indent) {
        fputc('\n', out);
        column = 0;
    }
    fprintf(out, "%*s", indent - column, "");
    column = indent;
    while (*text) {
        int word = (int)strcspn(text, " ");
        if (column > indent && column + 1 + word > LINE) {
            fprintf(out, "\n%*s", indent, "");
            column = indent;
        } else if (column > indent) {
            fputc(' ', out);
            column++;
        }
        fwrite(text, 1, (size_t)word, out);
        column += word;
        text += word;
        text += strspn(text, " ");
    }
    fputc('\n', out);
}

static void print_synopses(FILE *out, const cli_command *command) {
    const char *space = command->name[0] ? " " : "";
    for (size_t i = 0; command->synopses[i]; i++)
        fprintf(out, "%s verso%s%s %s\n", i ? "      " : "Usage:", space, command->name, command->synopses[i]);
}

static void print_options(FILE *out, const cli_command *command) {
    for (size_t i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (option->hidden)
            continue;
        if (option->heading)
            fprintf(out, "\n%s\n", option->heading);
        int column = option->letter ? fprintf(out, "  -%c, --%s", option->letter, option->name)
                                    : fprintf(out, "  --%s", option->name);
        if (option->argument)
            column += fprintf(out, " %s", option->argument);
        print_wrapped(out, option->meaning, column, TEXT_COLUMN);
    }
}

static void print_terms(FILE *out, const cli_command *command) {
    if (!command->terms_heading)
        return;
    fprintf(out, "\n%s\n", command->terms_heading);
    cli_item item;
    for (size_t i = 0; command->term(i, &item); i++)
        print_wrapped(out, item.text, fprintf(out, "  %s", item.term), 20);
}

void cli_describe_help(FILE *out, const cli_command *command) {
    print_synopses(out, command);
    for (size_t i = 0; command->description[i]; i++) {
        fputc('\n', out);
        print_wrapped(out, command->description[i], 0, 0);
    }
    print_terms(out, command);
    print_options(out, command);
    fputs("\nExamples\n", out);
    for (const cli_example *example = command->examples; example->line; example++) {
        fprintf(out, "  %s\n", example->line);
        print_wrapped(out, example->meaning, 0, 6);
    }
    fputs("\nExit status\n", out);
    if (command->exit_status) {
        print_wrapped(out, command->exit_status, 0, 2);
        return;
    }
    for (const cli_exit_status *status = cli_exit_statuses; status->meaning; status++)
        print_wrapped(out, status->meaning, fprintf(out, "  %d", status->code), 5);
}
