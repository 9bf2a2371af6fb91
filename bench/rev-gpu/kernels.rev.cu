/* The kernels that bench/rev-gpu measures, and the functions that launch them. ba.cu is made by `verso rev --cuda` from
 * examples/rev/ba.rev.c. Parameters that are `restrict` have a bar for each thread; all others are added to
 * atomically. */
#define EXAMPLE_NO_MAIN
#include "ba.cu"

enum { BLOCK = 128, TILE_WIDTH = 64, TILE_HEIGHT = 4 };

rev __host__ __device__ void ba_error(double *__restrict__ error, const double *__restrict__ camera,
                                      const double *__restrict__ x, const double *__restrict__ weight,
                                      passive const double *__restrict__ feature);
rev __host__ __device__ void ba_weight_error(double *__restrict__ error, const double *__restrict__ weight);

/* Thousands of observations read one camera, a few read one point: each works on its own copies, whose bars are added
 * to the shared ones when the copies are undone. */
rev __global__ void scene_errors(double *__restrict__ errors, const double *cameras, const double *points,
                                 const double *__restrict__ weights, passive const int *__restrict__ camera_of,
                                 passive const int *__restrict__ point_of, passive const double *__restrict__ features,
                                 passive int count) {
    anc int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < count) {
        anc double camera[BA_CAMERA] = {0};
        anc double x[3] = {0};
        compute {
            for (int j = 0; j < BA_CAMERA; j++)
                camera[j] += cameras[BA_CAMERA * camera_of[i] + j];
            for (int j = 0; j < 3; j++)
                x[j] += points[3 * point_of[i] + j];
        }
        use {
            ba_error(&errors[2 * i], camera, x, &weights[i], &features[2 * i]);
            ba_weight_error(&errors[2 * count + i], &weights[i]);
        }
    }
}

rev void scene(double *errors, const double *cameras, const double *points, const double *weights,
               passive const int *camera_of, passive const int *point_of, passive const double *features,
               passive int count) {
    scene_errors<<<(count + BLOCK - 1) / BLOCK, BLOCK>>>(errors, cameras, points, weights, camera_of, point_of,
                                                         features, count);
}

/* wave.rev.c has the same for one core. Five threads read a number of `now`, all read the Courant number. */
rev __global__ void wave_step(double *__restrict__ old, const double *now, const double *__restrict__ speed,
                              double courant, passive int width, passive int height) {
    anc int column = blockIdx.x * blockDim.x + threadIdx.x;
    anc int row = blockIdx.y * blockDim.y + threadIdx.y;
    if (column > 0 && column < width - 1 && row > 0 && row < height - 1) {
        const int i = row * width + column;
        neg(old[i]);
        old[i] +=
            2 * now[i] + courant * speed[i] * (now[i - 1] + now[i + 1] + now[i - width] + now[i + width] - 4 * now[i]);
    }
}

static dim3 tiles(int width, int height) {
    return dim3((width + TILE_WIDTH - 1) / TILE_WIDTH, (height + TILE_HEIGHT - 1) / TILE_HEIGHT);
}

rev void wave(double *a, double *b, const double *speed, double courant, passive int width, passive int height,
              passive int pairs) {
    for (int p = 0; p < pairs; p++) {
        wave_step<<<tiles(width, height), dim3(TILE_WIDTH, TILE_HEIGHT)>>>(a, b, speed, courant, width, height);
        wave_step<<<tiles(width, height), dim3(TILE_WIDTH, TILE_HEIGHT)>>>(b, a, speed, courant, width, height);
    }
}
