/* Parses inline assembly in AT&T syntax.
 *
 * `asm("" : "+r"(x))`, a barrier that benchmarks and numerical libraries use, is a call with the constraints
 * "=r,0": output 0 is in the register of the input. An output may also be in memory ("=*m"; its address is an
 * operand); then the constraint "0" of an input means that the memory holds that input before the first
 * instruction. In the text, $0 is the first output, and inputs are numbered after the outputs. */
#include "cc/front/assembly.h"
#include "cc/ir/leaves.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

/* ---- Text without effect ---- */

/* Returns the end of the comment that starts at `at`; NULL if none does. */
static const char *skip_comment(const char *at, const char *end) {
    if (*at == '#' || (*at == '/' && at + 1 < end && at[1] == '/')) {
        const char *line = memchr(at, '\n', (size_t)(end - at));
        return line == NULL ? end : line;
    }
    if (*at != '/' || at + 1 >= end || at[1] != '*')
        return NULL;
    for (at += 2; at + 1 < end; at++)
        if (at[0] == '*' && at[1] == '/')
            return at + 2;
    return end;
}

/* Skips white space, separators of statements, and comments. */
static const char *skip_blank(const char *at, const char *end) {
    while (at < end) {
        const char *next = isspace((unsigned char)*at) || *at == ';' ? at + 1 : skip_comment(at, end);
        if (next == NULL)
            return at;
        at = next;
    }
    return end;
}

static size_t word_length(const char *at, const char *end) {
    size_t length = 0;
    while (at + length < end && (isalnum((unsigned char)at[length]) || at[length] == '.'))
        length++;
    return length;
}

/* Skips a statement that computes nothing, or a directive with its numbers. Returns NULL if the statement is
 * another one. */
static const char *skip_idle(const char *at, const char *end) {
    static const char *const idle[] = {"nop", "pause", "mfence", "lfence", "sfence", ".p2align", ".balign", ".align"};
    size_t length = word_length(at, end);
    bool found = false;
    for (size_t i = 0; i < sizeof idle / sizeof *idle; i++)
        found = found || (length == strlen(idle[i]) && strncmp(at, idle[i], length) == 0);
    if (!found)
        return NULL;
    bool directive = *at == '.';
    for (at += length; at < end && *at != '\n' && *at != ';' && skip_comment(at, end) == NULL; at++)
        if (!isspace((unsigned char)*at) && !(directive && (isxdigit((unsigned char)*at) || *at == ',' || *at == 'x')))
            return NULL;
    return at;
}

static bool text_is_idle(LLVMValueRef assembly) {
    size_t length;
    const char *at = LLVMGetInlineAsmAsmString(assembly, &length), *end = at + length;
    for (at = skip_blank(at, end); at < end; at = skip_blank(at, end)) {
        at = skip_idle(at, end);
        if (at == NULL)
            return false;
    }
    return true;
}

/* ---- Constraints ---- */

typedef struct constraints {
    const char *at, *end;
} constraints;

static constraints constraints_of(LLVMValueRef call) {
    size_t length;
    const char *text = LLVMGetInlineAsmConstraintString(LLVMGetCalledValue(call), &length);
    return (constraints){text, text + length};
}

/* Returns the start of the next constraint; NULL if there is none. */
static const char *next_constraint(constraints *left) {
    if (left->at >= left->end)
        return NULL;
    const char *start = left->at, *comma = memchr(start, ',', (size_t)(left->end - start));
    left->at = comma == NULL ? left->end : comma + 1;
    return start;
}

static bool is_indirect(const char *output) {
    return output[1] == '*' || (output[1] == '&' && output[2] == '*');
}

bool cc_assembly_outputs_of(LLVMValueRef call, cc_assembly_outputs *outputs) {
    constraints left = constraints_of(call);
    unsigned argument = 0, arguments = LLVMGetNumArgOperands(call);
    *outputs = (cc_assembly_outputs){.count = 0};
    for (const char *at = next_constraint(&left); at != NULL; at = next_constraint(&left)) {
        if (*at == '~') /* a register, or memory, that is overwritten */
            continue;
        bool output = *at == '=', indirect = output && is_indirect(at);
        if (*at == '!' || ((!output || indirect) && argument >= arguments) ||
            (output && outputs->count == CC_ASSEMBLY_OUTPUTS))
            return false;
        if (output) {
            outputs->results += !indirect;
            outputs->outputs[outputs->count++].address = indirect ? LLVMGetOperand(call, argument++) : NULL;
            continue;
        }
        LLVMValueRef input = LLVMGetOperand(call, argument++);
        unsigned long tied = isdigit((unsigned char)*at) ? strtoul(at, NULL, 10) : CC_ASSEMBLY_OUTPUTS;
        if (tied < outputs->count)
            outputs->outputs[tied].input = input;
    }
    return true;
}

