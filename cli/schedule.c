/* See schedule.h. */
#include "cli/schedule.h"

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
