/* Prints values as text without recursion: what remains to be written is a stack of values. See shape.h. */
#include "vlad/shape.h"

#include "vlad/real.h"
#include "vlad/vector.h"

/* Maximum depth; deeper parts are printed as "...". */
enum { DEPTH = 64 };

typedef struct part {
    vlad_value value;
    enum { WHOLE, TAIL, ELEMENT } how; /* TAIL: the rest of a list; ELEMENT: the elements of a vector from `next` on */
    uint64_t next;
} part;

typedef struct writer {
    char *text;
    size_t size, used;
    bool full;
    part stack[DEPTH];
    unsigned depth;
} writer;

static void put(writer *w, const char *word) {
    size_t length = strlen(word);
    if (w->full || w->used + length + 4 > w->size) { /* always leaves room for "..." */
        w->full = true;
        return;
    }
    memcpy(w->text + w->used, word, length);
    w->used += length;
}

static void push(writer *w, part part) {
    if (w->depth == DEPTH)
        put(w, "...");
    else
        w->stack[w->depth++] = part;
}

static void put_number(writer *w, double number) {
    put(w, vlad_real_text(number).text);
}

static void put_object(writer *w, vlad_value value) {
    const vlad_object *object = vlad_object_of(value);
    switch (vlad_kind_of(object)) {
    case VLAD_PAIR:
        put(w, "(");
        push(w, (part){.value = object->field[1], .how = TAIL});
        push(w, (part){.value = object->field[0]});
        break;
    case VLAD_VECTOR:
        put(w, "#(");
        push(w, (part){.value = value, .how = ELEMENT});
        break;
    case VLAD_CLOSURE: {
        const vlad_lambda *lambda = (const vlad_lambda *)(uintptr_t)object->field[0];
        put(w, "#[");
        put(w, lambda->name != NULL ? lambda->name : "lambda");
        put(w, "]");
        break;
    }
    case VLAD_DUAL:
    case VLAD_REVERSE: put_number(w, vlad_number_plain(value)); break;
    default: put(w, "#[internal]"); break;
    }
}

static void put_tail(writer *w, vlad_value tail) {
    if (vlad_is_kind(tail, VLAD_PAIR)) {
        put(w, " ");
        push(w, (part){.value = vlad_object_of(tail)->field[1], .how = TAIL});
        push(w, (part){.value = vlad_object_of(tail)->field[0]});
    } else if (tail == VLAD_NULL)
        put(w, ")");
    else {
        put(w, " . ");
        push(w, (part){.value = VLAD_NULL, .how = TAIL});
        push(w, (part){.value = tail});
    }
}

static void put_element(writer *w, const part *at) {
    if (at->next == vlad_vector_length(at->value)) {
        put(w, ")");
        return;
    }
    if (at->next > 0)
        put(w, " ");
    push(w, (part){.value = at->value, .how = ELEMENT, .next = at->next + 1});
    push(w, (part){.value = vlad_vector_peek(at->value, at->next)});
}

static void put_part(writer *w, const part *at) {
    if (at->how == TAIL)
        put_tail(w, at->value);
    else if (at->how == ELEMENT)
        put_element(w, at);
    else if (vlad_is_plain(at->value))
        put_number(w, vlad_plain(at->value));
    else if (vlad_is_object(at->value))
        put_object(w, at->value);
    else
        put(w, at->value == VLAD_NULL ? "()" : at->value == VLAD_TRUE ? "#t" : "#f");
}

char *vlad_value_text(vlad_value value, char *text, size_t size) {
    writer w = {.text = text, .size = size};
    push(&w, (part){.value = value});
    while (w.depth > 0 && !w.full) {
        part at = w.stack[--w.depth];
        put_part(&w, &at);
    }
    if (w.full) {
        memcpy(w.text + w.used, "...", 3);
        w.used += 3;
    }
    text[w.used] = '\0';
    return text;
}