static bool overwrites_memory(LLVMValueRef call) {
    constraints left = constraints_of(call);
    for (const char *at = next_constraint(&left); at != NULL; at = next_constraint(&left))
        if (strncmp(at, "~{memory}", strlen("~{memory}")) == 0)
            return true;
    return false;
}

static bool is_idle(LLVMValueRef call) {
    cc_assembly_outputs outputs;
    if (!text_is_idle(LLVMGetCalledValue(call)) || !cc_assembly_outputs_of(call, &outputs))
        return false;
    unsigned result = 0;
    for (unsigned i = 0; i < outputs.count; i++) {
        const cc_assembly_output *output = &outputs.outputs[i];
        if (output->address != NULL)
            continue;
        LLVMTypeRef type = LLVMTypeOf(call);
        type = outputs.results > 1 ? LLVMStructGetTypeAtIndex(type, result++) : type;
        if (output->input == NULL || LLVMTypeOf(output->input) != type)
            return false;
    }
    return true;
}

/* ---- Integers ---- */

static bool is_integers(LLVMTypeRef type) {
    switch (LLVMGetTypeKind(type)) {
    case LLVMIntegerTypeKind: return LLVMGetIntTypeWidth(type) <= 64;
    case LLVMStructTypeKind:
        for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
            if (!is_integers(LLVMStructGetTypeAtIndex(type, i)))
                return false;
        return true;
    default: return false;
    }
}

/* Returns whether the code computes integers from integers. An operand that is the bits of a number (for example to
 * find its exponent) does not count as an integer. */
static bool computes_integers(LLVMValueRef call) {
    if (!is_integers(LLVMTypeOf(call)) || overwrites_memory(call))
        return false;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(call); i++) {
        LLVMValueRef argument = LLVMGetOperand(call, i);
        if (!is_integers(LLVMTypeOf(argument)) || LLVMIsABitCastInst(argument) != NULL)
            return false;
    }
    return true;
}

/* ---- Arithmetic ---- */

typedef struct statement {
    char mnemonic[16];
    unsigned operands[3]; /* in the order of AT&T syntax: the last one is written */
    unsigned count;       /* number of `operands` */
} statement;

/* Parses the text as a single statement whose operands all have the form $N. Returns false if it is something else. */
static bool read_statement(LLVMValueRef assembly, statement *statement) {
    size_t length;
    const char *text = LLVMGetInlineAsmAsmString(assembly, &length), *end = text + length;
    const char *at = skip_blank(text, end);
    size_t word = word_length(at, end);
    if (word == 0 || word >= sizeof statement->mnemonic)
        return false;
    memcpy(statement->mnemonic, at, word);
    statement->mnemonic[word] = '\0';
    statement->count = 0;
    for (at += word; at < end && *at != '\n' && *at != ';' && *at != '#'; at++) {
        if (isspace((unsigned char)*at) || *at == ',')
            continue;
        if (*at != '$' || at + 1 == end || !isdigit((unsigned char)at[1]) || statement->count == 3)
            return false;
        statement->operands[statement->count++] = (unsigned)(*++at - '0');
        if (at + 1 < end && isalnum((unsigned char)at[1]))
            return false;
    }
    return skip_blank(at, end) == end && statement->count >= 2;
}

/* Returns whether `type` is what the suffix of an instruction stands for: ps, pd vectors; ss, sd single numbers. */
static bool fits(LLVMTypeRef type, const char *suffix) {
    bool vector = LLVMGetTypeKind(type) == LLVMVectorTypeKind;
    LLVMTypeKind wanted = suffix[1] == 'd' ? LLVMDoubleTypeKind : LLVMFloatTypeKind;
    return vector == (suffix[0] == 'p') && LLVMGetTypeKind(vector ? LLVMGetElementType(type) : type) == wanted;
}

/* Returns the value of operand $number; NULL if it is not known. */
static LLVMValueRef operand_of(LLVMValueRef call, const cc_assembly_outputs *outputs, unsigned number) {
    if (number < outputs->count)
        return outputs->outputs[number].input;
    return number - outputs->count < LLVMGetNumArgOperands(call) ? LLVMGetOperand(call, number - outputs->count) : NULL;
}

