# Tests `verso rev`: the programs of tests/rev are translated, compiled by gcc and clang with and without checks, test
# their own derivatives, and compute the same as without translation; each program of tests/rev/errors is refused with
# the message in the file next to it. With REV_OPTIMIZED=1 (tests/long/rev) both compilers also compile each program
# with optimization. ctest sets VERSO, SOURCE, CC and VERSO_SANITIZE.
set -euo pipefail
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
SOURCE=$(cd "$SOURCE" && pwd)
VERSO=$(realpath "$VERSO")
cd "$SOURCE"

fail() {
    echo "rev.sh: $*" >&2
    exit 1
}

flags=(-std=c17 -D_XOPEN_SOURCE=700 -Wall -Wextra -Wpedantic -Werror "-I$SOURCE/include" "-I$SOURCE")

# ---- Programs ----

# Optimizing takes most of the time: one way with it is enough where nothing else differs.
ways=("gcc -O0 -DVERSO_REV_OVERLAP" "gcc -O2 -DVERSO_REV_NOCHECK" "clang -O0 -DVERSO_REV_OVERLAP" "clang -O0 -DVERSO_REV_NOCHECK")
if [[ ${REV_OPTIMIZED:-0} == 1 ]]; then
    ways+=("gcc -O1 -g -DVERSO_REV_OVERLAP" "gcc -O3 -DVERSO_REV_NOCHECK" "clang -O1 -g -DVERSO_REV_OVERLAP"
        "clang -O3 -DVERSO_REV_NOCHECK")
fi
if [[ -n ${VERSO_SANITIZE:-} ]]; then
    ways=("${CC:?a C compiler} -O0 -DVERSO_REV_OVERLAP -fsanitize=$VERSO_SANITIZE -fno-sanitize-recover=all")
fi

# One point in a thousand is so near to a jump, or so badly conditioned, that differences are useless; two in turn are not.
random_point() { # NAME
    "$scratch/$1" "$RANDOM" >"$scratch/random" || { grep FAILED "$scratch/random" >&2; return 1; }
}

programs=0
check_program() { # NAME COMPILER FLAG...
    local name=$1
    shift
    command -v "$1" >/dev/null || return 0
    "$@" "${flags[@]}" "$scratch/$name.c" -o "$scratch/$name" -lm || fail "$*: $name"
    "$scratch/$name" >"$scratch/$name.out" || {
        grep FAILED "$scratch/$name.out" >&2
        fail "$name, compiled by $*, fails"
    }
    random_point "$name" || random_point "$name" || fail "$name fails with both seeds"
    programs=$((programs + 1))
}

# `undo` needs the tool.
check_plain() { # NAME COMPILER
    if grep -qw undo "tests/rev/$1.rev.c" || ! command -v "$2" >/dev/null; then return; fi
    "$2" "${flags[@]}" -Wno-unused-function -O0 -x c "tests/rev/$1.rev.c" -o "$scratch/plain" -lm || fail "$1 as it is"
    "$scratch/plain" >"$scratch/plain.out" || fail "$1 as it is fails"
    while IFS=: read -r function values; do
        grep -qxF "$function:$values" "$scratch/$1.out" || fail "$1: $function does something else than compiled plainly"
    done <"$scratch/plain.out"
}

