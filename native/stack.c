/* The private stack: a second flow of control in the same thread. See native.h.
 *
 * The differentiated call runs at fixed addresses, so that a copy of its stack can be put back and resumed. Only
 * registers that a called function must preserve are saved, and they are saved on the stack that is left: a suspended
 * flow is its stack and its stack pointer, nothing else. The reverse sweep runs there, too: who gives up, gives up by
 * going back to the host's stack.
 *
 *   lowest address                                                                     highest
 *   | not accessible: running into it is a failure | the stack, growing downwards | gap | signal stack |
 *
 * A fault in a guard arrives on the signal stack, for the private one is full. The handler leaves it by switching to
 * the host like everybody else; no signal is blocked in it (SA_NODEFER), so nothing has to be undone. Locks of the C
 * library that the program held when its stack ended stay locked. */
#include "base/system.h"
#include "native/native.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

enum { SIGNAL_STACK = 64 << 10, GAP = 64 << 10 };

/* Runaway recursion must end before the machine's memory does. */
#define STACK_LEAST (UINT64_C(64) << 20)
#define STACK_KEPT (UINT64_C(1) << 20)

char *verso_native_stack_top(void) {
    return verso_native_address(VERSO_NATIVE_STACK_AT + VERSO_NATIVE_STACK_SIZE - SIGNAL_STACK - GAP);
}

static char *lowest_usable(void) {
    uint64_t room = VERSO_NATIVE_STACK_SIZE - SIGNAL_STACK - GAP - VERSO_NATIVE_STACK_SIZE / 64;
    uint64_t size = verso_machine_memory() / 8 / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE;
    size = size < STACK_LEAST ? STACK_LEAST : size > room ? room : size;
    return verso_native_stack_top() - size;
}

/* ---- Switching ---- */

#if VERSO_NATIVE_HERE

/* Saves what System V wants preserved, on the stack that it leaves at *from; resumes the stack that was left at `to`.
 */
void verso_native_switch(char **from, char *to);
__asm__(".text\n"
        ".globl verso_native_switch\n"
        ".hidden verso_native_switch\n"
        ".type verso_native_switch, @function\n"
        "verso_native_switch:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    subq $8, %rsp\n"
        "    stmxcsr (%rsp)\n"
        "    fnstcw 4(%rsp)\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    ldmxcsr (%rsp)\n"
        "    fldcw 4(%rsp)\n"
        "    addq $8, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size verso_native_switch, .-verso_native_switch\n");

/* What verso_native_switch leaves, lowest address first. */
typedef struct left_stack {
    uint32_t mxcsr;
    uint16_t x87_control, unused;
    uint64_t r15, r14, r13, r12, rbx, rbp;
    void (*resume)(void);
    uint64_t nowhere; /* the return address of the first function: there is none */
} left_stack;

static void first_function(void) {
    verso_native_runtime.stack.body();
    verso_native_runtime.stack.outcome = VERSO_NATIVE_ENDED;
    char *abandoned;
    verso_native_switch(&abandoned, verso_native_runtime.stack.host);
    __builtin_unreachable();
}

/* A function is entered with the stack 8 bytes off a multiple of 16. The modes of arithmetic are the caller's. */
void verso_native_stack_start(void (*body)(void)) {
    _Static_assert(sizeof(left_stack) == 72, "as the assembly above pushes it");
    left_stack first = {.resume = first_function};
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(first.mxcsr), "=m"(first.x87_control));
    char *at = verso_native_stack_top() - sizeof first;
    memcpy(at, &first, sizeof first);
    verso_native_runtime.stack.task = at;
    verso_native_runtime.stack.body = body;
}

#else

static void verso_native_switch(char **from, char *to) {
    (void)from, (void)to; /* never reached: space_reserve has refused */
}

void verso_native_stack_start(void (*body)(void)) {
    verso_native_runtime.stack.body = body;
}

