# Tests `verso rev --register`: reversible functions in programs compiled by `verso cc` supply their own adjoints.
# Gradients equal those of the untranslated program; examples/native/orbits.rev.c needs no tape; functions that cannot
# be registered are refused with a helpful message. ctest sets VERSO and SOURCE.
set -euo pipefail
: "${VERSO:?the command}" "${SOURCE:?the folder of the source}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$SOURCE"

fail() {
    echo "rev_register.sh: $*" >&2
    exit 1
}

# ---- Refusals ----

refused() { # WORDS TEXT: a function of that text
    printf '#include <verso/rev.h>\ntypedef struct pair { double a; float b; } pair;\n%s\n' "$2" >"$scratch/no.rev.c"
    if "$VERSO" rev --register "$scratch/no.rev.c" -o "$scratch/no.c" 2>"$scratch/errors"; then fail "not refused: $2"; fi
    grep -qF -- "$1" "$scratch/errors" || fail "'$1' is not said of: $2"$'\n'"$(cat "$scratch/errors")"
}

unknown="'f' cannot be registered because of 'x': it is not known how many elements it has"
refused "$unknown" 'rev void f(double *x, passive int n) { for (int i = 0; i < n; i++) { x[i] += 1; } }'
grep -q 'fix: write its length: double x\[n\] with n in front of it, or rev_length(f, x, n);' "$scratch/errors" || fail "no fix"
refused "it has no derivatives in a program of verso cc" 'rev void f(float *x) { *x += 1; }'
refused "it has no derivatives in a program of verso cc" 'rev void f(pair *x) { x->a += x->b; }'
refused "by value only a double has a derivative in a program of verso cc" 'rev void f(double *y, float x) { *y += x; }'
refused "a function or a stack cannot be kept for the sweep" 'rev void f(rev_stack *st, double *x) { push(st, *x); }'
refused "the memory that pointers inside it point to is not known" 'rev void f(double **x) { x[0][0] += 1; }'
refused "a length may contain only numbers and integers that are passed by value" \
    'rev void f(double *x, passive const int *n) { for (int i = 0; i < *n; i++) { x[i] += 1; } } rev_length(f, x, *n);'
refused "'f' has no pointer parameter named 'y'" 'rev void f(double *x) { *x += 1; } rev_length(f, y, 1);'
refused "'g' is not a rev function" 'rev void f(double *x) { *x += 1; } rev_length(g, x, 1);'

# Only other rev functions call it: it may stay as it is.
printf '%s\n' '#include <verso/rev.h>' 'rev static void g(double *x, passive int n) { for (int i = 0; i < n; i++) { x[i] += 1; } }' \
    'rev void f(passive int n, double x[n]) { g(x, n); }' >"$scratch/inner.rev.c"
"$VERSO" rev --register "$scratch/inner.rev.c" -o "$scratch/inner.c"
grep -q 'VERSO_CUSTOM_ADJOINT(f, ' "$scratch/inner.c" || fail "f is not registered"
if grep -q 'VERSO_CUSTOM_ADJOINT(g, ' "$scratch/inner.c"; then fail "g is registered without a length"; fi

# ---- Programs ----

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} == ON ]]; then
    echo "skipped: an instrumented library needs more to be linked with"
    exit 77
fi
for file in tests/rev/registered/kinds.rev.c examples/native/orbits.rev.c; do
    name=$(basename "$file" .rev.c)
    "$VERSO" rev --register "$file" -o "$scratch/$name.c"
    "$VERSO" cc -O2 -Wall -Wextra -Werror "$scratch/$name.c" -lm -o "$scratch/$name"
    "$VERSO" cc -O2 -Wall -Wextra -Werror "$file" -lm -o "$scratch/$name-recorded"
    "$scratch/$name" >"$scratch/$name.out" || fail "$name: its check does not hold: $(cat "$scratch/$name.out")"
    "$scratch/$name-recorded" >"$scratch/$name-recorded.out" || fail "$name, recorded: $(cat "$scratch/$name-recorded.out")"
done
cmp "$scratch/kinds.out" "$scratch/kinds-recorded.out" || fail "registered functions give another gradient"
derivatives() { grep -E 'steps: |by number' "$1"; }
diff <(derivatives "$scratch/orbits.out") <(derivatives "$scratch/orbits-recorded.out") ||
    fail "the registered time loop gives another gradient"
tape() { awk '/^tape: / { print $2 }' "$1"; }
short=$(tape "$scratch/orbits.out") long=$(tape "$scratch/orbits-recorded.out")
((short < 4096 && long > 100000000)) || fail "tapes of $short and $long bytes"
echo "rev_register.sh: the time loop's tape has $short bytes instead of $long"
