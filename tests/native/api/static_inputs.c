/* Inputs and results whose addresses are only in initialisers of static variables, which main uses, or that a function
 * of the differentiated program returns to main or stores for it; and a table that main fills, but that is no input. */
#include "expect.h"

#include <verso/native.h>

enum { N = 3 };

static double x[N] = {0.7, 1.1, -0.4}, z[N] = {1.5, 0.3, 0.9}, y, table[N];
static double of_x[N], of_z[N], of_y = 1;
static verso_array inputs[] = {{x, N, VERSO_SCALAR_DOUBLE, of_x}, {z, N, VERSO_SCALAR_DOUBLE, of_z}};
static verso_array results[] = {{&y, 1, VERSO_SCALAR_DOUBLE, &of_y}};

typedef struct request {
    verso_array *inputs, *results;
} request;
static request all = {inputs, results};
static request *const wanted = &all;

__attribute__((noinline)) static double *weights(void) {
    static double all[N];
    return all;
}

__attribute__((noinline)) static void find_scale(double **found) {
    static double scale;
    *found = &scale;
}

static void run(void *context) {
    double products[N], *scale;
    (void)context;
    find_scale(&scale);
    y = 0;
    for (int i = 0; i < N; i++) {
        products[i] = x[i] * z[N - 1 - i];
        y += *scale * weights()[i] * i;
        y += products[i] * table[i] + x[i] * x[i];
    }
    y += products[0] * products[2];
}

int main(void) {
    for (int i = 0; i < N; i++)
        table[i] = i + 2;
    EXPECT_OK(verso_vjp(run, NULL, wanted->inputs, 2, wanted->results, 1, NULL, NULL, &error));
    double first = x[0] * z[2], last = x[2] * z[0];
    EXPECT_CLOSE(of_x[0], (table[0] + last) * z[2] + 2 * x[0]);
    EXPECT_CLOSE(of_x[1], table[1] * z[1] + 2 * x[1]);
    EXPECT_CLOSE(of_x[2], (table[2] + first) * z[0] + 2 * x[2]);
    EXPECT_CLOSE(of_z[0], (table[2] + first) * x[2]);
    EXPECT_CLOSE(of_z[1], table[1] * x[1]);
    EXPECT_CLOSE(of_z[2], (table[0] + last) * x[0]);
    double of_weights[N], of_scale, *scale;
    find_scale(&scale);
    verso_array more[] = {{weights(), N, VERSO_SCALAR_DOUBLE, of_weights}, {scale, 1, VERSO_SCALAR_DOUBLE, &of_scale}};
    weights()[2] = 4;
    *scale = 0.5;
    EXPECT_OK(verso_vjp(run, NULL, more, 2, results, 1, NULL, NULL, &error));
    EXPECT_CLOSE(of_weights[2], 2 * 0.5);
    EXPECT_CLOSE(of_scale, 2 * 4.0);
    printf(failed ? "\n" : " four inputs\n");
    return failed;
}
