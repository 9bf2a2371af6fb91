# Tests `verso grad` and `verso check` from outside: which values go to which parameter, what they print, and their
# error messages. ctest sets VERSO and SOURCE. Expected derivatives are found by calculus, not computed.
# shellcheck source=tests/cli/grad.bash
source "${SOURCE:?the folder of the source}/tests/cli/grad.bash"

cat >functions.c <<'END'
#include <math.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
typedef double real;
enum shape { ROUND, SQUARE = 5 };
struct pair { double a, b; };
double rosenbrock(const real *x, size_t n) {
    double sum = 0;
    for (size_t i = 0; i + 1 < n; i++)
        sum += 100 * (x[i + 1] - x[i] * x[i]) * (x[i + 1] - x[i] * x[i]) + (1 - x[i]) * (1 - x[i]);
    return sum;
}
static double hidden(double a, double b) { return a * b * b; }
static inline float single(float x) { return x * x; }
long double wide(long double x, float y) { return x * x * y; }
double between(double a, const double *x, int n, double b) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += x[i];
    return a * sum * b * b;
}
double dot(const double *a, const double *b, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}
double rows(double a[][3], int n, double c) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += a[i][0] * a[i][1] * a[i][2];
    return c * sum;
}
double fixed(const double a[2], const double b[3]) { return a[0] * a[1] * b[0] * b[1] * b[2]; }
double variable(int n, double a[n][n + 1]) { return a[n - 1][n] * a[0][0]; }
void square(const double *x, double *y, int n) {
    for (int i = 0; i < n; i++)
        y[i] = x[i] * x[i];
}
void cube(double *u, int n) {
    for (int i = 0; i < n; i++)
        u[i] = u[i] * u[i] * u[i];
}
void two_results(double x, double y[2]) { y[0] = x * x, y[1] = x * x * x; }
double shaped(enum shape s, double r) { return s == SQUARE ? r * r : 3 * r; }
double integers(unsigned char c, bool b, int64_t l, const short *list, size_t m, const char *name, double x) {
    double sum = 0;
    for (size_t i = 0; i < m; i++)
        sum += list[i];
    return (double)c * b * (double)l * sum * (double)strlen(name) * x;
}
double optional(const double *scale, void *context, double x) { return x * x * (scale ? *scale : 1) + (context != NULL); }
double root(double x) { return sqrt(x); }
double prints(double x) { return printf("hello %g\n", x), x * x; }
double structs(struct pair p) { return p.a * p.b; }
double pointers(double **rows) { return rows[0][0]; }
double crash(double x) { return x + *(volatile double *)8; }
int whole(double x) { return (int)x; }
double old();
double varying(double x, ...) { return x; }
double (*not_a_function)(double) = sin;
int main(void) { return 0; }
END

# ---- Values and parameters ----

