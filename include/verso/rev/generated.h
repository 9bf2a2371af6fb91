/* What generated functions need beyond <verso/rev.h>; only generated code uses it. `verso rev` includes it after the
 * user's own headers, before the first generated function. Errors are faults (verso/rev/fault.h). Thread safety:
 * nothing here has state; all of it may be used in any thread. */
#ifndef VERSO_REV_GENERATED_H
#define VERSO_REV_GENERATED_H

#include <verso/rev.h>
#include <verso/rev/callee.h>
#ifdef __CUDACC__
#include <verso/rev/launch.h>
#endif

/* Keeps gcc from inlining or specialising functions with `restrict` parameters. When gcc (12.2 at -O3,
 * tests/rev/optimized/restrict.rev.c) does so and finds that two `restrict` arrays are adjacent, it joins stores to
 * both into one, keeps only the alias information of the first, and moves a load across it: the result is wrong. */
#if !defined(__GNUC__) || defined(__clang__)
#define REV_APART
#elif __GNUC__ >= 8
#define REV_APART __attribute__((noipa))
#else
#define REV_APART __attribute__((noinline, noclone))
#endif

/* Guards code that undoes something only so that it can be checked; without checks it is not run. */
#ifdef VERSO_REV_NOCHECK
#define REV_CHECKING 0
#else
#define REV_CHECKING 1
#endif

/* What a function writes through one parameter must not be reachable through another. rev_check_slices tests this at
 * the start of functions that some call passes two parts of one array (slices); rev_check_overlap tests it at the start
 * of all others, with -DVERSO_REV_OVERLAP only. */
#define rev_check_slices(a, a_size, b, b_size, check) \
    do { \
        if ((a) && (b)) \
            rev_check_apart(a, a_size, b, b_size, check); \
    } while (0)
#ifdef VERSO_REV_OVERLAP
#define rev_check_overlap rev_check_slices
#else
#define rev_check_overlap(a, a_size, b, b_size, check) ((void)0)
#endif

/* Pops a bar (or a tangent). If its stack is empty, the value was pushed by code without bars: the bar is zero. */
#define rev_stack_pop_bar(stack, lvalue) \
    do { \
        memset(&(lvalue), 0, sizeof(lvalue)); \
        if (rev_stack_count(stack) > 0) \
            rev_stack_pop(stack, lvalue); \
    } while (0)

/* ---- Ancilla arrays whose size is known only at run time ---- */

#define REV_ANCILLA_BYTES ((size_t)64 * 1024) /* larger arrays are on the heap, smaller ones on the C stack */
/* The number of elements to reserve on the C stack: 1 if the array is on the heap. */
#define rev_ancilla_here(bytes, length) ((bytes) > REV_ANCILLA_BYTES ? 1 : (length))

/* Returns memory for a large array, which REV_FREED frees at the end of the block; NULL if the array is small enough
 * for the C stack. Raises REV_FAULT_MEMORY if there is no memory, and aborts even if the handler returns. */
static inline void *rev_ancilla_heap(size_t bytes, const char *what, const char *file, int line) {
    if (bytes <= REV_ANCILLA_BYTES)
        return NULL;
    void *memory = malloc(bytes);
    if (!memory) {
        rev_fault_raise(REV_FAULT_MEMORY, what, 0, (double)bytes, file, line);
        abort(); /* the function cannot continue without its array */
    }
    return memory;
}

/* Called by the cleanup attribute with the address of the pointer. */
static inline void rev_ancilla_free(void *pointer) {
    free(*(void **)pointer);
}

#define REV_FREED __attribute__((cleanup(rev_ancilla_free)))

#ifndef __cplusplus
/* a * conj(b) for finite numbers. Faster than C's complex product, which must also handle infinities. */
static inline double _Complex rev_times_conj(double _Complex a, double _Complex b) {
    double x = __extension__ __real__ a, y = __extension__ __imag__ a;
    double u = __extension__ __real__ b, v = __extension__ __imag__ b;
    double _Complex product = 0;
    __extension__ __real__ product = x * u + y * v;
    __extension__ __imag__ product = y * u - x * v;
    return product;
}
#endif

/* The polygamma function: the derivative of order n + 1 of log Gamma at x; n = 0 is the digamma function. The relative
 * error is about 1e-15 except near zeros of the function. Uses the recurrence up to a large x, and there the asymptotic
 * series. */
REV_FUNCTION double rev_polygamma(int n, double x) {
    static const double bernoulli[] = {1.0 / 6,       -1.0 / 30, 1.0 / 42,      -1.0 / 30,     5.0 / 66,
                                       -691.0 / 2730, 7.0 / 6,   -3617.0 / 510, 43867.0 / 798, -174611.0 / 330};
    double sign = n % 2 ? 1 : -1;  /* (-1)^(n + 1) */
    double factorial = 1, sum = 0; /* factorial: (n - 1)! */
    for (int k = 2; k < n; k++)
        factorial *= k;
    double next = n == 0 ? 1 : factorial * n; /* n! */
    for (; x < 20 + n; x += 1)
        sum += sign * next / pow(x, n + 1);
    double series = n == 0 ? -log(x) + 1 / (2 * x) : factorial / pow(x, n) + next / (2 * pow(x, n + 1));
    double power = n == 0 ? 1 / (x * x) : 1 / pow(x, n + 2);
    double rising = n == 0 ? 1 : next * (n + 1); /* (2k + n - 1)! / (2k)! times (2k)!: begins with (n + 1)! / 2! */
    double under = 2;
    for (int k = 1; k <= 10; k++) {
        series += bernoulli[k - 1] * power * (n == 0 ? 1.0 / (2 * k) : rising / under);
        power /= x * x;
        rising *= (double)(2 * k + n) * (2 * k + n + 1);
        under *= (double)(2 * k + 1) * (2 * k + 2);
    }
    return sum + sign * series;
}

#endif
