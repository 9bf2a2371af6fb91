/* The private stack: a second flow of control in the same thread. See memory.h.
 *
 * The differentiated call runs at fixed addresses, so that a copy of its stack can be put back and resumed. A
 * switch saves only the registers that a called function must preserve, on the stack that is left: a suspended
 * flow is its stack and its stack pointer, nothing else. The reverse sweep runs there, too. To give up means to
 * switch back to the host's stack.
 *
 *   lowest address                                                                     highest
 *   | not accessible: an overflow is a failure | the stack, growing downwards | gap | signal stack |
 *
 * The handler of a fault in a guard runs on the signal stack, because the private stack is full. It leaves by
 * switching to the host's stack; no signal is blocked in it (SA_NODEFER), so that nothing has to be undone.
 * Locks of the C library that the program held when its stack overflowed stay locked. */
#include "base/system.h"
#include "native/memory/inside.h"

#include <errno.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

static struct {
    char *host, *task; /* stack pointers of the host's and of the private stack while they do not run */
    char *lowest;      /* lowest accessible address of the private stack; NULL: not guarded yet */
    void (*body)(void);
    uint64_t canary; /* see verso__native_stack_set_canary */
    bool running;    /* the private stack runs */
    verso__native_outcome outcome;
    struct sigaction before;
    stack_t stack_before;
    size_t deepest;                       /* see verso__native_stack_note_depth */
    verso_error failure;                  /* the error of the run that failed last */
    void (*explain)(const char *address); /* see verso__native_faults_catch */
} stack_state;

enum { SIGNAL_STACK = 64 << 10, GAP = 64 << 10 };

/* Limits of the private stack, in bytes: its minimum size, and the part that verso__native_stack_trim keeps. */
#define STACK_LEAST (UINT64_C(64) << 20)
#define STACK_KEPT (UINT64_C(1) << 20)

char *verso__native_stack_top(void) {
    return verso__native_address(VERSO_NATIVE_STACK_AT + VERSO_NATIVE_STACK_SIZE - SIGNAL_STACK - GAP);
}

static char *lowest_usable(void) {
    uint64_t room = VERSO_NATIVE_STACK_SIZE - SIGNAL_STACK - GAP - VERSO_NATIVE_STACK_SIZE / 64;
    uint64_t size = verso__machine_memory() / 8 / VERSO_NATIVE_PAGE * VERSO_NATIVE_PAGE;
    size = size < STACK_LEAST ? STACK_LEAST : size > room ? room : size;
    return verso__native_stack_top() - size;
}

/* ---- Switching ---- */

#if VERSO_NATIVE_HERE

/* Saves the registers that System V requires a function to preserve on the current stack, stores the stack
 * pointer in *from, and resumes the stack that was left at `to`. */
void verso__native_switch(char **from, char *to);
__asm__(".text\n"
        ".globl verso__native_switch\n"
        ".hidden verso__native_switch\n"
        ".type verso__native_switch, @function\n"
        "verso__native_switch:\n"
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
        ".size verso__native_switch, .-verso__native_switch\n");

/* What verso__native_switch leaves on a stack, lowest address first. */
typedef struct left_stack {
    uint32_t mxcsr;
    uint16_t x87_control, unused;
    uint64_t r15, r14, r13, r12, rbx, rbp;
    void (*resume)(void);
    uint64_t nowhere; /* return address of the first function, which never returns */
} left_stack;

static void first_function(void) {
    stack_state.body();
    stack_state.outcome = VERSO_NATIVE_ENDED;
    char *abandoned;
    verso__native_switch(&abandoned, stack_state.host);
    __builtin_unreachable();
}

/* The stack pointer must be 8 bytes below a multiple of 16 at a function's entry. The floating-point modes are
 * those of the caller. */
void verso__native_stack_start(void (*body)(void)) {
    _Static_assert(sizeof(left_stack) == 72, "as the assembly above pushes it");
    left_stack first = {.resume = first_function};
    __asm__ volatile("stmxcsr %0\n\tfnstcw %1" : "=m"(first.mxcsr), "=m"(first.x87_control));
    char *at = verso__native_stack_top() - sizeof first;
    memcpy(at, &first, sizeof first);
    stack_state.task = at;
    stack_state.body = body;
}

