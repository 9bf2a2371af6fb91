/* Derivatives of floating-point instructions and of the C library's mathematical functions.
 *
 * A seed of zero gives a derivative of zero even where the partial derivative is infinite or not a number (1/x at
 * 0, sqrt at 0, log of a negative number). Compilers compute such values before they test a condition and then
 * discard them, as in `x != 0 ? a / x : 0`; the result does not depend on them. Addition, multiplication, fma and
 * tanh do not test for a zero seed, because their partial derivatives are finite.
 *
 * Where a function has no derivative, the rule gives:
 *   fabs        at 0, the derivative of x
 *   fmax, fmin  of equal arguments, the derivative of the first; a NaN has no influence
 *   hypot       0 at (0, 0)
 *   atan2       0 at (0, 0)
 *   pow         by the exponent, 0 if the base is not positive, since only isolated exponents are allowed there
 *   rounding    (floor, rint, logb ...) 0 everywhere; so fmod and remainder have the derivative between their jumps
 * and infinity where the derivative grows without bound (sqrt, cbrt, log at 0, asin at 1). */
#include "cc/rules/rules_math.h"

#include "cc/ir/cells.h"

#include <string.h>

#define PARTIAL(name) \
    static LLVMValueRef name(cc_unit *unit, const cc_rule *rule, unsigned by, LLVMValueRef seed, \
                             const LLVMValueRef *operand, LLVMValueRef result)
#define UNUSED (void)rule, (void)by, (void)seed, (void)operand, (void)result

/* Values for `needs`: operand 0, operand 1, both, the result. */
enum { X = 1, Y = 2, XY = X | Y, R = CC_RULE_RESULT };

/* ---- Building ---- */

static LLVMValueRef real(cc_unit *unit, double value) {
    return LLVMConstReal(unit->rule_type, value);
}

static LLVMValueRef add(cc_unit *unit, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFAdd(unit->builder, a, b, "");
}

static LLVMValueRef subtract(cc_unit *unit, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFSub(unit->builder, a, b, "");
}

static LLVMValueRef multiply(cc_unit *unit, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFMul(unit->builder, a, b, "");
}

static LLVMValueRef divide(cc_unit *unit, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFDiv(unit->builder, a, b, "");
}

static LLVMValueRef negate(cc_unit *unit, LLVMValueRef a) {
    return LLVMBuildFNeg(unit->builder, a, "");
}

static LLVMValueRef choose(cc_unit *unit, LLVMValueRef condition, LLVMValueRef yes, LLVMValueRef no) {
    return LLVMBuildSelect(unit->builder, condition, yes, no, "");
}

static LLVMValueRef compare(cc_unit *unit, LLVMRealPredicate predicate, LLVMValueRef a, LLVMValueRef b) {
    return LLVMBuildFCmp(unit->builder, predicate, a, b, "");
}

static LLVMValueRef unless_zero(cc_unit *unit, LLVMValueRef seed, LLVMValueRef value) {
    LLVMValueRef zero = real(unit, 0);
    return choose(unit, compare(unit, LLVMRealOEQ, seed, zero), zero, value);
}

static LLVMValueRef scale(cc_unit *unit, LLVMValueRef value, double factor) {
    if (factor == 1)
        return value;
    return factor == -1 ? negate(unit, value) : multiply(unit, value, real(unit, factor));
}

/* Marks a call as one without effects other than its result. The function may set errno, but generated code never
 * reads it. */
static void mark_pure(cc_unit *unit, LLVMValueRef call) {
    static const char *const names[] = {"nounwind", "willreturn", "nofree", "nosync", "memory"};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        unsigned kind = LLVMGetEnumAttributeKindForName(names[i], strlen(names[i]));
        LLVMAddCallSiteAttribute(call, LLVMAttributeFunctionIndex, LLVMCreateEnumAttribute(unit->context, kind, 0));
    }
}

/* Builds a call of a function of the C library or of native/api/math.c, or of the overload of an intrinsic for
 * double. */
