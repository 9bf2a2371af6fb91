/* See lbfgs.h. */
#include "lbfgs.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* The vectors of one minimisation: gradient and direction, the trial point with its gradient, and the pairs, of which
 * the newest has the index (count - 1) modulo LBFGS_PAIRS. */
typedef struct work {
    double *memory, *gradient, *direction, *trial, *trial_gradient;
    double *s[LBFGS_PAIRS], *y[LBFGS_PAIRS], rho[LBFGS_PAIRS];
    int count;
} work;

static double dot(size_t size, const double *a, const double *b) {
    double sum = 0;
    for (size_t i = 0; i < size; i++)
        sum += a[i] * b[i];
    return sum;
}

static void add(size_t size, double factor, const double *a, double *to) {
    for (size_t i = 0; i < size; i++)
        to[i] += factor * a[i];
}

static int open_work(work *self, size_t size) {
    *self = (work){.memory = calloc(4 + 2 * LBFGS_PAIRS, size * sizeof(double))};
    if (self->memory == NULL)
        return LBFGS_NO_MEMORY;
    double *next = self->memory, **vectors[] = {&self->gradient, &self->direction, &self->trial, &self->trial_gradient};
    for (int i = 0; i < 4; i++, next += size)
        *vectors[i] = next;
    for (int i = 0; i < LBFGS_PAIRS; i++, next += 2 * size) {
        self->s[i] = next;
        self->y[i] = next + size;
    }
    return 0;
}

/* d = -(approximate H^-1) g */
static void find_direction(work *self, size_t size) {
    double alpha[LBFGS_PAIRS], *d = self->direction;
    int oldest = self->count > LBFGS_PAIRS ? self->count - LBFGS_PAIRS : 0;
    for (size_t i = 0; i < size; i++)
        d[i] = -self->gradient[i];
    for (int k = self->count; k-- > oldest;) {
        int p = k % LBFGS_PAIRS;
        alpha[p] = self->rho[p] * dot(size, self->s[p], d);
        add(size, -alpha[p], self->y[p], d);
    }
    if (self->count > 0) { /* the scale of H^-1, from the newest pair */
        int p = (self->count - 1) % LBFGS_PAIRS;
        double scale = 1 / (self->rho[p] * dot(size, self->y[p], self->y[p]));
        for (size_t i = 0; i < size; i++)
            d[i] *= scale;
    }
    for (int k = oldest; k < self->count; k++) {
        int p = k % LBFGS_PAIRS;
        add(size, alpha[p] - self->rho[p] * dot(size, self->y[p], d), self->s[p], d);
    }
}

/* Finds a step length that satisfies both conditions of lbfgs.h; the trial point is then x + step * direction. */
static int search_line(lbfgs *self, work *room, double *value, double *step) {
    double slope = dot(self->size, room->gradient, room->direction), low = 0, high = INFINITY;
    for (int trial = 0; trial < LBFGS_TRIALS; trial++) {
        memcpy(room->trial, self->x, self->size * sizeof *self->x);
        add(self->size, *step, room->direction, room->trial);
        int code = self->evaluate(self->context, room->trial, value, room->trial_gradient);
        if (code != 0)
            return code;
        if (!(*value <= self->value + 1e-4 * *step * slope)) /* too long, or not a number */
            high = *step;
        else if (dot(self->size, room->trial_gradient, room->direction) < 0.9 * slope)
            low = *step;
        else
            return 0;
        *step = high < INFINITY ? 0.5 * (low + high) : 2 * *step;
    }
    return LBFGS_NO_STEP;
}

/* Moves to the trial point and adds a pair. */
static void accept(lbfgs *self, work *room, double value) {
    int p = room->count++ % LBFGS_PAIRS;
    for (size_t i = 0; i < self->size; i++) {
        room->s[p][i] = room->trial[i] - self->x[i];
        room->y[p][i] = room->trial_gradient[i] - room->gradient[i];
    }
    room->rho[p] = 1 / dot(self->size, room->s[p], room->y[p]);
    memcpy(self->x, room->trial, self->size * sizeof *self->x);
    memcpy(room->gradient, room->trial_gradient, self->size * sizeof *self->x);
    self->value = value;
    self->gradient_norm = sqrt(dot(self->size, room->gradient, room->gradient));
}

static int minimise(lbfgs *self, work *room) {
    int code = self->evaluate(self->context, self->x, &self->value, room->gradient);
    if (code != 0)
        return code;
    self->first_norm = self->gradient_norm = sqrt(dot(self->size, room->gradient, room->gradient));
    self->iterated(self->context, 0, self->value, self->gradient_norm, 0);
    for (int i = 1; self->gradient_norm > self->reduction * self->first_norm; i++) {
        double value, step = i == 1 ? 1 / self->gradient_norm : 1;
        if (i > self->iterations)
            return LBFGS_TOO_MANY;
        find_direction(room, self->size);
        code = search_line(self, room, &value, &step);
        if (code != 0)
            return code;
        accept(self, room, value);
        self->iterated(self->context, i, self->value, self->gradient_norm, step);
    }
    return LBFGS_CONVERGED;
}

int lbfgs_minimise(lbfgs *self) {
    work room;
    int code = open_work(&room, self->size);
    if (code == 0)
        code = minimise(self, &room);
    free(room.memory);
    return code;
}
