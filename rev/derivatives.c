/* See derivatives.h. Rules are C expressions in x, y and z, the arguments, and r, the value. So they can be
 * differentiated again, for Hessians. Constants are integers where possible, because an integer does not turn
 * float into double. */
#include "rev/derivatives.h"

#include "rev/parse.h"

typedef struct known {
    const char *name;
    const char *partials[3]; /* with respect to x, y, z; "0": not differentiated */
} known;

/* Each exists for float and long double, too: sinf, sinl. */
static const known real_functions[] = {
    {"acos", {"-1 / sqrt(1 - x * x)"}},
    {"asin", {"1 / sqrt(1 - x * x)"}},
    {"atan", {"1 / (1 + x * x)"}},
    {"atan2", {"y / (x * x + y * y)", "-x / (x * x + y * y)"}},
    {"cos", {"-sin(x)"}},
    {"sin", {"cos(x)"}},
    {"tan", {"1 + r * r"}},
    {"acosh", {"1 / (sqrt(x - 1) * sqrt(x + 1))"}},
    {"asinh", {"1 / sqrt(1 + x * x)"}},
    {"atanh", {"1 / (1 - x * x)"}},
    {"cosh", {"sinh(x)"}},
    {"sinh", {"cosh(x)"}},
    {"tanh", {"1 - r * r"}},
    {"exp", {"r"}},
    {"exp2", {"0.69314718055994530942 * r"}},
    {"exp10", {"2.30258509299404568402 * r"}},
    {"expm1", {"r + 1"}},
    {"log", {"1 / x"}},
    {"log10", {"0.43429448190325182765 / x"}},
    {"log1p", {"1 / (1 + x)"}},
    {"log2", {"1.44269504088896340736 / x"}},
    {"ldexp", {"ldexp(1, y)", "0"}},
    {"scalbn", {"scalbn(1, y)", "0"}},
    {"scalbln", {"scalbln(1, y)", "0"}},
    {"cbrt", {"1 / (3 * r * r)"}},
    {"fabs", {"(x > 0) - (x < 0)"}},
    {"hypot", {"x / r", "y / r"}},
    {"pow", {"y * pow(x, y - 1)", "x > 0 ? r * log(x) : 0"}},
    {"sqrt", {"1 / (2 * r)"}},
    {"rsqrt", {"-r / (2 * x)"}},
    {"erf", {"1.12837916709551257390 * exp(-x * x)"}},
    {"erfc", {"-1.12837916709551257390 * exp(-x * x)"}},
    {"lgamma", {"rev_polygamma(0, x)"}},
    {"tgamma", {"r * rev_polygamma(0, x)"}},
    {"fmod", {"1", "(r - x) / y"}},
    {"remainder", {"1", "(r - x) / y"}},
    {"copysign", {"(x < 0) == (y < 0) ? 1 : -1", "0"}},
    {"nextafter", {"1", "0"}},
    {"nexttoward", {"1", "0"}},
    {"fdim", {"x > y ? 1 : 0", "x > y ? -1 : 0"}},
    {"fmax", {"x >= y ? 1 : 0", "x >= y ? 0 : 1"}},
    {"fmin", {"x <= y ? 1 : 0", "x <= y ? 0 : 1"}},
    {"fma", {"y", "x", "1"}},
    {"j0", {"-j1(x)"}},
    {"j1", {"j0(x) - r / x"}},
    {"jn", {"0", "(jn(x - 1, y) - jn(x + 1, y)) / 2"}},
    {"y0", {"-y1(x)"}},
    {"y1", {"y0(x) - r / x"}},
    {"yn", {"0", "(yn(x - 1, y) - yn(x + 1, y)) / 2"}},
};

