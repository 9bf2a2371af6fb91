/* See adolc.h. The objectives are those of the plain functions in examples/rev, with `adouble` for numbers that depend
 * on the inputs. */
#include "bench/rev/adolc.h"

#include <adolc/adolc.h>
#include <cmath>
#include <vector>

namespace {

const short tag = 1;
int inputs_count;

typedef std::vector<adouble> numbers;

void begin() {
    const size_t buffer = size_t(1) << 27;
    trace_on(tag, 1, buffer, buffer, buffer / 4, buffer, 0);
    inputs_count = 0;
}

numbers take(const double *x, int n) {
    numbers taken(n);
    for (int i = 0; i < n; i++)
        taken[i] <<= x[i];
    inputs_count += n;
    return taken;
}

void finish(adouble result) {
    double value;
    result >>= value;
    trace_off();
}

adouble logsumexp(const numbers &x) {
    adouble top = x[0], sum = 0;
    for (size_t i = 1; i < x.size(); i++)
        top = fmax(top, x[i]);
    for (size_t i = 0; i < x.size(); i++)
        sum += exp(x[i] - top);
    return log(sum) + top;
}

adouble gmm(const numbers &alphas, const numbers &means, const numbers &icf, const double *x, int n, int d, int k) {
    int size = d * (d + 1) / 2;
    numbers diagonals(k * d), sums(k), centred(d), terms(k);
    adouble out = 0;
    for (int c = 0; c < k; c++) {
        sums[c] = 0;
        for (int i = 0; i < d; i++) {
            diagonals[c * d + i] = exp(icf[c * size + i]);
            sums[c] += icf[c * size + i];
        }
    }
    for (int p = 0; p < n; p++) {
        for (int c = 0; c < k; c++) {
            adouble square = 0;
            for (int i = 0; i < d; i++)
                centred[i] = x[p * d + i] - means[c * d + i];
            for (int i = 0; i < d; i++) {
                adouble product = diagonals[c * d + i] * centred[i];
                for (int j = 0; j < i; j++)
                    product += icf[c * size + d + i * (i - 1) / 2 + j] * centred[j];
                square += product * product;
            }
            terms[c] = alphas[c] + sums[c] - 0.5 * square;
        }
        out += logsumexp(terms);
    }
    out -= n * logsumexp(alphas) + n * d * 0.5 * 1.8378770664093454836;
    for (int c = 0; c < k; c++) {
        for (int i = 0; i < d; i++)
            out += 0.5 * diagonals[c * d + i] * diagonals[c * d + i];
        for (int i = d; i < size; i++)
            out += 0.5 * icf[c * size + i] * icf[c * size + i];
    }
    return out;
}

void project(numbers &error, const numbers &camera, const numbers &point, const adouble &weight,
             const double *feature) {
    numbers x(3), p(3), w(3);
    adouble square = 0, along = 0;
    for (int i = 0; i < 3; i++) {
        x[i] = point[i] - camera[3 + i];
        square += camera[i] * camera[i];
    }
    adouble theta = sqrt(square), cosine = cos(theta), sine = sin(theta);
    for (int i = 0; i < 3; i++) {
        w[i] = camera[i] / theta;
        along += w[i] * x[i];
    }
    along *= 1 - cosine;
    for (int i = 0; i < 3; i++) {
        int j = (i + 1) % 3, k = (i + 2) % 3;
        p[i] = x[i] * cosine + (w[j] * x[k] - w[k] * x[j]) * sine + w[i] * along;
    }
    adouble u = p[0] / p[2], v = p[1] / p[2], radius = u * u + v * v;
    adouble scale = (1 + camera[9] * radius + camera[10] * radius * radius) * camera[6];
    error[0] = weight * (u * scale + camera[7] - feature[0]);
    error[1] = weight * (v * scale + camera[8] - feature[1]);
}

} // namespace

void adolc_dot_tape(const double *a, const int *a_index, const int *a_start, const double *b, const int *b_index,
                    const int *b_start, int columns) {
    begin();
    numbers left = take(a, a_start[columns]), right = take(b, b_start[columns]);
    adouble out = 0;
    for (int j = 0; j < columns; j++)
        for (int i = a_start[j], k = b_start[j]; i < a_start[j + 1] && k < b_start[j + 1];) {
            if (a_index[i] == b_index[k])
                out += left[i++] * right[k++];
            else if (a_index[i] < b_index[k])
                i++;
            else
                k++;
        }
    finish(out);
}

void adolc_embedding_tape(const double *positions, int k, const int *pair_a, const int *pair_b) {
    begin();
    numbers x = take(positions, 10 * k), d(45);
    adouble m1 = 0, m2 = 0, loss = 0;
    for (int p = 0; p < 45; p++) {
        adouble square = 0;
        for (int c = 0; c < k; c++) {
            adouble difference = x[pair_a[p] * k + c] - x[pair_b[p] * k + c];
            square += difference * difference;
        }
        d[p] = sqrt(square);
        if (p < 15)
            m1 += d[p] / 15;
        else
            m2 += d[p] / 30;
    }
    for (int p = 0; p < 45; p++)
        loss += p < 15 ? (d[p] - m1) * (d[p] - m1) / 15 : (d[p] - m2) * (d[p] - m2) / 30;
    if (m1 - m2 + 0.1 > 0)
        loss += exp(m1 - m2 + 0.1) - 1;
    finish(loss);
}

void adolc_gmm_tape(const double *parameters, const double *x, int n, int d, int k) {
    begin();
    numbers alphas = take(parameters, k), means = take(parameters + k, k * d);
    numbers icf = take(parameters + k + k * d, k * (d * (d + 1) / 2));
    finish(gmm(alphas, means, icf, x, n, d, k));
}

void adolc_gradient(const double *inputs, double *result) {
    gradient(tag, inputs_count, inputs, result);
}

void adolc_ba_tape(const double *camera, const double *point, const double *weight, const double *feature) {
    begin();
    numbers c = take(camera, 11), x = take(point, 3), w = take(weight, 1), error(2);
    double values[2];
    /* Features differ between observations, so they are parameters of the tape. */
    double f[2] = {0, 0};
    project(error, c, x, w[0], f);
    error[0] -= w[0] * mkparam(feature[0]);
    error[1] -= w[0] * mkparam(feature[1]);
    error[0] >>= values[0];
    error[1] >>= values[1];
    trace_off();
}

void adolc_ba_rows(const double *camera, const double *point, const double *weight, const double *feature,
                   double *rows) {
    double inputs[15], *pointers[2] = {rows, rows + 15}, features[2] = {feature[0], feature[1]};
    for (int i = 0; i < 15; i++)
        inputs[i] = i < 11 ? camera[i] : i < 14 ? point[i - 11] : *weight;
    set_param_vec(tag, 2, features);
    jacobian(tag, 2, 15, inputs, pointers);
}

void adolc_close(void) {
    removeTape(tag, ADOLC_REMOVE_COMPLETELY);
}

double adolc_bytes(void) {
    size_t stats[STAT_SIZE];
    tapestats(tag, stats);
    return static_cast<double>(stats[NUM_OPERATIONS] + stats[NUM_LOCATIONS] * sizeof(locint) +
                               stats[NUM_VALUES] * sizeof(double) + stats[TAY_STACK_SIZE] * sizeof(double));
}
