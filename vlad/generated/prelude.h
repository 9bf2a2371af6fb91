/* The beginning of the C text that `verso vlad --compile` writes, after vlad/value.h and the offsets of fields.
 * All functions have the same signature and end with a tail call of the next one, so the C stack does not grow.
 * The arguments, which stay in registers, are the remaining steps, the free memory, the continuation, the closure
 * and five values. See vlad/code.h for what a region is. */
#include <math.h>

typedef struct vlad_machine vlad_machine;
typedef struct vlad_expression vlad_expression;
typedef struct vlad_lambda vlad_lambda;
typedef struct vlad_pattern vlad_pattern;
typedef struct vlad_letrec vlad_letrec;

#define ARGUMENTS \
    vlad_machine *m, int64_t left, vlad_value *free, vlad_value k, vlad_value self, vlad_value a0, vlad_value a1, \
        vlad_value a2, vlad_value a3, vlad_value a4
#define REGION static __attribute__((preserve_none)) int
#define GO __attribute__((musttail)) return
#define COLD __attribute__((noinline, cold))
#define LIKELY(x) __builtin_expect(!!(x), 1)
typedef int __attribute__((preserve_none)) region_code(ARGUMENTS);

typedef struct vlad_region {
    void (*code)(void);
    uint32_t steps, words;
} vlad_region;

#define AT_OFFSET(type, base, offset) (*(type *)((char *)(base) + (offset)))
#define FREE AT_OFFSET(vlad_value *, m, MACHINE_FREE)
#define END AT_OFFSET(vlad_value *, m, MACHINE_END)
#define WANTED AT_OFFSET(bool, m, MACHINE_WANTED)
#define STEPS AT_OFFSET(uint64_t, m, MACHINE_STEPS)
#define GRANTED AT_OFFSET(uint64_t, m, MACHINE_GRANTED)
#define REGISTERS AT_OFFSET(vlad_value *, m, MACHINE_REGISTERS)
#define AT AT_OFFSET(const vlad_expression *, m, MACHINE_AT)
#define PHASE AT_OFFSET(unsigned, m, MACHINE_PHASE)
#define RESULT (REGISTERS[REGISTER_RESULT])
#define CONTINUATION (REGISTERS[REGISTER_CONTINUATION])
#define SELF (REGISTERS[REGISTER_SELF])
#define LOCAL(i) (REGISTERS[REGISTER_LOCAL + (i)])
#define NUMBER_OF(e) AT_OFFSET(const uint32_t, e, EXPRESSION_NUMBER)
#define CONSTANT_OF(e) AT_OFFSET(const vlad_value, e, EXPRESSION_IS)
#define PATTERN_OF(e) AT_OFFSET(const vlad_pattern *const, e, EXPRESSION_IS)
#define NUMBER_OF_LAMBDA(l) AT_OFFSET(const uint32_t, l, LAMBDA_NUMBER)
#define PARAMETER_OF(l) AT_OFFSET(const vlad_pattern *const, l, LAMBDA_PARAMETER)
#define FIRST_OF(p) AT_OFFSET(const vlad_pattern *const, p, PATTERN_FIRST)
#define SECOND_OF(p) AT_OFFSET(const vlad_pattern *const, p, PATTERN_SECOND)

vlad_value vlad_code_unary(vlad_machine *machine, const vlad_expression *e, vlad_value a, uint32_t room);
vlad_value vlad_code_binary(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, uint32_t room);
vlad_value vlad_code_operate(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, vlad_value c,
                             uint32_t room);
int vlad_code_begin(vlad_machine *machine, const vlad_expression *e, vlad_value a, vlad_value b, vlad_value c);
int vlad_code_apply(vlad_machine *machine, const vlad_expression *e, vlad_value function, vlad_value argument);
bool vlad_code_bind_value(vlad_machine *machine, const vlad_pattern *pattern, vlad_value value);
bool vlad_code_tape(vlad_machine *machine, uint32_t room);

static const vlad_expression *E[NUMBERS + 1];
static const vlad_lambda *L[LAMBDAS + 1];
static const vlad_letrec *G[LETRECS + 1];
static vlad_value closures[LAMBDAS + 1][3], groups[LETRECS + 1][2];
static region_code *const after_code[3 * NUMBERS + 1];
static region_code *const apply_code[LAMBDAS + 1];

