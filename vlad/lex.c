/* From text to tokens: see lex.h. */
#include "vlad/lex.h"

#include "vlad/character.h"
#include "vlad/memory.h"
#include "vlad/real.h"

#include <string.h>

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

static bool is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f';
}

static bool is_opening(char c) {
    return c == '(' || c == '[';
}

static bool is_closing(char c) {
    return c == ')' || c == ']';
}

/* True for characters that end a word. */
static bool is_delimiter(char c) {
    return is_blank(c) || is_opening(c) || is_closing(c) || c == '"' || c == ';' || c == '\'';
}

static bool is_in_names(uint32_t code) {
    if (code >= 0x80)
        return vlad_is_printable(code);
    return (code >= 'a' && code <= 'z') || (code >= 'A' && code <= 'Z') || (code >= '0' && code <= '9') ||
           (code != 0 && strchr("!$%&*+-./:<=>?@^_~", (int)code) != NULL);
}

void vlad_lexer_begin(vlad_lexer *lexer, vlad_sources *sources, uint32_t file) {
    size_t size;
    const char *text = vlad_sources_text(sources, file, &size);
    vlad_place start = {.file = file, .line = 1, .column = 1};
    *lexer = (vlad_lexer){.sources = sources, .at = text, .end = text + size, .place = start, .after = start};
}

static void step(vlad_lexer *l) {
    uint32_t code;
    l->at += vlad_character(l->at, (size_t)(l->end - l->at), &code);
    l->place.column++;
    if (code == '\n') {
        l->place.line++;
        l->place.column = 1;
    }
}

static bool follows(const vlad_lexer *l, const char *two) {
    return l->end - l->at >= 2 && l->at[0] == two[0] && l->at[1] == two[1];
}

/* ---- Blanks and comments ---- */

static verso_status skip_comment(vlad_lexer *l, verso_error *error) {
    vlad_place start = l->place;
    size_t depth = 0;
    while (l->at < l->end) {
        bool opens = follows(l, "#|"), closes = follows(l, "|#");
        if (opens || closes)
            step(l);
        step(l);
        depth += opens;
        depth -= closes;
        if (depth == 0)
            return VERSO_STATUS_OK;
    }
    return vlad_fail_at(l->sources, l->place, VERSO_STATUS_STATE, error, "expected `|#` to close the `#|` at %u:%u",
                        start.line, start.column);
}

static verso_status skip_blanks(vlad_lexer *l, verso_error *error) {
    while (l->at < l->end) {
        if (*l->at == ';') {
            while (l->at < l->end && *l->at != '\n')
                step(l);
        } else if (follows(l, "#|")) {
            verso_status status = skip_comment(l, error);
            if (status != VERSO_STATUS_OK)
                return status;
        } else if (is_blank(*l->at)) {
            step(l);
        } else {
            break;
        }
    }
    return VERSO_STATUS_OK;
}

/* ---- Strings ---- */

/* Advances over a string. It ends on its line, and its only escapes are `\"` and `\\`; else VERSO_STATUS_INVALID. */
static verso_status measure_string(vlad_lexer *l, verso_error *error) {
    vlad_place start = l->place;
    for (step(l); l->at < l->end && *l->at != '"' && *l->at != '\n'; step(l)) {
        if (*l->at == '\0')
            return vlad_fail_at(l->sources, l->place, VERSO_STATUS_INVALID, error, "a string has no NUL in it");
        if (*l->at != '\\')
            continue;
        if (l->end - l->at < 2 || (l->at[1] != '"' && l->at[1] != '\\'))
            return vlad_fail_at(l->sources, l->place, VERSO_STATUS_INVALID, error,
                                "expected `\\\"` or `\\\\` in a string");
        step(l);
    }
    if (l->at == l->end || *l->at != '"')
        return vlad_fail_at(l->sources, start, VERSO_STATUS_INVALID, error, "expected `\"` at the end of this string");
    step(l);
    return VERSO_STATUS_OK;
}

static verso_status lex_string(vlad_lexer *l, vlad_token *token, verso_error *error) {
    const char *start = l->at + 1;
    verso_status status = measure_string(l, error);
    if (status != VERSO_STATUS_OK)
        return status;
    const char *end = l->at - 1;
    char *string = vlad_sources_alloc(l->sources, (size_t)(end - start) + 1), *to = string;
    if (string == NULL)
        return vlad_no_memory(error);
    for (const char *from = start; from < end; from++) {
        from += *from == '\\';
        *to++ = *from;
    }
    token->kind = VLAD_TOKEN_STRING;
    token->string = string;
    return VERSO_STATUS_OK;
}

/* ---- Words ---- */