#endif

/* Functions that guard their frames (-fstack-protector) keep a number there that is another one in each process. A
 * stack that outlives its process has the same in all of them. */
static void exchange_canary(uint64_t *number) {
#if VERSO_NATIVE_HERE
    uint64_t before;
    __asm__ volatile("movq %%fs:40, %0" : "=r"(before));
    __asm__ volatile("movq %0, %%fs:40" : : "r"(*number) : "memory");
    *number = before;
#else
    (void)number;
#endif
}

verso_native_outcome verso_native_stack_go(void) {
    uint64_t canary = verso_native_runtime.stack.canary;
    bool exchanged = canary != 0;
    if (exchanged)
        exchange_canary(&canary);
    verso_native_runtime.stack.away = true;
    verso_native_switch(&verso_native_runtime.stack.host, verso_native_runtime.stack.task);
    verso_native_runtime.stack.away = false;
    if (exchanged)
        exchange_canary(&canary);
    return verso_native_runtime.stack.outcome;
}

void verso_native_stack_suspend(void) {
    int before = errno; /* the program's, not that of whoever has the processor meanwhile */
    verso_native_runtime.stack.outcome = VERSO_NATIVE_SUSPENDED;
    verso_native_switch(&verso_native_runtime.stack.task, verso_native_runtime.stack.host);
    errno = before;
}

/* ---- Giving up ---- */

/* Outside a differentiation there is nobody to tell and nowhere to go: generated code was called by hand. */
_Noreturn static void to_host(void) {
    if (!verso_native_runtime.stack.away)
        __builtin_trap();
    char *abandoned;
    verso_native_runtime.stack.outcome = VERSO_NATIVE_FAILED;
    verso_native_switch(&abandoned, verso_native_runtime.stack.host);
    __builtin_unreachable();
}

_Noreturn void verso_native_give_up(verso_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    verso_error *failure = &verso_native_runtime.failure;
    failure->status = status;
    if (vsnprintf(failure->message, sizeof failure->message, format, arguments) < 0)
        failure->message[0] = '\0';
    va_end(arguments);
    to_host();
}

_Noreturn void verso_native_refuse(const char *message) {
    verso_native_give_up(VERSO_INVALID, "%s", message != NULL ? message : "the differentiation was refused.");
}

/* ---- Faults ---- */

static bool between(const char *address, const char *begin, const char *end) {
    return address >= begin && address < end;
}

static char *end_of(uint64_t address, uint64_t size) {
    return verso_native_address(address + size);
}

/* A derivative is looked for where no program has memory: far below it, or beyond all addresses. */
static bool is_missing_cell(const siginfo_t *info) {
    bool looking = verso_native_runtime.reversing || verso_native_now.mode == VERSO_NATIVE_TANGENT;
    uint64_t address = (uintptr_t)info->si_addr;
    return looking && ((address >= VERSO_NATIVE_TIB && address < VERSO_NATIVE_ARENA_AT) ||
                       address >= verso_native_covered[VERSO_NATIVE_COVERED - 1][1]);
}

