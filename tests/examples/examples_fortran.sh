# The examples in Fortran: what their pages say, the same bits within a budget and after a kill.
set -euo pipefail
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
if ! command -v flang-new-19 >/dev/null && [[ -z ${VERSO_FLANG:-} ]]; then
    echo "skipped: flang 19 is not installed (packages flang-19 and libflang-19-dev)"
    exit 77
fi
VERSO=$(realpath "$VERSO")
SOURCE=$(realpath "$SOURCE")
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "examples_fortran.sh: FAILED: $*" >&2
    exit 1
}

"$VERSO" fc -O2 "$SOURCE/examples/fortran/first.f90" -o first
./first >said
grep -q 'by speed, angle, drag      2.6824      7.1760   -582.9930' said || fail "first: $(cat said)"
grep -q 'checked T' said || fail "first: $(cat said)"

"$VERSO" fc -O2 "$SOURCE/examples/fortran/gyre.f90" -o gyre
./gyre 500 >whole
VERSO_MEMORY=8M ./gyre 500 >within
grep -q '^single pass' whole || fail "$(cat whole)"
grep -q '^online' within || fail "$(cat within)"
diff <(grep -v ' states kept' whole) <(grep -v ' states kept' within) || fail "a budget changes what is printed"
[[ $(grep -c '^day' within) == 1 ]] || fail "output appears several times: $(cat within)"

# Killed as soon as there is a restart point, then continued.
export VERSO_MEMORY=8M VERSO_INTERVAL=0.02
./gyre 4000 >plain
VERSO_RUN=run ./gyre 4000 >killed &
for ((i = 0; i < 600; i++)); do
    [[ -s run/journal ]] && break
    sleep 0.02
done
sleep 0.3
kill -9 $! 2>/dev/null || true
wait $! 2>/dev/null || true
VERSO_RUN=run ./gyre 4000 >continued
diff <(grep -v ' states kept' plain) <(grep -v ' states kept' continued) || fail "a run that was killed has other bits"
echo "examples_fortran.sh: passed"