#define OBJECT(p) (VLAD_POINTER | (uint64_t)(uintptr_t)(p))
#define CLOSED(n) OBJECT(closures[n])
#define CLOSED_GROUP(n) OBJECT(groups[n])
#define FIELD(v, i) (vlad_object_of(v)->field[i])
#define WHAT(n, part) ((uint64_t)(uintptr_t)E[n] | (part))
#define IS_PAIR(v) vlad_is_kind(v, VLAD_PAIR)

static inline vlad_value bits_of(double number) {
    vlad_value v;
    memcpy(&v, &number, sizeof v);
    return v;
}

/* ---- Leaving compiled code ---- */

COLD static int leave_at(vlad_machine *m, const vlad_expression *e, int64_t left, vlad_value *free, vlad_value k,
                         vlad_value self) {
    AT = e;
    PHASE = 0;
    STEPS = GRANTED - (uint64_t)left;
    FREE = free;
    CONTINUATION = k;
    SELF = self;
    return 1;
}

COLD static int leave_with(vlad_machine *m, int64_t left, vlad_value *free, vlad_value k, vlad_value value) {
    RESULT = value;
    return leave_at(m, NULL, left, free, k, VLAD_NULL);
}

COLD static int begin(vlad_machine *m, const vlad_expression *e, int64_t left, vlad_value *free, vlad_value k,
                      vlad_value self, vlad_value a, vlad_value b, vlad_value c) {
    (void)leave_at(m, NULL, left, free, k, self);
    return vlad_code_begin(m, e, a, b, c);
}

REGION no_code(ARGUMENTS) {
    (void)self, (void)a1, (void)a2, (void)a3, (void)a4;
    return leave_with(m, left, free, k, a0);
}

/* Applies a function that is not compiled. */
REGION apply_slowly(ARGUMENTS) {
    (void)a1, (void)a2, (void)a3, (void)a4;
    (void)leave_at(m, NULL, left, free, k, self);
    return vlad_code_apply(m, NULL, self, a0);
}

/* ---- Parts of the generated functions ---- */

#define CANNOT_GO (__builtin_expect((left < MOST_STEPS) | (END - free < ROOM) | WANTED, 0))

/* Passes a value to the continuation. */
#define GIVE(value) \
    do { \
        const vlad_value given = (value); \
        if (__builtin_expect(k == VLAD_NULL, 0)) \
            return leave_with(m, left, free, k, given); \
        const uint64_t what = FIELD(k, 0); \
        if (__builtin_expect(what < FRAMES, 0)) \
            return leave_with(m, left, free, k, given); \
        region_code *const next = after_code[3 * (size_t)NUMBER_OF(what & ~UINT64_C(7)) + (what & 7)]; \
        GO next(m, left, free, k, 0, given, 0, 0, 0, 0); \
    } while (0)

#define APPLY(n, function, argument) \
    do { \
        const vlad_value applied = (function); \
        if (!LIKELY(vlad_is_kind(applied, VLAD_CLOSURE))) \
            return vlad_code_apply(m, E[n], applied, VLAD_NULL); \
        region_code *const next = apply_code[NUMBER_OF_LAMBDA(FIELD(applied, 0))]; \
        GO next(m, left, free, k, applied, (argument), 0, 0, 0, 0); \
    } while (0)

#define SLOWLY(to, call) \
    do { \
        FREE = free; \
        to = (call); \
        if (to == VLAD_NOTHING) \
            return 0; \
        free = FREE; \
    } while (0)
#define UNARY(to, n, a) SLOWLY(to, vlad_code_unary(m, E[n], a, ROOM))
#define BINARY(to, n, a, b) SLOWLY(to, vlad_code_binary(m, E[n], a, b, ROOM))
#define OPERATE(to, n, a, b, c) SLOWLY(to, vlad_code_operate(m, E[n], a, b, c, ROOM))

static int enter(vlad_machine *m, void (*code)(void), int64_t left) {
    return ((region_code *)code)(m, left, FREE, CONTINUATION, SELF, AT == NULL ? RESULT : VLAD_NULL, 0, 0, 0, 0);
}

/* ---- Real functions ---- */

/* Called through pointers, because clang would compute constant values itself, and replace `pow` by other functions:
 * results must have the same bits as the interpreter's. */
static double (*volatile call_exp)(double) = exp, (*volatile call_log)(double) = log,
                         (*volatile call_sin)(double) = sin, (*volatile call_cos)(double) = cos,
                         (*volatile call_atan)(double, double) = atan2, (*volatile call_expt)(double, double) = pow,
                         (*volatile call_modulo)(double, double) = fmod;

