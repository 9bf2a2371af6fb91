/* verso_vjp and verso_jvp with regions of doubles, floats and long doubles, in a struct, on the heap and in globals;
 * one region is input and output. Both must agree with the derivative written by hand. */
#include "expect.h"

#include "../../support/cuts.h"
#include <stdlib.h>
#include <verso/native.h>

typedef struct model {
    double u[3];
    float weights[3];
    long double shift;
    double *results;
    int rounds;
} model;

static double level;

/* u_i := u_i^2 * w_i + shift, twice; results = (sum u, level * u_0); level is read and written, too. */
static void run(void *context) {
    model *m = context;
    for (int k = 0; k < m->rounds; k++)
        for (int i = 0; i < 3; i++)
            m->u[i] = (double)((long double)(m->u[i] * m->u[i] * m->weights[i]) + m->shift);
    m->results[0] = m->u[0] + m->u[1] + m->u[2];
    m->results[1] = level * m->u[0];
    level = level * level;
}

typedef struct derivatives {
    double u[3], weights[3], shift, level, results[2], u_after[3], level_after;
} derivatives;

static void start(model *m) {
    *m = (model){{0.5, -1.25, 2.0}, {0.5f, 0.25f, -0.5f}, 0.125L, m->results, 2};
    level = 1.5;
}

static double tangent_by_hand(const model *m, const derivatives *d, derivatives *out) {
    double u[3], du[3];
    for (int i = 0; i < 3; i++) {
        u[i] = m->u[i];
        du[i] = d->u[i];
        for (int k = 0; k < m->rounds; k++) {
            du[i] = 2 * u[i] * du[i] * m->weights[i] + u[i] * u[i] * d->weights[i] + d->shift;
            u[i] = u[i] * u[i] * m->weights[i] + (double)m->shift;
        }
        out->u_after[i] = du[i];
    }
    out->results[0] = du[0] + du[1] + du[2];
    out->results[1] = d->level * u[0] + level * du[0];
    out->level_after = 2 * level * d->level;
    return out->results[0];
}

int main(void) {
    double *results = malloc(2 * sizeof *results);
    model m = {.results = results}, before;
    verso_native_report report = VERSO_NATIVE_REPORT_INIT;
    derivatives direction = {{0.3, -0.7, 0.2}, {0.875, 0.125, -0.375}, 0.6, -0.8, {0}, {0}, 0}, tangent, by_hand;
    derivatives seed = {{0}, {0}, 0, 0, {1.5, -0.5}, {0.25, 2, -1}, 0.75}, adjoint;
    verso_array in[] = {{m.u, 3, VERSO_SCALAR_DOUBLE, direction.u},
                        {m.weights, 3, VERSO_SCALAR_FLOAT, direction.weights},
                        {&m.shift, 1, VERSO_SCALAR_LONG_DOUBLE, &direction.shift},
                        {&level, 1, VERSO_SCALAR_DOUBLE, &direction.level}};
    verso_array out[] = {{results, 2, VERSO_SCALAR_DOUBLE, tangent.results},
                         {m.u, 3, VERSO_SCALAR_DOUBLE, tangent.u_after},
                         {&level, 1, VERSO_SCALAR_DOUBLE, &tangent.level_after}};
    start(&m);
    before = m;
    tangent_by_hand(&before, &direction, &by_hand);
    EXPECT_OK(verso_jvp(run, &m, in, 4, out, 3, &report, &error));
    for (int i = 0; i < 3; i++)
        EXPECT_CLOSE(tangent.u_after[i], by_hand.u_after[i]);
    EXPECT_CLOSE(tangent.results[0], by_hand.results[0]);
    EXPECT_CLOSE(tangent.results[1], by_hand.results[1]);
    EXPECT_CLOSE(tangent.level_after, by_hand.level_after);
    EXPECT_CLOSE(level, 2.25);

    in[0].derivative = adjoint.u, in[1].derivative = adjoint.weights;
    in[2].derivative = &adjoint.shift, in[3].derivative = &adjoint.level;
    out[0].derivative = seed.results, out[1].derivative = seed.u_after, out[2].derivative = &seed.level_after;
    for (int cut = 0; cut < 2; cut++) {
        start(&m);
        EXPECT_OK(verso_vjp(run, &m, in, 4, out, 3, cut_at(cut ? UINT64_MAX : 0, 0), &report, &error));
        double left = seed.level_after * by_hand.level_after, right = adjoint.shift * direction.shift;
        for (int i = 0; i < 2; i++)
            left += seed.results[i] * by_hand.results[i];
        for (int i = 0; i < 3; i++) {
            left += seed.u_after[i] * by_hand.u_after[i];
            right += adjoint.u[i] * direction.u[i] + adjoint.weights[i] * direction.weights[i];
        }
        right += adjoint.level * direction.level;
        EXPECT_CLOSE(right, left);
        EXPECT_CLOSE(seed.results[0], 1.5);
        EXPECT_CLOSE(results[0], m.u[0] + m.u[1] + m.u[2]);
    }
    free(results);
    printf(failed ? "\n" : " jvp, vjp, cut vjp\n");
    return failed;
}
