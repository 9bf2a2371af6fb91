# Shared by the tests of `verso cc`, which source it: makes a build folder with the real command and with stand-ins for the
# transformer and libverso.a, and small programs in the current folder; defines functions that check results. All files are
# in one temporary folder.
set -uo pipefail

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
here=$SOURCE/tests/cc/driver
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp FAKE_LOG=$scratch/log LC_ALL=C
failures=0

fail() {
    echo "$(basename "$0"): FAILED: $*" >&2
    failures=$((failures + 1))
}

# A build folder with the real command and the stand-ins.
mkdir -p "$TMPDIR" "$scratch/tree" "$scratch/work"
cp "$VERSO" "$scratch/tree/verso"
cp "$here/fake/transform" "$scratch/tree/verso-transform"
clang-19 -O1 -fPIC -I "$SOURCE/include" -c "$here/fake/library.c" -o "$scratch/library.o" || exit 1
ar rcs "$scratch/tree/libverso.a" "$scratch/library.o"
verso=$scratch/tree/verso
cd "$scratch/work" || exit 1

# run STATUS COMMAND...: the command must exit with STATUS and leave no temporary files.
run() {
    local wanted=$1 status left
    shift
    : >"$FAKE_LOG"
    "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    [[ $status == "$wanted" ]] || fail "$*: status $status, not $wanted: $(cat "$scratch/err")"
    left=$(ls -A "$TMPDIR")
    [[ -z $left ]] || fail "$*: left $left behind"
    rm -rf "${TMPDIR:?}"/*
}
cc() { run 0 "$verso" cc "$@"; }
says() { grep -qF -- "$1" "$scratch/err" || fail "not said: '$1' but '$(cat "$scratch/err")'"; }
silent() { [[ ! -s $scratch/out && ! -s $scratch/err ]] || fail "said: $(cat "$scratch/out" "$scratch/err")"; }
prints() { # TEXT PROGRAM
    local printed
    printed=$("$2") || fail "$2 ended with $?"
    [[ $printed == "$1" ]] || fail "$2 prints '$printed', not '$1'"
}
# transformed LABEL...: the units that the transformer must have been given, in any order; none: it must not have been run.
transformed() {
    local labels
    labels=$(sed -n 's/^[0-9]*\.bc://p' "$FAKE_LOG" | sort | tr '\n' ' ')
    [[ $labels == "$(printf '%s\n' "$@" | sort | tr '\n' ' ')" || ($# == 0 && -z $labels) ]] ||
        fail "transformed: $labels, not $*"
}

cat >main.c <<'C'
#include <stdio.h>
#include <verso/native.h>
double cube(const double *x, size_t n);
int main(void) {
    double x = 3, gradient = 0;
    verso_gradient(cube, &x, 1, &gradient, NULL, NULL, NULL);
    printf("%g\n", gradient);
    return 0;
}
C
cat >cube.c <<'C'
#include <stddef.h>
double cube(const double *x, size_t n) { return n == 1 ? x[0] * x[0] * x[0] : 0; }
C
echo 'int main(void) { return 0; }' >zero.c
echo 'int value(void) { return 42; }' >value.c
echo 'int value(void); int main(void) { return value() - 42; }' >wants_value.c
echo 'int main(void) { return 0 }' >wrong.c
echo 'int f(int x) { int unused; return x; }' >warned.c
echo 'int no_such_function(void); int main(void) { return no_such_function(); }' >undefined.c

# Ends a test: fails if a check has failed.
finish() { # WHAT WAS TESTED
    ((failures == 0)) || exit 1
    echo "$*"
}
