/* The table of the processor's intrinsics, searched by the beginning of the name. */
#include "cc/front/machine.h"
#include "cc/ir/leaves.h"

#include <ctype.h>
#include <string.h>

static const char prefix[] = "llvm.x86.";

/* `start` is the beginning of the name after "llvm.x86.". */
static const struct {
    const char *start;
    cc_machine_operation operation;
    const char *shape; /* see machine.h */
    /* Shape of the forms on lane 0 alone (.ss, .sd) if it differs; NULL: the same; "": there are only such forms. */
    const char *scalar_shape;
} table[] = {
    {"sse.min.", CC_MACHINE_MIN, "ab", NULL},
    {"sse2.min.", CC_MACHINE_MIN, "ab", NULL},
    {"avx.min.", CC_MACHINE_MIN, "ab", NULL},
    {"avx512.min.", CC_MACHINE_MIN, "abr", NULL},
    {"avx512.mask.min.", CC_MACHINE_MIN, "abskr", NULL},
    {"sse.max.", CC_MACHINE_MAX, "ab", NULL},
    {"sse2.max.", CC_MACHINE_MAX, "ab", NULL},
    {"avx.max.", CC_MACHINE_MAX, "ab", NULL},
    {"avx512.max.", CC_MACHINE_MAX, "abr", NULL},
    {"avx512.mask.max.", CC_MACHINE_MAX, "abskr", NULL},
    {"avx512.add.", CC_MACHINE_ADD, "abr", NULL},
    {"avx512.mask.add.", CC_MACHINE_ADD, "abskr", NULL},
    {"avx512.sub.", CC_MACHINE_SUB, "abr", NULL},
    {"avx512.mask.sub.", CC_MACHINE_SUB, "abskr", NULL},
    {"avx512.mul.", CC_MACHINE_MUL, "abr", NULL},
    {"avx512.mask.mul.", CC_MACHINE_MUL, "abskr", NULL},
    {"avx512.div.", CC_MACHINE_DIV, "abr", NULL},
    {"avx512.mask.div.", CC_MACHINE_DIV, "abskr", NULL},
    {"avx512.sqrt.", CC_MACHINE_SQRT, "ar", NULL},
    {"avx512.mask.sqrt.", CC_MACHINE_SQRT, "abskr", NULL},
    {"avx512.vfmadd.", CC_MACHINE_FMA, "abcr", NULL},
    {"fma.vfmaddsub.", CC_MACHINE_FMADDSUB, "abc", NULL},
    {"avx512.vfmaddsub.", CC_MACHINE_FMADDSUB, "abcr", NULL},
    {"sse3.hadd.", CC_MACHINE_HADD, "ab", NULL},
    {"avx.hadd.", CC_MACHINE_HADD, "ab", NULL},
    {"sse3.hsub.", CC_MACHINE_HSUB, "ab", NULL},
    {"avx.hsub.", CC_MACHINE_HSUB, "ab", NULL},
    {"sse3.addsub.", CC_MACHINE_ADDSUB, "ab", NULL},
    {"avx.addsub.", CC_MACHINE_ADDSUB, "ab", NULL},
    {"sse41.dpp", CC_MACHINE_DOT, "abi", NULL},
    {"avx.dp.", CC_MACHINE_DOT, "abi", NULL},
    {"sse41.blendv", CC_MACHINE_BLEND, "abk", NULL},
    {"avx.blendv.", CC_MACHINE_BLEND, "abk", NULL},
    {"avx.vpermilvar.", CC_MACHINE_PERMUTE_LANE, "ax", NULL},
    {"avx512.vpermilvar.", CC_MACHINE_PERMUTE_LANE, "ax", NULL},
    {"avx2.permps", CC_MACHINE_PERMUTE, "ax", NULL},
    {"avx2.permd", CC_MACHINE_PERMUTE, "ax", NULL},
    {"avx512.permvar.", CC_MACHINE_PERMUTE, "ax", NULL},
    {"avx512.vpermi2var.", CC_MACHINE_PERMUTE_TWO, "axb", NULL},
    {"sse.cmp.", CC_MACHINE_COMPARE, "abi", NULL},
    {"sse2.cmp.", CC_MACHINE_COMPARE, "abi", NULL},
    {"avx.cmp.", CC_MACHINE_COMPARE, "abi", NULL},
    {"sse2.cvtpd2ps", CC_MACHINE_CONVERT, "a", NULL},
    {"avx.cvt.pd2.ps.", CC_MACHINE_CONVERT, "a", NULL},
    {"avx512.mask.cvtpd2ps", CC_MACHINE_CONVERT, "askr", NULL},
    {"avx512.mask.cvtps2pd", CC_MACHINE_CONVERT, "askr", NULL},
    {"sse2.cvtsd2ss", CC_MACHINE_CONVERT, "ab", ""},
    {"avx512.mask.cvtsd2ss.", CC_MACHINE_CONVERT, "abskr", ""},
    {"avx512.mask.cvtss2sd.", CC_MACHINE_CONVERT, "abskr", ""},
    {"sse41.insertps", CC_MACHINE_INSERT, "abi", NULL},
    {"sse.rcp.", CC_MACHINE_RECIPROCAL, "a", NULL},
    {"avx.rcp.", CC_MACHINE_RECIPROCAL, "a", NULL},
    {"avx512.rcp14.", CC_MACHINE_RECIPROCAL, "ask", "absk"},
    {"sse.rsqrt.", CC_MACHINE_RECIPROCAL_SQRT, "a", NULL},
    {"avx.rsqrt.", CC_MACHINE_RECIPROCAL_SQRT, "a", NULL},
    {"avx512.rsqrt14.", CC_MACHINE_RECIPROCAL_SQRT, "ask", "absk"},
    {"sse41.round.", CC_MACHINE_FLAT, "ai", "abi"},
    {"avx.round.", CC_MACHINE_FLAT, "ai", NULL},
    {"avx512.mask.rndscale.", CC_MACHINE_FLAT, "aiskr", "abskir"},
    {"avx512.mask.getexp.", CC_MACHINE_FLAT, "askr", "abskr"},
    {"avx512.mask.cvtqq2ps", CC_MACHINE_FLAT, "xsk", NULL},
    {"avx512.mask.cvtuqq2ps", CC_MACHINE_FLAT, "xsk", NULL},
    {"avx512.sitofp.round", CC_MACHINE_FLAT, "xr", NULL},
    {"avx512.uitofp.round", CC_MACHINE_FLAT, "xr", NULL},
    {"avx512.cvtusi", CC_MACHINE_FLAT, "axr", ""},
    {"avx512.cvtsi2s", CC_MACHINE_FLAT, "axr", ""},
    {"avx512.mask.getmant.", CC_MACHINE_MANTISSA, "aiskr", "abiskr"},
    {"avx512.mask.scalef.", CC_MACHINE_SCALE, "abskr", NULL},
    {"avx512.mask.reduce.", CC_MACHINE_REDUCE, "aiskr", "abskir"},
    {"avx.maskload.", CC_MACHINE_LOAD, "pk", NULL},
    {"avx2.maskload.", CC_MACHINE_LOAD, "pk", NULL},
    {"avx.maskstore.", CC_MACHINE_STORE, "pka", NULL},
    {"avx2.maskstore.", CC_MACHINE_STORE, "pka", NULL},
    {"avx2.gather.", CC_MACHINE_GATHER, "spxkn", NULL},
    {"avx512.mask.gather", CC_MACHINE_GATHER, "spxkn", NULL},
    {"avx512.mask.scatter", CC_MACHINE_SCATTER, "pkxan", NULL},
    {"avx512.mask.compress", CC_MACHINE_COMPRESS, "ask", NULL},
    {"avx512.mask.expand", CC_MACHINE_EXPAND, "ask", NULL},
    {"sse3.ldu.dq", CC_MACHINE_LOAD_ALL, "p", NULL},
    {"avx.ldu.dq", CC_MACHINE_LOAD_ALL, "p", NULL},
};