static inline double V_FLOOR(double a) {
    if (!(__builtin_fabs(a) < 4503599627370496.0)) /* 2^52: a is whole, infinite or not a number */
        return a;
    double whole = (double)(int64_t)a;
    return __builtin_copysign(whole > a ? whole - 1 : whole, a);
}

static inline double V_MODULO(double a, double b) {
    double rest = call_modulo(a, b);
    return rest != 0 && (rest < 0) != (b < 0) ? rest + b : rest;
}

#define V_SQRT(a) __builtin_sqrt(a)
#define V_EXP(a) call_exp(a)
#define V_LOG(a) call_log(a)
#define V_SIN(a) call_sin(a)
#define V_COS(a) call_cos(a)
#define V_PLUS(a, b) ((a) + (b))
#define V_MINUS(a, b) ((a) - (b))
#define V_TIMES(a, b) ((a) * (b))
#define V_DIVIDE(a, b) ((a) / (b))
#define V_ATAN(a, b) call_atan(a, b)
#define V_EXPT(a, b) call_expt(a, b)

/* Partial derivatives; r is the value. The formulas are those of vlad/number.c. */
#define P0_SQRT(a, r) (1 / (2 * (r)))
#define P0_EXP(a, r) (r)
#define P0_LOG(a, r) (1 / (a))
#define P0_SIN(a, r) call_cos(a)
#define P0_COS(a, r) (0 - call_sin(a))
#define P0_PLUS(a, b, r) 1.0
#define P1_PLUS(a, b, r) 1.0
#define P0_MINUS(a, b, r) 1.0
#define P1_MINUS(a, b, r) (-1.0)
#define P0_TIMES(a, b, r) (b)
#define P1_TIMES(a, b, r) (a)
#define P0_DIVIDE(a, b, r) (1 / (b))
#define P1_DIVIDE(a, b, r) (0 - (r) / (b))
#define P0_ATAN(a, b, r) ((b) / ((a) * (a) + (b) * (b)))
#define P1_ATAN(a, b, r) ((0 - (a)) / ((a) * (a) + (b) * (b)))
#define P0_EXPT(a, b, r) ((b) == 0 ? 0 : (b) * call_expt(a, (b) - 1))
#define P1_EXPT(a, b, r) ((a) == 0 && (b) > 0 ? 0 : (r) * call_log(a))
#define P0_MODULO(a, b, r) 1.0
#define P1_MODULO(a, b, r) (-V_FLOOR((a) / (b)))

/* ---- Numbers with derivatives whose parts are plain ---- */

#define TAG(v) FIELD(v, 0)
#define PRIMAL(v, i) vlad_plain(FIELD(v, i))
#define TOP (COUNT - 1)
#define COUNT AT_OFFSET(const uint32_t, m, MACHINE_LEVEL_COUNT)
#define LEVEL(type, member) AT_OFFSET(type, (char *)m + MACHINE_LEVELS + (size_t)TOP * LEVEL_SIZE, member)
#define TAPE (&AT_OFFSET(vlad_value, m, MACHINE_TAPES) + TOP)
#define IS_TOP(v) (COUNT > 0 && vlad_is_kind(v, VLAD_REVERSE) && TAG(v) == LEVEL(uint64_t, LEVEL_TAG))

static inline bool is_dual(vlad_value v, uint64_t tag) {
    return vlad_is_kind(v, VLAD_DUAL) && TAG(v) == tag && vlad_is_plain(FIELD(v, 1)) && vlad_is_plain(FIELD(v, 2));
}

static inline bool is_reverse(vlad_value v, uint64_t tag) {
    return vlad_is_kind(v, VLAD_REVERSE) && TAG(v) == tag && vlad_is_plain(FIELD(v, 2));
}

/* The counters of the topmost level in C variables. `tape` is where the next entry goes; both pointers are NULL if
 * there is no room for one, or the chunk must be copied first. */
#define NO_OPERAND UINT64_C(0xffffffffffff)
enum { ENTRY = 4 };
#define DECLARE_LEVEL \
    uint64_t born; \
    vlad_value *tape, *tape_end; \
    const bool recording = LEVEL(bool, LEVEL_RECORDING)
