# Tests `verso rev --check`: correct functions with parameters of every kind pass; a wrong inverse, a wrong derivative
# and a wrong ancilla are each found by the test made for it; functions that cannot be tested are reported; the
# programs in docs/rev.md do what the page says. ctest sets VERSO, SOURCE and CC.
set -euo pipefail
: "${VERSO:?the command}" "${SOURCE:?the folder of the source}" "${CC:?a C compiler}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export CC
cd "$SOURCE"

fail() {
    echo "rev_check.sh: $*" >&2
    cat "$scratch/said" >&2
    exit 1
}

check() { # EXIT-STATUS ARGUMENT...
    local wanted=$1 status=0
    shift
    [[ " $* " == *" -- "* ]] || set -- "$@" --
    "$VERSO" rev --check "$@" -O0 >"$scratch/said" 2>&1 || status=$?
    ((status == wanted)) || fail "$*: exit status $status, not $wanted"
}

says() { # A line, as a regular expression
    grep -Eq -- "$1" "$scratch/said" || fail "does not say '$1'"
}

# ---- What is right ----

settings=(--set index=0,2,1 --length long_one.x=100 --set shifted.x=2.5:3.5)
check 0 tests/rev/check/all_kinds.rev.c "${settings[@]}" --set n=3 --seed "$RANDOM"
says 'all_kinds.rev.c: 10 functions passed, 0 failed, 3 skipped'
says '^exact +exact .* ok$'   # fixed numbers and integers: to the bit
says '^powers +exact .* ok$'
says '^numbers .* (1\.9|2\.0)[0-9] +(1\.9|2\.0)[0-9] +ok$'
says "^stacked: skipped: 'stack' is a stack$"
says "^through: skipped: 'f' is a function$"
says "^rows: skipped: 'row' points to pointers$"
check 0 tests/rev/check/odd.rev.c --set n=3 --set i=0 --set j=1 --set k=3 --set s=3 --set p=0,2,0 --set emptyloop.n=3 --set lo=0 \
    --set hi=7 --set ifs.x=2:3 --set fromwhile.x=0.5:0.6 --seed "$RANDOM" -- -D_XOPEN_SOURCE=700
says 'odd.rev.c: 61 functions passed, 0 failed, 1 skipped'
check 0 tests/rev/check/cancel.rev.c --length rearranged.u=2 --length exponents.u=2 --length squares.u=2 --seed "$RANDOM"
says 'cancel.rev.c: 5 functions passed, 0 failed, 0 skipped'
{ # a sum of 400 terms
    printf '#include <verso/rev.h>\nrev void sum(double *y, const double *x) {\n    *y += *x'
    for i in {1..400}; do printf ' + *x * %d' "$i"; done
    printf ';\n}\n'
} >"$scratch/sum.rev.c"
check 0 "$scratch/sum.rev.c"
check 0 rev/library/lognumbers.rev.c --seed 5
says 'lognumbers.rev.c: [0-9]+ functions passed, 0 failed, 0 skipped \(seed 5\)$'
check 0 rev/library/sparse.rev.c --set index=0,1,2,0,1,3 --set start=0,2,3,5,6 --set a_index=0,1,2,0,1,3 \
    --set a_start=0,2,3,5,6 --set b_index=0,1,1,0,2,3 --set b_start=0,2,3,5,6
check 0 tests/rev/calls.rev.c -- -I. # hand-written inverses that are right; a main of its own

# The programs of docs/rev.md: as plain C, and translated.
awk -v to="$scratch/page" '/^```c$/ { number++; inside = 1; next } /^```$/ { inside = 0 } inside { print > (to number ".rev.c") }' docs/rev.md
for file in "$scratch"/page*.rev.c; do
    "$VERSO" rev "$file" -o "$scratch/page.c"
    for source in "$file" "$scratch/page.c"; do
        "$CC" -std=c17 -Wall -Wextra -Wpedantic -Werror -Iinclude "$source" -o "$scratch/page" -lm
        "$scratch/page" >"$scratch/said" || fail "docs/rev.md: $(basename "$source") fails"
    done
    check 0 "$file"
done
[[ -e $scratch/page2.rev.c ]] || fail "docs/rev.md has not two programs"

# ---- What is wrong ----

check 1 tests/rev/check/wrong_dual.rev.c
says '^twice .* FAILED$'
says '^twice: round trip: a, element 0: found '
says '^right .* ok$'
check 1 tests/rev/check/wrong_derivative.rev.c
says '^cubes +[^ ]+ +(exact|[0-9.]+e-[0-9]+) +1\.[0-9]+ .* FAILED$' # tangents and bars agree: only Taylor sees it
says '^cubes: Taylor: the remainder f\(x \+ h d\) - f\(x\) - h f_jvp\(d\) falls like h\^1\.'
says '^squares .* ok$'
check 1 tests/rev/check/wrong_ancilla.rev.c
says '^kept: tests/rev/check/wrong_ancilla.rev.c:[0-9]+: an ancilla does not have the required value: t == 0: found '
says '^up: round trip: x, element 0: found .*, to the bit$'

check 1 tests/rev/check/wrong_places.rev.c --set i=1 --set j=1 --set k=1,1
says '^turned: .*:[0-9]+: two arguments share memory: x\[i\] and x\[j\] are different places: '
says '^passed: .*:[0-9]+: two arguments share memory: x\[i\] and x\[j\] are different places: '
says '^started: .*:[0-9]+: a loop changed its own bounds: k\[i\]: found -3, expected 1$'
says '^kept: .*:[0-9]+: an ancilla does not have the required value: h == x\[i\]: '
check 0 tests/rev/check/wrong_places.rev.c --set i=1 --set j=2 --set k=1,1,1

# ---- What cannot be decided ----

check 1 tests/rev/check/all_kinds.rev.c
says "^picked: skipped: 'index' is an array of integers; give its values: --set index=0,1,2$"
says '^long_one: it accesses more than the 64 elements of x; give their number: --length x=NUMBER$'
says '^shifted: its results at random inputs are not finite; give the range of its inputs: --set NAME=LOW:HIGH$'
check 2 tests/rev/check/all_kinds.rev.c --set nothing=3
says "no function of the file has a parameter 'nothing'"
check 2 tests/rev/check/all_kinds.rev.c --set n=many
check 2 tests/rev/check/all_kinds.rev.c --length x=1.5
check 2 tests/rev/check/all_kinds.rev.c --set n
check 2 tests/rev/check/all_kinds.rev.c --seed -1
check 2 tests/rev/check/all_kinds.rev.c -o "$scratch/file.c"
printf '#include "nowhere.h"\n#include <verso/rev.h>\nrev void f(double *x) { *x += 1; }\n' >"$scratch/no.rev.c"
check 1 "$scratch/no.rev.c"
says 'cannot compile the tests of'
echo "rev_check.sh: all good"
