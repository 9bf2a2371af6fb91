/* Messages about the user's program, with file and line as compilers print them, so that editors find the place.
 *
 * After an error in the program the pass continues, to find further errors. An internal error, or a failure of the
 * machine, ends the transformation: cc_give_up jumps to cc_transform. */
#include "base/alloc.h"
#include "cc/driver/demangle.h"
#include "cc/ir/unit.h"

#include <llvm-c/DebugInfo.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *place_in_file(cc_unit *unit, const char *file, unsigned length, unsigned line) {
    return cc_print(unit, "%.*s:%u", (int)length, file, line);
}

/* Returns "file:line" of the instruction; NULL if it has no debug location. */
static const char *own_place(cc_unit *unit, LLVMValueRef instruction) {
    unsigned line = LLVMGetDebugLocLine(instruction);
    unsigned length = 0;
    const char *file = line == 0 ? NULL : LLVMGetDebugLocFilename(instruction, &length);
    return file == NULL || length == 0 ? NULL : place_in_file(unit, file, length, line);
}

/* Returns the name that the function has in the program, without the prefixes and suffixes of copies. */
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

const char *cc_demangled(cc_unit *unit, const char *text) {
    char *shown = driver_demangled(text, false);
    const char *kept = cc_print(unit, "%s", shown == NULL ? text : shown);
    free(shown);
    return kept;
}

static const char *place_of_function(cc_unit *unit, LLVMValueRef function) {
    LLVMMetadataRef program = LLVMGetSubprogram(function);
    unsigned length = 0;
    LLVMMetadataRef file = program == NULL ? NULL : LLVMDIScopeGetFile(program);
    const char *name = file == NULL ? NULL : LLVMDIFileGetFilename(file, &length);
    if (name != NULL && length > 0)
        return place_in_file(unit, name, length, LLVMDISubprogramGetLine(program));
    return cc_print(unit, "function %s", cc_demangled(unit, name_of_function(unit, function)));
}

const char *cc_where(cc_unit *unit, LLVMValueRef instruction) {
    if (instruction == NULL)
        return "the program";
    if (LLVMIsAFunction(instruction) != NULL)
        return place_of_function(unit, instruction);
    if (LLVMIsAInstruction(instruction) == NULL)
        return cc_print(unit, "symbol %s", cc_demangled(unit, LLVMGetValueName(instruction)));
    /* Code that passes have built has no line. The line of a preceding instruction is near enough. */
    for (LLVMValueRef at = instruction; at != NULL; at = LLVMGetPreviousInstruction(at)) {
        const char *place = own_place(unit, at);
        if (place != NULL)
            return place;
    }
    LLVMBasicBlockRef block = LLVMGetInstructionParent(instruction);
    return block == NULL ? "the program" : place_of_function(unit, LLVMGetBasicBlockParent(block));
}

/* The text is in no region, because it outlives those of analyses. */
void cc_note(cc_unit *unit, const char *line) {
    size_t length = strlen(line), needed = unit->message_bytes + length + 1;
    if (needed > unit->message_capacity) {
        char *grown = verso__alloc(2 * needed, 1);
        if (grown == NULL)
            cc_give_up(unit, VERSO_STATUS_NO_MEMORY, "there is no memory for the messages about the program");
        if (unit->messages != NULL)
            memcpy(grown, unit->messages, unit->message_bytes);
        verso__dealloc(unit->messages);
        unit->messages = grown;
        unit->message_capacity = 2 * needed;
    }
    memcpy(unit->messages + unit->message_bytes, line, length + 1);
    unit->message_bytes += length;
}

/* Adds the message unless it is there already, and returns whether it was added. A function that was inlined in ten
 * places has the same error ten times. */
static bool add_message(cc_unit *unit, const char *line) {
    if (unit->messages != NULL && strstr(unit->messages, line) != NULL)
        return false;
    cc_note(unit, line);
    return true;
}

void cc_diagnose(cc_unit *unit, LLVMValueRef instruction, const char *format, ...) {
    char text[4096];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(text, sizeof text, format, arguments);
    va_end(arguments);
    unit->errors +=
        add_message(unit, cc_print(unit, "%s: error: %s\n", cc_where(unit, instruction), cc_demangled(unit, text)));
}

void cc_warn(cc_unit *unit, LLVMValueRef instruction, const char *message) {
    add_message(unit, cc_print(unit, "%s: warning: if this runs, it is refused: %s\n", cc_where(unit, instruction),
                               cc_demangled(unit, message)));
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

void cc_forget_diagnostics(cc_unit *unit) {
    verso__dealloc(unit->messages);
    unit->messages = NULL;
    unit->message_bytes = unit->message_capacity = 0;
}

const char *cc_diagnostics(const cc_unit *unit) {
    return unit->messages == NULL ? "" : unit->messages;
}