#define LOAD_LEVEL \
    do { \
        born = LEVEL(uint64_t, LEVEL_BORN); \
        tape = tape_end = NULL; \
        if (recording && LEVEL(uint32_t, LEVEL_FILLED) < CHUNK && !LEVEL(bool, LEVEL_SHARED)) { \
            tape = &FIELD(*TAPE, 1 + ENTRY * LEVEL(uint32_t, LEVEL_FILLED)); \
            tape_end = &FIELD(*TAPE, 1 + ENTRY * CHUNK); \
        } \
    } while (0)
#define STORE_LEVEL \
    do { \
        LEVEL(uint64_t, LEVEL_BORN) = born; \
        if (tape != NULL) \
            LEVEL(uint32_t, LEVEL_FILLED) = (uint32_t)((tape - &FIELD(*TAPE, 1)) / ENTRY); \
    } while (0)
#define MAKE_ROOM \
    do { \
        if (__builtin_expect(tape == tape_end, 0)) { \
            --born; \
            STORE_LEVEL; \
            FREE = free; \
            if (!vlad_code_tape(m, ROOM)) \
                return 0; \
            free = FREE; \
            LOAD_LEVEL; \
            ++born; \
        } \
    } while (0)
#define RECORD(operand0, partial0, operand1, partial1) \
    do { \
        tape[0] = (operand0); \
        tape[1] = bits_of(partial0); \
        tape[2] = (operand1); \
        tape[3] = bits_of(partial1); \
        tape += ENTRY; \
    } while (0)

/* One operand. */
typedef struct operand {
    double primal, tangent;
    uint64_t tag, number; /* tag 0: plain */
    bool dual;
} operand;

static inline bool open_operand(vlad_value v, operand *o) {
    *o = (operand){.primal = vlad_plain(v), .number = NO_OPERAND};
    if (vlad_is_plain(v))
        return true;
    if (!vlad_is_object(v))
        return false;
    vlad_object_kind kind = vlad_kind_of(vlad_object_of(v));
    if (kind != VLAD_DUAL && kind != VLAD_REVERSE)
        return false;
    o->dual = kind == VLAD_DUAL;
    o->tag = TAG(v);
    vlad_value primal = FIELD(v, o->dual ? 1 : 2);
    o->primal = vlad_plain(primal);
    if (o->dual)
        o->tangent = PRIMAL(v, 2);
    else
        o->number = FIELD(v, 1);
    return vlad_is_plain(primal) && (!o->dual || vlad_is_plain(FIELD(v, 2)));
}

/* Makes the number of an operation, at `free`. Returns VLAD_NOTHING if the run time must do that. */
static inline vlad_value make_number(vlad_machine *m, vlad_value *free, const operand *a, const operand *b,
                                     double value, double by_a, double by_b) {
    uint64_t tag = a->tag != 0 ? a->tag : b->tag;
    if (a->tag != 0 && b->tag != 0 && a->tag != b->tag)
        return VLAD_NOTHING;
    free[1] = tag;
    if (a->dual || b->dual) {
        free[0] = (uint64_t)3 << 8 | VLAD_DUAL << 1 | 1;
        free[2] = bits_of(value);
        free[3] = bits_of(a->tag == 0   ? by_b * b->tangent
                          : b->tag == 0 ? by_a * a->tangent
                                        : by_a * a->tangent + by_b * b->tangent);
        return OBJECT(free);
    }
    if (COUNT == 0 || LEVEL(uint64_t, LEVEL_TAG) != tag)
        return VLAD_NOTHING;
    if (LEVEL(bool, LEVEL_RECORDING)) {
        uint32_t filled = LEVEL(uint32_t, LEVEL_FILLED);
        if (filled == CHUNK || LEVEL(bool, LEVEL_SHARED))
            return VLAD_NOTHING;
        vlad_value *tape = &FIELD(*TAPE, 1 + ENTRY * filled);
        RECORD(a->number, a->tag != 0 ? by_a : 0, b->number, b->tag != 0 ? by_b : 0);
        LEVEL(uint32_t, LEVEL_FILLED) = filled + 1;
    }
    free[0] = (uint64_t)3 << 8 | VLAD_REVERSE << 1 | 1;
    free[2] = LEVEL(uint64_t, LEVEL_BORN)++;
    free[3] = bits_of(value);
    return OBJECT(free);
}

#define FAST __attribute__((noinline, unused)) static vlad_value
#define FAST_BINARY(name, NAME) \
    FAST fast_##name(vlad_machine *m, vlad_value *free, vlad_value v, vlad_value w) { \
        operand a, b; \
        if (!open_operand(v, &a) || !open_operand(w, &b)) \
            return VLAD_NOTHING; \
        const double r = V_##NAME(a.primal, b.primal); \
        return make_number(m, free, &a, &b, r, P0_##NAME(a.primal, b.primal, r), P1_##NAME(a.primal, b.primal, r)); \
    }