void verso__native_stack_enter(char *stack, void (*function)(void), const uint64_t preserved[6], uint32_t mxcsr,
                               uint16_t x87_control) {
    left_stack first = {.mxcsr = mxcsr,
                        .x87_control = x87_control,
                        .rbx = preserved[0],
                        .rbp = preserved[1],
                        .r12 = preserved[2],
                        .r13 = preserved[3],
                        .r14 = preserved[4],
                        .r15 = preserved[5],
                        .resume = function};
    stack_state.task = stack - offsetof(left_stack, nowhere);
    memcpy(stack_state.task, &first, offsetof(left_stack, nowhere));
}

#else

void verso__native_stack_enter(char *stack, void (*function)(void), const uint64_t preserved[6], uint32_t mxcsr,
                               uint16_t x87_control) {
    (void)stack, (void)function, (void)preserved, (void)mxcsr, (void)x87_control;
}

static void verso__native_switch(char **from, char *to) {
    (void)from, (void)to; /* never reached: verso__native_space_reserve has failed */
}

void verso__native_stack_start(void (*body)(void)) {
    stack_state.body = body;
}

#endif

/* Exchanges the stack protector's canary (-fstack-protector), which is random in each process, with *number. A
 * stack that outlives its process needs the same canary in all processes. */
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

verso__native_outcome verso__native_stack_go(void) {
    uint64_t canary = stack_state.canary;
    bool exchanged = canary != 0;
    if (exchanged)
        exchange_canary(&canary);
    stack_state.running = true;
    verso__native_switch(&stack_state.host, stack_state.task);
    stack_state.running = false;
    if (exchanged)
        exchange_canary(&canary);
    return stack_state.outcome;
}

void verso__native_stack_suspend(void) {
    int before = errno; /* the program must not see changes by the host */
    stack_state.outcome = VERSO_NATIVE_SUSPENDED;
    verso__native_switch(&stack_state.task, stack_state.host);
    errno = before;
}

/* ---- Giving up ---- */

/* Outside a differentiation there is no host to return to: generated code was called by hand. */
_Noreturn static void to_host(void) {
    if (!stack_state.running)
        __builtin_trap();
    char *abandoned;
    stack_state.outcome = VERSO_NATIVE_FAILED;
    verso__native_switch(&abandoned, stack_state.host);
    __builtin_unreachable();
}

/* Where this thread goes on when it gives up within verso__native_catch. */
typedef struct catching {
    jmp_buf go_on;
    verso_error *error;
} catching;
static _Thread_local catching *catching_now;

bool verso__native_catch(void (*body)(void *context), void *context, verso_error *error) {
    catching own = {.error = error};
    if (setjmp(own.go_on) != 0) {
        catching_now = NULL;
        return true;
    }
    catching_now = &own;
    body(context);
    catching_now = NULL;
    return false;
}

_Noreturn void verso__native_give_up(verso_status status, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    verso_error *failure = catching_now != NULL ? catching_now->error : &stack_state.failure;
    failure->status = status;
    if (vsnprintf(failure->message, sizeof failure->message, format, arguments) < 0)
        failure->message[0] = '\0';
    va_end(arguments);
    if (catching_now != NULL)
        longjmp(catching_now->go_on, 1);
    to_host();
}

_Noreturn void verso__native_refuse(const char *message) {
    verso__native_give_up(VERSO_STATUS_INVALID, "%s", message != NULL ? message : "the differentiation was refused");
}

/* ---- Faults ---- */

static bool is_between(const char *address, const char *begin, const char *end) {
    return address >= begin && address < end;
}

/* Gives up if the fault belongs to the differentiation; otherwise returns. */
static void check_fault(const siginfo_t *info) {
    const char *address = info->si_addr;
    if (is_between(address, verso__native_address(VERSO_NATIVE_STACK_AT), stack_state.lowest))
        verso__native_give_up(VERSO_STATUS_NO_MEMORY,
                              "the differentiated call needs more than %llu MiB of stack: is its recursion endless?",
                              (unsigned long long)((uint64_t)(verso__native_stack_top() - stack_state.lowest) >> 20));
    stack_state.explain(address);
}

