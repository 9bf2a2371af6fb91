/* What writing and reading values as bytes have in common: the layout.
 *
 * Words of 64 bits, little-endian: the number of objects, the root, and the objects one after the other, each its
 * header and its fields. An object comes behind all that it refers to, and a reference is the number of an object: so
 * what is read has no cycles, and when an object is read everything in it has been checked.
 *
 * Vectors are told as they came to be, for in memory they lead from old to new, and in cycles (vector.h): a VLAD_VECTOR
 * is its elements; a VLAD_ARRAY is an older vector, an index, and the element that is there instead. */
#ifndef VLAD_BYTES_INSIDE_H
#define VLAD_BYTES_INSIDE_H

#include "vlad/bytes.h"

#include "base/words.h"

/* What a field's raw word is, when it is an address: written as (number + 1) << 3, and 0 where there is none. The part
 * of an expression that a frame waits for stays in the last three bits. */
typedef enum vlad_address {
    VLAD_NO_ADDRESS,
    VLAD_OF_LAMBDA,
    VLAD_OF_LETREC,
    VLAD_OF_EXPRESSION,
    VLAD_OF_STEP,
    VLAD_OF_CONTINUATION
} vlad_address;

/* Of a field; `what`: the first field, in memory or as it is written. */
vlad_address vlad_bytes_address(const vlad_index *index, vlad_object_kind kind, uint64_t field, uint64_t what);

/* An update of a vector. */
enum { VLAD_UPDATED_FROM, VLAD_UPDATED_INDEX, VLAD_UPDATED_ELEMENT, VLAD_UPDATED_FIELDS };

/* ---- Reading ---- */

/* What an object may be used as. */
typedef enum vlad_fact_class {
    VLAD_FACT_VALUE, /* of a program */
    VLAD_FACT_GROUP,
    VLAD_FACT_CONTINUATION,
    VLAD_FACT_CAPSULE,       /* of a whole evaluation */
    VLAD_FACT_INNER_CAPSULE, /* of a player's */
    VLAD_FACT_TAPE,
    VLAD_FACT_PLAY,
    VLAD_FACT_BYTES,
    VLAD_FACT_TABLE,
    VLAD_FACT_SLOT,  /* (slot . capsule) */
    VLAD_FACT_SLOTS, /* a list of such */
    VLAD_FACT_HALF,  /* (value . table) */
    VLAD_FACT_ADJOINT
} vlad_fact_class;

/* What is known of an object that was read; 0 where it says nothing. */
typedef struct vlad_fact {
    vlad_fact_class class;
    vlad_object_kind kind; /* VLAD_OBJECT_KINDS: no object */
    bool updated;          /* a vector that another one is made from */
    bool recording;        /* a play that is */
    bool counting;         /* a play whose steps are being counted */
    uint32_t depth;        /* of numbers in a number */
    uint32_t number;       /* of the lambda or the letrec */
    uint64_t tag;          /* of a number */
    uint64_t reals;        /* in it, at most, those that are shared as often as a walk meets them */
    uint64_t length;       /* elements of a list or vector, from 0; chunks of a tape */
    uint64_t first;        /* of a tape: the least number that its first entry can have */
    /* The frames of *j and checkpoint-*j that a continuation leads to; and which of them, from the outermost on, are of
     * checkpoint-*j, a bit each. Of a play, of slots, of an inner capsule: those up to the player's own. */
    uint32_t frames;
    uint64_t players;
} vlad_fact;

typedef struct vlad_bytes_reader {
    const vlad_index *index;
    uint32_t levels; /* at most */
    uint64_t count;  /* of objects so far */
    vlad_value *objects;
    vlad_fact *facts;
} vlad_bytes_reader;

/* An object as it is written. */
typedef struct vlad_written {
    vlad_object_kind kind;
    uint64_t fields;
    const unsigned char *at; /* the first field */
} vlad_written;

static inline uint64_t vlad_written_word(const vlad_written *object, uint64_t field) {
    const unsigned char *at = object->at + field * VERSO_WORD;
    return verso_get_word(&at);
}

/* What an address is of; NULL: nothing that there is. */
const void *vlad_bytes_thing(const vlad_index *index, vlad_address kind, uint64_t word);
/* A field as a value. False: there is no such value. */
bool vlad_bytes_fact(const vlad_bytes_reader *reader, uint64_t word, vlad_fact *fact);
/* bytes_check.c: whether the object is one that the machine can have made, and what is known of it. */
bool vlad_bytes_check(const vlad_bytes_reader *reader, const vlad_written *object, vlad_fact *fact);

#endif
