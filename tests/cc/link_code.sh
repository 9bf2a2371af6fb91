# Tests what a link makes of a program: what clang has simplified is not simplified again; the program's own functions
# can be in parts; adjoint code does not grow with the number of calls times the number of variables. ctest sets VERSO
# and SOURCE.
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
export VERSO_CACHE=''

fail() {
    echo "link_code.sh: FAILED: $*" >&2
    exit 1
}

transform=$(dirname "$VERSO")/verso-transform
printf '#!/bin/sh\nexec "%s" --part 40 "$@"\n' "$transform" >parts
printf '#!/bin/sh\nexec "%s" --part 10000000 "$@"\n' "$transform" >whole
chmod +x parts whole
compile() { "$VERSO" cc "${2:--O2}" "-I$source/include" -c "$1.c"; }

# ---- The program's own functions, in parts ----

# Both files have a `count`, a `table` and a `step`. `walk` jumps to labels in a table.
for name in a b; do
    cat >$name.c <<C
#include <stdio.h>
static int count;
static double state[4] = {1, 2, 3, 4};
__attribute__((noinline)) static double step(double x) { count++; return x * state[count % 4]; }
__attribute__((noinline)) static double other(double x) { count += 2; return x + state[count % 4]; }
static double (*const table[])(double) = {step, other, step};
static const char *const words[] = {"one $name", "two $name", "three $name"};
double small_$name(double x) { return x * 2 + 1; }
double small_a(double), small_b(double);
double sum_$name(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += small_a(x[i]) * small_b(x[i]);
    return sum;
}
double walk_$name(const unsigned char *code, double x) {
    static const void *const labels[] = {&&add, &&call, &&end};
    goto *labels[*code++];
add:
    x += 1;
    goto *labels[*code++];
call:
    x = table[count % 3](x);
    goto *labels[*code++];
end:
    state[0] += x;
    puts(words[count % 3]);
    return x;
}
C
    compile $name
done
cat >main.c <<'C'
#include <stdio.h>
#include <verso/native.h>
double sum_a(const double *, int), sum_b(const double *, int);
double walk_a(const unsigned char *, double), walk_b(const unsigned char *, double);
static double f(const double *x, size_t n) {
    static const unsigned char code[] = {0, 1, 0, 1, 1, 2};
    return walk_a(code, x[0]) * x[n - 1];
}
int main(void) {
    static const unsigned char code[] = {0, 1, 0, 0, 1, 2};
    double x[] = {0.5, 1.5, 2.5}, gradient[3] = {0};
    if (verso_gradient(f, x, 3, gradient, NULL, NULL, NULL) != VERSO_STATUS_OK)
        return 1;
    printf("%.17g %.17g %.17g\n", gradient[0], gradient[1], gradient[2]);
    printf("%.17g %.17g ", walk_a(code, 1.25), walk_b(code, 1.5));
    printf("%.17g %.17g\n", sum_a(x, 3), sum_b(x, 3));
}
C
compile main
for way in parts whole; do
    VERSO_TRANSFORM=$folder/$way "$VERSO" cc -O2 a.o b.o main.o -o $way.program -lm
    ./$way.program >$way.out || fail "a program in $way fails"
done
cmp parts.out whole.out || fail "a program in parts computes something else"
nm parts.program | grep ' other.*\.part$' >/dev/null || fail "local functions of a program in parts have no common name"

calls() { # FILE FUNCTION: how many calls are in its code
    objdump -dr --no-show-raw-insn --disassemble="$2" "$1" | grep -c '[[:space:]]call ' || true
}
for function in sum_a sum_b; do
    file=${function#sum_}.o
    for way in parts whole; do
        (($(calls $way.program $function) == $(calls "$file" $function))) ||
            fail "$function of a program in $way does not have clang's calls"
    done
done

# A program that clang has not simplified is simplified by the link, as a whole.
for name in a b main; do
    compile $name -O0
done
VERSO_TRANSFORM=$folder/parts "$VERSO" cc -O2 a.o b.o main.o -o simple -lm
./simple | cmp - whole.out || fail "a program compiled at -O0 computes something else"
moves() { # FILE: how often sum_a moves something
    objdump -d --no-show-raw-insn --disassemble=sum_a "$1" | grep -c '[[:space:]]mov' || true
}
(($(moves simple) * 3 < $(moves a.o) * 2)) || fail "a program compiled at -O0 is not simplified"

# ---- Adjoint code around many calls ----

cat >many.c <<'C'
#include <math.h>
#include <stdio.h>
#include <verso/native.h>
__attribute__((noinline)) static double g(double x, int depth) {
    return depth > 0 ? sin(x) * g(x + 1, depth - 1) : x;
}
#define VALUE(i) double v##i = sin(x[i % 4] + i);
#define CALL(i) sum += g(x[i % 4] + sum, 1) * g(x[(i + 1) % 4], 1);
#define USE(i) sum += v##i * v##i;
#define TEN(M, d) M(d##0) M(d##1) M(d##2) M(d##3) M(d##4) M(d##5) M(d##6) M(d##7) M(d##8) M(d##9)
double many(const double *x, size_t n) {
    double sum = (double)n;
    TEN(VALUE, 1) TEN(VALUE, 2) TEN(CALL, 1) TEN(CALL, 2) TEN(USE, 1) TEN(USE, 2)
    return sum;
}
int main(void) {
    double x[] = {0.1, 0.2, 0.3, 0.4}, gradient[4], beside[4];
    if (verso_gradient(many, x, 4, gradient, NULL, NULL, NULL) != VERSO_STATUS_OK)
        return 1;
    for (int i = 0; i < 4; i++) {
        double at = x[i];
        x[i] = at + 1e-6;
        beside[i] = many(x, 4);
        x[i] = at - 1e-6;
        beside[i] = (beside[i] - many(x, 4)) / 2e-6;
        x[i] = at;
        if (fabs(beside[i] - gradient[i]) > 1e-6 * (1 + fabs(beside[i])))
            return 2;
    }
}
C
compile many
"$VERSO" cc -O2 many.o -o many -lm
./many || fail "the gradient of a function with many calls is wrong"
bytes=$((16#$(nm -S many | awk '$4 == "many.reverse" { print $2 }')))
((bytes < 8500)) || fail "the adjoint code of a function with many calls has $bytes bytes"
echo "link_code.sh: passed ($bytes bytes of adjoint code)"
