/* Implements schedule.h. */
#include "cli/schedule.h"

#include <string.h>

const char *cli_schedule_text(cli_region *region, const cli_command *command, const cli_arguments *arguments,
                              int schedule, const int *words, size_t count, const char *kind) {
    const char *text = arguments->values[schedule];
    for (size_t i = 0; i < count; i++) {
        const char *value = arguments->values[words[i]];
        const cli_option *option = &command->options[words[i]];
        if (value)
            text = cli_region_print(region, "%s,%s%s%s", text ? text : kind, option->name, option->argument ? "=" : "",
                                    value);
    }
    return text;
}

void cli_schedule_blame(const cli_command *command, const cli_arguments *arguments, const int *words, size_t count,
                        verso_error *error) {
    static const char prefix[] = "--schedule: ";
    char *word = error->message + strlen(prefix);
    if (strncmp(error->message, prefix, strlen(prefix)) != 0)
        return;
    for (size_t i = 0; i < count; i++) {
        const char *name = command->options[words[i]].name;
        size_t length = strlen(name);
        if (arguments->values[words[i]] && strncmp(word, name, length) == 0 && word[length] == ':') {
            memmove(error->message + strlen("--"), word, strlen(word) + 1);
            return;
        }
    }
}
