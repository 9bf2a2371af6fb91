/* Calls of the C library that use the outside world, where a run may be repeated. Each call becomes a call of a
 * shared function of its own in the program's module,
 *
 *     R verso.pass.world.NAME.k(A..., outside) {
 *         if (state.world == 0)
 *             return NAME(A...);
 *         if (verso__native_world_begin(outside)) {
 *             verso__native_world_uses(stream); ...
 *             result = NAME(A...);
 *             verso__native_world_opens(result); ...
 *         }
 *         verso__native_world_data(&result, sizeof result);
 *         verso__native_world_data(memory that NAME writes, its size); ...
 *         verso__native_world_end();
 *         return result;
 *     }
 *
 * which the differentiating passes call unchanged. After a call that reads or writes a file, or opens one, the run
 * time notes which numbers these are (native/run/files.c), and a marker passes the notes on:
 * verso.changed(state.noted). */
#include "cc/front/areas.h"
#include "cc/front/front.h"
#include "cc/front/known.h"
#include "cc/ir/program.h"
#include "cc/ir/surgery.h"
#include "cc/lower/lower.h"
#include "native/state.h"

#include <string.h>

typedef struct world_call {
    LLVMValueRef call; /* the call in the base copy */
    cc_known known;
    const char *format;           /* the format of a scanf; NULL: none */
    const char *held;             /* see cc_known_held */
    cc_library_call wrapped;      /* the same call in the shared function */
    LLVMValueRef function;        /* the shared function */
    LLVMValueRef outside;         /* its last parameter, a verso__native_outside * */
    const struct file_call *file; /* NULL: it does not concern numbers in files */
    bool inactive;                /* the caller is declared inactive */
} world_call;

/* Calls that move bytes between memory and files, or truncate files. The number of bytes moved is the result, or,
 * for streams, the result times the size of an element. */
typedef struct file_call {
    const char *name;
    char how;    /* 'r' reads, 'w' writes, 'c' opens or truncates, 'n' adds its notes by itself */
    char handle; /* the stream or descriptor: argument '0'..'9', or 'r' for the result */
    char kind;   /* of `handle`: 's' stream, 'd' descriptor */
    char data;   /* argument '0'..'9' with the address of the data; 0: none */
    char offset; /* argument '0'..'9' with the offset in the file; 0: none */
} file_call;
static const file_call file_calls[] = {
    {"fread", 'r', '3', 's', '0', 0},
    {"fread_unlocked", 'r', '3', 's', '0', 0},
    {"fwrite", 'w', '3', 's', '0', 0},
    {"fwrite_unlocked", 'w', '3', 's', '0', 0},
    {"read", 'r', '0', 'd', '1', 0},
    {"__read_chk", 'r', '0', 'd', '1', 0},
    {"pread", 'r', '0', 'd', '1', '3'},
    {"pread64", 'r', '0', 'd', '1', '3'},
    {"write", 'w', '0', 'd', '1', 0},
    {"__pread_chk", 'r', '0', 'd', '1', '3'},
    {"pwrite", 'w', '0', 'd', '1', '3'},
    {"pwrite64", 'w', '0', 'd', '1', '3'},
    {"fopen", 'c', 'r', 's', 0, 0},
    {"fopen64", 'c', 'r', 's', 0, 0},
    {"freopen", 'c', 'r', 's', 0, 0},
    {"freopen64", 'c', 'r', 's', 0, 0},
    {"open", 'c', 'r', 'd', 0, 0},
    {"open64", 'c', 'r', 'd', 0, 0},
    {"openat", 'c', 'r', 'd', 0, 0},
    {"creat", 'c', 'r', 'd', 0, 0},
    {"ftruncate", 'c', '0', 'd', 0, 0},
    {"verso__fortran_wrote", 'n', 0, 0, 0, 0},
    {"verso__fortran_read", 'n', 0, 0, 0, 0},
    {"verso__fortran_wrote_text", 'n', 0, 0, 0, 0},
};

static const file_call *find_file_call(const char *name) {
    for (size_t i = 0; i < sizeof file_calls / sizeof *file_calls; i++)
        if (strcmp(file_calls[i].name, name) == 0)
            return &file_calls[i];
    return NULL;
}

/* ---- Parts of the body ---- */

