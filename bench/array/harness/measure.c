/* The main program of every kernel of bench/array: measure TOLERANCE SECONDS. It compares Verso's derivative with the
 * hand-written adjoint's, then times clang's kernel, Verso and the hand-written adjoint in turn, for SECONDS of the
 * processor, and prints one line for bench/array:
 *     primal, gradient and hand-written adjoint in seconds (least); bytes of tape; greatest difference of the gradients
 *     by the greatest number of the gradient
 * A difference above TOLERANCE is a failure; the message has a finite difference, which shows which of the two is
 * wrong. */
#include "bench/array/harness/measure.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { LEAST_RUNS = 4, MOST_RUNS = 60 };

double plain_kernel(const double *x, size_t n);
extern const size_t kernel_inputs;
double hand_gradient(const double *x, size_t n, double *gradient);

typedef struct point {
    size_t n, results; /* numbers in a gradient, or 1 for a tangent */
    double *x, *verso, *hand;
    double tolerance;
} point;

typedef struct times {
    double primal, verso, hand;
} times;

static double seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

/* Numbers in [0.5, 1), the same everywhere. */
static point begin(double tolerance) {
    point p = {.n = kernel_inputs, .tolerance = tolerance};
    p.results = asks_tangent ? 1 : p.n;
    p.x = calloc(p.n, sizeof *p.x);
    p.verso = calloc(p.n, sizeof *p.verso);
    p.hand = calloc(p.n, sizeof *p.hand);
    if (!p.x || !p.verso || !p.hand)
        exit(1);
    for (size_t i = 0; i < p.n; i++)
        p.x[i] = 0.5 + 0.5 * fmod((double)(i + 1) * 0.6180339887498949, 1);
    return p;
}

static answer ask_verso(point *p) {
    answer a;
    if (!ask(p->x, p->n, p->verso, &a)) {
        fprintf(stderr, "Verso refused: %s\n", a.message);
        exit(1);
    }
    return a;
}

static double ask_hand(point *p) {
    double value = hand_gradient(p->x, p->n, p->hand), sum = 0;
    if (asks_tangent) {
        for (size_t i = 0; i < p->n; i++)
            sum += p->hand[i];
        p->hand[0] = sum;
    }
    return value;
}

static double finite_difference(point *p, size_t at) {
    double step = p->tolerance > 1e-6 ? 1e-2 : 1e-5, value[2];
    for (int side = 0; side < 2; side++) {
        for (size_t i = 0; i < p->n; i++)
            if (asks_tangent || i == at)
                p->x[i] += side == 0 ? step : -2 * step;
        value[side] = plain_kernel(p->x, p->n);
    }
    return (value[0] - value[1]) / (2 * step);
}

/* NaN and infinity count as the greatest difference there is. */
static double difference_at(const point *p, size_t i) {
    double difference = fabs(p->verso[i] - p->hand[i]);
    return difference < INFINITY ? difference : INFINITY;
}

/* The greatest difference, by the greatest number. */
static double compare(point *p) {
    double most = 0, difference = 0;
    size_t worst = 0;
    for (size_t i = 0; i < p->results; i++) {
        most = fmax(most, fabs(p->hand[i]));
        if (difference_at(p, i) > difference) {
            difference = difference_at(p, i);
            worst = i;
        }
    }
    if (most > 0 && difference <= p->tolerance * most)
        return difference / most;
    fprintf(stderr, "derivative %zu of %zu: Verso %.12g, by hand %.12g, finite difference %.12g; greatest %g\n", worst,
            p->results, p->verso[worst], p->hand[worst], finite_difference(p, worst), most);
    exit(1);
}

static void compare_value(const point *p, const char *whose, double value) {
    double plain = plain_kernel(p->x, p->n);
    if (fabs(value - plain) <= p->tolerance * fabs(plain))
        return;
    fprintf(stderr, "the value %s is %.17g, clang's is %.17g\n", whose, value, plain);
    exit(1);
}

static void time_once(point *p, times *least) {
    double began = seconds();
    volatile double value = plain_kernel(p->x, p->n);
    double primal = seconds();
    (void)value;
    ask_verso(p);
    double verso = seconds();
    ask_hand(p);
    double hand = seconds();
    least->primal = fmin(least->primal, primal - began);
    least->verso = fmin(least->verso, verso - primal);
    least->hand = fmin(least->hand, hand - verso);
}

int main(int argc, char **argv) {
    if (argc != 3)
        return 2;
    point p = begin(atof(argv[1]));
    answer a = ask_verso(&p);
    compare_value(&p, "of Verso", a.value);
    compare_value(&p, "by hand", ask_hand(&p));
    double difference = compare(&p), end = seconds() + atof(argv[2]);
    times least = {INFINITY, INFINITY, INFINITY};
    for (int i = 0; i < LEAST_RUNS || (i < MOST_RUNS && seconds() < end); i++)
        time_once(&p, &least);
    printf("%.9g %.9g %.9g %zu %.3g\n", least.primal, least.verso, least.hand, a.tape_bytes, difference);
    return 0;
}
