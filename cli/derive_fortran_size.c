/* Translates the size of a dimension, an expression as flang prints it, to the form of clang's JSON, which
 * derive_length.c evaluates: "0_8:int(n+1_4,kind=8)" becomes n + 1 - 0 + 1. */
#include "cli/derive_fortran.h"

#include <ctype.h>
#include <string.h>

typedef struct reader {
    cli_region *region;
    const char *at, *end;
} reader;

static const char *read_sum(reader *r);

static bool takes(reader *r, char c) {
    bool is = r->at < r->end && *r->at == c;
    r->at += is;
    return is;
}

static const char *operation(reader *r, const char *left, char sign, const char *right) {
    if (!left || !right)
        return NULL;
    return cli_region_print(r->region, "{\"kind\": \"BinaryOperator\", \"opcode\": \"%c\", \"inner\": [%s, %s]}", sign,
                            left, right);
}

static const char *literal(reader *r, const char *digits, size_t size) {
    return cli_region_print(r->region, "{\"kind\": \"IntegerLiteral\", \"value\": \"%.*s\"}", (int)size, digits);
}

static const char *read_number(reader *r) {
    const char *digits = r->at;
    while (r->at < r->end && isdigit((unsigned char)*r->at))
        r->at++;
    const char *number = literal(r, digits, (size_t)(r->at - digits));
    if (takes(r, '_')) /* its kind */
        while (r->at < r->end && isdigit((unsigned char)*r->at))
            r->at++;
    return number;
}

static bool takes_words(reader *r, const char *words) {
    bool is = (size_t)(r->end - r->at) >= strlen(words) && memcmp(r->at, words, strlen(words)) == 0;
    r->at += is ? strlen(words) : 0;
    return is;
}

/* The rest of "size(x,dim=1,kind=8)"; without `dim` of the whole array. */
static const char *read_size(reader *r) {
    const char *name = r->at;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_'))
        r->at++;
    int size = (int)(r->at - name);
    int dimension = takes_words(r, ",dim=") && r->at < r->end ? *r->at++ - '0' : 0;
    return size == 0
               ? NULL
               : cli_region_print(r->region, "{\"kind\": \"ArraySize\", \"name\": \"%.*s\", \"dimension\": \"%d\"}",
                                  size, name, dimension);
}

/* A name, the conversion int(X,kind=8), or the size of an array. Other functions are not understood. */
static const char *read_name(reader *r) {
    const char *name = r->at;
    while (r->at < r->end && (isalnum((unsigned char)*r->at) || *r->at == '_'))
        r->at++;
    size_t size = (size_t)(r->at - name);
    if (!takes(r, '('))
        return cli_region_print(r->region, "{\"kind\": \"DeclRefExpr\", \"referencedDecl\": {\"name\": \"%.*s\"}}",
                                (int)size, name);
    const char *inner = size == 3 && memcmp(name, "int", 3) == 0    ? read_sum(r)
                        : size == 4 && memcmp(name, "size", 4) == 0 ? read_size(r)
                                                                    : NULL;
    if (takes_words(r, ",kind="))
        while (r->at < r->end && isdigit((unsigned char)*r->at))
            r->at++;
    return takes(r, ')') ? inner : NULL;
}

static const char *read_factor(reader *r) {
    if (takes(r, '(')) {
        const char *inner = read_sum(r);
        return takes(r, ')') ? inner : NULL;
    }
    if (takes(r, '-'))
        return operation(r, literal(r, "0", 1), '-', read_factor(r));
    if (r->at < r->end && isdigit((unsigned char)*r->at))
        return read_number(r);
    return r->at < r->end && isalpha((unsigned char)*r->at) ? read_name(r) : NULL;
}

static const char *read_product(reader *r) {
    const char *left = read_factor(r);
    while (left && r->at < r->end && (*r->at == '*' || *r->at == '/')) {
        char sign = *r->at++;
        left = operation(r, left, sign, read_factor(r));
    }
    return left;
}

static const char *read_sum(reader *r) {
    const char *left = read_product(r);
    while (left && r->at < r->end && (*r->at == '+' || *r->at == '-')) {
        char sign = *r->at++;
        left = operation(r, left, sign, read_product(r));
    }
    return left;
}

const char *derive_fortran_size(cli_region *region, const char *dimension, size_t size) {
    reader r = {region, dimension, dimension + size};
    const char *lower = read_sum(&r);
    if (!lower || !takes(&r, ':') || r.at == r.end)
        return NULL;
    const char *upper = read_sum(&r);
    if (!upper || r.at < r.end)
        return NULL;
    const char *one = literal(&r, "1", 1);
    return strcmp(lower, one) == 0 ? upper : operation(&r, operation(&r, upper, '-', lower), '+', one);
}

const char *derive_fortran_lower(cli_region *region, const char *dimension, size_t size) {
    reader r = {region, dimension, dimension + size};
    return size > 0 && dimension[0] != ':' ? read_sum(&r) : NULL;
}
