/* See core.h. ba.c and wave.c are made by `verso rev` from examples/rev/ba.rev.c and wave.rev.c. */
#define EXAMPLE_NO_MAIN
#include "ba.c"
#include "wave.c"

#include "bench/rev-gpu/core.h"

core_scene core_scene_new(int cameras, int points, int count) {
    ba_data b = ba_data_new(cameras, points, count, 7);
    for (int c = 0; c < cameras; c++) {
        double *camera = b.cameras + BA_CAMERA * c;
        for (int i = 0; i < 3; i++)
            camera[i] *= 0.1;
        camera[5] -= 10;
    }
    free(b.errors);
    return (core_scene){cameras, points, count, b.cameras, b.points, b.weights, b.features, b.camera_of, b.point_of};
}

void core_errors(const core_scene *s, double *errors) {
    ba(errors, s->cameras, s->points, s->weights, s->camera_of, s->point_of, s->features, s->count);
}

void core_gradient(const core_scene *s, double *errors, double *errors_bar, double *cameras_bar, double *points_bar,
                   double *weights_bar) {
    ba_adj(errors, errors_bar, s->cameras, cameras_bar, s->points, points_bar, s->weights, weights_bar, s->camera_of,
           s->point_of, s->features, s->count);
}

void core_jacobian(const core_scene *s, double *jacobian) {
    ba_jacobian(jacobian, s->cameras, s->points, s->weights, s->camera_of, s->point_of, s->features, s->count);
}

void core_wave(double *a, double *b, const double *speed, double courant, int width, int height, int pairs) {
    wave(a, b, speed, courant, width, height, pairs);
}

void core_wave_adj(double *a, double *a_bar, double *b, double *b_bar, const double *speed, double *speed_bar,
                   double courant, double *courant_bar, int width, int height, int pairs) {
    wave_adj(a, a_bar, b, b_bar, speed, speed_bar, courant, courant_bar, width, height, pairs);
}
