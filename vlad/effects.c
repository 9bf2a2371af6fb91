/* See effects.h. Numbers are read as the reader of programs reads them: no locale, no hexadecimal, nothing behind them.
 */
#include "vlad/effects.h"

#include "base/alloc.h"
#include "base/checksum.h"
#include "base/status.h"
#include "base/words.h"
#include "vlad/real.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdbool.h>
#include <string.h>

enum { LONGEST = 400 }; /* of a number's text */

void vlad_effects_open(vlad_effects *effects, FILE *in, const char *in_name, FILE *out) {
    *effects = (vlad_effects){.in = in, .in_name = in_name, .out = out, .line = 1, .column = 1, .file.handle = -1};
}

void vlad_effects_close(vlad_effects *effects) {
    (void)verso_file_close(&effects->file, NULL); /* each entry was made durable */
    verso_dealloc(effects->values);
    effects->values = NULL;
    effects->room = 0;
}

/* Room for one more, before it happens. */
static verso_status make_room(vlad_effects *effects, verso_error *error) {
    if (effects->done < effects->room)
        return VERSO_OK;
    size_t room = effects->room == 0 ? 64 : 2 * effects->room;
    vlad_effect *values = verso_realloc(effects->values, room, sizeof *values);
    if (values == NULL)
        return verso_fail(error, VERSO_NO_MEMORY, "no memory for what was read and written: %llu numbers.",
                          (unsigned long long)effects->done);
    effects->values = values;
    effects->room = room;
    return VERSO_OK;
}

/* Flag, number, checksum of both. */
enum { ENTRY = 3 * VERSO_WORD };

/* Behind the entries that are whole: what a death has left of another one is written over. */
static verso_status note(vlad_effects *effects, vlad_effect effect, verso_error *error) {
    unsigned char entry[ENTRY], *to = entry;
    verso_put_word(&to, effect.read);
    verso_put_double(&to, effect.number);
    verso_put_word(&to, verso_checksum(entry, ENTRY - VERSO_WORD));
    verso_status status = verso_file_write_at(&effects->file, entry, ENTRY, effects->done * ENTRY, error);
    return status == VERSO_OK ? verso_file_sync(&effects->file, error) : status;
}

static verso_status add(vlad_effects *effects, vlad_effect effect, verso_error *error) {
    verso_status status = effects->file.handle >= 0 ? note(effects, effect, error) : VERSO_OK;
    if (status == VERSO_OK) {
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
    return verso_fail(error, VERSO_INVALID, "%s:%llu:%llu: %s", effects->in_name, (unsigned long long)word->line,
                      (unsigned long long)word->column, what);
}

/* What is written as inf and nan is read as such. */
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
    return vlad_is_real_text(word->text, word->length) && vlad_read_real(word->text, word->length, number);
}

static verso_status read_number(vlad_effects *effects, double *number, verso_error *error) {
    word word = {.length = 0};
    char what[96];
    read_word(effects, &word);
    if (ferror(effects->in))
        return verso_fail(error, VERSO_IO, "cannot read %s: %s.", effects->in_name, strerror(errno));
    if (word.length == 0)
        return refuse(effects, &word, "`read-real` finds no number: this is the end of the input", error);
    if (!word.too_long && read_real(&word, number))
        return VERSO_OK;
    snprintf(what, sizeof what, "`read-real` expects a number, not `%.40s%s`", word.text,
             word.length > 40 ? "..." : "");
    return refuse(effects, &word, what, error);
}

/* The next one that was read; what was written in between does not count. */
static verso_status read_again(vlad_effects *effects, double *number, verso_error *error) {
    while (effects->at < effects->done && !effects->values[effects->at].read)
        effects->at++;
    if (effects->at == effects->done)
        return verso_fail(error, VERSO_STATE, "the function reads more numbers here than at x");
    *number = effects->values[effects->at++].number;
    return VERSO_OK;
}

verso_status vlad_effects_read(vlad_effects *effects, double *number, verso_error *error) {
    if (effects->frozen)
        return read_again(effects, number, error);
    if (effects->at < effects->done) {
        *number = effects->values[effects->at++].number;
        return VERSO_OK;
    }
    verso_status status = make_room(effects, error);
    if (status == VERSO_OK)
        status = read_number(effects, number, error);
    return status == VERSO_OK ? add(effects, (vlad_effect){*number, true}, error) : status;
}

/* ---- Writing ---- */

verso_status vlad_effects_write(vlad_effects *effects, double number, verso_error *error) {
    if (effects->frozen)
        return VERSO_OK;
    if (effects->at < effects->done) {
        effects->at++;
        return VERSO_OK;
    }
    verso_status status = make_room(effects, error);
    if (status != VERSO_OK)
        return status;
    if (fprintf(effects->out, "%s\n", vlad_real_text(number).text) < 0 || fflush(effects->out) != 0)
        return verso_fail(error, VERSO_IO, "`write-real` cannot write: %s.", strerror(errno));
    return add(effects, (vlad_effect){number, false}, error);
}

/* ---- Another process ---- */

static verso_status recall(vlad_effects *effects, const unsigned char *entry, verso_error *error) {
    verso_words words = {.at = entry, .left = ENTRY};
    vlad_effect effect;
    effect.read = verso_take_word(&words) != 0;
    effect.number = verso_take_double(&words);
    double number = effect.number;
    if (verso_take_word(&words) != verso_checksum(entry, ENTRY - VERSO_WORD))
        return verso_fail(error, VERSO_CORRUPT, "%s is damaged.", effects->file.path);
    verso_status status = make_room(effects, error);
    if (status == VERSO_OK && effect.read)
        status = read_number(effects, &number, error);
    if (status == VERSO_OK && memcmp(&number, &effect.number, sizeof number) != 0)
        status =
            verso_fail(error, VERSO_INVALID, "the input is not the one with which this run began: %s instead of %s.",
                       vlad_real_text(number).text, vlad_real_text(effect.number).text);
    if (status == VERSO_OK)
        effects->values[effects->done++] = effect;
    return status;
}

verso_status vlad_effects_keep(vlad_effects *effects, const char *path, verso_error *error) {
    unsigned char entry[ENTRY];
    size_t got = ENTRY;
    verso_status status =
        verso_file_open(&verso_system_machine, path, O_RDWR | O_CREAT | O_CLOEXEC, &effects->file, error);
    while (status == VERSO_OK && got == ENTRY) {
        status = verso_file_read(&effects->file, entry, ENTRY, &got, error);
        if (status == VERSO_OK && got == ENTRY)
            status = recall(effects, entry, error);
    }
    return status;
}
