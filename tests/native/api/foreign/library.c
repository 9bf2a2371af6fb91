/* A library that is not compiled with `verso cc`: the runner compiles it with the plain compiler. */
#include <math.h>
#include <stddef.h>

struct body {
    double mass;
    int count;
    float charge;
    double position[3];
};

double foreign_wave(double u, double v);
void foreign_smooth(const double *from, double *to, size_t count);
int foreign_classify(const double *values, size_t count, double *largest);
void foreign_fill(double *to, size_t count, double value);
void foreign_settle(struct body *body, double *energy);
double foreign_largest(const double *values, size_t count);
void foreign_square(double *values, size_t count);
void (*foreign_step(void))(void *);

double foreign_wave(double u, double v) {
    return sin(u) * v * v;
}

void foreign_smooth(const double *from, double *to, size_t count) {
    for (size_t i = 0; i < count; i++)
        to[i] = 0.5 * from[i] + 0.5 * from[(i + 1) % count];
}

int foreign_classify(const double *values, size_t count, double *largest) {
    int found = 0;
    for (size_t i = 1; i < count; i++)
        if (values[i] > values[found])
            found = (int)i;
    *largest = 1.0;
    return found;
}

void foreign_fill(double *to, size_t count, double value) {
    for (size_t i = 0; i < count; i++)
        to[i] = value;
}

void foreign_settle(struct body *body, double *energy) {
    body->count++;
    body->charge = -1;
    body->position[1] = 0.3;
    *energy = 0.7;
}

double foreign_largest(const double *values, size_t count) {
    double largest = values[0];
    for (size_t i = 1; i < count; i++)
        largest = fmax(largest, values[i]);
    return largest;
}

void foreign_square(double *values, size_t count) {
    for (size_t i = 0; i < count; i++)
        values[i] *= values[i];
}

static void halve(void *context) {
    double *number = context;
    *number = 0.5 * *number + 1;
}

void (*foreign_step(void))(void *) {
    return halve;
}

/* How often each form of an adjoint was used: memory that Verso does not restore. */
int foreign_pieces[3];

void foreign_count(int form) {
    foreign_pieces[form]++;
}
