/* Prints completion scripts for bash, zsh and fish from the same records as `--help`.
 *
 * Each script is a plain list: the subcommands, and for each its options, the words that its operand may be, and the
 * words that an option's value may be. The scripts are in completion/; tests/cli/generated.sh compares them with this
 * output. */
#include "cli/describe.h"

#include <ctype.h>
#include <string.h>

static bool takes_file(const cli_option *option) {
    return option->argument && strcmp(option->argument, "FILE") == 0;
}

static bool takes_words(const cli_option *option) {
    return option->argument && strchr(option->argument, '|');
}

/* Prints "a|b" as "a b". */
static void print_words(FILE *out, const char *choices) {
    for (; *choices; choices++)
        fputc(*choices == '|' ? ' ' : *choices, out);
}

static void print_terms(FILE *out, const cli_command *command) {
    cli_item item;
    for (size_t i = 0; command->term && command->term(i, &item); i++)
        fprintf(out, "%s%s", i ? " " : "", item.term);
}

/* Prints a text that is inside single quotes in any of the three shells: omits quotes in it, and puts a backslash
 * before the characters in `special`. */
static void print_quoted(FILE *out, const char *text, const char *special) {
    for (; *text; text++) {
        if (*text == '\'')
            continue;
        if (strchr(special, *text))
            fputc('\\', out);
        fputc(*text, out);
    }
}

/* The length of the first sentence, without its full stop. "fig. 20" does not end a sentence. */
static size_t first_sentence_length(const char *meaning) {
    size_t length = strlen(meaning);
    for (size_t i = 0; i + 2 < length; i++)
        if (meaning[i] == '.' && meaning[i + 1] == ' ' && isupper((unsigned char)meaning[i + 2]))
            return i;
    return length > 0 && meaning[length - 1] == '.' ? length - 1 : length;
}

/* Prints the first sentence only, which is enough next to a prompt. */
static void print_short(FILE *out, const char *meaning, const char *special) {
    char text[128];
    size_t length = first_sentence_length(meaning);
    if (length >= sizeof text)
        length = sizeof text - 1;
    memcpy(text, meaning, length);
    text[length] = '\0';
    print_quoted(out, text, special);
}

/* ---- bash ---- */

static void print_bash_values(FILE *out, const cli_command *command) {
    for (size_t i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (option->hidden || !option->argument)
            continue;
        fprintf(out, "    %s:--%s) ", command->name, option->name);
        if (takes_file(option)) {
            fputs("compopt -o default; COMPREPLY=(); return ;;\n", out);
        } else {
            fputs("words='", out);
            if (takes_words(option))
                print_words(out, option->argument);
            fputs("' ;;\n", out);
        }
    }
}

static void print_bash_words(FILE *out, const cli_command *command) {
    fprintf(out, "    %s:*) words='", command->name);
    print_terms(out, command);
    for (size_t i = 0; i < command->option_count; i++)
        if (!command->options[i].hidden)
            fprintf(out, " --%s", command->options[i].name);
    fputs(command->takes_directory ? "'; compopt -o dirnames ;;\n"
          : command->takes_file    ? "'; compopt -o default ;;\n"
                                   : "' ;;\n",
          out);
}

static void print_bash(FILE *out) {
    fputs("# Completion of `verso` for bash. Printed by `verso help --completion bash`; do not edit.\n"
          "_verso() {\n"
          "    local word=${COMP_WORDS[COMP_CWORD]} before=${COMP_WORDS[COMP_CWORD-1]} command='' words=''\n"
          "    ((COMP_CWORD > 1)) && command=${COMP_WORDS[1]}\n"
          "    case $command:$before in\n",
          out);
    for (size_t i = 0; cli_commands[i]; i++) {
        print_bash_values(out, cli_commands[i]);
        print_bash_words(out, cli_commands[i]);
    }
    print_bash_words(out, &cli_verso);
    fputs("    esac\n"
          "    mapfile -t COMPREPLY < <(compgen -W \"$words\" -- \"$word\")\n"
          "}\n"
          "complete -F _verso verso\n",
          out);
}

/* ---- zsh ---- */

