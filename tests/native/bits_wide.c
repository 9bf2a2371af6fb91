/* at: 0.7,-1.1,0.4,-0.9,1.3,-0.2,0.6,-1.7
 * flags: -mavx2
 * needs: avx2
 * Doubles that are taken out of 32 bytes, and put there, as an integer of 256 bits: so LLVM does with vectors that are
 * written whole and read in part (Eigen at -O3 -march=native). */
#include <stddef.h>
#include <string.h>

typedef unsigned _BitInt(256) wide;
typedef double four __attribute__((vector_size(32)));
typedef double two __attribute__((vector_size(16)));

static two taken(four v, unsigned from) {
    wide bits;
    two result;
    memcpy(&bits, &v, sizeof bits);
    unsigned __int128 part = (unsigned __int128)(bits >> from);
    memcpy(&result, &part, sizeof result);
    return result;
}

/* The third number is replaced; the sign of the first changed. */
static four replaced(four v, double by) {
    wide bits, ones = ~(unsigned long long)0;
    unsigned long long word;
    memcpy(&bits, &v, sizeof bits);
    memcpy(&word, &by, sizeof word);
    bits = (bits & ~(ones << 128)) | (wide)word << 128;
    bits ^= (wide)1 << 63;
    memcpy(&v, &bits, sizeof bits);
    return v;
}

double f(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i + 4 <= n; i++) {
        four v = {x[i], x[i + 1] * x[i], x[i + 2], x[i + 3] * x[i + 3]};
        two low = taken(v, 0), middle = taken(v, 64), high = taken(v, 128), last = taken(v, 192);
        four other = replaced(v, sum);
        sum += low[0] * middle[0] + 2 * low[1] * high[1] + 3 * middle[1] * high[0] + last[0] * x[i];
        sum += other[0] * other[1] + 0.5 * other[2] + other[3];
    }
    return sum;
}
