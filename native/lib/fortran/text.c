/* Functions of characters that allocate their results, and TRANSFER. */
#include "native/lib/fortran/fortran.h"

/* Makes an allocated scalar of characters. */
static void make_text(array *result, int8_t code, size_t bytes, const char *file, int line) {
    verso__fortran_result_of(result, code, bytes, 0, NULL, file, line);
}

static size_t kind_of(const array *text) {
    return text->code == 43 ? 2 : text->code == 44 ? 4 : 1;
}

static bool is_blank(const char *at, size_t kind) {
    return kind == 1 ? *at == ' ' : kind == 2 ? *(const int16_t *)at == ' ' : *(const int32_t *)at == ' ';
}

static void put_blanks(char *at, size_t bytes, size_t kind) {
    memset(at, 0, bytes);
    for (size_t i = 0; i < bytes; i += kind)
        at[i] = ' ';
}

void _FortranATrim(array *result, const array *text, const char *file, int line) {
    size_t kind = kind_of(text), length = text->bytes;
    while (length > 0 && is_blank(text->base + length - kind, kind))
        length -= kind;
    make_text(result, text->code, length, file, line);
    memcpy(result->base, text->base, length);
}

void _FortranARepeat(array *result, const array *text, int64_t copies, const char *file, int line) {
    make_text(result, text->code, copies > 0 ? (size_t)copies * text->bytes : 0, file, line);
    for (int64_t i = 0; i < copies; i++)
        memcpy(result->base + (size_t)i * text->bytes, text->base, text->bytes);
}

/* Moves the blanks at one end of every element to the other end. */
static void adjust(array *result, const array *text, bool left, const char *file, int line) {
    int64_t counts[RANK_MOST];
    size_t kind = kind_of(text), bytes = text->bytes;
    for (int i = 0; i < text->rank; i++)
        counts[i] = text->dim[i].count;
    verso__fortran_result(result, text, text->rank, counts, file, line);
    walk walk = {{0}};
    if (elements(text) == 0)
        return;
    do {
        const char *from = line_of(text, &walk, 0);
        char *to = line_of(result, &walk, 0);
        size_t blank = 0;
        while (blank < bytes && is_blank(left ? from + blank : from + bytes - blank - kind, kind))
            blank += kind;
        memcpy(left ? to : to + blank, left ? from + blank : from, bytes - blank);
        put_blanks(left ? to + bytes - blank : to, blank, kind);
    } while (next_line(text, &walk, 0));
}

void _FortranAAdjustl(array *result, const array *text, const char *file, int line) {
    adjust(result, text, true, file, line);
}

void _FortranAAdjustr(array *result, const array *text, const char *file, int line) {
    adjust(result, text, false, file, line);
}

/* Appends the elements of `from` to those of `text`, which is allocated; one of them may be a scalar. */
void _FortranACharacterConcatenate(array *text, const array *from, const char *file, int line) {
    const array *shaped = text->rank > 0 ? text : from;
    int64_t counts[RANK_MOST];
    room room;
    array *old = (array *)room.bytes;
    for (int i = 0; i < shaped->rank; i++)
        counts[i] = shaped->dim[i].count;
    copy_descriptor(old, text);
    verso__fortran_result_of(text, old->code, old->bytes + from->bytes, shaped->rank, counts, file, line);
    walk walk = {{0}};
    if (elements(text) > 0) {
        do {
            char *to = line_of(text, &walk, 0);
            memcpy(to, old->rank == 0 ? old->base : line_of(old, &walk, 0), old->bytes);
            memcpy(to + old->bytes, from->rank == 0 ? from->base : line_of(from, &walk, 0), from->bytes);
        } while (next_line(text, &walk, 0));
    }
    verso__fortran_free(old);
}

void _FortranACharacterConcatenateScalar1(array *text, const char *from, size_t length) {
    room room;
    array *old = (array *)room.bytes;
    copy_descriptor(old, text);
    make_text(text, old->code, old->bytes + length, NULL, 0);
    memcpy(text->base, old->base, old->bytes);
    memcpy(text->base + old->bytes, from, length);
    verso__fortran_free(old);
}

/* ---- TRANSFER ---- */

/* Copies the bytes of `source`, in array order, to the elements of `result`. */
static void transfer(const array *result, const array *source, size_t room) {
    size_t given = (size_t)elements(source) * source->bytes, bytes = given < room ? given : room;
    if (is_contiguous(source)) {
        memcpy(result->base, source->base, bytes);
    } else {
        walk walk = {{0}};
        size_t done = 0;
        do {
            size_t left = bytes - done, piece = source->bytes < left ? source->bytes : left;
            memcpy(result->base + done, line_of(source, &walk, 0), piece);
            done += piece;
        } while (done < bytes && next_line(source, &walk, 0));
    }
    if (bytes < room)
        memset(result->base + bytes, 0, room - bytes);
}

void _FortranATransferSize(array *result, const array *source, const array *mold, const char *file, int line,
                           int64_t size) {
    verso__fortran_result(result, mold, 1, &size, file, line);
    transfer(result, source, (size_t)elements(result) * result->bytes);
}

void _FortranATransfer(array *result, const array *source, const array *mold, const char *file, int line) {
    if (mold->rank == 0) {
        verso__fortran_result(result, mold, 0, NULL, file, line);
        transfer(result, source, result->bytes);
        return;
    }
    size_t given = (size_t)elements(source) * source->bytes;
    int64_t count = mold->bytes == 0 ? 0 : (int64_t)((given + mold->bytes - 1) / mold->bytes);
    _FortranATransferSize(result, source, mold, file, line, count);
}