static LLVMValueRef call(cc_unit *unit, const char *name, LLVMValueRef *arguments, unsigned count) {
    LLVMTypeRef types[CC_RULE_OPERANDS];
    if (strncmp(name, "llvm.", 5) == 0)
        return cc_call_intrinsic(unit, name, unit->rule_type, arguments, count);
    for (unsigned i = 0; i < count; i++) { /* functions of the library are called with doubles */
        if (LLVMTypeOf(arguments[i]) == unit->f32)
            arguments[i] = cc_number_as(unit, arguments[i], unit->f64);
        types[i] = LLVMTypeOf(arguments[i]);
    }
    LLVMTypeRef type = LLVMFunctionType(unit->f64, types, count, false);
    LLVMValueRef function = LLVMGetNamedFunction(unit->module, name);
    if (function == NULL)
        function = LLVMAddFunction(unit->module, name, type);
    LLVMValueRef made = LLVMBuildCall2(unit->builder, type, function, arguments, count, "");
    mark_pure(unit, made);
    return cc_number_as(unit, made, unit->rule_type);
}

static LLVMValueRef call_one(cc_unit *unit, const char *name, LLVMValueRef argument) {
    return call(unit, name, &argument, 1);
}

static LLVMValueRef call_two(cc_unit *unit, const char *name, LLVMValueRef first, LLVMValueRef second) {
    LLVMValueRef both[] = {first, second};
    return call(unit, name, both, 2);
}

/* (1 - x) (1 + x): more accurate near 1 than 1 - x x, because 1 - x is exact there. */
static LLVMValueRef one_minus_square(cc_unit *unit, LLVMValueRef x) {
    return multiply(unit, subtract(unit, real(unit, 1), x), add(unit, real(unit, 1), x));
}

static LLVMValueRef one_plus_square(cc_unit *unit, LLVMValueRef x) {
    return add(unit, real(unit, 1), multiply(unit, x, x));
}

/* ---- Arithmetic ---- */

PARTIAL(same) {
    UNUSED, (void)unit;
    return seed;
}

PARTIAL(opposite) {
    UNUSED;
    return negate(unit, seed);
}

PARTIAL(difference) {
    UNUSED;
    return by == 0 ? seed : negate(unit, seed);
}

PARTIAL(product) {
    UNUSED;
    return multiply(unit, seed, operand[1 - by]);
}

PARTIAL(fused) {
    UNUSED;
    return by == 2 ? seed : multiply(unit, seed, operand[1 - by]);
}

/* The division does not depend on the seed, so it can be computed before the seed is known, and only once in a loop
 * with a constant divisor. */
PARTIAL(quotient) {
    UNUSED;
    LLVMValueRef part = multiply(unit, seed, divide(unit, real(unit, 1), operand[1]));
    return unless_zero(unit, seed, by == 0 ? part : negate(unit, multiply(unit, part, result)));
}

/* result = x - n y, so the derivative by y is -n, with n = (x - result) / y: an integer, except for rounding errors.
 */
PARTIAL(modulo) {
    UNUSED;
    if (by == 0)
        return seed;
    LLVMValueRef times = divide(unit, subtract(unit, operand[0], result), operand[1]);
    return unless_zero(unit, seed, negate(unit, multiply(unit, seed, call_one(unit, "llvm.rint", times))));
}

/* ---- Functions of one number ---- */

/* seed * constant * function(x) */
PARTIAL(other_function) {
    UNUSED;
    LLVMValueRef slope = call_one(unit, rule->function, operand[0]);
    return unless_zero(unit, seed, scale(unit, multiply(unit, seed, slope), rule->constant[0]));
}

/* seed * constant * result */
PARTIAL(exponential) {
    UNUSED;
    return unless_zero(unit, seed, scale(unit, multiply(unit, seed, result), rule->constant[0]));
}

/* seed * constant / x */
PARTIAL(logarithm) {
    UNUSED;
    return unless_zero(unit, seed, multiply(unit, seed, divide(unit, real(unit, rule->constant[0]), operand[0])));
}

PARTIAL(logarithm_plus_one) {
    UNUSED;
    return unless_zero(unit, seed, divide(unit, seed, add(unit, real(unit, 1), operand[0])));
}

PARTIAL(square_root) {
    UNUSED;
    return unless_zero(unit, seed, multiply(unit, seed, divide(unit, real(unit, 0.5), result)));
}

PARTIAL(cubic_root) {
    UNUSED;
    LLVMValueRef square = multiply(unit, result, result);
    return unless_zero(unit, seed, divide(unit, seed, scale(unit, square, 3)));
}

PARTIAL(tangent) {
    UNUSED;
    return unless_zero(unit, seed, multiply(unit, seed, one_plus_square(unit, result)));
}

