/* What the transformer has to say about a program: with file and line, as compilers do, so that editors find the place.
 *
 * An error of the program is noted and the pass goes on; a failure of ours or of the machine ends the transformation by
 * a long jump to cc_transform. */
#include "cc/cc.h"

#include <llvm-c/DebugInfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static const char *place_in_file(cc_unit *unit, const char *file, unsigned length, unsigned line) {
    return cc_print(unit, "%.*s:%u", (int)length, file, line);
}

/* NULL when the instruction has no line of its own. */
static const char *own_place(cc_unit *unit, LLVMValueRef instruction) {
    unsigned line = LLVMGetDebugLocLine(instruction);
    unsigned length = 0;
    const char *file = line == 0 ? NULL : LLVMGetDebugLocFilename(instruction, &length);
    return file == NULL || length == 0 ? NULL : place_in_file(unit, file, length, line);
}

/* The name of a function as the program has it. */
static const char *name_of_function(cc_unit *unit, LLVMValueRef function) {
    static const char *const endings[] = {".base", ".record", ".tangent", ".reverse", ".primal"};
    static const char wrapper[] = "verso.wrap.";
    size_t length;
    const char *name = LLVMGetValueName2(function, &length);
    if (strncmp(name, wrapper, strlen(wrapper)) == 0) {
        name += strlen(wrapper);
        length -= strlen(wrapper);
    }
    for (size_t i = 0; i < sizeof endings / sizeof *endings; i++) {
        size_t end = strlen(endings[i]);
        if (length > end && strcmp(name + length - end, endings[i]) == 0)
            return cc_print(unit, "%.*s", (int)(length - end), name);
    }
    return cc_print(unit, "%s", name);
}

static const char *place_of_function(cc_unit *unit, LLVMValueRef function) {
    LLVMMetadataRef program = LLVMGetSubprogram(function);
    unsigned length = 0;
    LLVMMetadataRef file = program == NULL ? NULL : LLVMDIScopeGetFile(program);
    const char *name = file == NULL ? NULL : LLVMDIFileGetFilename(file, &length);
    if (name != NULL && length > 0)
        return place_in_file(unit, name, length, LLVMDISubprogramGetLine(program));
    return cc_print(unit, "function %s", name_of_function(unit, function));
}

const char *cc_where(cc_unit *unit, LLVMValueRef instruction) {
    if (instruction == NULL)
        return "the program";
    if (LLVMIsAFunction(instruction) != NULL)
        return place_of_function(unit, instruction);
    if (LLVMIsAInstruction(instruction) == NULL)
        return cc_print(unit, "symbol %s", LLVMGetValueName(instruction));
    /* Code that passes made has no line: that of what stands before it is near enough. */
    for (LLVMValueRef at = instruction; at != NULL; at = LLVMGetPreviousInstruction(at)) {
        const char *place = own_place(unit, at);
        if (place != NULL)
            return place;
    }
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    return block == NULL ? "the program" : place_of_function(unit, LLVMGetBasicBlockParent(block));
}

void cc_note(cc_unit *unit, const char *line) {
    size_t length = strlen(line);
    cc_reserve(unit, &unit->messages, &unit->message_capacity, unit->message_bytes + length + 1, 1);
    memcpy(unit->messages + unit->message_bytes, line, length + 1);
    unit->message_bytes += length;
}

static void add_message(cc_unit *unit, const char *line) {
    /* A function that was inlined in ten places has the same mistake ten times. */
    if (unit->messages != NULL && strstr(unit->messages, line) != NULL)
        return;
    cc_note(unit, line);
    unit->errors++;
}

void cc_diagnose(cc_unit *unit, LLVMValueRef instruction, const char *format, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    add_message(unit, cc_print(unit, "%s: error: %s\n", cc_where(unit, instruction), text));
}

void cc_give_up(cc_unit *unit, verso_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    if (unit->error != NULL) {
        unit->error->status = status;
        vsnprintf(unit->error->message, sizeof unit->error->message, format, arguments);
    }
    va_end(arguments);
    longjmp(unit->give_up, (int)status);
}

const char *cc_diagnostics(const cc_unit *unit) {
    return unit->messages == NULL ? "" : unit->messages;
}
