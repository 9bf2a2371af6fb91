/* Bundle adjustment of ADBench (paper, figure 3): weighted errors of the projections of points by cameras. A camera is
 * a rotation vector (3), a centre (3), a focal length, a principal point (2) and two coefficients of radial distortion.
 * Each observation has two errors that depend on 15 parameters: their Jacobian takes two runs of the adjoint. All
 * temporary variables are scalars. Data are random, like ADBench's. */
#include "examples/rev/host.h"

#include <string.h>
#include <verso/rev.h>

enum { BA_CAMERA = 11, BA_ROW = BA_CAMERA + 4 };

/* error[0], error[1] += weight (projection of x by the camera - feature). */
rev __host__ __device__ void ba_error(double *__restrict__ error, const double *__restrict__ camera,
                                      const double *__restrict__ x, const double *__restrict__ weight,
                                      passive const double *__restrict__ feature) {
    anc double square = 0;
    anc double theta = 0;
    anc double sine = 0;
    anc double cosine = 0;
    anc double w0 = 0;
    anc double w1 = 0;
    anc double w2 = 0;
    anc double x0 = 0;
    anc double x1 = 0;
    anc double x2 = 0;
    anc double along = 0;
    anc double p0 = 0;
    anc double p1 = 0;
    anc double p2 = 0;
    anc double u = 0;
    anc double v = 0;
    anc double radius = 0;
    anc double scale = 0;
    compute {
        x0 += x[0] - camera[3];
        x1 += x[1] - camera[4];
        x2 += x[2] - camera[5];
        square += camera[0] * camera[0] + camera[1] * camera[1] + camera[2] * camera[2];
        if (square > 0) {
            theta += sqrt(square);
            sine += sin(theta);
            cosine += cos(theta);
            w0 += camera[0] / theta;
            w1 += camera[1] / theta;
            w2 += camera[2] / theta;
            along += (w0 * x0 + w1 * x1 + w2 * x2) * (1 - cosine);
            p0 += x0 * cosine + (w1 * x2 - w2 * x1) * sine + w0 * along;
            p1 += x1 * cosine + (w2 * x0 - w0 * x2) * sine + w1 * along;
            p2 += x2 * cosine + (w0 * x1 - w1 * x0) * sine + w2 * along;
        } else {
            p0 += x0 + camera[1] * x2 - camera[2] * x1;
            p1 += x1 + camera[2] * x0 - camera[0] * x2;
            p2 += x2 + camera[0] * x1 - camera[1] * x0;
        }
        u += p0 / p2;
        v += p1 / p2;
        radius += u * u + v * v;
        scale += 1 + camera[9] * radius + camera[10] * radius * radius;
    }
    use {
        error[0] += *weight * (u * scale * camera[6] + camera[7] - feature[0]);
        error[1] += *weight * (v * scale * camera[6] + camera[8] - feature[1]);
    }
}

rev __host__ __device__ void ba_weight_error(double *__restrict__ error, const double *__restrict__ weight) {
    *error += 1 - *weight * *weight;
}

/* All observations: `errors` has two numbers for each observation, then one for each weight. */
rev void ba(double *errors, const double *cameras, const double *points, const double *weights,
            passive const int *camera_of, passive const int *point_of, passive const double *features,
            passive int count) {
    for (int i = 0; i < count; i++) {
        ba_error(&errors[2 * i], &cameras[BA_CAMERA * camera_of[i]], &points[3 * point_of[i]], &weights[i],
                 &features[2 * i]);
        ba_weight_error(&errors[2 * count + i], &weights[i]);
    }
}

/* ---- Plain ------------------------------------------------------------------------------------------------------ */

static void ba_plain_error(double *error, const double *camera, const double *point, double weight,
                           const double *feature) {
    double x[3], p[3], square = 0;
    for (int i = 0; i < 3; i++) {
        x[i] = point[i] - camera[3 + i];
        square += camera[i] * camera[i];
    }
    if (square > 0) {
        double theta = sqrt(square), cosine = cos(theta), sine = sin(theta), w[3], along = 0;
        for (int i = 0; i < 3; i++) {
            w[i] = camera[i] / theta;
            along += w[i] * x[i];
        }
        along *= 1 - cosine;
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            p[i] = x[i] * cosine + (w[j] * x[k] - w[k] * x[j]) * sine + w[i] * along;
        }
    } else {
        for (int i = 0; i < 3; i++) {
            int j = (i + 1) % 3, k = (i + 2) % 3;
            p[i] = x[i] + camera[j] * x[k] - camera[k] * x[j];
        }
    }
    double u = p[0] / p[2], v = p[1] / p[2], radius = u * u + v * v;
    double scale = (1 + camera[9] * radius + camera[10] * radius * radius) * camera[6];
    error[0] = weight * (u * scale + camera[7] - feature[0]);
    error[1] = weight * (v * scale + camera[8] - feature[1]);
}

void ba_plain(double *errors, const double *cameras, const double *points, const double *weights, const int *camera_of,
              const int *point_of, const double *features, int count) {
    for (int i = 0; i < count; i++) {
        ba_plain_error(errors + 2 * i, cameras + BA_CAMERA * camera_of[i], points + 3 * point_of[i], weights[i],
                       features + 2 * i);
        errors[2 * count + i] = 1 - weights[i] * weights[i];
    }
}

/* ---- Jacobian --------------------------------------------------------------------------------------------------- */