static LLVMBasicBlockRef new_block(cc_unit *unit, const world_call *world) {
    return LLVMAppendBasicBlockInContext(unit->context, world->function, "");
}

static void build_return(cc_unit *unit, LLVMValueRef result) {
    if (LLVMGetTypeKind(LLVMTypeOf(result)) == LLVMVoidTypeKind)
        LLVMBuildRetVoid(unit->builder);
    else
        LLVMBuildRet(unit->builder, result);
}

static void log_area(cc_unit *unit, cc_area area, void *context) {
    (void)context;
    LLVMValueRef arguments[2] = {area.data, area.bytes};
    if (area.bytes == NULL)
        cc_call_runtime(unit, "verso__native_world_string", unit->none, arguments, 1);
    else
        cc_call_runtime(unit, "verso__native_world_data", unit->none, arguments, 2);
}

/* ---- Resources that do not outlive the process ---- */

static LLVMValueRef handle_of(cc_unit *unit, char kind, LLVMValueRef value) {
    if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
        return LLVMBuildPtrToInt(unit->builder, value, unit->i64, "");
    uint64_t tag = kind == 'k' ? VERSO_NATIVE_KEY : VERSO_NATIVE_DESCRIPTOR;
    LLVMValueRef number = LLVMBuildIntCast2(unit->builder, value, unit->i64, false, "");
    return LLVMBuildOr(unit->builder, number, cc_i64(unit, (int64_t)tag), "");
}

/* Reports the resources of the call to the run time: before the call if `result` is NULL, else after it. */
static void build_held(cc_unit *unit, const world_call *world, LLVMValueRef result) {
    static const char *const before = "sdkc", *const after = "oOp";
    for (const char *how = world->held; how[0] != '\0'; how += 2) {
        if (strchr(result == NULL ? before : after, how[0]) == NULL)
            continue;
        LLVMValueRef value = how[1] == 'r'   ? result
                             : how[1] == 'i' ? cc_i64(unit, 0)
                             : how[1] == 'c' ? NULL
                                             : world->wrapped.arguments[how[1] - '0'];
        if (how[0] == 'c')
            cc_call_runtime(unit, "verso__native_world_changes", unit->none, NULL, 0);
        else if (how[0] == 'p')
            cc_call_runtime(unit, "verso__native_world_points", unit->none, &value, 1);
        else {
            value = handle_of(unit, how[0], value);
            cc_call_runtime(unit, result == NULL ? "verso__native_world_uses" : "verso__native_world_opens", unit->none,
                            &value, 1);
        }
    }
}

/* ---- Numbers in files ---- */

static LLVMValueRef as_i64(cc_unit *unit, LLVMValueRef value) {
    return LLVMBuildIntCast2(unit->builder, value, unit->i64, true, "");
}

/* Builds the number of bytes that were moved: 0 if the result is negative. */
static LLVMValueRef bytes_moved(cc_unit *unit, const world_call *world, LLVMValueRef result) {
    LLVMValueRef count = as_i64(unit, result);
    LLVMValueRef fine = LLVMBuildICmp(unit->builder, LLVMIntSGT, count, cc_i64(unit, 0), "");
    count = LLVMBuildSelect(unit->builder, fine, count, cc_i64(unit, 0), "");
    return world->file->kind == 's' ? LLVMBuildMul(unit->builder, count, as_i64(unit, world->wrapped.arguments[1]), "")
                                    : count;
}

static void begin_notes(cc_unit *unit, const world_call *world) {
    LLVMValueRef outside = world->outside;
    cc_call_runtime(unit, "verso__native_file_begin", unit->none, &outside, 1);
}

/* Builds the call itself. */
static LLVMValueRef build_made(cc_unit *unit, const world_call *world) {
    if (world->file != NULL && world->file->how == 'n')
        begin_notes(unit, world);
    return cc_pass_call(unit, world->call, world->wrapped.arguments);
}

