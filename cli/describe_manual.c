/* Prints the man page of a subcommand from the same record as its `--help`.
 *
 * The pages are in man/, so that they can be read and installed without running the command; tests/cli/generated.sh
 * compares them with this output. They contain no date, so that a page changes only when the command does. */
#include "cli/describe.h"

#include <verso/version.h>

#include <ctype.h>
#include <string.h>

/* Escapes a text so that roff prints it unchanged: hyphens stay ASCII hyphens, which can be copied into a shell. */
static void print_escaped(FILE *out, const char *text) {
    if (*text == '.' || *text == '\'')
        fputs("\\&", out);
    for (; *text; text++) {
        if (*text == '-')
            fputs("\\-", out);
        else if (*text == '\\')
            fputs("\\e", out);
        else
            fputc(*text, out);
    }
}

static void print_line(FILE *out, const char *text) {
    print_escaped(out, text);
    fputc('\n', out);
}

static void print_page_name(FILE *out, const cli_command *command, bool upper) {
    for (const char *c = "verso"; *c; c++)
        fputc(upper ? toupper((unsigned char)*c) : *c, out);
    if (!command->name[0])
        return;
    fputs("\\-", out);
    for (const char *c = command->name; *c; c++)
        fputc(upper ? toupper((unsigned char)*c) : *c, out);
}

static void print_name_and_synopsis(FILE *out, const cli_command *command) {
    fputs(".\\\" Printed by `verso help --man`; do not edit.\n.TH ", out);
    print_page_name(out, command, true);
    fputs(" 1 \"\" \"Verso " VERSO_VERSION "\" \"Verso\"\n.SH NAME\n", out);
    print_page_name(out, command, false);
    fputs(" \\- ", out);
    print_line(out, command->summary);
    fputs(".SH SYNOPSIS\n.nf\n", out);
    for (size_t i = 0; command->synopses[i]; i++) {
        fprintf(out, "\\fBverso%s%s\\fR ", command->name[0] ? " " : "", command->name);
        print_line(out, command->synopses[i]);
    }
    fputs(".fi\n", out);
}

static void print_options(FILE *out, const cli_command *command) {
    fputs(".SH OPTIONS\n", out);
    for (size_t i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (option->hidden)
            continue;
        if (option->heading && strcmp(option->heading, "Options") != 0) {
            fputs(".SS ", out);
            print_line(out, option->heading);
        }
        fputs(".TP\n", out);
        if (option->letter)
            fprintf(out, "\\fB\\-%c\\fR, ", option->letter);
        fputs("\\fB\\-\\-", out);
        print_escaped(out, option->name);
        fputs("\\fR", out);
        if (option->argument) {
            fputs(" \\fI", out);
            print_escaped(out, option->argument);
            fputs("\\fR", out);
        }
        fputc('\n', out);
        print_line(out, option->meaning);
    }
}

static void print_terms(FILE *out, const cli_command *command) {
    if (!command->terms_heading)
        return;
    fputs(".SH ", out);
    for (const char *c = command->terms_heading; *c; c++)
        fputc(toupper((unsigned char)*c), out);
    fputc('\n', out);
    cli_item item;
    for (size_t i = 0; command->term(i, &item); i++) {
        fputs(".TP\n\\fB", out);
        print_escaped(out, item.term);
        fputs("\\fR\n", out);
        print_line(out, item.text);
    }
}

static void print_examples(FILE *out, const cli_command *command) {
    fputs(".SH EXAMPLES\n", out);
    for (const cli_example *example = command->examples; example->line; example++) {
        fputs(".TP\n\\fB", out);
        print_escaped(out, example->line);
        fputs("\\fR\n", out);
        print_line(out, example->meaning);
    }
}

static void print_exit_status(FILE *out, const cli_command *command) {
    fputs(".SH EXIT STATUS\n", out);
    if (command->exit_status)
        print_line(out, command->exit_status);
    for (const cli_exit_status *status = cli_exit_statuses; !command->exit_status && status->meaning; status++) {
        fprintf(out, ".TP\n%d\n", status->code);
        print_line(out, status->meaning);
    }
}

/* Prints references: from a subcommand to verso(1), and from verso(1) to all subcommands that have a page. */
static void print_links(FILE *out, const cli_command *command) {
    fputs(".SH SEE ALSO\n", out);
    if (command->name[0]) {
        fputs("\\fBverso\\fR(1)\n", out);
        return;
    }
    for (size_t i = 0; cli_commands[i]; i++) {
        if (cli_commands[i] == &cli_help || cli_commands[i] == &cli_version)
            continue;
        fputs(i ? ",\n\\fB" : "\\fB", out);
        print_page_name(out, cli_commands[i], false);
        fputs("\\fR(1)", out);
    }
    fputc('\n', out);
}

void cli_describe_manual(FILE *out, const cli_command *command) {
    print_name_and_synopsis(out, command);
    fputs(".SH DESCRIPTION\n", out);
    for (size_t i = 0; command->description[i]; i++) {
        if (i)
            fputs(".PP\n", out);
        print_line(out, command->description[i]);
    }
    print_terms(out, command);
    print_options(out, command);
    print_examples(out, command);
    print_exit_status(out, command);
    print_links(out, command);
}
