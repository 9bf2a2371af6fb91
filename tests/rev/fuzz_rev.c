/* libFuzzer target: translates arbitrary texts. Each is translated, or refused with a message that names the place;
 * the translation can be read again. The length of the input selects the tool's options, so that one byte more or
 * less selects others. Headers of this machine are not read. */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "rev/check_program.h"
#include "rev/translate.h"

static void require(bool holds) {
    if (!holds)
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
    char *text = malloc(size + 1);
    require(text != NULL);
    memcpy(text, data, size);
    text[size] = '\0';
    for (size_t i = 0; i + 7 <= size; i++)
        if (memcmp(text + i, "include", 7) == 0)
            text[i] = 'x';
    rev_setting settings[] = {{.parameter = "n", .numbers = "3"}, {.parameter = "x", .numbers = "5", .length = true}};
    const rev_checking checking = {.settings = settings, .count = 2, .seed = 1};
    rev_options options = {.name = "fuzz",
                           .cuda = size % 8 == 1,
                           .registers = size % 8 == 2 || size % 8 == 6,
                           .check = size % 8 == 3 || size % 8 == 5 ? &checking : NULL,
                           .dump = size % 8 == 4 ? rev_pass_names[size / 8 % 7] : NULL};
    verso__text output = {0}, messages = {0};
    verso_status status = rev_translate(text, size, &options, &output, &messages);
    require(status == VERSO_STATUS_OK || status == VERSO_STATUS_INVALID);
    require((status == VERSO_STATUS_INVALID) == (messages.size > 0));
    (void)verso__text_close(&output);
    (void)verso__text_close(&messages);
    free(text);
    return 0;
}
