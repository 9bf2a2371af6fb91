/* The beginning of the C text that `verso vlad --compile` writes, after vlad/value.h and the offsets of fields.
 * All functions have the same signature and end with a tail call of the next one, so the C stack does not grow.
 * The arguments, which stay in registers, are the remaining steps, the free memory, the continuation, the closure
 * and five values. See vlad/code.h for what a region is. */
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
} vlad_code;

typedef struct vlad_embedded {
    const char *path;
    const char *bytes;
    size_t size;
    uint32_t same;
} vlad_embedded;

int vlad_run_compiled(const vlad_code *code, const vlad_embedded *texts, size_t count, char **arguments, FILE *in,
                      FILE *out, FILE *messages);