FAST_BINARY(plus, PLUS)
FAST_BINARY(minus, MINUS)
FAST_BINARY(times, TIMES)
FAST_BINARY(divide, DIVIDE)
FAST fast_sqrt(vlad_machine *m, vlad_value *free, vlad_value v) {
    operand a, b = {.number = NO_OPERAND};
    if (!open_operand(v, &a))
        return VLAD_NOTHING;
    const double r = V_SQRT(a.primal);
    return make_number(m, free, &a, &b, r, P0_SQRT(a.primal, r), 0);
}

/* ---- Vectors: the usual cases of vlad/vector.c and vlad/operate.c; VLAD_NOTHING in all others ---- */

enum { VECTOR_FROM, VECTOR_LENGTH, VECTOR_INDEX, VECTOR_ELEMENT, VECTOR_FIELDS };
enum { ARRAY_UPDATES, ARRAY_FIRST };

static inline bool is_index(vlad_value v, double number, uint64_t *index) {
    if (!LIKELY(vlad_is_kind(v, VLAD_VECTOR)))
        return false;
    if (!LIKELY(number >= 0 && number < (double)(int64_t)FIELD(v, VECTOR_LENGTH)))
        return false;
    *index = (uint64_t)(int64_t)number;
    return LIKELY((double)(int64_t)*index == number);
}

static inline vlad_value vector_length(vlad_value v) {
    return LIKELY(vlad_is_kind(v, VLAD_VECTOR)) ? bits_of((double)(int64_t)FIELD(v, VECTOR_LENGTH)) : VLAD_NOTHING;
}

static inline vlad_value vector_ref(vlad_value v, double number) {
    uint64_t index;
    if (!is_index(v, number, &index) || !LIKELY(vlad_is_kind(FIELD(v, VECTOR_FROM), VLAD_ARRAY)))
        return VLAD_NOTHING;
    return FIELD(FIELD(v, VECTOR_FROM), ARRAY_FIRST + index);
}

/* Makes the new version at `free`. */
static inline vlad_value vector_set(vlad_value v, double number, vlad_value element, vlad_value *free) {
    uint64_t index;
    if (!is_index(v, number, &index) || !LIKELY(vlad_is_kind(FIELD(v, VECTOR_FROM), VLAD_ARRAY)))
        return VLAD_NOTHING;
    const vlad_value array = FIELD(v, VECTOR_FROM);
    if (!LIKELY(FIELD(array, ARRAY_UPDATES) < FIELD(v, VECTOR_LENGTH)))
        return VLAD_NOTHING;
    FIELD(array, ARRAY_UPDATES)++;
    free[0] = (uint64_t)VECTOR_FIELDS << 8 | VLAD_VECTOR << 1 | 1;
    free[1 + VECTOR_FROM] = array;
    free[1 + VECTOR_LENGTH] = FIELD(v, VECTOR_LENGTH);
    free[1 + VECTOR_INDEX] = 0;
    free[1 + VECTOR_ELEMENT] = VLAD_NULL;
    FIELD(v, VECTOR_FROM) = OBJECT(free);
    FIELD(v, VECTOR_INDEX) = index;
    FIELD(v, VECTOR_ELEMENT) = FIELD(array, ARRAY_FIRST + index);
    FIELD(array, ARRAY_FIRST + index) = element;
    return OBJECT(free);
}

/* ---- The interface to the run time, as in vlad/code.h and vlad/run.h ---- */

typedef struct vlad_code {
    const vlad_region *at, *after;
    int (*enter)(vlad_machine *machine, void (*code)(void), int64_t left);
    const vlad_expression **expressions;
    const vlad_lambda **lambdas;
    const vlad_letrec **letrecs;
    vlad_value (*closures)[3];
    vlad_value (*groups)[2];
    uint32_t numbers, lambda_count, letrec_count;
    bool prelude;
} vlad_code;

typedef struct vlad_embedded {
    const char *path;
    const char *bytes;
    size_t size;
    uint32_t same;
} vlad_embedded;

int vlad_run_compiled(const vlad_code *code, const vlad_embedded *texts, size_t count, char **arguments, FILE *in,
                      FILE *out, FILE *messages);
