/* at: 0.7,1.1,0.25,2.0,0.4,1.9
 * Arrays of structs, structs of arrays, and walking over both. */
#include <math.h>
#include <stddef.h>

typedef struct body {
    double position[2], velocity[2];
    int hits;
    double mass;
} body;

static struct {
    double x[4], y[4];
} track;

static void move(body *bodies, size_t count, double dt) {
    for (body *b = bodies; b < bodies + count; b++)
        for (int k = 0; k < 2; k++) {
            b->position[k] += dt * b->velocity[k];
            if (b->position[k] > 2) {
                b->position[k] = 4 - b->position[k];
                b->velocity[k] = -0.9 * b->velocity[k];
                b->hits++;
            }
        }
}

double f(const double *x, size_t n) {
    body bodies[3];
    (void)n;
    for (int i = 0; i < 3; i++)
        bodies[i] = (body){{x[2 * i], x[2 * i + 1]}, {1 + x[i], 0.5 * x[5 - i]}, 0, 1 + x[i] * x[i]};
    for (int step = 0; step < 4; step++) {
        move(bodies, 3, 0.37);
        track.x[step] = bodies[step % 3].position[0];
        track.y[step] = bodies[step % 3].position[1] * bodies[0].mass;
    }
    double sum = 0;
    for (int step = 0; step < 4; step++)
        sum += hypot(track.x[step], track.y[step]);
    for (int i = 0; i < 3; i++)
        sum += bodies[i].mass * bodies[i].velocity[0] * bodies[i].velocity[1] + bodies[i].hits;
    return sum;
}