for file in tests/rev/*.rev.c; do
    name=$(basename "$file" .rev.c)
    "$VERSO" rev "$file" -o "$scratch/$name.c"
    for way in "${ways[@]}"; do
        # shellcheck disable=SC2086
        check_program "$name" $way
    done
    for compiler in gcc clang; do check_plain "$name" "$compiler"; done
done

# ---- The rest of the file, and places ----

"$VERSO" rev tests/rev/harness.h | tail -n +3 | cmp - tests/rev/harness.h || fail "a file without rev functions is changed"

cat >"$scratch/places.rev.c" <<'END'
#include <verso/rev.h>
rev void wrong(double *x) {
    anc double t = 0;
    t += x[0];

    t -= x[1];
} int after = __LINE__;
int main(int argc, char **argv) {
    double x[2] = {1, 2};
    if (argc > 1)
        return after != 7 || __LINE__ != 11;
    (void)argv;
    wrong(x);
}
END
(cd "$scratch" && "$VERSO" rev places.rev.c -o places.c && gcc "${flags[@]}" places.c -o places -lm)
"$scratch/places" with || fail "lines after a function are not the user's"
"$scratch/places" 2>"$scratch/fault" && fail "an ancilla that is not empty is not found"
grep -q '^places.rev.c:7: .*t == 0: found -1, expected 0' "$scratch/fault" || fail "the fault's place is not the user's"

# Files of other systems: lines that end in CR LF, a byte order mark.
{ printf '\xEF\xBB\xBF'; sed 's/$/\r/' "$scratch/places.rev.c"; } >"$scratch/foreign.rev.c"
(cd "$scratch" && "$VERSO" rev foreign.rev.c -o foreign.c && gcc "${flags[@]}" foreign.c -o foreign -lm)
"$scratch/foreign" with || fail "a file with CR LF has other lines"

# ---- Errors that are found only at run time: parts of one array, indices, divisions, large ancillas, threads ----

cat >"$scratch/run.rev.c" <<'END'
#include <stdio.h>
#include <stdlib.h>
#include <verso/rev.h>

rev void add(passive int n, double a[n], const double b[n]) {
    for (int i = 0; i < n; i++)
        a[i] += b[i];
}
rev void slices(passive int n, passive int at, double *x) { add(n, x, &x[at]); }
rev void chase(int *k, passive int i) { k[k[i]] += 1; }
rev void pick(double *x) { x[(int)x[0]] += 1; }
rev void divide(int *k, const int *by) { *k /= *by; }
rev void squares(double *y, const double *x, passive int n) {
    anc double v[n] = {0};
    compute {
        for (int i = 0; i < n; i++)
            v[i] += x[i] * x[i];
    }
    use {
        for (int i = 0; i < n; i++)
            *y += v[i];
    }
}
rev void shared(double *y, const double *a, const double *b, const double *x, passive int n) {
#pragma omp parallel for
    for (int i = 0; i < n; i++)
        y[i] += a[i % 4] * *b * x[i] * x[i];
}

#ifdef VERSO_REV_GENERATED
enum { N = 1000000 };
static double y[N], x[N], y_bar[N], x_bar[N];
static int large(void) {
    double sum = 0, sum_bar = 1;
    squares(&sum, x, N);
    int wrong = sum != N;
    squares_adj(&sum, &sum_bar, x, x_bar, N);
    return wrong || sum != 0 || x_bar[N - 1] != 2;
}
static int threads(void) {
    double a[4] = {1, 2, 3, 4}, a_bar[4] = {0}, b = 1, b_bar = 0;
    shared(y, a, &b, x, N);
    shared_adj(y, y_bar, a, a_bar, &b, &b_bar, x, x_bar, N);
    return a_bar[0] != N / 4 || a_bar[3] != N / 4 || b_bar != 2.5 * N || x_bar[7] != 8 || y[7] != 0;
}
int main(int argc, char **argv) {
    double z[8] = {1, 2, 3, 4, 5, 6, 7, 8};
    int k[2] = {1, 0}, by = 0;
    for (int i = 0; i < N; i++)
        x[i] = 1, y_bar[i] = 1;
    switch (argc > 1 ? atoi(argv[1]) : 0) {
    case 0: slices(4, 4, z), slices_inv(4, 4, z), chase(k, 1), chase_inv(k, 1); return z[0] != 1 || k[0] != 1;
    case 1: slices(4, 3, z); break;
    case 2: k[0] = 0, chase(k, 0); break;
    case 3: z[0] = 0.5, pick(z); break;
    case 4: divide(k, &by); break;
    case 5: return large();
    case 6: return threads();
    }
    return 0;
}
#endif
END
"$VERSO" rev "$scratch/run.rev.c" -o "$scratch/run.c"
gcc "${flags[@]}" -O1 -fopenmp "$scratch/run.c" -o "$scratch/run" -lm
"$scratch/run" || fail "parts of one array that are apart"
for case in '1 a and b are different places' '2 k\[k\[i\]\] and k\[i\] are different' '3 are different places' '4 \*by != 0'; do
    "$scratch/run" "${case%% *}" 2>"$scratch/fault" && fail "case $case: nothing was found"
    grep -q "${case#* }" "$scratch/fault" || fail "case $case: $(<"$scratch/fault")"
done
(ulimit -s 2048 && "$scratch/run" 5) || fail "an ancilla that is larger than the stack"
for i in 1 2 3 4 5; do OMP_NUM_THREADS=4 "$scratch/run" 6 || fail "threads add to one bar"; done

# ---- Several files ----

cat >"$scratch/shared.h" <<'END'
#ifndef SHARED_H
#define SHARED_H
typedef struct shape { double width, height; } shape;
rev void area(double *out, const shape *s, passive int n);
#endif
END
cat >"$scratch/one.rev.c" <<'END'
#include <verso/rev.h>
#include "shared.h"
rev void area(double *out, const shape *s, passive int n) {
    for (int i = 0; i < n; i++)
        *out += s[i].width * s[i].height;
}
END
cat >"$scratch/two.rev.c" <<'END'
#include <verso/rev.h>
#include "shared.h"
rev void volume(double *out, const shape *s, double depth) {
    anc double base = 0;
    compute { area(&base, s, 2); }
    use { *out += base * depth; }
}
int main(void) {
    shape s[2] = {{1, 2}, {3, 4}}, s_bar[2] = {{0, 0}, {0, 0}};
    double out = 0, out_bar = 1, depth_bar = 0;
    volume(&out, s, 5);
    int wrong = out != 70;
    volume_adj(&out, &out_bar, s, s_bar, 5, &depth_bar);
    return wrong || out != 0 || depth_bar != 14 || s_bar[1].width != 20;
}
END
for name in one two; do "$VERSO" rev "$scratch/$name.rev.c" -o "$scratch/$name.c"; done
gcc "${flags[@]}" "-I$scratch" "$scratch/one.c" "$scratch/two.c" -o "$scratch/both" -lm
"$scratch/both" || fail "a function of another file"

# ---- Errors ----

errors=0
for file in tests/rev/errors/*.rev.c; do
    "$VERSO" rev "$file" -o "$scratch/none.c" 2>"$scratch/errors" && fail "$file is not refused"
    diff -u "${file%.rev.c}.txt" "$scratch/errors" || fail "$file is refused in other words"
    errors=$((errors + 1))
done

echo "rev.sh: $programs programs, $errors errors"