/* Reports a call that was made to the run time, if it concerns a file. */
static void build_file(cc_unit *unit, const world_call *world, LLVMValueRef result) {
    const file_call *file = world->file;
    if (file == NULL || file->how == 'n')
        return;
    begin_notes(unit, world);
    LLVMValueRef held = file->handle == 'r' ? result : world->wrapped.arguments[file->handle - '0'];
    LLVMValueRef handle = handle_of(unit, file->kind, held);
    if (file->how == 'c') {
        cc_call_runtime(unit, "verso__native_file_cut", unit->none, &handle, 1);
        return;
    }
    LLVMValueRef offset = file->offset == 0 ? cc_i64(unit, -1) : world->wrapped.arguments[file->offset - '0'];
    LLVMValueRef arguments[] = {handle, world->wrapped.arguments[file->data - '0'], bytes_moved(unit, world, result),
                                as_i64(unit, offset), cc_i64(unit, world->inactive)};
    cc_call_runtime(unit, file->how == 'r' ? "verso__native_file_read" : "verso__native_file_wrote", unit->none,
                    arguments, 5);
}

/* Builds the call, made or replayed. `result` is a stack slot for its result; NULL if it has none. */
static void build_once(cc_unit *unit, world_call *world, LLVMValueRef result) {
    LLVMBasicBlockRef make = new_block(unit, world), had = new_block(unit, world);
    LLVMValueRef first = cc_call_runtime(unit, "verso__native_world_begin", unit->i32, &world->outside, 1);
    LLVMBuildCondBr(unit->builder, LLVMBuildIsNotNull(unit->builder, first, ""), make, had);
    cc_build_at_end(unit, make);
    build_held(unit, world, NULL);
    LLVMValueRef made = build_made(unit, world);
    if (result != NULL) {
        build_held(unit, world, made);
        LLVMBuildStore(unit->builder, made, result);
        build_file(unit, world, made);
    }
    LLVMBuildBr(unit->builder, had);
    cc_build_at_end(unit, had);
    if (result != NULL) {
        LLVMTypeRef type = LLVMTypeOf(made);
        log_area(unit, (cc_area){result, cc_i64(unit, (int64_t)LLVMStoreSizeOfType(unit->layout, type))}, NULL);
        world->wrapped.result = LLVMBuildLoad2(unit->builder, type, result, "");
    }
    cc_each_area(unit, &world->wrapped, world->known.writes, log_area, NULL);
    if (world->file != NULL)
        cc_call_runtime(unit, "verso__native_file_end", unit->none, NULL, 0);
    cc_call_runtime(unit, "verso__native_world_end", unit->none, NULL, 0);
    if (result != NULL)
        LLVMBuildRet(unit->builder, world->wrapped.result);
    else
        LLVMBuildRetVoid(unit->builder);
}

static void check_format(cc_unit *unit, const world_call *world) {
    const char *writes = world->known.writes;
    if (writes[0] == '\0' || writes[1] != 'F')
        return;
    LLVMValueRef arguments[2] = {world->outside, world->wrapped.arguments[writes[0] - '0']};
    cc_call_runtime(unit, "verso__native_world_format", unit->none, arguments, 2);
}

/* Builds the case in which the run may be repeated. `plain` is the block that only makes the call. */
static void build_repeated(cc_unit *unit, world_call *world, LLVMValueRef result, LLVMBasicBlockRef plain) {
    switch (world->known.world) {
    case CC_WORLD_RANDOM:
        cc_call_runtime(unit, "verso__native_world_random", unit->none, NULL, 0);
        LLVMBuildBr(unit->builder, plain);
        return;
    case CC_WORLD_NEVER:
        cc_call_runtime(unit, "verso__native_world_refuse", unit->none, &world->outside, 1);
        LLVMBuildUnreachable(unit->builder);
        return;
    default: check_format(unit, world); build_once(unit, world, result);
    }
}

static void build_world(cc_unit *unit, LLVMValueRef function, void *context) {
    world_call *world = context;
    LLVMTypeRef type = LLVMTypeOf(world->call);
    unsigned count = LLVMGetNumArgOperands(world->call);
    cc_copy_call_attributes(unit, world->call, function, 0);
    world->function = function;
    world->wrapped = (cc_library_call){.count = count, .format = world->format};
    world->wrapped.arguments = cc_alloc(unit, count + 1, sizeof *world->wrapped.arguments);
    LLVMGetParams(function, world->wrapped.arguments);
    world->outside = LLVMGetParam(function, count);
    LLVMValueRef result = NULL;
    if (LLVMGetTypeKind(type) != LLVMVoidTypeKind)
        result = LLVMBuildAlloca(unit->builder, type, "");
    LLVMBasicBlockRef plain = new_block(unit, world), repeated = new_block(unit, world);
    LLVMValueRef state = cc_state(unit, offsetof(verso__native_state, world));
    LLVMValueRef on = LLVMBuildIsNotNull(unit->builder, LLVMBuildLoad2(unit->builder, unit->i64, state, ""), "");
    LLVMBuildCondBr(unit->builder, on, repeated, plain);
    cc_build_at_end(unit, plain);
    LLVMValueRef made = build_made(unit, world);
    build_file(unit, world, made);
    if (world->file != NULL)
        cc_call_runtime(unit, "verso__native_file_end", unit->none, NULL, 0);
    build_return(unit, made);
    cc_build_at_end(unit, repeated);
    build_repeated(unit, world, result, plain);
}

