/* The operators of the core language (core.h), by number of arguments. */
#ifndef VLAD_OPERATORS_H
#define VLAD_OPERATORS_H

typedef enum vlad_operator {
    /* unary */
    VLAD_SQRT,
    VLAD_EXP,
    VLAD_LOG,
    VLAD_SIN,
    VLAD_COS,
    VLAD_IS_ZERO,
    VLAD_IS_POSITIVE,
    VLAD_IS_NEGATIVE,
    VLAD_IS_NULL,
    VLAD_IS_BOOLEAN,
    VLAD_IS_REAL,
    VLAD_IS_PAIR,
    VLAD_IS_PROCEDURE,
    VLAD_IS_VECTOR,
    VLAD_REAL,
    VLAD_FLOOR,
    VLAD_READ_REAL,
    VLAD_WRITE_REAL,
    VLAD_VECTOR_LENGTH,
    VLAD_LIST_TO_VECTOR,
    /* binary */
    VLAD_CONS,
    VLAD_PLUS,
    VLAD_MINUS,
    VLAD_TIMES,
    VLAD_DIVIDE,
    VLAD_ATAN,
    VLAD_EQUAL,
    VLAD_LESS,
    VLAD_GREATER,
    VLAD_AT_MOST,
    VLAD_AT_LEAST,
    VLAD_EXPT,
    VLAD_MODULO,
    VLAD_VECTOR_REF,
    VLAD_VECTOR_MAP,
    /* ternary */
    VLAD_VECTOR_SET,
    VLAD_J_FORWARD,
    VLAD_J_REVERSE,
    VLAD_J_CHECKPOINT,
    VLAD_OPERATORS
} vlad_operator;

/* Returns the name in programs: "sqrt", "checkpoint-*j", ... */
const char *vlad_operator_name(vlad_operator operation);
/* Returns the number of arguments: 1, 2 or 3. */
unsigned vlad_operator_arity(vlad_operator operation);

#endif
