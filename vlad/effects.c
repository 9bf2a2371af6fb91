/* See effects.h. Numbers are read by the reader of programs: independent of the locale, and nothing may follow a
 * number. */
#include "vlad/effects.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "base/words.h"
#include "vlad/real.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <signal.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 400 }; /* maximum length of a number's text */

void vlad_effects_open(vlad_effects *effects, FILE *in, const char *in_name, FILE *out) {
    *effects = (vlad_effects){.in = in, .in_name = in_name, .out = out, .line = 1, .column = 1, .file.handle = -1};
}

void vlad_effects_close(vlad_effects *effects) {
    (void)verso__file_close(&effects->file, NULL); /* nothing is lost: each entry was made durable */
    verso__dealloc(effects->values);
    effects->values = NULL;
    effects->room = 0;
}

/* Makes room for one more effect; called before it happens. */
static verso_status make_room(vlad_effects *effects, verso_error *error) {
    if (effects->done < effects->room)
        return VERSO_STATUS_OK;
    size_t room = effects->room == 0 ? 64 : 2 * effects->room;
    vlad_effect *values = verso__realloc(effects->values, room, sizeof *values);
    if (values == NULL)
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "no memory for what was read and written: %llu numbers",
                           (unsigned long long)effects->done);
    effects->values = values;
    effects->room = room;
    return VERSO_STATUS_OK;
}

/* An entry of the file: whether it was read, the number, and a checksum of both. */
enum { ENTRY = 3 * VERSO_WORD };

/* Writes an entry after the last complete one. It overwrites an incomplete entry of a process that died. */
static verso_status note(vlad_effects *effects, vlad_effect effect, verso_error *error) {
    unsigned char entry[ENTRY], *to = entry;
    verso__put_word(&to, effect.read);
    verso__put_double(&to, effect.number);
    verso__put_word(&to, verso__checksum(entry, ENTRY - VERSO_WORD));
    verso_status status = verso__file_write_at(&effects->file, entry, ENTRY, effects->done * ENTRY, error);
    return status == VERSO_STATUS_OK ? verso__file_sync(&effects->file, error) : status;
}

static verso_status add(vlad_effects *effects, vlad_effect effect, verso_error *error) {
    verso_status status = effects->file.handle >= 0 ? note(effects, effect, error) : VERSO_STATUS_OK;
    if (status == VERSO_STATUS_OK) {
        effects->values[effects->done++] = effect;
        effects->at = effects->done;
    }
    return status;
}

/* ---- Reading ---- */

static int next_byte(vlad_effects *effects) {
    int byte = getc(effects->in);
    if (byte == '\n') {
        effects->line++;
        effects->column = 1;
    } else if (byte != EOF)
        effects->column++;
    return byte;
}

static bool is_space(int byte) {
    return byte == ' ' || byte == '\t' || byte == '\n' || byte == '\r' || byte == '\f' || byte == '\v';
}

typedef struct word {
    char text[LONGEST + 1];
    size_t length;
    uint64_t line, column;
    bool too_long;
} word;

static void read_word(vlad_effects *effects, word *word) {
    int byte;
    do {
        word->line = effects->line;
        word->column = effects->column;
        byte = next_byte(effects);
    } while (is_space(byte));
    for (; byte != EOF && !is_space(byte); byte = next_byte(effects))
        if (word->length < LONGEST)
            word->text[word->length++] = (char)byte;
        else
            word->too_long = true;
    word->text[word->length] = '\0';
}

static verso_status refuse(const vlad_effects *effects, const word *word, const char *what, verso_error *error) {
    return verso__fail(error, VERSO_STATUS_INVALID, "%s:%llu:%llu: %s", effects->in_name,
                       (unsigned long long)word->line, (unsigned long long)word->column, what);
}

/* Reads a number as in programs; also accepts inf, -inf and nan. */
static bool read_real(const word *word, double *number) {
    static const struct {
        const char *text;
        double number;
    } others[] = {{"inf", INFINITY}, {"-inf", -INFINITY}, {"nan", NAN}};
    for (size_t i = 0; i < sizeof others / sizeof *others; i++)
        if (strcmp(word->text, others[i].text) == 0) {
            *number = others[i].number;
            return true;
        }
    vlad_literal literal = vlad_read_real(word->text, word->length, number);
    return literal == VLAD_LITERAL_READ || literal == VLAD_LITERAL_TOO_LARGE;
}

/* Makes SIGINT and SIGTERM, if they are caught, interrupt a wait for input or not. A durable program can then be
 * suspended there. */
static void let_signals_interrupt(bool interrupt) {
    static const int numbers[] = {SIGINT, SIGTERM};
    for (size_t i = 0; i < sizeof numbers / sizeof *numbers; i++) {
        struct sigaction action;
        if (sigaction(numbers[i], NULL, &action) != 0 || action.sa_handler == SIG_DFL || action.sa_handler == SIG_IGN)
            continue;
        action.sa_flags = interrupt ? action.sa_flags & ~SA_RESTART : action.sa_flags | SA_RESTART;
        (void)sigaction(numbers[i], &action, NULL);
    }
}