gradient 24.2 '-215.6 -88' functions.c:rosenbrock --at -1.2,1 --json
gradient 24.2 '-215.6 -88' functions.c:rosenbrock --at -1.2 --at 1 --json
gradient 24.2 '-215.6 -88' functions.c:rosenbrock --at x=-1.2 --at x=1 --json
gradient 24.2 '-215.6 -88' functions.c:rosenbrock --json --at '-1.2, 1e0' --set n=2
printf '# a point\n-1.2 # and\n\n  1,' >point.txt
gradient 24.2 '-215.6 -88' functions.c:rosenbrock --at @point.txt --json
gradient 24.2 '-215.6 -88' functions.c:rosenbrock --at x=@point.txt --json
gradient 18 '9 12' functions.c:hidden --at 2,3 --json
gradient 18 '12' functions.c:hidden --at 3 --set a=2 --json
gradient 18 '9 12' functions.c:hidden --at b=3 --at a=0x1p1 --json
gradient 2.25 '3' functions.c:single --at 1.5f --json
gradient 12 '12 4' functions.c:wide --at 2,3 --json
gradient 108 '54 18 18 18 72' functions.c:between --at 2,1,2,3,3 --json
gradient 11 '3 4 1 2' functions.c:dot --at a=1,2 --at b=3,4 --json
[[ $out == *'"gradient": {"a": [3, 4], "b": [1, 2]}'* ]] || fail "an object by parameter: $out"
gradient 11 '3 4' functions.c:dot --at a=1,2 --set b=3,4 --json
[[ $out == *'"gradient": [3, 4]'* ]] || fail "a list for one parameter: $out"
gradient 882 '42 21 14 210 168 140 126' functions.c:rows --at 1,2,3,4,5,6,7 --json
gradient 120 '120 60 40 30 24' functions.c:fixed --at 1,2,3,4,5 --json
gradient 6 '6 0 0 0 0 1' functions.c:variable --set n=2 --at 1,2,3,4,5,6 --json
gradient 14 '2 4 6' functions.c:square --at 1,2,3 --of y --set n=3 --json
gradient 36 '2 8 18' functions.c:square --at 1,2,3 --of y --weights 1,2,3 --json
printf '1\n2\n3\n' >weights.txt
gradient 36 '2 8 18' functions.c:square --at 1,2,3 --of y --weights @weights.txt --json
gradient 14 '2 4 6 0 0 0' functions.c:square --at x=1,2,3 --at y=7,8,9 --of y --json
gradient 36 '3 12 27' functions.c:cube --at 1,2,3 --of u --json
gradient 12 '16' functions.c:two_results --at 2 --of y --json
gradient 9 '6' functions.c:shaped --set s=5 --at 3 --json
gradient 9 '3' functions.c:shaped --set s=0 --at 3 --json
gradient -36000 '-18000' functions.c:integers --set c=0x0a --set b=true --set l=-1e2 --set list=1,2,3 --set name=abc \
    --at 2 --json
printf '1 2 3\n' >list.txt
printf 'abc' >name.txt
gradient 36 '18' functions.c:integers --set c=1 --set b=1 --set l=1 --set list=@list.txt --set name=@name.txt --at 2 --json
gradient 9 '6' functions.c:optional --set scale=NULL --set context=NULL --at 3 --json
gradient 18 '12' functions.c:optional --set scale=2 --set context=NULL --at 3 --json
gradient 18 '9 12' functions.c:optional --at scale=2 --set context=NULL --at x=3 --json

# ---- Output ----

keys='{"value": [^,]*, "gradient": \[.*\], "steps": [0-9]*, "forward_steps": [0-9]*, "recordings": 1, "capsules": 0, '
keys+='"peak_bytes": [0-9]*, "budget_bytes": null, "begun_anew": 0, "seconds_primal": null, "seconds_gradient": null, '
keys+='"schedule": "single pass"}'
expect 0 grad functions.c:rosenbrock --at -1.2,1 --json
grep -qx "$keys" out || fail "keys or their order: $out"
expect 0 grad functions.c:root --at 0 --json
prints '"value": 0, "gradient": [null]'
json_check <out >/dev/null || fail "not JSON: $out"
expect 0 grad functions.c:root --at nan --json
prints '"value": null, "gradient": [null]'
expect 0 grad functions.c:root --at inf
prints 'value           inf'
expect 0 grad functions.c:rosenbrock --at -1.2,1
prints 'rosenbrock(x[2], n = 2) in functions.c'
prints 'gradient by     x[0]'
[[ $out != *speed* ]] || fail "times without --timing: $out"
prints 'memory'
expect 0 grad functions.c:rosenbrock --at -1.2,1 --timing
prints 'times a plain call'
seq 1 100 >hundred.txt
expect 0 grad functions.c:cube --at @hundred.txt --of u
prints 'u[3]          48'
prints '... 92 more ...'
prints 'u[99]         30000'
[[ $(wc -l <out) == 14 ]] || fail "a long gradient is not cut short: $out"

expect 0 grad functions.c:dot --at a=0.1,2 --at b=1e300,-3 --out numbers.txt --json
[[ $(cat numbers.txt) == $'1e300\n-3\n0.1\n2' ]] || fail "--out: $(cat numbers.txt)"
expect 0 grad functions.c:root --at 0 --out numbers.txt
[[ $(cat numbers.txt) == inf ]] || fail "--out of an infinity: $(cat numbers.txt)"
expect 1 grad functions.c:root --at 1 --out none/numbers.txt
says "cannot write 'none/numbers.txt'"

