/* The parts of verso_linear_solve that are not differentiated: see native/lib/linear.c and verso/linear.h.
 *
 *   begin   solves the system. The solution has no derivative
 *   end     stands for the product of the inverse with `rest`, which is zero up to rounding. Its sweep reads the
 *           adjoint of x and adds to that of `rest` the solution w of the transposed system. It leaves the adjoint of
 *           x in its cells, from which the reverse of the product subtracts A^T w; so the sweep of `begin` finds the
 *           residual there, and in the cell of `note` the size of the adjoint. */
#include "native/sweep/linear.h"

#include "base/alloc.h"
#include "base/sized.h"
#include "native/sweep/sweep.h"

#include <math.h>
#include <string.h>

/* ---- A plain run ---- */

static size_t sides_of(const verso_linear_problem *problem) {
    return problem->sides == 0 ? 1 : problem->sides;
}

static bool solve_all(const verso_linear_problem *problem, bool transposed, const double *b, double *x) {
    bool solved = true;
    for (size_t side = 0; side < sides_of(problem); side++) {
        size_t at = side * problem->count;
        solved = problem->solve(problem->context, transposed && !problem->symmetric, b + at, x + at) && solved;
    }
    return solved;
}

bool verso_linear_solve_at(const char *where, const verso_linear_problem *problem, const double *b, double *x) {
    (void)where;
    return problem->size != 0 && solve_all(problem, false, b, x);
}

/* ---- Checks ---- */

static size_t numbers_of(const verso_linear_problem *problem) {
    return problem->count * sides_of(problem);
}

static double norm_of(const double *numbers, size_t count) {
    double largest = 0, sum = 0;
    for (size_t i = 0; i < count; i++)
        largest = fabs(numbers[i]) <= largest ? largest : fabs(numbers[i]); /* a NaN counts as the largest */
    for (size_t i = 0; i < count && largest > 0; i++)
        sum += numbers[i] / largest * (numbers[i] / largest);
    return largest * sqrt(sum);
}

static void check_residual(const char *where, const verso_linear_problem *problem, const char *what, double residual,
                           double size) {
    double tolerance = problem->tolerance == 0 ? 1e-8 : problem->tolerance;
    if (!(residual <= tolerance * size))
        verso__native_give_up(
            VERSO_STATUS_INVALID,
            "%s: %s is not solved: its residual is %.1e of the right-hand side, and the tolerance is %.1e; let the "
            "solver converge further or raise the tolerance. `solve` and `apply` must be about the same matrix, and "
            "what `solve` reads must not have changed since the call, or be in `kept`",
            where, what, residual / size, tolerance);
}

_Noreturn static void refuse_failure(const char *where, const char *what) {
    verso__native_give_up(VERSO_STATUS_INVALID, "%s: the solver reports that it has failed to solve %s", where, what);
}

static const char the_system[] = "the linear system", the_adjoint[] = "the transposed linear system of the sweep",
                  the_tangent[] = "the linear system of the tangents";

static double *new_numbers(const char *where, size_t count) {
    double *numbers = verso__native_calloc(count + 1, sizeof *numbers);
    if (numbers == NULL)
        verso__native_give_up(VERSO_STATUS_NO_MEMORY, "%s: there is no memory for a linear system of %zu numbers",
                              where, count);
    return numbers;
}

/* ---- begin ---- */

static void begin(const char *where, const verso_linear_problem *problem, const double *b, double *x, double *note) {
    if (problem->size == 0)
        verso__native_give_up(VERSO_STATUS_INVALID,
                              "%s: the problem was not initialised; begin with VERSO_LINEAR_PROBLEM_INIT", where);
    *note = 0;
    if (!solve_all(problem, false, b, x))
        refuse_failure(where, the_system);
}

/* Without derivatives. */
void verso__native_linear_begin(const char *where, const verso_linear_problem *problem, const double *b, double *x,
                                double *note) {
    begin(where, problem, b, x, note);
}

void verso__native_linear_begin_record(verso_call *call, const char *where, const verso_linear_problem *problem,
                                       const double *b, double *x, double *note) {
    begin(where, problem, b, x, note);
    verso_keep(call, &problem->tolerance, sizeof problem->tolerance);
    verso_keep(call, &(size_t){numbers_of(problem)}, sizeof(size_t));
}

void verso__native_linear_begin_sweep(verso_call *call, const char *where, const verso_linear_problem *problem,
                                      const double *b, double *x, double *note) {
    (void)problem, (void)b;
    verso_linear_problem kept = VERSO_LINEAR_PROBLEM_INIT;
    memcpy(&kept.tolerance, call->kept, sizeof kept.tolerance);
    memcpy(&kept.count, (const char *)call->kept + sizeof kept.tolerance, sizeof kept.count);
    double size, *rest = new_numbers(where, kept.count);
    verso_adjoint_take(note, VERSO_SCALAR_DOUBLE, 1, &size);
    verso_adjoint_take(x, VERSO_SCALAR_DOUBLE, kept.count, rest);
    check_residual(where, &kept, the_adjoint, norm_of(rest, kept.count), size);
    verso__native_free(rest);
}

void verso__native_linear_begin_tangent(verso_call *call, const char *where, const verso_linear_problem *problem,
                                        const double *b, double *x, double *note) {
    (void)call;
    begin(where, problem, b, x, note);
    verso__native_tangent_clear(x, numbers_of(problem) * sizeof *x);
    verso__native_tangent_clear(note, sizeof *note);
}