/* ---- The call ---- */

/* FNV-1a, folded. */
uint64_t cc_outside_number(const char *text) {
    uint32_t hash = 2166136261u;
    for (; *text != '\0'; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return (hash >> 24 ^ hash) & 0xffffff;
}

void cc_outside_members(cc_unit *unit, LLVMValueRef call, LLVMValueRef members[2]) {
    const char *name = LLVMIsAInlineAsm(LLVMGetCalledValue(call)) != NULL ? "inline assembly" : cc_callee_name(call);
    const char *where = cc_print(unit, "%s: %s", cc_where(unit, call), cc_demangled(unit, name));
    members[0] = cc_i64(unit, (int64_t)cc_outside_number(where));
    members[1] = cc_string(unit, where);
}

LLVMValueRef cc_private_constant(cc_unit *unit, LLVMValueRef value, const char *name) {
    LLVMValueRef constant = LLVMAddGlobal(unit->module, LLVMTypeOf(value), name);
    LLVMSetInitializer(constant, value);
    LLVMSetGlobalConstant(constant, true);
    LLVMSetLinkage(constant, LLVMPrivateLinkage);
    return constant;
}

/* Builds a constant verso__native_outside. */
static LLVMValueRef describe_outside(cc_unit *unit, LLVMValueRef call) {
    LLVMValueRef members[2];
    cc_outside_members(unit, call, members);
    return cc_private_constant(unit, LLVMConstStructInContext(unit->context, members, 2, false), "verso.outside");
}

/* Returns the place for the marker of file notes: after the markers verso.written of the call, because numbers that
 * were read must be cleared before they get their derivatives. */
static LLVMValueRef place_after_markers(LLVMValueRef call) {
    LLVMValueRef place = LLVMGetNextInstruction(call);
    for (LLVMValueRef at = place; at != NULL; at = LLVMGetNextInstruction(at)) {
        if (LLVMIsACallInst(at) != NULL && strcmp(cc_callee_name(at), "verso.written") == 0)
            place = LLVMGetNextInstruction(at);
        else if (LLVMIsACallInst(at) != NULL && strncmp(cc_callee_name(at), "verso.pass.", 11) != 0)
            break;
    }
    return place;
}

void cc_lower_world(cc_unit *unit, const cc_member *member, LLVMValueRef call, const cc_known *known) {
    cc_library_call described = cc_describe_call(unit, call, known->writes);
    world_call world = {.call = call,
                        .known = *known,
                        .format = described.format,
                        .held = strncmp(known->name, "_FortranA", strlen("_FortranA")) == 0
                                    ? cc_known_fortran_held(known->name)
                                    : cc_known_held(cc_without_version(known->name)),
                        .file = find_file_call(cc_without_version(known->name)),
                        .inactive = member->inactive};
    unsigned count = described.count;
    LLVMValueRef *arguments = cc_alloc(unit, count + 1, sizeof *arguments);
    memcpy(arguments, described.arguments, count * sizeof *arguments);
    arguments[count] = describe_outside(unit, call);
    const char *name = cc_print(unit, "verso.pass.world.%s.%zu", known->name, unit->program->made++);
    LLVMTypeRef type = cc_type_of_arguments(unit, LLVMTypeOf(call), arguments, count + 1);
    LLVMValueRef wrapper = cc_shared(unit, name, type, build_world, &world);
    LLVMValueRef passed = cc_replace_passed(unit, call, type, wrapper, arguments, count + 1);
    if (world.file != NULL)
        cc_mark_noted(unit, place_after_markers(passed));
}
