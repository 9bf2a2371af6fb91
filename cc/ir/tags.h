/* What metadata says about a load or store: its class, which types/classes.h finds, and type-based alias tags (TBAA).
 * An integer in memory may be the bits of a number whatever its tag: memcpy may have filled a uint64_t from a double.
 * Memory that is accessed as a pointer or a bool holds no number. An access without a tag, or with the tag of char
 * (which union members have), may access anything. */
#ifndef CC_TAGS_H
#define CC_TAGS_H

#include "cc/ir/unit.h"

/* What an access may have to do with derivatives. */
typedef enum cc_class {
    CC_CLASS_UNKNOWN, /* anything */
    CC_CLASS_NOTHING, /* it accesses integers or pointers that carry no number, where no number is */
    CC_CLASS_NUMBERS, /* it accesses whole numbers of one kind, which nothing else overlaps in part */
} cc_class;
/* Returns the class of `access`; CC_CLASS_UNKNOWN until cc_find_classes has run. */
cc_class cc_class_of(cc_unit *unit, LLVMValueRef access);
void cc_set_class(cc_unit *unit, LLVMValueRef access, cc_class class);

/* Memories: all memory that a load or store of numbers may access, if the program accesses it by such instructions
 * only. Accesses with different numbers never meet. */
enum {
    CC_MEMORY_LOST, /* cc_find_classes has not seen the access */
    CC_MEMORY_OPEN, /* other code may access it, or integers are accessed there */
    CC_MEMORY_FIRST
};
size_t cc_memory_of(cc_unit *unit, LLVMValueRef access);
void cc_set_memory(cc_unit *unit, LLVMValueRef access, size_t memory);
/* Removes the numbers of memories, which depend on the whole program, from the current module. */
void cc_forget_memories(cc_unit *unit);

/* Returns whether `access`, a load or store of an integer, a pointer or a vector of them, may copy the bits of a
 * number. */
bool cc_may_carry(cc_unit *unit, LLVMValueRef access);
/* Returns whether `access`, a load or store, certainly accesses a float or a double by the rules of the language. */
bool cc_is_of_number(cc_unit *unit, LLVMValueRef access);
/* Returns whether the tag of `access` permits any type, so that what is stored may later be read as a number. */
bool cc_may_be_any(cc_unit *unit, LLVMValueRef access);
/* Returns the name of the scalar type in the tag of `access`, if an access of another scalar type can certainly
 * not have the same memory; otherwise NULL. */
const char *cc_tag_name(cc_unit *unit, LLVMValueRef access);

#endif