static const known complex_functions[] = {
    {"cacos", {"-1 / csqrt(1 - x * x)"}},
    {"casin", {"1 / csqrt(1 - x * x)"}},
    {"catan", {"1 / (1 + x * x)"}},
    {"ccos", {"-csin(x)"}},
    {"csin", {"ccos(x)"}},
    {"ctan", {"1 + r * r"}},
    {"cacosh", {"1 / (csqrt(x - 1) * csqrt(x + 1))"}},
    {"casinh", {"1 / csqrt(1 + x * x)"}},
    {"catanh", {"1 / (1 - x * x)"}},
    {"ccosh", {"csinh(x)"}},
    {"csinh", {"ccosh(x)"}},
    {"ctanh", {"1 - r * r"}},
    {"cexp", {"r"}},
    {"clog", {"1 / x"}},
    {"cpow", {"y * cpow(x, y - 1)", "r * clog(x)"}},
    {"csqrt", {"1 / (2 * r)"}},
    {"CMPLX", {"1", "I"}},
};

/* Functions of the run time. The derivative of a log number is that of its logarithm. */
static const known own_functions[] = {
    {"rev_fixed", {"1"}},      {"rev_fixed_value", {"1"}},       {"rev_ulog", {"1 / x"}},
    {"rev_ulog_value", {"r"}}, {"rev_ulog_pow_int", {"y", "0"}}, {"rev_polygamma", {"0", "rev_polygamma(x + 1, y)"}},
};

static const char *const not_analytic[] = {"conj", "creal", "cimag", "cabs", "carg", "cproj"};
static const char *const flat[] = {"floor", "ceil", "trunc", "round", "rint", "nearbyint", "logb", "nan"};
static const char *const whole[] = {"lround", "llround", "lrint",    "llrint",   "ilogb",      "signbit",
                                    "isnan",  "isinf",   "isfinite", "isnormal", "fpclassify", "isgreater",
                                    "isless", "abs",     "labs",     "llabs"};

#define COUNT(array) (sizeof(array) / sizeof *(array))

/* Returns 0 if `name` is `base`, 'f' or 'l' if it is the variant for float or long double, else -1. */
static int suffix_of(const char *name, const char *base) {
    size_t length = strlen(base);
    if (strncmp(name, base, length) != 0)
        return -1;
    if (name[length] == '\0')
        return 0;
    return (name[length] == 'f' || name[length] == 'l') && name[length + 1] == '\0' ? name[length] : -1;
}

static const known *find_known(const char *name, int *suffix, rev_kind *kind) {
    *kind = REV_DOUBLE;
    for (size_t i = 0; i < COUNT(real_functions); i++)
        if ((*suffix = suffix_of(name, real_functions[i].name)) >= 0)
            return &real_functions[i];
    for (size_t i = 0; i < COUNT(complex_functions); i++)
        if ((*suffix = suffix_of(name, complex_functions[i].name)) >= 0) {
            *kind = REV_COMPLEX;
            return &complex_functions[i];
        }
    *suffix = 0;
    for (size_t i = 0; i < COUNT(own_functions); i++)
        if (strcmp(name, own_functions[i].name) == 0)
            return &own_functions[i];
    return NULL;
}

static bool is_one_of(const char *name, const char *const *names, size_t count, int *suffix) {
    for (size_t i = 0; i < count; i++)
        if ((*suffix = suffix_of(name, names[i])) >= 0)
            return true;
    return false;
}

bool rev_is_flat(const char *name) {
    int suffix;
    return is_one_of(name, flat, COUNT(flat), &suffix) || is_one_of(name, whole, COUNT(whole), &suffix);
}

bool rev_is_not_analytic(const char *name) {
    int suffix;
    return is_one_of(name, not_analytic, COUNT(not_analytic), &suffix);
}

bool rev_is_imaginary_unit(const char *name) {
    return strcmp(name, "I") == 0 || strcmp(name, "_Complex_I") == 0;
}

