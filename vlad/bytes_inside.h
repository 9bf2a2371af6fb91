/* The layout of values as bytes, shared by the files that write, read and check them.
 *
 * The bytes are 64-bit words, little-endian: the number of objects, the root value, then the objects one after the
 * other, each as its header and its fields. An object follows all objects that it refers to, and a reference is
 * the number of an object. So the data has no cycles, and the parts of an object are already checked when the
 * object is read.
 *
 * In memory the versions of a vector point from old to new and may form cycles (vector.h). They are therefore
 * written in the order in which they were made: a VLAD_VECTOR is written as its elements; a VLAD_ARRAY stands for
 * an update, written as the older vector, an index and the new element. */
#ifndef VLAD_BYTES_INSIDE_H
#define VLAD_BYTES_INSIDE_H

#include "vlad/bytes.h"

#include "base/words.h"

/* What a raw word in a field points to. A pointer is written as (number + 1) << 3, NULL as 0. The last three bits
 * of a frame's pointer, which name the part of the expression that the frame waits for, are kept. */
typedef enum vlad_address {
    VLAD_NO_ADDRESS,
    VLAD_OF_LAMBDA,
    VLAD_OF_LETREC,
    VLAD_OF_EXPRESSION,
    VLAD_OF_STEP,
    VLAD_OF_CONTINUATION
} vlad_address;

/* Returns what field `field` of an object points to. `what` is the object's first field, in memory or as written. */
vlad_address vlad_bytes_address(const vlad_index *index, vlad_object_kind kind, uint64_t field, uint64_t what);

/* The fields of an update of a vector, as written. */
enum { VLAD_UPDATED_FROM, VLAD_UPDATED_INDEX, VLAD_UPDATED_ELEMENT, VLAD_UPDATED_FIELDS };

/* ---- Reading ---- */

/* What an object may be used as. */
typedef enum vlad_fact_class {
    VLAD_FACT_VALUE, /* a value of the program */
    VLAD_FACT_GROUP,
    VLAD_FACT_CONTINUATION,
    VLAD_FACT_CAPSULE,       /* a capsule of a whole evaluation */
    VLAD_FACT_INNER_CAPSULE, /* a capsule that a player holds */
    VLAD_FACT_TAPE,
    VLAD_FACT_PLAY,
    VLAD_FACT_BYTES,
    VLAD_FACT_TABLE,
    VLAD_FACT_SLOT,  /* (slot . capsule) */
    VLAD_FACT_SLOTS, /* a list of (slot . capsule) */
    VLAD_FACT_HALF,  /* (value . table) */
    VLAD_FACT_ADJOINT
} vlad_fact_class;

/* What the reader knows about an object; fields that do not apply are 0. */
typedef struct vlad_fact {
    vlad_fact_class class;
    vlad_object_kind kind; /* VLAD_OBJECT_KINDS: not an object */
    bool updated;          /* a vector that another one is an update of */
    bool recording;        /* a play that is recording */
    bool counting;         /* a play that is counting steps */
    uint32_t depth;        /* nesting depth of a dual or reverse number */
    uint32_t number;       /* number of the lambda or letrec */
    uint64_t tag;          /* tag of a dual or reverse number */
    /* upper bound of the number of reals in it, where a shared part counts as often as a walk reaches it */
    uint64_t reals;
    uint64_t length; /* elements of a list or vector (0 if empty); chunks of a tape */
    uint64_t first;  /* tape: the least number that its first entry can have */
    /* For a continuation: `frames` is the number of its frames of *j and checkpoint-*j; bit i of `players` is set
     * if the i-th of them, counted from the outermost, belongs to checkpoint-*j. For a play, slots and an inner
     * capsule: the same, up to the player's own frame. */
    uint32_t frames;
    uint64_t players;
} vlad_fact;

typedef struct vlad_bytes_reader {
    const vlad_index *index;
    uint32_t levels; /* maximum number of levels */
    uint64_t count;  /* number of objects read so far */
    vlad_value *objects;
    vlad_fact *facts;
} vlad_bytes_reader;

/* An object in the bytes. */
typedef struct vlad_written {
    vlad_object_kind kind;
    uint64_t fields;
    const unsigned char *at; /* its first field */
} vlad_written;

/* Returns a field of the object as a raw word. */
static inline uint64_t vlad_written_word(const vlad_written *object, uint64_t field) {
    const unsigned char *at = object->at + field * VERSO_WORD;
    return verso__get_word(&at);
}

/* Returns the object that an address word points to; NULL if the number is out of range. */
const void *vlad_bytes_thing(const vlad_index *index, vlad_address kind, uint64_t word);
/* Sets *fact for a field that holds a value. Returns false if the word is not a valid value. */
bool vlad_bytes_fact(const vlad_bytes_reader *reader, uint64_t word, vlad_fact *fact);
/* bytes_check.c: Returns whether the machine can have made such an object, and sets *fact. */
bool vlad_bytes_check(const vlad_bytes_reader *reader, const vlad_written *object, vlad_fact *fact);

#endif