# What the function prints is not mixed with the numbers, and is printed once.
verso grad functions.c:prints --at 3 --json
[[ $status == 0 && $err == 'hello 3' ]] || fail "a function that prints: $status, '$err'"
json_check <out >/dev/null || fail "not JSON: $out"

expect 0 grad functions.c:hidden --at 2,3 --keep kept
prints "are in 'kept'"
for file in harness.c call.c program input result; do
    [[ -s kept/$file ]] || fail "--keep: no $file"
done
kept/program gradient kept/input again && cmp -s <(tail -c 16 kept/result) <(tail -c 16 again) ||
    fail "the kept program does not run by itself"

# ---- Several files, other languages ----

mkdir parts
cat >parts/outer.c <<'END'
#include "inner.h"
static double helper(double x) { return x + 1; }
double outer(const double *x, int n) {
    double sum = 0;
    for (int i = 0; i < n; i++)
        sum += inner(helper(x[i]));
    return sum;
}
int main(void) { return inner(1) > 0; }
END
echo 'double inner(double); static inline double in_header(double x) { return x * x; }' >parts/inner.h
cat >parts/inner.c <<'END'
#include "inner.h"
static double helper(double x) { return x * x; }
double inner(double x) { return helper(x) * SCALE; }
END
gradient 39 '12 18' parts/outer.c,parts/inner.c:outer --at 1,2 --json -- -DSCALE=3
gradient 2 '1' parts/outer.c,parts/inner.c:helper --at 1 --json -- -DSCALE=3
gradient 12 '12' parts/inner.h,parts/inner.c:inner --at 2 --json -- -O3 -DSCALE=3
gradient 4 '4' parts/inner.h:in_header --at 2 --json
"$VERSO" cc -O2 -DSCALE=2 -c parts/inner.c -o parts/inner.o || fail "no object"
ar rcs parts/libinner.a parts/inner.o
gradient 26 '8 12' parts/outer.c,parts/inner.o:outer --at 1,2 --json
gradient 26 '8 12' parts/outer.c,parts/libinner.a:outer --at 1,2 --json
gradient 26 '8 12' parts/outer.c:outer --at 1,2 --json -- -Lparts -linner
cat >plus.cpp <<'END'
#include <cstddef>
namespace space {
enum class colour : short { red, green = 7 };
double plain(const double *x, std::size_t n, double &scale, bool b) {
    double sum = 0;
    for (std::size_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return b * sum * scale;
}
double coloured(colour c, double x, const double (*m)[2]) { return c == colour::green ? x * x * m[0][1] : x; }
namespace { double unnamed(double x) { return x * x; } }
double several(double x) { return x; }
double several(float x) { return x; }
template <class T> T generic(T x) { return x; }
}
namespace other { double unique(double x) { return x * x * x; } }
static float local(float x) { return x * x; }
int main() { return 0; }
END
gradient 15 '6 12 5' plus.cpp:space::plain --at x=1,2 --at scale=3 --set b=1 --json
gradient 16 '16 0 4' plus.cpp:space::coloured --at 2,3,4 --set c=7 --json
gradient 9 '6' plus.cpp:unnamed --at 3 --json
gradient 8 '12' plus.cpp:unique --at 2 --json
gradient 9 '6' plus.cpp:local --at 3 --json

# ---- Errors of the command line ----

usage 'which function?'
usage 'which function?' functions.c
usage 'which function?' functions.c: --at 1
usage 'which file?' :f --at 1
usage "is not the name of a function" 'functions.c:f()' --at 1
usage "unexpected argument" functions.c:hidden functions.c:dot
usage "'functions.txt' is not a C, C++ or Fortran file" functions.txt:f
usage "there is no option '--att'; did you mean '--at'?" functions.c:hidden --att 1
usage "there is no function 'rosenbrok' in 'functions.c'; did you mean 'rosenbrock'?" functions.c:rosenbrok --at 1
usage "there is no function 'xyzzy' in 'functions.c'" functions.c:xyzzy --at 1
usage "there is no function 'sum' in 'functions.c'" functions.c:sum --at 1
usage "--at: rosenbrock has no parameter 'y'" functions.c:rosenbrock --at y=1
usage "--at: 3 numbers for a and b, which need 2" functions.c:hidden --at 1,2,3
usage "--at: 1 number for a and b, which need 2" functions.c:hidden --at 1
usage "--at: 1 number for a, x and b, which need 3 or more" functions.c:between --at 1
usage "--at: all parameters have values; these numbers are too many" functions.c:hidden --at a=1 --at b=2 --at 3
usage "--at: which numbers are for which array? Write --at NAME=VALUES for a and b" functions.c:dot --at 1,2
usage "--at a: expected one number, not 2" functions.c:hidden --at a=1,2 --at b=1
usage "'b' ('double') has no value; write --at b=VALUE" functions.c:hidden --at a=1
usage "'s' ('enum shape') has no value; write --set s=VALUE" functions.c:shaped --at 1
usage "'n' ('int') has no value; write --set n=VALUE" functions.c:variable --at 1,2
usage "--at n: it is 'int', not a floating-point number or array; use --set" functions.c:dot --at n=1
usage "--set: dot has no parameter 'm'; it has a, b and n" functions.c:dot --set m=1
usage "--set: integers has no parameter 'lst'; did you mean 'list'?" functions.c:integers --set lst=1
usage "--set: 'n' is not NAME=VALUE" functions.c:dot --set n
usage "--set n: it is set twice" functions.c:dot --set n=1 --set n=2
usage "--set n: expected one number, not 2" functions.c:dot --set n=1,2
usage "'a' is given by both --at and --set" functions.c:hidden --at a=1 --set a=1
for bad in 1.5 one 1e99 '' 3x; do
    expect 2 grad functions.c:dot --at a=1 --at b=1 --set "n=$bad"
done
usage "--set c: '256' does not fit its type, unsigned char" functions.c:integers --set c=256
usage "--set c: '-1' does not fit its type, unsigned char" functions.c:integers --set c=-1
usage "--set b: '2' does not fit its type, _Bool" functions.c:integers --set b=2
usage "--at: '1e999' is too large for its type, double" functions.c:root --at 1e999
usage "--at: 'one' is not a number" functions.c:root --at one
usage "--at: '1x' is not a number" functions.c:root --at 1x
usage "a comma without a number before it" functions.c:hidden --at 1,,2
usage "a comma without a number before it" functions.c:hidden --at ,1
usage "there are no numbers" functions.c:root --at ''
printf '1\n2\nthree\n' >bad.txt
usage "bad.txt:3: 'three' is not a number" functions.c:rosenbrock --at @bad.txt
usage "--of: square has no parameter 'zz'" functions.c:square --at 1 --of zz
usage "--of x: it is 'const double *', not a writable array" functions.c:square --at 1 --of x
usage "--of y: its length is unknown; give --set n=" functions.c:square --at 1,2,3 --of y
usage "--weights: 2 numbers are given, but 'y' has 3" functions.c:square --at 1,2,3 --of y --set n=3 --weights 1,2
usage "--weights needs --of NAME" functions.c:root --at 1 --weights 1
usage "square returns 'void', not a floating-point number; name the array of its results with --of NAME" functions.c:square --at x=1 --at y=1
usage "whole returns 'int'" functions.c:whole --at 1
usage "nothing to differentiate with respect to" functions.c:root --set x=1
usage "'a' has rows of 3 numbers, but 4 numbers are not whole rows" functions.c:rows --at a=1,2,3,4 --at c=1
usage "'a' is declared with 2 numbers, but 3 are given" functions.c:fixed --at a=1,2,3 --at b=1,2,3
usage "no file declares 'inner'" parts/inner.o:inner --at 1

# ---- Other errors ----

failure "cannot read 'none.c': No such file or directory" none.c:f --at 1
failure "--at: cannot read 'none.txt': No such file or directory" functions.c:root --at @none.txt
: >empty.txt
failure "--at: there are no numbers in 'empty.txt'" functions.c:root --at @empty.txt
failure "'p' is 'struct pair', which has no value on the command line; write a function" functions.c:structs --at 1,2
failure "'rows' is 'double **', which has no value on the command line; write a function" functions.c:pointers --at 1
failure "'old' is not a function, or is declared without a parameter list" functions.c:old --at 1
failure "'varying' takes a variable number of arguments" functions.c:varying --at 1
failure "'not_a_function' is not a function" functions.c:not_a_function --at 1
failure "'space::several' is not the name of a single function" plus.cpp:space::several --at 1
failure "'space::generic' is not the name of a single function" plus.cpp:space::generic --at 1
failure "crash was ended by signal 11" functions.c:crash --at 1
echo 'double wrong(double x) { return x + ; }' >wrong.c
failure 'wrong.c:1:37: error: expected expression' wrong.c:wrong --at 1
says "'wrong.c' cannot be compiled"
failure "undefined reference to \`inner'" parts/outer.c:outer --at 1
cat >mystery.c <<'END'
double mystery(double x);
double uses(double x) { return mystery(x); }
END
echo 'double mystery(double x) { return x; }' | cc -x c -c - -o mystery.o
failure 'mystery.c:2' mystery.c,mystery.o:uses --at 1
says mystery
says VERSO_CUSTOM_ADJOINT

# ---- Checks ----

# A step controller that amplifies changes of its steps: the derivative is ill-conditioned, and a note says so.
cat >controller.c <<'END'
#include <math.h>
#include <stddef.h>
#include <verso/native.h>
#ifndef FREEZE
#define FREEZE(x) (x)
#endif
double decay(const double *x, size_t n) { /* y' = -x0 y + x1 by Heun's method, with Euler's for the error */
    double y = 1, t = 0, h = 0.01;
    while ((void)n, t < 3) {
        h = fmin(h, 3 - t);
        double a = x[1] - x[0] * y, b = x[1] - x[0] * (y + h * a), norm = FREEZE(fabs(h * (b - a)) / 2e-4);
        if (norm <= 1) {
            t += h;
            y += h * (a + b) / 2;
        }
        h *= fmin(4, fmax(0.2, 0.9 * pow(norm, -1.3)));
    }
    return y;
}
END
expect 1 check controller.c:decay --at 0.9,0.3 --cuts 3
prints 'The derivative is ill-conditioned: differences agree on'
prints 'verso_frozen(norm)'
expect 1 check controller.c:decay --at 0.9,0.3 --cuts 3 --json
prints '"ill_conditioned": true'
expect 0 check controller.c:decay --at 0.9,0.3 --cuts 3 -- -DFREEZE=verso_frozen

# A root that is found by comparisons has the derivative of the interval's ends. One step of Newton's method corrects it.
cat >bisection.c <<'END'
#include <math.h>
#include <stddef.h>
#include <verso/native.h>
static double residual(double y, const double *x) { return y * y * y + x[0] * y - x[1]; }
double root(const double *x, size_t n) {
    double low = 0, high = 1 + x[1] * x[1], y;
    for (int i = 0; (void)n, i < 60; i++) {
        y = (low + high) / 2;
        if (residual(y, x) < 0)
            low = y;
        else
            high = y;
    }
#ifdef NEWTON
    y = verso_frozen(y);
    double rest = residual(y, x);
    y -= (rest - verso_frozen(rest)) / verso_frozen(3 * y * y + x[0]);
#endif
    return y;
}
END
expect 1 check bisection.c:root --at 2,3 --cuts 3
prints 'differences of all sizes agree on another number'
prints 'docs/native.md#a-number-found-by-comparisons'
expect 0 check bisection.c:root --at 2,3 --cuts 3 -- -DNEWTON

# A number that is printed and parsed again loses its derivative; differences show it.
cat >text.c <<'END'
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
double printed(const double *x, size_t n) {
    char text[64];
    double sum = 0;
    for (size_t i = 0; i < n; i++) {
        snprintf(text, sizeof text, "%.17g", x[i] * x[i]);
        sum += strtod(text, NULL) * x[0];
    }
    return sum;
}
END
expect 1 check text.c:printed --at 1.5,2 --cuts 3
prints 'Taylor        order 1.00'
prints 'differences 0.58'
prints 'numbers that are printed as text and parsed'

# Values are those of a plain call; up to rounding if the compiler may reorder operations.
cat >sums.c <<'END'
#include <stddef.h>
double sum(const double *x, size_t n) { double s = 0; for (size_t i = 0; i < n; i++) s += x[i] * x[i]; return s; }
END
expect 0 check sums.c:sum --at 1,2,3,4,5,6,7 -- -O3 -ffast-math
prints 'from a plain call'
expect 0 check sums.c:sum --at 1,2,3,4,5,6,7 --json -- -O3 -ffast-math
prints '"fast_math": true'
expect 0 check sums.c:sum --at 1,2,3,4,5,6,7 --json
prints '"fast_math": false'

expect 0 check functions.c:rosenbrock --at -1.2,1
prints 'rosenbrock(x[2], n = 2) in functions.c'
for test in value 'dot product' Taylor cuts; do
    grep -Eq "^  $test .* pass\$" out || fail "no test '$test' that passes: $out"
done
[[ $(tail -n 1 out) == PASS ]] || fail "the verdict: $out"
expect 0 check functions.c:square --at 1,2,3 --of y --set n=3 --cuts all
expect 0 check functions.c:dot --at a=1,2 --set b=3,4
prints 'linear, as far as can be measured'
expect 0 check plus.cpp:unnamed --at 3 --seed 7 --cuts 3 --json
json_check <out >/dev/null || fail "not JSON: $out"
keys='{"steps": [0-9]*, "value": {"plain": 9, "recorded": 9, "bound": 0, "differing": 0, "fast_math": false, "passed": true}, "dot_product": {"reverse": .*, "tangent": .*, "bound": .*, "passed": true}, "taylor": {"h": \[.*\], '
keys+='"remainders": \[.*\], "orders": \[.*\], "noise": .*, "order": [0-9.]*, "linear": false, "passed": true}, '
keys+='"differences": {"slope": .*, "doubt": .*, "nearby_least": null, "nearby_most": null, "ill_conditioned": false}, '
keys+='"cuts": {"sweeps": [0-9]*, "stretches": [0-9]*, "differing": 0, "passed": true}, "passed": true}'
grep -qx "$keys" out || fail "keys or their order: $out"
cp out first
expect 0 check plus.cpp:unnamed --at 3 --seed 7 --cuts 3 --json
cmp -s out first || fail "the same seed, another test"
expect 0 check plus.cpp:unnamed --at 3 --seed 8 --cuts 3 --json
cmp -s out first && fail "another seed, the same test"

# A wrong derivative is detected.
cat >lie.c <<'END'
#include <verso/native.h>
__attribute__((noinline)) static double square(double x) { return x * x; }
static double square_record(verso_call *call, double x) { return (void)call, square(x); }
static void square_sweep(verso_call *call, double x) { call->argument[0] += 2.001 * x * call->result[0]; }
static double square_tangent(verso_call *call, double x) {
    return call->result[0] = 2 * x * call->argument[0], square(x);
}
VERSO_CUSTOM_ADJOINT(square, square_record, square_sweep, square_tangent);
double lie(double x) { return 3 * square(x); }
END
expect 1 check lie.c:lie --at 2
[[ $(tail -n 1 out) == FAIL ]] || fail "a wrong derivative: $out"
grep -Eq '^  dot product .* FAIL$' out || fail "the dot product of a wrong derivative: $out"
expect 1 check lie.c:lie --at 2 --json
prints '"passed": false}'
json_check <out >/dev/null || fail "not JSON: $out"

for bad in x -1 1.5 ''; do
    expect 2 check functions.c:root --at 1 --seed "$bad"
    expect 2 check functions.c:root --at 1 --cuts "$bad"
done
expect 2 check
says 'which function?'
expect 2 check functions.c:root --at 1 --out file
says "there is no option '--out'"
expect 1 check mystery.c,mystery.o:uses --at 1
says mystery

finish