#ifdef VERSO_REV_GENERATED
/* For each observation the rows of its two errors, with the derivatives by 11 parameters of the camera, 3 of the
 * point and 1 weight; then for each weight the derivative of its error. */
void ba_jacobian(double *jacobian, const double *cameras, const double *points, const double *weights,
                 const int *camera_of, const int *point_of, const double *features, int count) {
    for (int i = 0; i < count; i++) {
        for (int e = 0; e < 2; e++) {
            double row[BA_ROW] = {0}, error[2] = {0, 0}, bar[2] = {e == 0 ? 1.0 : 0.0, e == 1 ? 1.0 : 0.0};
            ba_error_adj(error, bar, cameras + BA_CAMERA * camera_of[i], row, points + 3 * point_of[i], row + BA_CAMERA,
                         weights + i, row + BA_CAMERA + 3, features + 2 * i);
            memcpy(jacobian + (2 * i + e) * BA_ROW, row, sizeof row); /* writes each element once */
        }
        double error = 0, bar = 1, weight_bar = 0;
        ba_weight_error_adj(&error, &bar, weights + i, &weight_bar);
        jacobian[2 * count * BA_ROW + i] = weight_bar;
    }
}
#endif

/* ---- A run ------------------------------------------------------------------------------------------------------ */

typedef struct ba_data {
    int cameras_count, points_count, count;
    double *cameras, *points, *weights, *features, *errors;
    int *camera_of, *point_of;
} ba_data;

ba_data ba_data_new(int cameras, int points, int count, uint64_t seed) {
    ba_data b = {cameras, points, count, NULL, NULL, NULL, NULL, NULL, NULL, NULL};
    b.cameras = host_normals((size_t)(BA_CAMERA * cameras), &seed);
    b.points = host_normals((size_t)(3 * points), &seed);
    b.weights = host_normals((size_t)count, &seed);
    b.features = host_normals((size_t)(2 * count), &seed);
    b.errors = (double *)host_alloc((size_t)(3 * count), sizeof *b.errors);
    b.camera_of = (int *)host_alloc((size_t)count, sizeof *b.camera_of);
    b.point_of = (int *)host_alloc((size_t)count, sizeof *b.point_of);
    for (int i = 0; i < count; i++) {
        b.camera_of[i] = (int)(host_uniform(&seed) * cameras);
        b.point_of[i] = i % points;
    }
    for (int i = 0; i < cameras; i++) /* in front of all points, with little distortion */
        for (int j = 0; j < BA_CAMERA; j++)
            b.cameras[BA_CAMERA * i + j] *= j == 5 ? 0 : 0.1;
    for (int i = 0; i < cameras; i++)
        b.cameras[BA_CAMERA * i + 5] = -8;
    return b;
}

void ba_data_free(ba_data *b) {
    free(b->cameras);
    free(b->points);
    free(b->weights);
    free(b->features);
    free(b->errors);
    free(b->camera_of);
    free(b->point_of);
}

#ifndef EXAMPLE_NO_MAIN
#ifdef VERSO_REV_GENERATED
/* Returns the derivative of the first observation's errors along a direction of its camera, by differences. */
static double jacobian_error(const ba_data *b, const double *jacobian, uint64_t seed) {
    double near[BA_CAMERA], direction[BA_CAMERA], error[2], difference[2] = {0, 0}, worst = 0, h = 1e-6;
    const double *camera = b->cameras + BA_CAMERA * b->camera_of[0];
    for (int i = 0; i < BA_CAMERA; i++)
        direction[i] = host_normal(&seed);
    for (int sign = -1; sign <= 1; sign += 2) {
        for (int i = 0; i < BA_CAMERA; i++)
            near[i] = camera[i] + sign * h * direction[i];
        ba_plain_error(error, near, b->points + 3 * b->point_of[0], b->weights[0], b->features);
        difference[0] += sign * error[0] / (2 * h);
        difference[1] += sign * error[1] / (2 * h);
    }
    for (int e = 0; e < 2; e++) {
        for (int i = 0; i < BA_CAMERA; i++)
            difference[e] -= jacobian[e * BA_ROW + i] * direction[i];
        worst = fmax(worst, fabs(difference[e]));
    }
    return worst;
}
#endif

int main(void) {
    ba_data b = ba_data_new(49, 7776, 31843, 7);
    double *plain = (double *)host_alloc((size_t)(3 * b.count), sizeof *plain), worst = 0;
    ba(b.errors, b.cameras, b.points, b.weights, b.camera_of, b.point_of, b.features, b.count);
    ba_plain(plain, b.cameras, b.points, b.weights, b.camera_of, b.point_of, b.features, b.count);
    for (int i = 0; i < 3 * b.count; i++)
        worst = fmax(worst, fabs(b.errors[i] - plain[i]));
    printf("%d cameras, %d points, %d observations: errors as plain C's within %.1e\n", b.cameras_count, b.points_count,
           b.count, worst);
    int wrong = worst > 1e-12;
#ifdef VERSO_REV_GENERATED
    double *jacobian = (double *)host_alloc((size_t)(b.count * (2 * BA_ROW + 1)), sizeof *jacobian);
    ba_jacobian(jacobian, b.cameras, b.points, b.weights, b.camera_of, b.point_of, b.features, b.count);
    double error = jacobian_error(&b, jacobian, 9);
    printf("Jacobian of %d rows as differences within %.1e\n", 3 * b.count, error);
    wrong |= error > 1e-7;
    free(jacobian);
#endif
    free(plain);
    ba_data_free(&b);
    return wrong;
}
#endif
