/* Implements json_read.h. Input that is not valid JSON yields "no value"; there are no error messages, because the text
 * comes from clang. */
#include "cli/json_read.h"

#include <stdlib.h>
#include <string.h>

static const cli_json_value nothing = {NULL, NULL};

static const char *skip_blanks(const char *at, const char *end) {
    while (at < end && (*at == ' ' || *at == '\n' || *at == '\t' || *at == '\r'))
        at++;
    return at;
}

/* `at` is at an opening quote. Returns the position after the closing one; NULL if there is none. */
static const char *skip_string(const char *at, const char *end) {
    for (at++; at < end; at++) {
        if (*at == '\\')
            at++;
        else if (*at == '"')
            return at + 1;
    }
    return NULL;
}

/* Returns the position after the value that begins at `at`; NULL if the value is incomplete. */
static const char *skip_value(const char *at, const char *end) {
    size_t depth = 0;
    while (at < end) {
        if (*at == '"') {
            at = skip_string(at, end);
            if (!at)
                return NULL;
        } else if (*at == '{' || *at == '[') {
            depth++;
            at++;
            continue;
        } else if (*at == '}' || *at == ']') {
            if (depth == 0)
                return NULL;
            depth--;
            at++;
        } else if (depth > 0) {
            at++;
            continue;
        } else { /* a number, true, false or null */
            const char *begin = at;
            while (at < end && !strchr(" \n\t\r,:]}", *at))
                at++;
            return at > begin ? at : NULL;
        }
        if (depth == 0)
            return at;
    }
    return NULL;
}

bool cli_json_take(cli_json_value *text, cli_json_value *value) {
    const char *at = skip_blanks(text->at, text->end), *after = at < text->end ? skip_value(at, text->end) : NULL;
    if (!after)
        return false;
    *value = (cli_json_value){at, after};
    text->at = after;
    return true;
}

cli_json_value cli_json_items(cli_json_value list) {
    if (!list.at || *list.at != '[')
        return nothing;
    return (cli_json_value){list.at + 1, list.end - 1};
}

bool cli_json_next(cli_json_value *items, cli_json_value *item) {
    if (!items->at)
        return false;
    items->at = skip_blanks(items->at, items->end);
    if (items->at < items->end && *items->at == ',')
        items->at++;
    return cli_json_take(items, item);
}

cli_json_value cli_json_member(cli_json_value object, const char *name) {
    if (!object.at || *object.at != '{')
        return nothing;
    cli_json_value rest = {object.at + 1, object.end - 1}, key, value;
    while (cli_json_next(&rest, &key)) {
        rest.at = skip_blanks(rest.at, rest.end);
        if (rest.at >= rest.end || *rest.at != ':')
            return nothing;
        rest.at++;
        if (cli_json_is(key, name))
            return cli_json_take(&rest, &value) ? value : nothing;
        if (!cli_json_take(&rest, &value))
            return nothing;
    }
    return nothing;
}

bool cli_json_is(cli_json_value value, const char *string) {
    size_t length = strlen(string);
    return value.at && (size_t)(value.end - value.at) == length + 2 && *value.at == '"' &&
           memcmp(value.at + 1, string, length) == 0;
}

bool cli_json_is_true(cli_json_value value) {
    return value.at && value.end - value.at == 4 && memcmp(value.at, "true", 4) == 0;
}

bool cli_json_whole(cli_json_value value, int64_t *number) {
    if (!value.at)
        return false;
    const char *at = value.at + (*value.at == '"');
    char *end;
    *number = strtoll(at, &end, 10);
    return end > at && end <= value.end;
}

/* Appends a character of the basic multilingual plane in UTF-8. Surrogate pairs are not combined; names in C programs
 * contain none. */
static char *put_character(char *to, unsigned character) {
    if (character < 0x80) {
        *to++ = (char)character;
    } else if (character < 0x800) {
        *to++ = (char)(0xC0 | character >> 6);
        *to++ = (char)(0x80 | (character & 0x3F));
    } else {
        *to++ = (char)(0xE0 | character >> 12);
        *to++ = (char)(0x80 | (character >> 6 & 0x3F));
        *to++ = (char)(0x80 | (character & 0x3F));
    }
    return to;
}

char *cli_json_string_of(cli_region *region, cli_json_value value) {
    if (!value.at || *value.at != '"')
        return NULL;
    char *text = cli_region_alloc(region, (size_t)(value.end - value.at), 1), *to = text;
    for (const char *at = value.at + 1; at < value.end - 1; at++) {
        static const char escaped[] = "bfnrt", meant[] = "\b\f\n\r\t";
        const char *known;
        if (*at != '\\') {
            *to++ = *at;
        } else if (at[1] == 'u' && value.end - at > 6) {
            char digits[5] = {at[2], at[3], at[4], at[5], '\0'};
            to = put_character(to, (unsigned)strtoul(digits, NULL, 16));
            at += 5;
        } else {
            at++;
            known = strchr(escaped, *at);
            *to++ = known && *known ? meant[known - escaped] : *at;
        }
    }
    *to = '\0';
    return text;
}