static void pass_on(int signal, siginfo_t *info, void *context) {
    const struct sigaction *before = &stack_state.before;
    if ((before->sa_flags & SA_SIGINFO) != 0)
        before->sa_sigaction(signal, info, context);
    else if (before->sa_handler != SIG_DFL && before->sa_handler != SIG_IGN)
        before->sa_handler(signal);
    else
        sigaction(signal, before, NULL); /* the faulting instruction is repeated and ends the program */
}

static void on_fault(int signal, siginfo_t *info, void *context) {
    if (info->si_code > 0 && stack_state.running)
        check_fault(info);
    pass_on(signal, info, context);
}

/* Guards the end of the private stack, once. tape.c guards tape and frames. */
static bool guard_stack(void) {
    if (stack_state.lowest == NULL) {
        char *lowest = lowest_usable();
        if (!verso__native_protect(verso__native_address(VERSO_NATIVE_STACK_AT), lowest, false))
            return false;
        stack_state.lowest = lowest;
    }
    return true;
}

verso_status verso__native_faults_catch(void (*explain)(const char *address), verso_error *error) {
    stack_t stack = {.ss_sp = verso__native_stack_top() + GAP, .ss_size = SIGNAL_STACK};
    struct sigaction action = {.sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    sigemptyset(&action.sa_mask);
    if (!guard_stack())
        return verso__fail(error, VERSO_STATUS_NO_MEMORY, "the end of the private stack cannot be guarded: %s",
                           strerror(errno));
    if (sigaltstack(&stack, &stack_state.stack_before) != 0)
        return verso__fail(error, VERSO_STATUS_STATE, "a differentiation cannot begin in a signal handler: %s",
                           strerror(errno));
    stack_state.explain = explain;
    sigaction(SIGSEGV, &action, &stack_state.before);
    return VERSO_STATUS_OK;
}

/* Leaves a handler that the program has installed meanwhile. */
void verso__native_faults_release(void) {
    struct sigaction now;
    sigaction(SIGSEGV, NULL, &now);
    if ((now.sa_flags & SA_SIGINFO) != 0 && now.sa_sigaction == on_fault)
        sigaction(SIGSEGV, &stack_state.before, NULL);
    sigaltstack(&stack_state.stack_before, NULL);
}

void verso__native_stack_trim(void) {
    verso__native_drop(stack_state.lowest, verso__native_stack_top() - STACK_KEPT);
}

/* The stack grows downwards without gaps, so that the first page that is not in memory was not used. */
size_t verso__native_stack_used(void) {
    enum { ASKED = 64 };
    unsigned char resident[ASKED];
    size_t used = 0, found = ASKED;
    while (found == ASKED && used < VERSO_NATIVE_STACK_SIZE / 2) {
        char *below = verso__native_stack_top() - used - (size_t)ASKED * VERSO_NATIVE_PAGE;
        found = verso__native_resident(below - (uintptr_t)below % VERSO_NATIVE_PAGE, ASKED, resident);
        used += found * VERSO_NATIVE_PAGE;
    }
    return used;
}

char *verso__native_stack_pointer(void) {
    return stack_state.task;
}

void verso__native_stack_set_pointer(char *pointer) {
    stack_state.task = pointer;
}

void verso__native_stack_set_canary(uint64_t canary) {
    stack_state.canary = canary;
}

bool verso__native_stack_is_running(void) {
    return stack_state.running;
}

void verso__native_stack_note_depth(size_t size) {
    if (size > stack_state.deepest)
        stack_state.deepest = size;
}

size_t verso__native_stack_deepest(void) {
    return stack_state.deepest;
}

void verso__native_stack_forget_depth(void) {
    stack_state.deepest = 0;
}

verso_error *verso__native_failure_now(void) {
    return &stack_state.failure;
}

bool verso__native_stack_raise(char *lowest) {
    if (!verso__native_protect(stack_state.lowest, lowest, false))
        return false;
    stack_state.lowest = lowest;
    return true;
}
