/* All routines of BLAS and LAPACK that Verso knows by name, in random shapes, with all flags, strides and layouts, by
 * their Fortran names and through CBLAS and LAPACKE. The gradient must agree with tangent mode to rounding, and with
 * differences. The words of the command line: the number of cases and the seed. */
#include "../native/api/expect.h"

#include <cblas.h>
#include <complex.h>
#include <lapacke.h>
#include <stdlib.h>
#include <string.h>
#include <verso/native.h>

/* ---- The Fortran interface ---- */

typedef const void *P;
#define DECLARE(t) \
    void t##axpy_(P, P, P, P, P, P), t##scal_(P, P, P, P), t##copy_(P, P, P, P, P), t##swap_(P, P, P, P, P); \
    void t##gemv_(P, P, P, P, P, P, P, P, P, P, P), t##gbmv_(P, P, P, P, P, P, P, P, P, P, P, P, P); \
    void t##trmv_(P, P, P, P, P, P, P, P), t##tbmv_(P, P, P, P, P, P, P, P, P), t##tpmv_(P, P, P, P, P, P, P); \
    void t##trsv_(P, P, P, P, P, P, P, P), t##tbsv_(P, P, P, P, P, P, P, P, P), t##tpsv_(P, P, P, P, P, P, P); \
    void t##gemm_(P, P, P, P, P, P, P, P, P, P, P, P, P), t##symm_(P, P, P, P, P, P, P, P, P, P, P, P); \
    void t##syrk_(P, P, P, P, P, P, P, P, P, P), t##syr2k_(P, P, P, P, P, P, P, P, P, P, P, P); \
    void t##trmm_(P, P, P, P, P, P, P, P, P, P, P), t##trsm_(P, P, P, P, P, P, P, P, P, P, P);
#define DECLARE_REAL(t, T) \
    T t##dot_(P, P, P, P, P), t##nrm2_(P, P, P), t##asum_(P, P, P); \
    int i##t##amax_(P, P, P); \
    void t##rot_(P, P, P, P, P, P, P), t##symv_(P, P, P, P, P, P, P, P, P, P), t##spmv_(P, P, P, P, P, P, P, P, P); \
    void t##sbmv_(P, P, P, P, P, P, P, P, P, P, P), t##ger_(P, P, P, P, P, P, P, P, P), t##syr_(P, P, P, P, P, P, P); \
    void t##spr_(P, P, P, P, P, P), t##syr2_(P, P, P, P, P, P, P, P, P), t##spr2_(P, P, P, P, P, P, P, P);
#define DECLARE_COMPLEX(t, T) \
    T t##dotu_(P, P, P, P, P), t##dotc_(P, P, P, P, P); \
    void t##hemv_(P, P, P, P, P, P, P, P, P, P), t##hpmv_(P, P, P, P, P, P, P, P, P); \
    void t##hbmv_(P, P, P, P, P, P, P, P, P, P, P), t##geru_(P, P, P, P, P, P, P, P, P); \
    void t##gerc_(P, P, P, P, P, P, P, P, P), t##her_(P, P, P, P, P, P, P), t##hpr_(P, P, P, P, P, P); \
    void t##her2_(P, P, P, P, P, P, P, P, P), t##hpr2_(P, P, P, P, P, P, P, P); \
    void t##hemm_(P, P, P, P, P, P, P, P, P, P, P, P), t##herk_(P, P, P, P, P, P, P, P, P, P); \
    void t##her2k_(P, P, P, P, P, P, P, P, P, P, P, P);
DECLARE(s)
DECLARE(d)
DECLARE(c)
DECLARE(z)
DECLARE_REAL(s, float)
DECLARE_REAL(d, double)
DECLARE_COMPLEX(c, float _Complex)
DECLARE_COMPLEX(z, double _Complex)
float scnrm2_(P, P, P), scasum_(P, P, P);
double dznrm2_(P, P, P), dzasum_(P, P, P);
void csscal_(P, P, P, P), zdscal_(P, P, P, P);

static double complex complex_of(double re, double im) {
    double parts[2] = {re, im};
    double complex made;
    memcpy(&made, parts, sizeof made);
    return made;
}

/* ---- A case ---- */

enum { MOST = 9, ROOM = 240 }; /* rows; elements of an array */

static struct {
    int routine, type;
    enum CBLAS_ORDER layout;
    enum CBLAS_TRANSPOSE trans, other;
    enum CBLAS_UPLO uplo;
    enum CBLAS_DIAG diag;
    enum CBLAS_SIDE side;
    int m, n, k, bands, lda, step_x, step_y;
    bool through_c, without_beta;
    double complex first, second; /* alpha and beta */
    void *a, *b, *c, *alpha, *beta;
    int pivots[MOST];
} now;