static bool starts_with(const char *name, const char *start) {
    return strncmp(name, start, strlen(start)) == 0;
}

bool cc_is_machine_intrinsic(const char *name) {
    return starts_with(name, prefix);
}

/* Returns whether the name has a part, between dots, that is "ss" or "sd". */
static bool names_lane(const char *name) {
    for (const char *dot = strchr(name, '.'); dot != NULL; dot = strchr(dot + 1, '.'))
        if (dot[1] == 's' && (dot[2] == 's' || dot[2] == 'd') && (dot[3] == '.' || dot[3] == '\0'))
            return true;
    return false;
}

static LLVMTypeKind kind_of(LLVMTypeRef type) {
    return LLVMGetTypeKind(LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetElementType(type) : type);
}

/* Returns whether the call computes integers that are piecewise constant in numbers in registers. Conversions to
 * smaller formats (as _cvtss_sh) are excluded, because they are converted back to numbers later. */
static bool is_discrete(LLVMValueRef call, const char *name) {
    if (kind_of(LLVMTypeOf(call)) != LLVMIntegerTypeKind || strstr(name, "2ph") != NULL || strstr(name, "bf16") != NULL)
        return false;
    bool numbers = false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMTypeKind kind = kind_of(LLVMTypeOf(LLVMGetOperand(call, i)));
        numbers = numbers || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind;
        if (kind != LLVMFloatTypeKind && kind != LLVMDoubleTypeKind && kind != LLVMIntegerTypeKind)
            return false;
    }
    return numbers;
}