/* The factor is at most 1, so a zero seed needs no test. */
PARTIAL(hyperbolic_tangent) {
    UNUSED;
    return multiply(unit, seed, one_minus_square(unit, result));
}

/* asin, and acos with constant -1 */
PARTIAL(arc_sine) {
    UNUSED;
    LLVMValueRef root = call_one(unit, "llvm.sqrt", one_minus_square(unit, operand[0]));
    return unless_zero(unit, seed, divide(unit, scale(unit, seed, rule->constant[0]), root));
}

PARTIAL(arc_tangent) {
    UNUSED;
    return unless_zero(unit, seed, divide(unit, seed, one_plus_square(unit, operand[0])));
}

PARTIAL(area_sine) {
    UNUSED; /* hypot, because the square of x may overflow */
    return unless_zero(unit, seed, divide(unit, seed, call_two(unit, "hypot", operand[0], real(unit, 1))));
}

PARTIAL(area_cosine) {
    UNUSED; /* two roots, because the square of x may overflow */
    LLVMValueRef less = call_one(unit, "llvm.sqrt", subtract(unit, operand[0], real(unit, 1)));
    LLVMValueRef more = call_one(unit, "llvm.sqrt", add(unit, operand[0], real(unit, 1)));
    return unless_zero(unit, seed, divide(unit, seed, multiply(unit, less, more)));
}

PARTIAL(area_tangent) {
    UNUSED;
    return unless_zero(unit, seed, divide(unit, seed, one_minus_square(unit, operand[0])));
}

/* erf, and erfc with the constant's sign changed */
PARTIAL(error_function) {
    UNUSED;
    LLVMValueRef bell = call_one(unit, "llvm.exp", negate(unit, multiply(unit, operand[0], operand[0])));
    return unless_zero(unit, seed, scale(unit, multiply(unit, seed, bell), rule->constant[0]));
}

PARTIAL(gamma_function) {
    UNUSED;
    LLVMValueRef slope = multiply(unit, result, call_one(unit, "verso__native_digamma", operand[0]));
    return unless_zero(unit, seed, multiply(unit, seed, slope));
}

PARTIAL(magnitude) {
    UNUSED;
    LLVMValueRef negative = compare(unit, LLVMRealOLT, operand[0], real(unit, 0));
    return choose(unit, negative, negate(unit, seed), seed);
}

/* ---- Functions of two numbers ---- */

PARTIAL(sign_copied) {
    LLVMValueRef sign = call_two(unit, "llvm.copysign", real(unit, 1), operand[1]);
    return multiply(unit, magnitude(unit, rule, by, seed, operand, result), sign);
}

PARTIAL(positive_difference) {
    UNUSED;
    LLVMValueRef slope = by == 0 ? seed : negate(unit, seed);
    return choose(unit, compare(unit, LLVMRealUGT, operand[0], operand[1]), slope, real(unit, 0));
}

/* The operand that is returned has the derivative. Of two numbers, that is the larger (constant[0] > 0) or the
 * smaller (constant[0] < 0); of a number and a NaN, the number (constant[1] is 0) or the NaN (constant[1] is 1). */
PARTIAL(extreme) {
    UNUSED;
    LLVMRealPredicate order = rule->constant[0] > 0 ? LLVMRealOGE : LLVMRealOLE;
    LLVMValueRef nan = rule->constant[1] == 0 ? operand[1] : operand[0];
    LLVMValueRef first = LLVMBuildOr(unit->builder, compare(unit, order, operand[0], operand[1]),
                                     compare(unit, LLVMRealUNO, nan, nan), "");
    LLVMValueRef zero = real(unit, 0);
    return by == 0 ? choose(unit, first, seed, zero) : choose(unit, first, zero, seed);
}

/* fmaxmag and similar functions: comparing with the result shows which operand was returned. */
PARTIAL(one_of_both) {
    UNUSED;
    LLVMValueRef first = compare(unit, LLVMRealOEQ, operand[0], result);
    LLVMValueRef zero = real(unit, 0);
    return by == 0 ? choose(unit, first, seed, zero) : choose(unit, first, zero, seed);
}

