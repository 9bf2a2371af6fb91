# Tests `verso jacobian`, `verso hvp` and `verso hessian` from outside: numbers found by calculus, formats of files, budgets,
# durable runs that are killed, and error messages. ctest sets VERSO and SOURCE.
# shellcheck source=tests/cli/grad.bash
source "${SOURCE:?the folder of the source}/tests/cli/grad.bash"

cat >functions.c <<'END'
#include <math.h>
#include <stddef.h>
#include <stdlib.h>
double rosenbrock(const double *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++)
        sum += 100 * (x[i + 1] - x[i] * x[i]) * (x[i + 1] - x[i] * x[i]) + (1 - x[i]) * (1 - x[i]);
    return sum;
}
double product(double a, float b) { return a * a * b; }
long double wide(long double x) { return x * x; }
void square(const double *x, double *y, int n) {
    for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i] + (i > 0 ? 3 * x[i - 1] : 0);
}
double walk(const double *x, size_t n, int steps) {
    double *a = malloc(n * sizeof *a), *b = malloc(n * sizeof *b), sum = 0;
    for (size_t i = 0; i < n; i++)
        a[i] = x[i];
    for (int k = 0; k < steps; k++) {
        for (size_t i = 0; i < n; i++)
            b[i] = a[i] + 0.01 * sin(a[i] * a[(i + 1) % n]);
        double *turned = a;
        a = b, b = turned;
    }
    for (size_t i = 0; i < n; i++)
        sum += a[i] * a[i];
    free(a), free(b);
    return sum;
}
END

# ---- Values ----

expect 0 hvp functions.c:rosenbrock --at -1.2,1 --direction 1,0 --json
prints '"hvp": [1330, 480]'
prints '"gradient": [-215.59999999999997, -87.99999999999999]'
json_check <out >/dev/null || fail "hvp: not JSON: $out"
expect 0 hessian functions.c:rosenbrock --at -1.2,1,0.5 --json
prints '"hessian": [[1330, 480, 0], [480, 1202, -400], [0, -400, 200]]'
expect 0 hessian functions.c:rosenbrock --at -1.2,1,0.5 --sparse --json --out hessian.mtx
prints '"hessian": {"row": [0, 0, 1, 1, 1, 2, 2], "column": [0, 1, 0, 1, 2, 1, 2]'
[[ $(sed -n 2p hessian.mtx) == "3 3 7" && $(sed -n 4p hessian.mtx) == "1 2 480" ]] || fail "hessian.mtx: $(cat hessian.mtx)"
expect 0 hessian functions.c:product --at 3,2 --json
prints '"hessian": [[4, 6], [6, 0]]'
expect 0 jacobian functions.c:square --at x=1,2,3 --of y --set n=3 --json --out jacobian.npy
prints '"jacobian": [[2, 0, 0], [3, 4, 0], [0, 3, 6]]'
json_check <out >/dev/null || fail "jacobian: not JSON: $out"
header=$(head -c 128 jacobian.npy | tr -d '\0\1')
[[ $(stat -c %s jacobian.npy) == $((128 + 72)) && $header == *"'shape': (3, 3)"* ]] || fail "jacobian.npy: $header"
if python3 -c 'import numpy' 2>/dev/null; then
    [[ $(python3 -c 'import numpy; print(numpy.load("jacobian.npy").tolist())') == "[[2.0, 0.0, 0.0], [3.0, 4.0, 0.0], [0.0, 3.0, 6.0]]" ]] ||
        fail "NumPy reads something else"
fi
expect 0 jacobian functions.c:square --at x=1,2,3 --of y --set n=3 --sparse --out jacobian.txt
[[ $(sed -n 2p jacobian.txt) == "1 0 3" && $(wc -l <jacobian.txt) == 5 ]] || fail "jacobian.txt: $(cat jacobian.txt)"
expect 0 jacobian functions.c:product --at 3,2 --json
prints '"jacobian": [[12, 9]]'

# ---- Budgets and durable runs: the same bits ----

seq 0.1 0.01 2 >x.txt
walk=(hvp functions.c:walk --at @x.txt --set steps=20000 --direction @x.txt)
expect 0 "${walk[@]}" --out whole.txt
expect 0 "${walk[@]}" --memory 4M --out within.txt
prints "steps"
cmp -s whole.txt within.txt || fail "a budget changes bits"
expect 75 "${walk[@]}" --memory 4M --run run --interval 0.02 --time-limit 0.1
for ((i = 0; i < 4; i++)); do
    setsid "$VERSO" "${walk[@]}" --memory 4M --run run --interval 0.02 --out durable.txt >/dev/null 2>&1 &
    child=$!
    sleep 0.$((3 + i))
    kill -KILL -- "-$child" 2>/dev/null
    wait "$child" 2>/dev/null
done
sleep 0.2
rm -rf "${TMPDIR:?}"/*
verso "${walk[@]}" --memory 4M --run run --out durable.txt
cmp -s whole.txt durable.txt || fail "a durable run that was killed has other bits: $err"

# ---- Errors ----

expect 2 hvp functions.c:rosenbrock --at 1,2
says "--direction VALUES is missing"
expect 2 hvp functions.c:rosenbrock --at 1,2 --direction 1
says "--direction: 1 numbers are given, but --at has 2"
expect 1 hvp functions.c:wide --at 1 --direction 1
says "long doubles"
expect 2 jacobian functions.c:square --at x=1,2 --of y --set n=2 --run run
says "not durable"
expect 2 jacobian functions.c:square --at x=1,2 --of y --set n=2 --sparse --out matrix.npy
says ".npy file holds a dense matrix"
((failures == 0)) || exit 1
