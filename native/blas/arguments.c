/* Reads the arguments of a routine from the words that generated code stores: see inside.h. The Fortran interface
 * passes everything by address; what is there may have changed when the sweep comes, so it is kept. */
#include "native/blas/inside.h"

#include "native/memory/memory.h"

#include <string.h>

typedef verso__blas_call blas_call;
typedef verso__blas_number number;

static const char *signature_of(verso__blas_routine routine) {
    static const char *const signatures[] = {
#define SIGNATURE(routine, types, names, signature, level) signature,
        VERSO_BLAS_LIST(SIGNATURE)
#undef SIGNATURE
    };
    return signatures[routine];
}

static int level_of(verso__blas_routine routine) {
    static const int levels[] = {
#define LEVEL(routine, types, names, signature, level) level,
        VERSO_BLAS_LIST(LEVEL)
#undef LEVEL
    };
    return levels[routine];
}

/* ---- Numbers ---- */

static number read_number(const void *at, verso__blas_type type) {
    switch (type) {
    case VERSO_BLAS_S: return *(const float *)at;
    case VERSO_BLAS_D: return *(const double *)at;
    case VERSO_BLAS_C_: return *(const float _Complex *)at;
    default: return *(const double _Complex *)at;
    }
}

static verso__blas_type real_of(verso__blas_type type) {
    return type == VERSO_BLAS_C_ ? VERSO_BLAS_S : type == VERSO_BLAS_Z ? VERSO_BLAS_D : type;
}

static double real_word(int64_t word) {
    double value;
    memcpy(&value, &word, sizeof value);
    return value;
}

/* ---- Flags ---- */

/* CBLAS numbers them; LAPACKE and Fortran have letters. */
static char flag_letter(int64_t value) {
    static const char numbered[] = "ntcr......ul........nu........lr";
    if (value >= 111 && value < 111 + (int64_t)sizeof numbered - 1)
        return numbered[value - 111];
    return (char)(value | 0x20);
}

/* The letters n and u of CBLAS's numbers overlap those of LAPACKE: 'n' is 110, 'u' 117, 't' 116. */
static int64_t read_flag(const blas_call *c, int64_t word, bool numbered) {
    if (c->interface == VERSO_BLAS_FORTRAN)
        return *(const char *)(intptr_t)word | 0x20;
    return numbered ? flag_letter((int)word) : (char)(word | 0x20);
}

/* ---- All arguments ---- */

static bool is_upper(char letter) {
    return letter >= 'A' && letter <= 'Z';
}

static void read_one(blas_call *c, char letter, int64_t word, int *slots) {
    bool fortran = c->interface == VERSO_BLAS_FORTRAN;
    verso__blas_type type = letter == 'r' ? real_of(c->type) : c->type;
    __typeof__(c->argument[0]) *argument = &c->argument[c->count++];
    memset(argument, 0, sizeof *argument);
    argument->slot = -1;
    switch (letter) {
    case 't':
    case 'u':
    case 'd':
    case 's':
    case 'j': argument->integer = read_flag(c, word, level_of(c->routine) > 0); break;
    case 'n':
    case 'x': argument->integer = fortran ? *(const int *)(intptr_t)word : (int)word; break;
    case 'a':
    case 'r':
        if (fortran || verso__blas_is_complex(type)) {
            argument->pointer = (void *)(intptr_t)word;
            argument->number = read_number(argument->pointer, type);
        } else {
            argument->number = real_word(word);
            argument->slot = (*slots)++;
        }
        argument->integer = type;
        break;
    default: argument->pointer = (void *)(intptr_t)word;
    }
}

static void read_all(blas_call *c, const int64_t *words) {
    const char *at = signature_of(c->routine);
    bool fortran = c->interface == VERSO_BLAS_FORTRAN;
    int slots = 0;
    if (!fortran && level_of(c->routine) != 1)
        c->by_rows = (int)*words++ == 101;
    for (; *at != '\0' && (*at != '|' || !fortran); at++)
        if (*at == '|')
            continue;
        else if (is_upper(*at))
            words += fortran;
        else
            read_one(c, *at, *words++, &slots);
}

void verso__blas_read_call(blas_call *c, verso_call *call, uint64_t code, const int64_t *words,
                           verso__blas_phase phase) {
    *c = (blas_call){.call = call,
                     .routine = (verso__blas_routine)(code & 0xffff),
                     .type = (verso__blas_type)(code >> 16 & 0xff),
                     .interface = (verso__blas_interface)(code >> 24 & 0xff),
                     .kept = call->kept};
    if (phase != VERSO_BLAS_SWEEPS) {
        read_all(c, words);
        if (phase == VERSO_BLAS_RECORDS) {
            verso__blas_keep_bytes(c, &c->count, sizeof c->count);
            verso__blas_keep_bytes(c, &c->by_rows, sizeof c->by_rows);
            verso__blas_keep_bytes(c, c->argument, c->count * sizeof *c->argument);
        }
        return;
    }
    c->count = *(const unsigned *)verso__blas_take_bytes(c, sizeof c->count);
    c->by_rows = *(const bool *)verso__blas_take_bytes(c, sizeof c->by_rows);
    memcpy(c->argument, verso__blas_take_bytes(c, c->count * sizeof *c->argument), c->count * sizeof *c->argument);
}

/* ---- Derivatives of numbers ---- */

bool verso__blas_wants(const blas_call *c, unsigned k) {
    int slot = c->argument[k].slot;
    return slot < 0 ? c->argument[k].pointer != NULL : (c->call->constant >> slot & 1) == 0;
}

static verso_scalar scalar_of(verso__blas_type type) {
    return real_of(type) == VERSO_BLAS_S ? VERSO_SCALAR_FLOAT : VERSO_SCALAR_DOUBLE;
}

/* A number that is passed by address may be a constant in memory without cells. */
static bool has_cells(const void *pointer) {
    return (uintptr_t)pointer % 4 == 0 && verso__native_covers(pointer, 16);
}

void verso__blas_add_number(const blas_call *c, unsigned k, number adjoint) {
    const __typeof__(c->argument[0]) *argument = &c->argument[k];
    verso__blas_type type = (verso__blas_type)argument->integer;
    double parts[] = {creal(adjoint), cimag(adjoint)};
    if (argument->slot >= 0)
        c->call->argument[argument->slot] += parts[0];
    else if (has_cells(argument->pointer))
        verso_adjoint_add(argument->pointer, scalar_of(type), verso__blas_is_complex(type) ? 2 : 1, parts);
}

number verso__blas_number_tangent(const blas_call *c, unsigned k) {
    const __typeof__(c->argument[0]) *argument = &c->argument[k];
    verso__blas_type type = (verso__blas_type)argument->integer;
    double parts[] = {0, 0};
    if (argument->slot >= 0)
        return c->call->argument[argument->slot];
    if (has_cells(argument->pointer))
        verso_tangent_read(argument->pointer, scalar_of(type), verso__blas_is_complex(type) ? 2 : 1, parts);
    return verso__blas_complex(parts[0], parts[1]);
}

/* ---- Bytes ---- */

static size_t padded(size_t size) {
    return (size + 7) & ~(size_t)7;
}

void verso__blas_keep_bytes(blas_call *c, const void *bytes, size_t size) {
    static const char zeros[8];
    verso_keep(c->call, bytes, size);
    verso_keep(c->call, zeros, padded(size) - size);
}

const void *verso__blas_take_bytes(blas_call *c, size_t size) {
    const void *at = c->kept;
    c->kept += padded(size);
    return at;
}