static void print_zsh_command(FILE *out, const cli_command *command) {
    fprintf(out, "        (%s) _arguments", command->name);
    for (size_t i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (option->hidden)
            continue;
        fprintf(out, " \\\n            '%s--%s[", option->repeats ? "*" : "", option->name);
        print_short(out, option->meaning, "[]");
        fputs("]", out);
        if (takes_file(option)) {
            fputs(":file:_files", out);
        } else if (takes_words(option)) {
            fputs(":value:(", out);
            print_words(out, option->argument);
            fputc(')', out);
        } else if (option->argument) {
            fputs(":value: ", out);
        }
        fputc('\'', out);
    }
    if (command->term) {
        fputs(" \\\n            '*:operand:(", out);
        print_terms(out, command);
        fputs(")'", out);
    }
    if (command->takes_directory)
        fputs(" \\\n            '*:directory:_files -/'", out);
    if (command->takes_file)
        fputs(" \\\n            '*:file:_files'", out);
    fputs(" ;;\n", out);
}

static void print_zsh(FILE *out) {
    fputs("#compdef verso\n"
          "# Completion of `verso` for zsh. Printed by `verso help --completion zsh`; do not edit.\n"
          "_verso() {\n"
          "    local -a commands=(\n",
          out);
    for (size_t i = 0; cli_commands[i]; i++) {
        fprintf(out, "        '%s:", cli_commands[i]->name);
        print_quoted(out, cli_commands[i]->summary, ":");
        fputs("'\n", out);
    }
    fputs("    )\n"
          "    if ((CURRENT == 2)); then\n"
          "        _describe command commands\n"
          "        return\n"
          "    fi\n"
          "    local command=$words[2]\n"
          "    shift words\n"
          "    ((CURRENT--))\n"
          "    case $command in\n",
          out);
    for (size_t i = 0; cli_commands[i]; i++)
        print_zsh_command(out, cli_commands[i]);
    fputs("    esac\n"
          "}\n"
          "_verso \"$@\"\n",
          out);
}

/* ---- fish ---- */

static void print_fish_command(FILE *out, const cli_command *command) {
    char seen[64];
    snprintf(seen, sizeof seen, "-n '__fish_seen_subcommand_from %s'", command->name);
    fprintf(out, "complete -c verso -f -n __fish_use_subcommand -a %s -d '", command->name);
    print_quoted(out, command->summary, "");
    fputs("'\n", out);
    if (command->takes_directory)
        fprintf(out, "complete -c verso -f %s -a '(__fish_complete_directories)'\n", seen);
    if (command->takes_file)
        fprintf(out, "complete -c verso -F %s\n", seen);
    cli_item item;
    for (size_t i = 0; command->term && command->term(i, &item); i++) {
        fprintf(out, "complete -c verso -f %s -a %s -d '", seen, item.term);
        print_short(out, item.text, "");
        fputs("'\n", out);
    }
    for (size_t i = 0; i < command->option_count; i++) {
        const cli_option *option = &command->options[i];
        if (option->hidden)
            continue;
        fprintf(out, "complete -c verso %s %s -l %s",
                takes_file(option) ? "-r -F"
                : option->argument ? "-x"
                                   : "-f",
                seen, option->name);
        if (takes_words(option)) {
            fputs(" -a '", out);
            print_words(out, option->argument);
            fputc('\'', out);
        }
        fputs(" -d '", out);
        print_short(out, option->meaning, "");
        fputs("'\n", out);
    }
}

static void print_fish(FILE *out) {
    fputs("# Completion of `verso` for fish. Printed by `verso help --completion fish`; do not edit.\n", out);
    for (size_t i = 0; cli_commands[i]; i++)
        print_fish_command(out, cli_commands[i]);
}

bool cli_describe_completion(FILE *out, const char *shell) {
    static const struct {
        const char *shell;
        void (*print)(FILE *out);
    } scripts[] = {{"bash", print_bash}, {"zsh", print_zsh}, {"fish", print_fish}};
    for (size_t i = 0; i < sizeof scripts / sizeof *scripts; i++)
        if (strcmp(scripts[i].shell, shell) == 0) {
            scripts[i].print(out);
            return true;
        }
    return false;
}