PARTIAL(hypotenuse) {
    UNUSED;
    LLVMValueRef zero = real(unit, 0);
    LLVMValueRef slope = multiply(unit, seed, divide(unit, operand[by], result));
    LLVMValueRef origin = compare(unit, LLVMRealOEQ, result, zero);
    return unless_zero(unit, seed, choose(unit, origin, zero, slope));
}

/* atan2(y, x), where y is operand 0: d/dy = x / (x x + y y), d/dx = -y / (x x + y y). Dividing by the larger of the
 * two first avoids overflow and underflow of the squares. */
PARTIAL(arc_tangent_of_two) {
    UNUSED;
    LLVMValueRef y = operand[0], x = operand[1], zero = real(unit, 0);
    LLVMValueRef flat = compare(unit, LLVMRealOGE, call_one(unit, "llvm.fabs", x), call_one(unit, "llvm.fabs", y));
    LLVMValueRef large = choose(unit, flat, x, y), small = choose(unit, flat, y, x);
    LLVMValueRef ratio = divide(unit, small, large);
    LLVMValueRef part = divide(unit, divide(unit, seed, large), one_plus_square(unit, ratio));
    LLVMValueRef less = multiply(unit, part, ratio);
    LLVMValueRef slope = by == 0 ? choose(unit, flat, part, less) : negate(unit, choose(unit, flat, less, part));
    return unless_zero(unit, seed, choose(unit, compare(unit, LLVMRealOEQ, large, zero), zero, slope));
}

PARTIAL(power) {
    UNUSED;
    if (by == 0) {
        LLVMValueRef arguments[] = {operand[0], operand[1], result};
        LLVMValueRef slope = call(unit, "verso__native_pow_base", arguments, 3);
        return unless_zero(unit, seed, multiply(unit, seed, slope));
    }
    LLVMValueRef positive = compare(unit, LLVMRealOGT, operand[0], real(unit, 0));
    LLVMValueRef base = choose(unit, positive, operand[0], real(unit, 1));
    LLVMValueRef slope = multiply(unit, result, call_one(unit, "llvm.log", base));
    return unless_zero(unit, seed, multiply(unit, seed, slope));
}

/* verso__native_carry(value, slope, x), in native/api/math.h */
PARTIAL(carried) {
    UNUSED;
    return by == 0 ? seed : unless_zero(unit, seed, multiply(unit, seed, operand[1]));
}

/* ---- Functions with an integer ---- */

/* n x^(n - 1) */
PARTIAL(integer_power) {
    UNUSED;
    LLVMTypeRef types[] = {unit->rule_type, LLVMTypeOf(operand[1])};
    LLVMValueRef one = LLVMConstInt(types[1], 1, false), none = LLVMConstNull(types[1]);
    LLVMValueRef arguments[] = {operand[0], LLVMBuildSub(unit->builder, operand[1], one, "")};
    unsigned id = LLVMLookupIntrinsicID("llvm.powi", strlen("llvm.powi"));
    LLVMValueRef function = LLVMGetIntrinsicDeclaration(unit->module, id, types, 2);
    LLVMTypeRef type = LLVMFunctionType(unit->rule_type, types, 2, false);
    LLVMValueRef lower = LLVMBuildCall2(unit->builder, type, function, arguments, 2, "");
    LLVMValueRef times = LLVMBuildSIToFP(unit->builder, operand[1], unit->rule_type, "");
    LLVMValueRef slope = multiply(unit, seed, multiply(unit, times, lower));
    LLVMValueRef constant = LLVMBuildICmp(unit->builder, LLVMIntEQ, operand[1], none, "");
    return unless_zero(unit, seed, choose(unit, constant, real(unit, 0), slope));
}

/* x * 2^n: function(seed, n) */
PARTIAL(binary_scale) {
    UNUSED;
    return call_two(unit, rule->function, seed, operand[1]);
}

/* jn and yn, (n, x): (f(n - 1, x) - f(n + 1, x)) / 2 */
PARTIAL(bessel_of_order) {
    UNUSED;
    LLVMValueRef one = LLVMConstInt(LLVMTypeOf(operand[0]), 1, false);
    LLVMValueRef before = call_two(unit, rule->function, LLVMBuildSub(unit->builder, operand[0], one, ""), operand[1]);
    LLVMValueRef after = call_two(unit, rule->function, LLVMBuildAdd(unit->builder, operand[0], one, ""), operand[1]);
    LLVMValueRef slope = scale(unit, subtract(unit, before, after), 0.5);
    return unless_zero(unit, seed, multiply(unit, seed, slope));
}