/* Sets the factors and the summand from the digits of vfmadd231pd and similar instructions: 1 is the operand that
 * is written, 3 the one that comes first in AT&T syntax. */
static bool read_fused(const char *order, LLVMValueRef first, LLVMValueRef second, LLVMValueRef third,
                       cc_assembly_arithmetic *found) {
    LLVMValueRef numbered[] = {first, second, third};
    for (unsigned i = 0; i < 3; i++)
        if (order[i] < '1' || order[i] > '3')
            return false;
    found->a = numbered[order[0] - '1'];
    found->b = numbered[order[1] - '1'];
    found->c = numbered[order[2] - '1'];
    return true;
}

static bool read_plain(const char *name, size_t length, cc_assembly_arithmetic *found) {
    static const struct {
        const char *name;
        cc_assembly_operation operation;
    } names[] = {{"add", CC_ASSEMBLY_ADD},  {"sub", CC_ASSEMBLY_SUB}, {"mul", CC_ASSEMBLY_MUL},
                 {"div", CC_ASSEMBLY_DIV},  {"min", CC_ASSEMBLY_MIN}, {"max", CC_ASSEMBLY_MAX},
                 {"sqrt", CC_ASSEMBLY_SQRT}};
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        if (length != strlen(names[i].name) || strncmp(name, names[i].name, length) != 0)
            continue;
        found->operation = names[i].operation;
        return true;
    }
    return false;
}

static bool are_all_of_type(const cc_assembly_arithmetic *found, LLVMTypeRef type) {
    const LLVMValueRef operands[] = {found->a, found->b, found->c};
    unsigned count = found->operation == CC_ASSEMBLY_SQRT ? 1 : found->operation == CC_ASSEMBLY_FMA ? 3 : 2;
    for (unsigned i = 0; i < count; i++)
        if (operands[i] == NULL || LLVMTypeOf(operands[i]) != type)
            return false;
    return true;
}

/* `name` is the part of the name after "vf": "madd231", "nmsub132". */
static bool read_multiply(const char *name, size_t length, const LLVMValueRef *operands,
                          cc_assembly_arithmetic *found) {
    found->operation = CC_ASSEMBLY_FMA;
    found->negate_product = *name == 'n';
    name += found->negate_product;
    length -= found->negate_product;
    if (length != strlen("madd231") || (strncmp(name, "madd", 4) != 0 && strncmp(name, "msub", 4) != 0))
        return false;
    found->negate_c = name[1] == 's';
    return read_fused(name + 4, operands[2], operands[1], operands[0], found);
}

bool cc_assembly_arithmetic_of(LLVMValueRef call, cc_assembly_arithmetic *found) {
    statement statement;
    cc_assembly_outputs outputs;
    *found = (cc_assembly_arithmetic){.a = NULL};
    if (!read_statement(LLVMGetCalledValue(call), &statement) || !cc_assembly_outputs_of(call, &outputs) ||
        outputs.count != 1 || outputs.results != 1 || statement.operands[statement.count - 1] != 0)
        return false;
    size_t length = strlen(statement.mnemonic);
    const char *name = statement.mnemonic, *suffix = name + length - 2;
    if (length < 5 || !fits(LLVMTypeOf(call), suffix))
        return false;
    LLVMValueRef operands[3] = {NULL, NULL, NULL};
    for (unsigned i = 0; i < statement.count; i++)
        operands[i] = operand_of(call, &outputs, statement.operands[i]);
    bool three = *name == 'v';
    name += three;
    length -= 2u + three;
    if (three && *name == 'f')
        return statement.count == 3 && read_multiply(name + 1, length - 1, operands, found) &&
               are_all_of_type(found, LLVMTypeOf(call));
    if (!read_plain(name, length, found))
        return false;
    bool root = found->operation == CC_ASSEMBLY_SQRT;
    if (statement.count != (three && !root ? 3u : 2u) || (root && three && suffix[0] != 'p'))
        return false;
    found->a = operands[root ? 0 : 1];
    found->b = operands[0];
    return are_all_of_type(found, LLVMTypeOf(call));
}

cc_assembly_kind cc_assembly_of(LLVMValueRef call) {
    cc_assembly_arithmetic arithmetic;
    if (is_idle(call))
        return CC_ASSEMBLY_IDLE;
    if (computes_integers(call))
        return CC_ASSEMBLY_INTEGERS;
    return cc_assembly_arithmetic_of(call, &arithmetic) ? CC_ASSEMBLY_ARITHMETIC : CC_ASSEMBLY_NOT;
}
