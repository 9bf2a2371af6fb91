/* The names of the primitives, and their numbers of arguments. */
#include "vlad/core.h"

#include <stddef.h>

static const struct {
    const char *name;
    unsigned arity;
} operators[VLAD_OPERATORS] = {
    [VLAD_SQRT] = {"sqrt", 1},
    [VLAD_EXP] = {"exp", 1},
    [VLAD_LOG] = {"log", 1},
    [VLAD_SIN] = {"sin", 1},
    [VLAD_COS] = {"cos", 1},
    [VLAD_IS_ZERO] = {"zero?", 1},
    [VLAD_IS_POSITIVE] = {"positive?", 1},
    [VLAD_IS_NEGATIVE] = {"negative?", 1},
    [VLAD_IS_NULL] = {"null?", 1},
    [VLAD_IS_BOOLEAN] = {"boolean?", 1},
    [VLAD_IS_REAL] = {"real?", 1},
    [VLAD_IS_PAIR] = {"pair?", 1},
    [VLAD_IS_PROCEDURE] = {"procedure?", 1},
    [VLAD_IS_VECTOR] = {"vector?", 1},
    [VLAD_REAL] = {"real", 1},
    [VLAD_FLOOR] = {"floor", 1},
    [VLAD_READ_REAL] = {"read-real", 1},
    [VLAD_WRITE_REAL] = {"write-real", 1},
    [VLAD_VECTOR_LENGTH] = {"vector-length", 1},
    [VLAD_LIST_TO_VECTOR] = {"list->vector", 1},
    [VLAD_CONS] = {"cons", 2},
    [VLAD_PLUS] = {"+", 2},
    [VLAD_MINUS] = {"-", 2},
    [VLAD_TIMES] = {"*", 2},
    [VLAD_DIVIDE] = {"/", 2},
    [VLAD_ATAN] = {"atan", 2},
    [VLAD_EQUAL] = {"=", 2},
    [VLAD_LESS] = {"<", 2},
    [VLAD_GREATER] = {">", 2},
    [VLAD_AT_MOST] = {"<=", 2},
    [VLAD_AT_LEAST] = {">=", 2},
    [VLAD_EXPT] = {"expt", 2},
    [VLAD_MODULO] = {"modulo", 2},
    [VLAD_VECTOR_REF] = {"vector-ref", 2},
    [VLAD_VECTOR_MAP] = {"vector-map", 2},
    [VLAD_VECTOR_SET] = {"vector-set", 3},
    [VLAD_J_FORWARD] = {"j*", 3},
    [VLAD_J_REVERSE] = {"*j", 3},
    [VLAD_J_CHECKPOINT] = {"checkpoint-*j", 3},
};

const char *vlad_operator_name(vlad_operator operation) {
    return operators[operation].name;
}

unsigned vlad_operator_arity(vlad_operator operation) {
    return operators[operation].arity;
}