/* ---- end ---- */

static bool is_automatic(const void *data) {
    return (uintptr_t)data - VERSO_NATIVE_STACK_AT < VERSO_NATIVE_STACK_SIZE;
}

static bool is_kept(const verso_linear_problem *problem, const void *data) {
    for (size_t i = 0; i < problem->kept_count; i++)
        if (problem->kept[i].data == data)
            return true;
    return false;
}

/* An automatic variable no longer exists when the sweep calls the solver. */
static void check_memory(const char *where, const verso_linear_problem *problem) {
    bool missing = is_automatic(problem->context) && !is_kept(problem, problem->context);
    for (size_t i = 0; i < problem->kept_count; i++)
        missing = missing || (problem->kept[i].data != problem->context && is_automatic(problem->kept[i].data));
    if (missing)
        verso__native_give_up(
            VERSO_STATUS_INVALID,
            "%s: the solver reads an automatic variable, which no longer exists when the reverse sweep calls it; name "
            "*context in `kept`, and let it point to static memory or the heap only",
            where);
}

void verso__native_linear_end(const char *where, const verso_linear_problem *problem, const double *b,
                              const double *rest, double *x, double *note) {
    (void)where, (void)problem, (void)b, (void)rest, (void)x, (void)note;
}

void verso__native_linear_end_record(verso_call *call, const char *where, const verso_linear_problem *problem,
                                     const double *b, const double *rest, double *x, double *note) {
    (void)x, (void)note;
    check_residual(where, problem, the_system, norm_of(rest, numbers_of(problem)), norm_of(b, numbers_of(problem)));
    check_memory(where, problem);
    verso_keep(call, problem, sizeof *problem);
    verso_keep(call, problem->kept, problem->kept_count * sizeof *problem->kept);
    for (size_t i = 0; i < problem->kept_count; i++)
        verso_keep(call, problem->kept[i].data, problem->kept[i].bytes);
}

/* Exchanges the kept memory with what is there now. *context is not put back but used where its copy is. */
static void exchange(verso_linear_problem *problem, char *bytes) {
    const void *context = problem->context;
    for (size_t i = 0; i < problem->kept_count; i++) {
        verso_linear_memory one;
        memcpy(&one, &problem->kept[i], sizeof one);
        if (one.data == context)
            problem->context = bytes;
        else
            for (size_t k = 0; k < one.bytes; k++) {
                char now = ((char *)one.data)[k];
                ((char *)one.data)[k] = bytes[k];
                bytes[k] = now;
            }
        bytes += one.bytes;
    }
}

void verso__native_linear_end_sweep(verso_call *call, const char *where, const verso_linear_problem *given,
                                    const double *b, const double *rest, double *x, double *note) {
    (void)given, (void)b;
    verso_linear_problem problem;
    memcpy(&problem, call->kept, sizeof problem);
    size_t all = numbers_of(&problem);
    problem.kept = (const verso_linear_memory *)((char *)call->kept + sizeof problem);
    char *bytes = (char *)(uintptr_t)(problem.kept + problem.kept_count);
    double *adjoint = new_numbers(where, all), *w = new_numbers(where, all);
    verso_adjoint_read(x, VERSO_SCALAR_DOUBLE, all, adjoint);
    double size = norm_of(adjoint, all);
    if (size != 0) {
        void *context = problem.context;
        exchange(&problem, bytes);
        bool solved = solve_all(&problem, true, adjoint, w);
        problem.context = context;
        exchange(&problem, bytes);
        if (!solved)
            refuse_failure(where, the_adjoint);
    }
    verso_adjoint_add(rest, VERSO_SCALAR_DOUBLE, all, w);
    verso_adjoint_add(note, VERSO_SCALAR_DOUBLE, 1, &size);
    verso__native_free(w);
    verso__native_free(adjoint);
}

/* Checks the tangents by the product with A, which runs without derivatives here. */
static void check_tangents(const char *where, const verso_linear_problem *problem, const double *right,
                           const double *tangents) {
    size_t all = numbers_of(problem);
    double *left = new_numbers(where, all);
    for (size_t side = 0; side < sides_of(problem); side++)
        problem->apply(problem->context, tangents + side * problem->count, left + side * problem->count);
    for (size_t i = 0; i < all; i++)
        left[i] -= right[i];
    check_residual(where, problem, the_tangent, norm_of(left, all), norm_of(right, all));
    verso__native_free(left);
}

void verso__native_linear_end_tangent(verso_call *call, const char *where, const verso_linear_problem *problem,
                                      const double *b, const double *rest, double *x, double *note) {
    (void)call, (void)note;
    size_t all = numbers_of(problem);
    check_residual(where, problem, the_system, norm_of(rest, all), norm_of(b, all));
    double *right = new_numbers(where, all), *tangents = new_numbers(where, all);
    verso_tangent_read(rest, VERSO_SCALAR_DOUBLE, all, right);
    if (norm_of(right, all) != 0) {
        if (!solve_all(problem, false, right, tangents))
            refuse_failure(where, the_tangent);
        check_tangents(where, problem, right, tangents);
    }
    verso_tangent_write(x, VERSO_SCALAR_DOUBLE, all, tangents);
    verso__native_free(tangents);
    verso__native_free(right);
}
