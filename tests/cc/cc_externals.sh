# Tests `verso cc --verso-externals`: the list of functions of a library that was not compiled by `verso cc`.
# ctest sets VERSO and SOURCE; by hand: VERSO=build/verso SOURCE=. bash tests/cc/cc_externals.sh
set -euo pipefail
if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
verso=$(realpath "$VERSO")
source=$(realpath "$SOURCE")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

cat >program.c <<'END'
#include <verso/native.h>
double one(double u, const double *values);
double two(double u, double v, int n);
double both(double u, const double *values);
void unknown(double u, float *values, int count);
VERSO_INACTIVE void progress(double u);

static void one_adjoint(verso_call *call, double u, const double *values) {
    call->argument[0] += call->result[0] * values[0];
    verso_adjoint_add(values, VERSO_SCALAR_DOUBLE, 1, &(double){call->result[0] * u});
}
VERSO_ADJOINT(one, one_adjoint, NULL);

static double two_record(verso_call *call, double u, double v, int n) {
    (void)call;
    return two(u, v, n);
}
static void two_sweep(verso_call *call, double u, double v, int n) {
    call->argument[0] += call->result[0] * v * n;
    call->argument[1] += call->result[0] * u * n;
}
VERSO_CUSTOM_ADJOINT(two, two_record, two_sweep, NULL);

static void both_adjoint(verso_call *call, double u, const double *values) {
    call->argument[0] += call->result[0] * values[1];
    verso_adjoint_add(values + 1, VERSO_SCALAR_DOUBLE, 1, &(double){call->result[0] * u});
}
static double both_record(verso_call *call, double u, const double *values) {
    verso_keep(call, values + 1, sizeof *values);
    return both(u, values);
}
static void both_sweep(verso_call *call, double u, const double *values) {
    call->argument[0] += call->result[0] * *(const double *)call->kept;
    verso_adjoint_add(values + 1, VERSO_SCALAR_DOUBLE, 1, &(double){call->result[0] * u});
}
VERSO_ADJOINT(both, both_adjoint, NULL);
VERSO_CUSTOM_ADJOINT(both, both_record, both_sweep, NULL);

static double f(const double *x, size_t n) {
    double u = one(x[0], x);
    progress(u);
#ifdef UNKNOWN
    float values[1] = {1};
    unknown(u, values, 1);
    u += values[0];
#endif
    return two(u, x[n - 1], 2) +
           one(u, x) + both(u, x);
}

int main(void) {
    double x[2] = {0.5, 3}, gradient[2];
    return verso_gradient(f, x, 2, gradient, NULL, NULL, NULL) != VERSO_STATUS_OK || gradient[1] != 0.75;
}
END
cat >library.c <<'END'
double one(double u, const double *values) { return u * values[0]; }
double two(double u, double v, int n) { return u * v * n; }
double both(double u, const double *values) { return u * values[1]; }
void unknown(double u, float *values, int count) { values[count - 1] = (float)u; }
void progress(double u) { (void)u; }
END
cc -c library.c

# link FLAG...: links, and writes the messages to the file `said`.
link() {
    "$verso" cc "-I$source/include" -O1 --verso-externals "$@" program.c library.o -o program -lm >said 2>&1
}

status=0
link || status=$?
cat >expected <<'END'
external one: has an adjoint in one piece, but no tangent version
    called by program.c:40, program.c:48
    argument 1: derivative in argument[0]
    argument 2: derivative in its target, if it points to numbers (verso_adjoint_add)
    result: derivative in result[0]
    preserved: all, by Verso
external progress: is declared inactive
    called by program.c:41
external two: has an adjoint in two pieces, but no tangent version
    called by program.c:47
    argument 1: derivative in argument[0]
    argument 2: derivative in argument[1]
    result: derivative in result[0]
    preserved: all arguments, by Verso; global variables that it reads, in two pieces by verso_keep
external both: has an adjoint in one piece and one in two, but no tangent version
    called by program.c:48
    argument 1: derivative in argument[0]
    argument 2: derivative in its target, if it points to numbers (verso_adjoint_add)
    result: derivative in result[0]
    preserved: the arguments, by Verso; what they point to, if its derivative depends on it, in two pieces by verso_keep, in one piece by Verso
END
diff -u expected said
((status == 0))
./program

if link -DUNKNOWN; then
    echo "an unknown function was not refused" >&2
    exit 1
fi
grep -q '^external unknown: needs VERSO_ADJOINT (one piece), VERSO_CUSTOM_ADJOINT (two pieces) or VERSO_INACTIVE$' said
grep -q '^    argument 2: derivative in its target' said
grep -q '^    preserved: the arguments, by Verso; what they point to' said
grep -q 'program.c:44: error: f calls unknown, which was not compiled by' said
echo "cc_externals.sh: all is said"
