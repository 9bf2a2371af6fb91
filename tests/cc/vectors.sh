# Tests that simple loops over arrays are vectorised in tangent mode, and a nest of one loop in reverse mode: that these
# versions of the functions below multiply vectors. ctest sets VERSO and SOURCE.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
source=$(realpath "$SOURCE")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

cat >loops.c <<'C'
#include <stdio.h>
#include <stdlib.h>
#include <verso/native.h>
enum { N = 100 };
struct vectors {
    double *a, *b;
};
static double u[N], v[N];
__attribute__((noinline)) static void add_double(double a, const double *x, double *y) {
    for (int i = 0; i < N; i++)
        y[i] += a * x[i];
}
__attribute__((noinline)) static void add_float(float a, const float *x, float *y) {
    for (int i = 0; i < N; i++)
        y[i] += a * x[i];
}
__attribute__((noinline)) static void add_members(const struct vectors *s, size_t n) {
    double *a = s->a, *b = s->b;
    for (size_t i = 0; i < n; i++)
        b[i] = a[i] * b[i];
}
__attribute__((noinline)) static void smooth_globals(void) {
    for (int i = 1; i < N - 1; i++)
        v[i] = 0.25 * u[i - 1] + 0.5 * u[i] + 0.25 * u[i + 1];
}
__attribute__((noinline)) static void bend(const double *x, double *y) {
    for (int i = 2; i < N - 2; i++)
        y[i] = x[i - 2] * x[i - 1] + x[i] * x[i] + x[i + 1] * x[i + 2];
}
double f(const double *x, size_t n) {
    double *d = malloc(N * sizeof *d), sum = 0;
    float *s = malloc(N * sizeof *s), *t = malloc(N * sizeof *t);
    for (size_t i = 0; i < N; i++) {
        d[i] = x[i % n];
        u[i] = d[i] * d[i];
        s[i] = (float)u[i];
        t[i] = (float)i;
    }
    add_double(x[0], u, d);
    add_float(s[0], s, t);
    add_members(&(struct vectors){u, d}, N);
    smooth_globals();
    bend(v, d);
    for (size_t i = 0; i < N; i++)
        sum += d[i] * v[i] + (double)t[i];
    free(d);
    free(s);
    free(t);
    return sum;
}
int main(void) {
    double x[3] = {1, 0.5, 2}, ones[3] = {1, 1, 1}, slope, gradient[3];
    return verso_directional(f, x, 3, ones, &slope, NULL, NULL) == VERSO_STATUS_OK &&
                   verso_gradient(f, x, 3, gradient, NULL, NULL, NULL) == VERSO_STATUS_OK
               ? 0
               : 1;
}
C
"$VERSO" cc -std=c17 -O2 "-I$source/include" -c loops.c
"$VERSO" cc -O2 loops.o -o program -lm
./program

# has COUNT FUNCTION.VERSION: it multiplies vectors at least so many times
has() {
    local count
    count=$(objdump --no-show-raw-insn "--disassemble=$2" program | grep -cE '\<mulp[sd]\>' || true)
    if ((count < $1)); then
        echo "$2 multiplies vectors $count times, not $1 or more" >&2
        exit 1
    fi
}
has 3 add_double.tangent
has 3 add_float.tangent
has 3 add_members.tangent
has 6 smooth_globals.tangent
has 4 bend.reverse
echo "vectors.sh: simple loops are vectorised"
