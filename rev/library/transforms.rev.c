/* Transforms of pairs of numbers in place: the Fourier transform, normal deviates, an additive coupling layer. */
#include <math.h>
#include <verso/rev.h>

#define REV_PI 3.14159265358979323846

static int rev_bits_reversed(int i, int bits) {
    int reversed = 0;
    for (int b = 0; b < bits; b++)
        reversed |= (i >> b & 1) << (bits - 1 - b);
    return reversed;
}

/* The unitary Fourier transform (divided by the square root of n) of n = 2^bits complex numbers, in place. A
 * butterfly is a rotation of the second number by its twiddle factor and a rotation of both by an eighth of a
 * turn. Rotations undo rotations. */
rev void rev_fft(double *restrict re, double *restrict im, passive int bits) {
    for (int i = 0; i < 1 << bits; i++) {
        if (i < rev_bits_reversed(i, bits)) {
            swap(re[i], re[rev_bits_reversed(i, bits)]);
            swap(im[i], im[rev_bits_reversed(i, bits)]);
        }
    }
    for (int s = 0; s < bits; s++) {
        for (int block = 0; block < 1 << (bits - 1 - s); block++) {
            for (int i = 0; i < 1 << s; i++) {
                anc int p = (block << (s + 1)) + i;
                anc int q = (block << (s + 1)) + i + (1 << s);
                rot(re[q], im[q], -REV_PI * i / (1 << s));
                rot(re[p], re[q], -REV_PI / 4);
                rot(im[p], im[q], -REV_PI / 4);
                neg(re[q]);
                neg(im[q]);
                drop q == (block << (s + 1)) + i + (1 << s);
                drop p == (block << (s + 1)) + i;
            }
        }
    }
}

/* Computes two normal deviates from two uniform ones in (0, 1), and adds them to z. */
rev void rev_box_muller(double *restrict z, const double *restrict u) {
    anc double radius = 0;
    compute {
        radius += sqrt(-2 * log(u[0]));
    }
    use {
        z[0] += radius * cos(2 * REV_PI * u[1]);
        z[1] += radius * sin(2 * REV_PI * u[1]);
    }
}

/* An additive coupling layer (NICE): adds a network of the first half of x to the second half, x_b += W2 tanh(W1
 * x_a + b1) + b2. Its inverse subtracts the same values. `hidden_sums` is scratch memory for `hidden` numbers,
 * which are zero before and afterwards. */
rev void rev_coupling(double *restrict xb, const double *restrict xa, const double *restrict w1,
                      const double *restrict b1, const double *restrict w2, const double *restrict b2,
                      double *restrict hidden_sums, passive int half, passive int hidden) {
    irrev {
        rev_plain_clear(hidden_sums, (size_t)hidden * sizeof *hidden_sums);
    }
    compute {
        for (int h = 0; h < hidden; h++) {
            hidden_sums[h] += b1[h];
            for (int j = 0; j < half; j++) {
                hidden_sums[h] += w1[h * half + j] * xa[j];
            }
        }
    }
    use {
        for (int i = 0; i < half; i++) {
            xb[i] += b2[i];
            for (int h = 0; h < hidden; h++) {
                xb[i] += w2[i * hidden + h] * tanh(hidden_sums[h]);
            }
        }
    }
}