rev_kind rev_result_kind(const char *name) {
    int suffix;
    rev_kind kind = REV_DOUBLE;
    if (strcmp(name, "rev_fixed") == 0)
        return REV_FIXED;
    if (strcmp(name, "rev_ulog") == 0 || strcmp(name, "rev_ulog_pow_int") == 0)
        return REV_ULOG;
    if (is_one_of(name, whole, COUNT(whole), &suffix))
        return REV_INTEGER;
    if (rev_is_not_analytic(name)) {
        is_one_of(name, not_analytic, COUNT(not_analytic), &suffix);
        bool is_complex = strncmp(name, "conj", 4) == 0 || strncmp(name, "cproj", 5) == 0;
        kind = is_complex ? REV_COMPLEX : REV_DOUBLE;
    } else if (!is_one_of(name, flat, COUNT(flat), &suffix) && !find_known(name, &suffix, &kind)) {
        return REV_OTHER;
    }
    if (suffix == 'f')
        return kind == REV_COMPLEX ? REV_COMPLEX_FLOAT : REV_FLOAT;
    return suffix == 'l' && kind == REV_DOUBLE ? REV_LONG_DOUBLE : kind;
}

/* ---- Reading rules ---- */

static void add_suffix(rev_unit *unit, rev_expr *e, int suffix) {
    if (e->kind == REV_E_CALL && strncmp(e->name, "rev_", 4) != 0) {
        e->name = rev_format(unit, "%s%c", e->name, suffix);
        e->type = rev_type_basic(unit, rev_result_kind(e->name));
    }
    for (size_t i = 0; i < e->count; i++)
        add_suffix(unit, e->parts[i], suffix);
}

static rev_expr *read_partial(rev_program *program, const char *text, const rev_scope *scope) {
    rev_source *source = rev_alloc(program->unit, 1, sizeof *source);
    *source = (rev_source){"a rule of the tool", text, strlen(text)};
    rev_parser p = {
        .unit = program->unit, .program = program, .tokens = rev_read_tokens(program->unit, source), .scope = scope};
    return rev_read_expr(&p);
}

static rev_rule *new_rule(rev_program *program, const known *known, const char *name, int suffix, rev_kind kind) {
    static const char *const formals[] = {"x", "y", "z"};
    rev_unit *unit = program->unit;
    rev_rule *rule = rev_alloc(unit, 1, sizeof *rule);
    rule->name = name;
    const rev_type *type = rev_type_basic(unit, rev_result_kind(name) == REV_OTHER ? kind : rev_result_kind(name));
    if (rev_is_exact(type))
        type = rev_type_basic(unit, REV_DOUBLE);
    rule->result = rev_variable_new(unit, "r", type, REV_TEMPORARY, (rev_place){0});
    rev_scope *scope = rev_alloc(unit, 4, sizeof *scope);
    scope[0].variable = rule->result;
    while (rule->count < 3 && known->partials[rule->count])
        rule->count++;
    rule->formals = rev_alloc(unit, rule->count, sizeof *rule->formals);
    rule->partials = rev_alloc(unit, rule->count, sizeof *rule->partials);
    for (size_t i = 0; i < rule->count; i++) {
        rule->formals[i] = rev_variable_new(unit, formals[i], type, REV_TEMPORARY, (rev_place){0});
        scope[i + 1] = (rev_scope){rule->formals[i], &scope[i]};
    }
    for (size_t i = 0; i < rule->count; i++) {
        rule->partials[i] = read_partial(program, known->partials[i], &scope[rule->count]);
        if (suffix)
            add_suffix(unit, rule->partials[i], suffix);
    }
    return rule;
}

const rev_rule *rev_find_rule(rev_program *program, const char *name, size_t arguments) {
    for (size_t i = 0; i < program->rule_count; i++)
        if (strcmp(program->rules[i]->name, name) == 0 && program->rules[i]->count == arguments)
            return program->rules[i];
    int suffix;
    rev_kind kind;
    const known *known = find_known(name, &suffix, &kind);
    if (!known)
        return NULL;
    rev_rule *rule = new_rule(program, known, name, suffix, kind);
    if (rule->count != arguments)
        return NULL;
    program->rules = rev_grow(program->unit, program->rules, program->rule_count, sizeof *program->rules);
    program->rules[program->rule_count++] = rule;
    return rule;
}