/* j1: (j0(x) - jn(2, x)) / 2; y1 the same with y0 and yn */
PARTIAL(bessel_of_one) {
    UNUSED;
    bool first = rule->function[0] == 'j';
    LLVMValueRef before = call_one(unit, first ? "j0" : "y0", operand[0]);
    LLVMValueRef after = call_two(unit, rule->function, LLVMConstInt(unit->i32, 2, false), operand[0]);
    LLVMValueRef slope = scale(unit, subtract(unit, before, after), 0.5);
    return unless_zero(unit, seed, multiply(unit, seed, slope));
}

/* ---- The tables ---- */

/* Functions of one number: value of needs[0], function for `partial`, constant[0], and `function`. */
#define ONE(rule_name, needed, how, factor, other) \
    {.name = rule_name, .operands = 1, .needs = {needed}, .partial = how, .constant = {factor}, .function = other}
/* Functions of two numbers: values of needs[0] and needs[1], function for `partial`, and both constants. */
#define TWO(rule_name, first, second, how, a, b) \
    { \
        .name = rule_name, .operands = 2, .needs = {first, second}, .partial = how, .constant = { a, b } \
    }
/* Piecewise constant functions of one number. */
#define STEPS(rule_name) \
    { \
        .name = rule_name, .operands = 1, .zero = { true } \
    }
/* x times a power of two; the exponent has no derivative. */
#define SCALED(rule_name) \
    {.name = rule_name, \
     .operands = 2, \
     .needs = {Y}, \
     .zero = {false, true}, \
     .partial = binary_scale, \
     .function = rule_name}
/* The number next to x, or x itself: the derivative is that of x. */
#define BESIDE(rule_name, count) {.name = rule_name, .operands = count, .zero = {false, true}, .partial = same}
#define ORDERED(rule_name) \
    {.name = rule_name, \
     .operands = 2, \
     .needs = {0, XY}, \
     .zero = {true, false}, \
     .partial = bessel_of_order, \
     .function = rule_name}
#define FUSED(rule_name) {.name = rule_name, .operands = 3, .needs = {Y, X, 0}, .partial = fused}

#define LN_2 0.693147180559945309417232121458
#define LN_10 2.30258509299404568401799145468
#define TWO_BY_ROOT_PI 1.12837916709551257389615890312

static const cc_rule arithmetic[] = {
    TWO("fadd", 0, 0, same, 0, 0),
    TWO("fdiv", Y, Y | R, quotient, 0, 0),
    TWO("fmul", Y, X, product, 0, 0),
    ONE("fneg", 0, opposite, 0, NULL),
    ONE("fpext", 0, same, 0, NULL),
    ONE("fptrunc", 0, same, 0, NULL),
    TWO("frem", 0, XY | R, modulo, 0, 0),
    TWO("fsub", 0, 0, difference, 0, 0),
    {.name = "rounding", .operands = 2, .zero = {true, true}},
};

