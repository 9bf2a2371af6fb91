/* See token.h. */
#include "rev/token.h"

#include <string.h>

typedef struct reader {
    rev_unit *unit;
    const rev_source *source;
    size_t at;
    uint32_t line;
    size_t line_start;
    bool line_begins; /* only blanks and comments precede on this line */
} reader;

static bool is_letter(char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || (unsigned char)c >= 0x80;
}

static bool is_digit(char c) {
    return c >= '0' && c <= '9';
}

/* Returns the byte `ahead` bytes after the current one; 0 after the end. */
static char peek(const reader *r, size_t ahead) {
    return ahead < r->source->size - r->at ? r->source->text[r->at + ahead] : '\0';
}

static bool is_at_end(const reader *r) {
    return r->at >= r->source->size;
}

static void step(reader *r) {
    if (r->source->text[r->at++] == '\n') {
        r->line++;
        r->line_start = r->at;
        r->line_begins = true;
    }
}

static void steps(reader *r, size_t count) {
    for (size_t i = 0; i < count && !is_at_end(r); i++)
        step(r);
}

static rev_place place_of(const reader *r) {
    return (rev_place){r->source, (uint32_t)r->at, r->line, (uint32_t)(r->at - r->line_start) + 1};
}

/* Returns the number of bytes of a backslash and the end of its line; 0 if there is none. */
static size_t continuation(const reader *r) {
    if (peek(r, 0) != '\\')
        return 0;
    return peek(r, 1) == '\n' ? 2 : peek(r, 1) == '\r' && peek(r, 2) == '\n' ? 3 : 0;
}

static void skip_block_comment(reader *r) {
    rev_place place = place_of(r);
    steps(r, 2);
    while (!is_at_end(r) && !(peek(r, 0) == '*' && peek(r, 1) == '/'))
        step(r);
    if (is_at_end(r))
        rev_refuse(r->unit, place, "end it with */", "the comment has no end");
    steps(r, 2);
}

static void skip_line_comment(reader *r) {
    while (!is_at_end(r) && peek(r, 0) != '\n')
        steps(r, continuation(r) ? continuation(r) : 1);
}

static bool skip_one_blank(reader *r) {
    char c = peek(r, 0);
    if (continuation(r))
        steps(r, continuation(r));
    else if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v')
        step(r);
    else if (c == '/' && peek(r, 1) == '*')
        skip_block_comment(r);
    else if (c == '/' && peek(r, 1) == '/')
        skip_line_comment(r);
    else
        return false;
    return true;
}

/* Reads to the end of the line, not including it; a comment may contain ends of lines. */
static void read_directive(reader *r) {
    while (!is_at_end(r) && peek(r, 0) != '\n') {
        if (continuation(r))
            steps(r, continuation(r));
        else if (peek(r, 0) == '/' && peek(r, 1) == '*')
            skip_block_comment(r);
        else
            step(r);
    }
}

static void read_quoted(reader *r, char quote) {
    rev_place place = place_of(r);
    step(r);
    while (!is_at_end(r) && peek(r, 0) != quote && peek(r, 0) != '\n')
        steps(r, peek(r, 0) == '\\' ? 2 : 1);
    if (peek(r, 0) != quote)
        rev_refuse(r->unit, place, NULL, "the text has no closing %c", quote);
    step(r);
}

/* Reads a preprocessing number: 1e-5, 0x1p+3, 1.5f. */
static void read_number(reader *r) {
    while (is_letter(peek(r, 0)) || is_digit(peek(r, 0)) || peek(r, 0) == '.') {
        char c = peek(r, 0), next = peek(r, 1);
        bool exponent = strchr("eEpP", c) != NULL && (next == '+' || next == '-');
        steps(r, exponent ? 2 : 1);
    }
}

static size_t mark_length(const reader *r) {
    static const char *const marks[] = {"<<<", ">>>", "<<=", ">>=", "...", "->", "++", "--", "<<",
                                        ">>",  "<=",  ">=",  "==",  "!=",  "&&", "||", "+=", "-=",
                                        "*=",  "/=",  "%=",  "&=",  "|=",  "^=", "##"};
    for (size_t i = 0; i < sizeof marks / sizeof *marks; i++) {
        size_t length = strlen(marks[i]);
        if (length <= r->source->size - r->at && memcmp(r->source->text + r->at, marks[i], length) == 0)
            return length;
    }
    return 1;
}

static rev_token_kind read_one(reader *r) {
    char c = peek(r, 0);
    if (c == '#' && r->line_begins) {
        read_directive(r);
        return REV_DIRECTIVE;
    }
    r->line_begins = false;
    if (is_letter(c)) {
        while (is_letter(peek(r, 0)) || is_digit(peek(r, 0)))
            step(r);
        return REV_NAME;
    }
    if (is_digit(c) || (c == '.' && is_digit(peek(r, 1)))) {
        read_number(r);
        return REV_NUMBER;
    }
    if (c == '"' || c == '\'') {
        read_quoted(r, c);
        return c == '"' ? REV_STRING : REV_CHARACTER;
    }
    steps(r, mark_length(r));
    return REV_MARK;
}

rev_tokens rev_read_tokens(rev_unit *unit, const rev_source *source) {
    reader r = {.unit = unit, .source = source, .line = 1, .line_begins = true};
    rev_tokens tokens = {0};
    for (;;) {
        while (!is_at_end(&r) && skip_one_blank(&r))
            ;
        tokens.items = rev_grow(unit, tokens.items, tokens.count, sizeof *tokens.items);
        rev_token *token = &tokens.items[tokens.count++];
        *token = (rev_token){.place = place_of(&r), .text = ""};
        if (is_at_end(&r))
            return tokens;
        token->kind = read_one(&r);
        token->length = (uint32_t)(r.at - token->place.offset);
        token->text = rev_copy(unit, source->text + token->place.offset, token->length);
    }
}
