/* The same functions on one core, translated by `verso rev` and compiled by the C compiler, for comparison. */
#ifndef BENCH_REV_GPU_CORE_H
#define BENCH_REV_GPU_CORE_H

#ifdef __cplusplus
extern "C" {
#endif

enum { CORE_CAMERA = 11, CORE_ROW = CORE_CAMERA + 4 };

typedef struct core_scene {
    int cameras_count, points_count, count;
    double *cameras, *points, *weights, *features;
    int *camera_of, *point_of;
} core_scene;

/* Makes random data. The cameras see the points from a distance. */
core_scene core_scene_new(int cameras, int points, int count);
void core_errors(const core_scene *s, double *errors);
/* Undoes the errors, so that they are zero again, as adjoints do. */
void core_gradient(const core_scene *s, double *errors, double *errors_bar, double *cameras_bar, double *points_bar,
                   double *weights_bar);
/* Computes the Jacobian row by row: two rows for each observation, then one number for each weight. */
void core_jacobian(const core_scene *s, double *jacobian);

void core_wave(double *a, double *b, const double *speed, double courant, int width, int height, int pairs);
void core_wave_adj(double *a, double *a_bar, double *b, double *b_bar, const double *speed, double *speed_bar,
                   double courant, double *courant_bar, int width, int height, int pairs);

#ifdef __cplusplus
}
#endif

#endif