const cc_rule cc_rules_math[] = {
    ONE("acos", X, arc_sine, -1, NULL),
    ONE("acosh", X, area_cosine, 0, NULL),
    ONE("asin", X, arc_sine, 1, NULL),
    ONE("asinh", X, area_sine, 0, NULL),
    ONE("atan", X, arc_tangent, 0, NULL),
    TWO("atan2", XY, XY, arc_tangent_of_two, 0, 0),
    ONE("atanh", X, area_tangent, 0, NULL),
    ONE("cbrt", R, cubic_root, 0, NULL),
    STEPS("ceil"),
    {.name = "copysign", .operands = 2, .needs = {XY}, .zero = {false, true}, .partial = sign_copied},
    ONE("cos", X, other_function, -1, "llvm.sin"),
    ONE("cosh", X, other_function, 1, "sinh"),
    TWO("drem", 0, XY | R, modulo, 0, 0),
    ONE("erf", X, error_function, TWO_BY_ROOT_PI, NULL),
    ONE("erfc", X, error_function, -TWO_BY_ROOT_PI, NULL),
    ONE("exp", R, exponential, 1, NULL),
    ONE("exp10", R, exponential, LN_10, NULL),
    ONE("exp2", R, exponential, LN_2, NULL),
    ONE("expm1", X, other_function, 1, "llvm.exp"), /* not 1 + result, which loses all digits far below zero */
    ONE("fabs", X, magnitude, 0, NULL),
    TWO("fdim", XY, XY, positive_difference, 0, 0),
    STEPS("floor"),
    FUSED("fma"),
    TWO("fmax", XY, XY, extreme, 1, 0),
    TWO("fmaximum", XY, XY, extreme, 1, 1),
    TWO("fmaximum_mag", X | R, X | R, one_of_both, 0, 0),
    TWO("fmaximum_mag_num", X | R, X | R, one_of_both, 0, 0),
    TWO("fmaximum_num", XY, XY, extreme, 1, 0),
    TWO("fmaxmag", X | R, X | R, one_of_both, 0, 0),
    TWO("fmin", XY, XY, extreme, -1, 0),
    TWO("fminimum", XY, XY, extreme, -1, 1),
    TWO("fminimum_mag", X | R, X | R, one_of_both, 0, 0),
    TWO("fminimum_mag_num", X | R, X | R, one_of_both, 0, 0),
    TWO("fminimum_num", XY, XY, extreme, -1, 0),
    TWO("fminmag", X | R, X | R, one_of_both, 0, 0),
    TWO("fmod", 0, XY | R, modulo, 0, 0),
    ONE("gamma", X, other_function, 1, "verso__native_digamma"),
    TWO("hypot", X | R, Y | R, hypotenuse, 0, 0),
    ONE("j0", X, other_function, -1, "j1"),
    ONE("j1", X, bessel_of_one, 0, "jn"),
    ORDERED("jn"),
    SCALED("ldexp"),
    ONE("lgamma", X, other_function, 1, "verso__native_digamma"),
    BESIDE("llvm.arithmetic", 1), /* llvm.arithmetic.fence: names end at the second dot */
    BESIDE("llvm.canonicalize", 1),
    FUSED("llvm.fmuladd"),
    TWO("llvm.maximum", XY, XY, extreme, 1, 1),
    TWO("llvm.maxnum", XY, XY, extreme, 1, 0),
    TWO("llvm.minimum", XY, XY, extreme, -1, 1),
    TWO("llvm.minnum", XY, XY, extreme, -1, 0),
    {.name = "llvm.powi", .operands = 2, .needs = {XY}, .zero = {false, true}, .partial = integer_power},
    ONE("log", X, logarithm, 1, NULL),
    ONE("log10", X, logarithm, 1 / LN_10, NULL),
    ONE("log1p", X, logarithm_plus_one, 0, NULL),
    ONE("log2", X, logarithm, 1 / LN_2, NULL),
    STEPS("logb"),
    STEPS("nearbyint"),
    BESIDE("nextafter", 2),
    BESIDE("nextdown", 1),
    BESIDE("nexttoward", 2),
    BESIDE("nextup", 1),
    TWO("pow", XY | R, X | R, power, 0, 0),
    ONE("pow10", R, exponential, LN_10, NULL),
    TWO("remainder", 0, XY | R, modulo, 0, 0),
    STEPS("rint"),
    STEPS("round"),
    STEPS("roundeven"),
    SCALED("scalb"),
    SCALED("scalbln"),
    SCALED("scalbn"),
    ONE("significand", X, other_function, 1, "verso__native_significand"),
    ONE("sin", X, other_function, 1, "llvm.cos"),
    ONE("sinh", X, other_function, 1, "cosh"),
    ONE("sqrt", R, square_root, 0, NULL),
    ONE("tan", R, tangent, 0, NULL),
    ONE("tanh", R, hyperbolic_tangent, 0, NULL),
    ONE("tgamma", X | R, gamma_function, 0, NULL),
    STEPS("trunc"),
    {.name = "verso__native_carry",
     .operands = 3,
     .needs = {0, 0, Y},
     .zero = {false, true, false},
     .partial = carried},
    ONE("y0", X, other_function, -1, "y1"),
    ONE("y1", X, bessel_of_one, 0, "yn"),
    ORDERED("yn"),
};
const size_t cc_rules_math_count = sizeof cc_rules_math / sizeof *cc_rules_math;

const cc_rule *cc_rules_arithmetic(const char *name) {
    for (size_t i = 0; i < sizeof arithmetic / sizeof *arithmetic; i++)
        if (strcmp(arithmetic[i].name, name) == 0)
            return &arithmetic[i];
    return NULL;
}