cc_machine cc_machine_of(LLVMValueRef call) {
    const char *name = cc_callee_name(call);
    if (!cc_is_machine_intrinsic(name))
        return (cc_machine){.operation = CC_MACHINE_NOT};
    const char *rest = name + strlen(prefix);
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        if (!starts_with(rest, table[i].start))
            continue;
        const char *other = table[i].scalar_shape;
        bool always = other != NULL && *other == '\0', scalar = always || names_lane(rest);
        return (cc_machine){table[i].operation, scalar, scalar && other != NULL && !always ? other : table[i].shape};
    }
    return (cc_machine){.operation = is_discrete(call, rest) ? CC_MACHINE_DISCRETE : CC_MACHINE_NOT, .shape = ""};
}

LLVMValueRef cc_machine_operand(const cc_machine *machine, LLVMValueRef call, char letter) {
    const char *at = strchr(machine->shape, letter);
    unsigned index = at == NULL ? 0 : (unsigned)(at - machine->shape);
    return at == NULL || index >= LLVMGetNumArgOperands(call) ? NULL : LLVMGetOperand(call, index);
}

/* ---- Intrinsics that are not in the table ---- */

/* Returns the name of the C function for an intrinsic: "_mm512_range_pd" for "avx512.mask.range.pd.512". */
static const char *c_name(cc_unit *unit, const char *rest) {
    const char *stem = strchr(rest, '.');
    stem = stem == NULL ? rest : stem + 1;
    while (starts_with(stem, "mask.") || starts_with(stem, "maskz."))
        stem = strchr(stem, '.') + 1;
    const char *last = strrchr(stem, '.');
    const char *width = last != NULL && (strcmp(last, ".256") == 0 || strcmp(last, ".512") == 0) ? last + 1 : "";
    size_t length = last != NULL && isdigit((unsigned char)last[1]) ? (size_t)(last - stem) : strlen(stem);
    char *words = cc_print(unit, "%.*s", (int)length, stem);
    for (char *at = words; *at != '\0'; at++)
        if (*at == '.')
            *at = '_';
    return cc_print(unit, "_mm%s_%s", width, words);
}

const char *cc_say_intrinsic(cc_unit *unit, const char *caller, const char *name) {
    static const char remedies[] = "write this place with C's operators and <math.h>, or with intrinsics that Verso "
                                   "knows (see \"Intrinsics\" in docs/native-support.md); or put it in a function of "
                                   "its own and give that one a VERSO_CUSTOM_ADJOINT, or declare it VERSO_INACTIVE if "
                                   "no derivative goes through it";
    if (cc_is_machine_intrinsic(name))
        return cc_print(unit,
                        "%s uses an instruction of the processor whose derivative Verso does not know: an intrinsic of "
                        "the family of %s (LLVM's %s); %s",
                        caller, c_name(unit, name + strlen(prefix)), name, remedies);
    return cc_print(unit, "%s uses %s, an operation of the compiler's whose derivative Verso does not know; %s", caller,
                    name, remedies);
}