static char *flag(int value) {
    static char letters[] = "N\0T\0C\0U\0L\0N\0U\0L\0R";
    static const int values[] = {111, 112, 113, 121, 122, 131, 132, 141, 142};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (values[i] == value)
            return &letters[2 * i];
    return NULL;
}

/* ---- Calls of the four types ---- */

#define T float
#define R float
#define REAL 1
#define NAME(x) s_##x
#define F(x) s##x##_
#define B(x) cblas_s##x
#define K(x) LAPACKE_s##x
#define S(at) (*(at))
#define B_AMAX cblas_isamax
#define F_AMAX isamax_
#include "calls.h"
#undef T
#undef R
#undef REAL
#undef NAME
#undef F
#undef B
#undef K
#undef S
#undef B_AMAX
#undef F_AMAX
#define T double
#define R double
#define REAL 1
#define NAME(x) d_##x
#define F(x) d##x##_
#define B(x) cblas_d##x
#define K(x) LAPACKE_d##x
#define S(at) (*(at))
#define B_AMAX cblas_idamax
#define F_AMAX idamax_
#include "calls.h"
#undef T
#undef R
#undef REAL
#undef NAME
#undef F
#undef B
#undef K
#undef S
#undef B_AMAX
#undef F_AMAX
#define T float _Complex
#define R float
#define REAL 0
#define NAME(x) c_##x
#define F(x) c##x##_
#define B(x) cblas_c##x
#define K(x) LAPACKE_c##x
#define S(at) (at)
#define B2(x) cblas_c##x##_sub
#define B_NRM2 cblas_scnrm2
#define F_NRM2 scnrm2_
#define B_ASUM cblas_scasum
#define F_ASUM scasum_
#define B_RSCAL cblas_csscal
#define F_RSCAL csscal_
#include "calls.h"
#undef T
#undef R
#undef REAL
#undef NAME
#undef F
#undef B
#undef K
#undef S
#undef B2
#undef B_NRM2
#undef F_NRM2
#undef B_ASUM
#undef F_ASUM
#undef B_RSCAL
#undef F_RSCAL
#define T double _Complex
#define R double
#define REAL 0
#define NAME(x) z_##x
#define F(x) z##x##_
#define B(x) cblas_z##x
#define K(x) LAPACKE_z##x
#define S(at) (at)
#define B2(x) cblas_z##x##_sub
#define B_NRM2 cblas_dznrm2
#define F_NRM2 dznrm2_
#define B_ASUM cblas_dzasum
#define F_ASUM dzasum_
#define B_RSCAL cblas_zdscal
#define F_RSCAL zdscal_
#include "calls.h"
#undef T
#undef R
#undef REAL
#undef NAME
#undef F
#undef B
#undef K
#undef S
#undef B2
#undef B_NRM2
#undef F_NRM2
#undef B_ASUM
#undef F_ASUM
#undef B_RSCAL
#undef F_RSCAL

/* ---- The function ---- */

enum { INPUTS = 3 * ROOM + 2 };

static double weight(int i) {
    return cos(1.7 * i + 0.3);
}

/* Adds to every element on the diagonal of `a`, so that systems are well-conditioned. */
static double shift(int index) {
    bool packed = now.routine == 14 || now.routine == 17, band = now.routine == 13 || now.routine == 16;
    if (now.routine < 12 || packed || band)
        return packed || band ? 3 : 0;
    return index % (now.lda + 1) == 0 ? 8 : 0;
}

static double complex element(const double *x, int i) {
    return complex_of(x[i], 0.5 * x[(i + 7) % ROOM] * x[(i + 1) % ROOM]);
}

#define FILL_AND_CALL(T, name, part) \
    static double name##_run(const double *x) { \
        static T a[ROOM], b[ROOM], c[ROOM], alpha, beta; \
        for (int i = 0; i < ROOM; i++) { \
            a[i] = (T)part(element(x, i) + shift(i)); \
            b[i] = (T)part(element(x + ROOM, i)); \
            c[i] = (T)part(element(x + 2 * ROOM, i)); \
        } \
        alpha = (T)part(complex_of(x[3 * ROOM], x[0])); \
        beta = (T)(now.without_beta ? 0 : part(complex_of(x[3 * ROOM + 1], x[1]))); \
        now.first = complex_of(x[3 * ROOM], 0); \
        now.second = complex_of(x[3 * ROOM + 1], 0); \
        now.a = a, now.b = b, now.c = c, now.alpha = &alpha, now.beta = &beta; \
        name##_call(); \
        double sum = 0; \
        for (int i = 0; i < ROOM; i++) { \
            double complex all = weight(i) * (double complex)a[i] + weight(i + 500) * (double complex)b[i] + \
                                 weight(i + 1000) * (double complex)c[i]; \
            sum += creal(all) + 0.3 * cimag(all) + 0.01 * creal(all) * creal(all); \
        } \
        return sum; \
    }