/* True if the text can only be meant as a number. */
static bool starts_number(const char *at, const char *end) {
    at += at < end && (*at == '-' || *at == '+');
    at += at < end && *at == '.';
    return at < end && is_digit(*at);
}

/* Refuses a text that has the form of a number but no value. */
static verso_status refuse_number(const vlad_lexer *l, const vlad_token *token, vlad_literal literal,
                                  verso_error *error) {
    const char *what = literal == VLAD_LITERAL_TOO_LARGE  ? "is too large for a real number"
                       : literal == VLAD_LITERAL_TOO_LONG ? "has more than 4096 digits"
                                                          : "divides by zero";
    if (literal == VLAD_LITERAL_NO_MEMORY)
        return vlad_no_memory(error);
    return vlad_fail_at(l->sources, token->place, VERSO_STATUS_INVALID, error, "`%s` %s",
                        vlad_shown(token->text, token->size).text, what);
}

static verso_status lex_hash(const vlad_lexer *l, vlad_token *token, verso_error *error) {
    token->kind = VLAD_TOKEN_BOOLEAN;
    token->truth = token->size == 2 && token->text[1] == 't';
    if (token->size == 2 && (token->truth || token->text[1] == 'f'))
        return VERSO_STATUS_OK;
    return vlad_fail_at(l->sources, token->place, VERSO_STATUS_INVALID, error,
                        "expected `#t`, `#f`, `#;`, `#|` or a number such as `#x10` instead of `%s`",
                        vlad_shown(token->text, token->size).text);
}

/* True if a `#` is allowed here. A number may have two prefixes: #x#e10. */
static bool may_be_hash(const vlad_lexer *l, const vlad_token *token) {
    return l->at == token->text || (l->at == token->text + 2 && token->text[0] == '#');
}

/* Advances over a word. Its characters are those of names, and `#` at its beginning or after a first prefix. */
static verso_status measure_word(vlad_lexer *l, vlad_token *token, verso_error *error) {
    token->text = l->at;
    while (l->at < l->end && !is_delimiter(*l->at)) {
        uint32_t code;
        size_t length = vlad_character(l->at, (size_t)(l->end - l->at), &code);
        if (!is_in_names(code) && !(code == '#' && may_be_hash(l, token)))
            return vlad_fail_at(l->sources, l->place, VERSO_STATUS_INVALID, error, "unexpected character `%s`",
                                vlad_shown(l->at, length).text);
        step(l);
    }
    token->size = (size_t)(l->at - token->text);
    return VERSO_STATUS_OK;
}

static verso_status lex_word(vlad_lexer *l, vlad_token *token, verso_error *error) {
    verso_status status = measure_word(l, token, error);
    if (status != VERSO_STATUS_OK)
        return status;
    const char *end = token->text + token->size;
    vlad_literal literal = vlad_read_real(token->text, token->size, &token->number);
    token->kind = VLAD_TOKEN_NUMBER;
    if (literal != VLAD_LITERAL_NONE)
        return literal == VLAD_LITERAL_READ ? VERSO_STATUS_OK : refuse_number(l, token, literal, error);
    if (token->text[0] == '#')
        return lex_hash(l, token, error);
    if (starts_number(token->text, end))
        return vlad_fail_at(l->sources, token->place, VERSO_STATUS_INVALID, error,
                            "`%s` is not a number, and a name does not begin like one",
                            vlad_shown(token->text, token->size).text);
    token->kind = token->size == 1 && token->text[0] == '.' ? VLAD_TOKEN_DOT : VLAD_TOKEN_NAME;
    return VERSO_STATUS_OK;
}

verso_status vlad_lex(vlad_lexer *lexer, vlad_token *token, verso_error *error) {
    verso_status status = skip_blanks(lexer, error);
    if (status != VERSO_STATUS_OK)
        return status;
    *token = (vlad_token){.kind = VLAD_TOKEN_END, .place = lexer->after};
    if (lexer->at == lexer->end)
        return VERSO_STATUS_OK;
    token->place = lexer->place;
    if (follows(lexer, "#;")) {
        token->kind = VLAD_TOKEN_SKIP;
        step(lexer);
        step(lexer);
    } else if (is_opening(*lexer->at) || is_closing(*lexer->at) || *lexer->at == '\'') {
        token->kind = *lexer->at == '\''       ? VLAD_TOKEN_QUOTE
                      : is_opening(*lexer->at) ? VLAD_TOKEN_OPEN
                                               : VLAD_TOKEN_CLOSE;
        token->bracket = *lexer->at == '[' || *lexer->at == ']';
        step(lexer);
    } else {
        status = *lexer->at == '"' ? lex_string(lexer, token, error) : lex_word(lexer, token, error);
    }
    lexer->after = lexer->place;
    return status;
}