/* Whether it is ours; then it does not return. */
static void look_at_fault(const siginfo_t *info) {
    const char *address = info->si_addr;
    if (between(address, verso_native_address(VERSO_NATIVE_STACK_AT), verso_native_runtime.stack.lowest))
        verso_native_give_up(
            VERSO_NO_MEMORY, "the differentiated call needs more than %llu MiB of stack: is its recursion endless?",
            (unsigned long long)((uint64_t)(verso_native_stack_top() - verso_native_runtime.stack.lowest) >> 20));
    bool full = between(address, verso_native_runtime.tape.end, end_of(VERSO_NATIVE_TAPE_AT, VERSO_NATIVE_TAPE_SIZE));
    verso_native_runtime.tape.full = full;
    if (full)
        verso_native_give_up(VERSO_NO_MEMORY,
                             "the recording takes more than the %llu bytes that it may; raise tape_limit.",
                             (unsigned long long)verso_native_runtime.tape.limit);
    if (verso_native_offload_away(address))
        verso_native_give_up(VERSO_CORRUPT, "the reverse sweep reads what is still in a file: Verso has a bug.");
    if (between(address, end_of(VERSO_NATIVE_FRAMES_AT, VERSO_NATIVE_FRAMES_SIZE - VERSO_NATIVE_PAGE),
                end_of(VERSO_NATIVE_FRAMES_AT, VERSO_NATIVE_FRAMES_SIZE)))
        verso_native_give_up(VERSO_NO_MEMORY, "the reverse sweep's frames take more than %llu bytes.",
                             (unsigned long long)VERSO_NATIVE_FRAMES_SIZE);
    if (is_missing_cell(info))
        verso_native_give_up(
            VERSO_INVALID, "the program has numbers in memory for which Verso has no shadow memory (mapped at a fixed "
                           "address, or by a program that is not position-independent); link with -pie, and let the "
                           "system choose the addresses.");
}

static void pass_on(int signal, siginfo_t *info, void *context) {
    const struct sigaction *before = &verso_native_runtime.stack.before;
    if ((before->sa_flags & SA_SIGINFO) != 0)
        before->sa_sigaction(signal, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(signal);
    else
        sigaction(signal, before, NULL); /* the faulting instruction runs again and ends the program as it would have */
}

static void on_fault(int signal, siginfo_t *info, void *context) {
    if (info->si_code > 0 && verso_native_runtime.stack.away)
        look_at_fault(info);
    pass_on(signal, info, context);
}

/* The guard below the stack stays; those of tape and frames are tape.c's. */
static bool guard_stack(void) {
    if (verso_native_runtime.stack.lowest == NULL) {
        char *lowest = lowest_usable();
        if (!verso_native_protect(verso_native_address(VERSO_NATIVE_STACK_AT), lowest, false))
            return false;
        verso_native_runtime.stack.lowest = lowest;
    }
    return true;
}

verso_status verso_native_faults_catch(verso_error *error) {
    stack_t stack = {.ss_sp = verso_native_stack_top() + GAP, .ss_size = SIGNAL_STACK};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    if (!guard_stack())
        return verso_fail(error, VERSO_NO_MEMORY, "the end of the private stack cannot be guarded: %s.",
                          strerror(errno));
    if (sigaltstack(&stack, &verso_native_runtime.stack.stack_before) != 0)
        return verso_fail(error, VERSO_STATE, "a differentiation cannot begin in a signal handler: %s.",
                          strerror(errno));
    sigaction(SIGSEGV, &action, &verso_native_runtime.stack.before);
    return VERSO_OK;
}

/* A handler that the program has installed meanwhile stays. */
void verso_native_faults_release(void) {
    struct sigaction now;
    sigaction(SIGSEGV, NULL, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault)
        sigaction(SIGSEGV, &verso_native_runtime.stack.before, NULL);
    sigaltstack(&verso_native_runtime.stack.stack_before, NULL);
}

void verso_native_stack_trim(void) {
    verso_native_drop(verso_native_runtime.stack.lowest, verso_native_stack_top() - STACK_KEPT);
}

/* It grows downwards without holes: the first page that is not there was not used. */
size_t verso_native_stack_used(void) {
    enum { ASKED = 64 };
    unsigned char resident[ASKED];
    size_t used = 0, found = ASKED;
    while (found == ASKED && used < VERSO_NATIVE_STACK_SIZE / 2) {
        char *below = verso_native_stack_top() - used - (size_t)ASKED * VERSO_NATIVE_PAGE;
        found = verso_native_resident(below - (uintptr_t)below % VERSO_NATIVE_PAGE, ASKED, resident);
        used += found * VERSO_NATIVE_PAGE;
    }
    return used;
}