static verso_status read_number(vlad_effects *effects, double *number, verso_error *error) {
    word word = {.length = 0};
    char what[96];
    bool durable = effects->file.handle >= 0;
    if (durable)
        let_signals_interrupt(true);
    read_word(effects, &word);
    if (durable)
        let_signals_interrupt(false);
    if (ferror(effects->in) && errno == EINTR && durable)
        return verso__fail(error, VERSO_STATUS_SUSPENDED, "suspended");
    if (ferror(effects->in))
        return verso__fail(error, VERSO_STATUS_IO, "cannot read %s: %s", effects->in_name, strerror(errno));
    if (word.length == 0)
        return refuse(effects, &word, "`read-real` finds no number: this is the end of the input", error);
    if (!word.too_long && read_real(&word, number))
        return VERSO_STATUS_OK;
    snprintf(what, sizeof what, "`read-real` expects a number, not `%.40s%s`", word.text,
             word.length > 40 ? "..." : "");
    return refuse(effects, &word, what, error);
}

/* Returns the next number that was read; skips those that were written. */
static verso_status read_again(vlad_effects *effects, double *number, verso_error *error) {
    while (effects->at < effects->done && !effects->values[effects->at].read)
        effects->at++;
    if (effects->at == effects->done)
        return verso__fail(error, VERSO_STATUS_STATE, "the function reads more numbers here than at x");
    *number = effects->values[effects->at++].number;
    return VERSO_STATUS_OK;
}

verso_status vlad_effects_read(vlad_effects *effects, double *number, verso_error *error) {
    if (effects->frozen)
        return read_again(effects, number, error);
    if (effects->at < effects->done) {
        *number = effects->values[effects->at++].number;
        return VERSO_STATUS_OK;
    }
    verso_status status = make_room(effects, error);
    if (status == VERSO_STATUS_OK)
        status = read_number(effects, number, error);
    return status == VERSO_STATUS_OK ? add(effects, (vlad_effect){*number, true}, error) : status;
}

/* ---- Writing ---- */

verso_status vlad_effects_write(vlad_effects *effects, double number, verso_error *error) {
    if (effects->frozen)
        return VERSO_STATUS_OK;
    if (effects->at < effects->done) {
        effects->at++;
        return VERSO_STATUS_OK;
    }
    verso_status status = make_room(effects, error);
    if (status != VERSO_STATUS_OK)
        return status;
    if (fprintf(effects->out, "%s\n", vlad_real_text(number).text) < 0 || fflush(effects->out) != 0)
        return verso__fail(error, VERSO_STATUS_IO, "`write-real` cannot write: %s", strerror(errno));
    return add(effects, (vlad_effect){number, false}, error);
}

verso_status vlad_effects_show(vlad_effects *effects, verso_error *error) {
    bool written = true;
    for (uint64_t i = 0; i < effects->done && written; i++)
        if (!effects->values[i].read)
            written = fprintf(effects->out, "%s\n", vlad_real_text(effects->values[i].number).text) >= 0;
    if (!written || fflush(effects->out) != 0)
        return verso__fail(error, VERSO_STATUS_IO, "`write-real` cannot write: %s", strerror(errno));
    return VERSO_STATUS_OK;
}

/* ---- Effects of earlier processes ---- */

static verso_status recall(vlad_effects *effects, const unsigned char *entry, verso_error *error) {
    verso__words words = {.at = entry, .left = ENTRY};
    vlad_effect effect;
    effect.read = verso__take_word(&words) != 0;
    effect.number = verso__take_double(&words);
    double number = effect.number;
    if (verso__take_word(&words) != verso__checksum(entry, ENTRY - VERSO_WORD))
        return verso__fail(error, VERSO_STATUS_CORRUPT, "%s is damaged", effects->file.path);
    verso_status status = make_room(effects, error);
    if (status == VERSO_STATUS_OK && effect.read)
        status = read_number(effects, &number, error);
    if (status == VERSO_STATUS_OK && memcmp(&number, &effect.number, sizeof number) != 0)
        status = verso__fail(error, VERSO_STATUS_INVALID,
                             "the input is not the one with which this run began: %s instead of %s",
                             vlad_real_text(number).text, vlad_real_text(effect.number).text);
    if (status == VERSO_STATUS_OK)
        effects->values[effects->done++] = effect;
    return status;
}

verso_status vlad_effects_keep(vlad_effects *effects, const char *path, verso_error *error) {
    unsigned char entry[ENTRY];
    size_t got = ENTRY;
    verso_status status =
        verso__file_open_own(&verso__system_machine, path, O_RDWR | O_CREAT | O_CLOEXEC, &effects->file, error);
    while (status == VERSO_STATUS_OK && got == ENTRY) {
        status = verso__file_read(&effects->file, entry, ENTRY, &got, error);
        if (status == VERSO_STATUS_OK && got == ENTRY)
            status = recall(effects, entry, error);
    }
    return status;
}