FILL_AND_CALL(float, s, creal)
FILL_AND_CALL(double, d, creal)
FILL_AND_CALL(float _Complex, c, )
FILL_AND_CALL(double _Complex, z, )

static double f(const double *x, size_t n) {
    (void)n;
    return now.type == 0 ? s_run(x) : now.type == 1 ? d_run(x) : now.type == 2 ? c_run(x) : z_run(x);
}

/* ---- Random cases ---- */

static uint64_t state;

static int pick(int count) {
    state = state * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((state >> 33) % (uint64_t)count);
}

static const int first_routine[] = {0, 10, 20, 30, 40}, routine_count[] = {9, 8, 6, 7, 11};

static void choose(void) {
    int group = pick(5);
    now.routine = first_routine[group] + pick(routine_count[group]);
    now.type = pick(4);
    now.layout = pick(2) ? CblasRowMajor : CblasColMajor;
    now.trans = CblasNoTrans + pick(3);
    now.other = CblasNoTrans + pick(3);
    now.uplo = CblasUpper + pick(2);
    now.diag = CblasNonUnit + pick(2);
    now.side = CblasLeft + pick(2);
    now.m = 1 + pick(MOST);
    now.n = 1 + pick(MOST);
    now.k = 1 + pick(MOST);
    now.bands = pick(3);
    now.lda = MOST + pick(4);
    now.step_x = pick(2) ? 1 : -3 + pick(7);
    now.step_y = pick(2) ? 1 : -2 + pick(5);
    now.step_x += now.step_x == 0;
    now.step_y += now.step_y == 0;
    now.through_c = pick(2);
    now.without_beta = pick(4) == 0;
    for (int i = 0; i < now.n; i++) /* for getrs */
        now.pivots[i] = i + 1 + pick(now.n - i);
    if (!now.through_c)
        now.layout = CblasColMajor;
    if (now.type < 2 && now.routine >= 43 && now.routine <= 45) /* for complex types only */
        now.routine = 40;
}

static void describe(uint64_t seed) {
    printf(
        "\n    seed %llu: routine %d, type %c, %s, layout %d, trans %d %d, uplo %d, diag %d, side %d, m %d n %d k %d, "
        "bands %d, lda %d, steps %d %d",
        (unsigned long long)seed, now.routine, "sdcz"[now.type], now.through_c ? "C" : "Fortran", now.layout, now.trans,
        now.other, now.uplo, now.diag, now.side, now.m, now.n, now.k, now.bands, now.lda, now.step_x, now.step_y);
}

static double difference(double *x, const double *direction, double h) {
    static double moved[INPUTS];
    double value[2];
    for (int side = 0; side < 2; side++) {
        for (int i = 0; i < INPUTS; i++)
            moved[i] = x[i] + (side == 0 ? h : -h) * direction[i];
        value[side] = f(moved, INPUTS);
    }
    return (value[0] - value[1]) / (2 * h);
}

static void check_one(uint64_t seed) {
    static double x[INPUTS], u[INPUTS], gradient[INPUTS];
    double product = 0, size = 0, tangent = 0;
    bool single = now.type % 2 == 0;
    for (int i = 0; i < INPUTS; i++) {
        x[i] = 0.2 + 1e-3 * pick(1000);
        u[i] = 1e-3 * pick(2000) - 1;
    }
    EXPECT_OK(verso_gradient(f, x, INPUTS, gradient, NULL, NULL, &error));
    EXPECT_OK(verso_directional(f, x, INPUTS, u, &tangent, NULL, &error));
    for (int i = 0; i < INPUTS; i++) {
        product += gradient[i] * u[i];
        size += fabs(gradient[i] * u[i]);
    }
    double slope = difference(x, u, single ? 2e-3 : 2e-5);
    bool agree = fabs(product - tangent) <= (single ? 1e-3 : 1e-10) * (size + 1);
    bool right = fabs(product - slope) <= (single ? 5e-2 : 1e-5) * (size + 1);
    if (!agree || !right) {
        describe(seed);
        EXPECT(false, "reverse %.15g, tangent %.15g, differences %.15g, size %.3g", product, tangent, slope, size);
    }
}

int main(int count, char **words) {
    int cases = count > 1 ? atoi(words[1]) : 1500;
    uint64_t seed = count > 2 ? strtoull(words[2], NULL, 0) : 1;
    for (int i = 0; i < cases; i++) {
        state = seed + (uint64_t)i;
        pick(2);
        choose();
        check_one(seed + (uint64_t)i);
    }
    return failed;
}
