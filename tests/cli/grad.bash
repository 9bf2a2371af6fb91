# What the tests of `verso grad` and `verso check` share; they source this file. It changes to a scratch folder, and
# defines the functions below.
set -uo pipefail

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} == ON ]]; then
    echo "skipped: an instrumented library needs more to be linked with"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
cd "$scratch" || exit 1
failures=0

fail() {
    echo "${0##*/}: FAILED: $*" >&2
    failures=$((failures + 1))
}

# Runs the command, for at most 120 s; sets $status, $out and $err.
verso() {
    timeout 120 "$VERSO" "$@" >out 2>err </dev/null
    status=$?
    out=$(cat out)
    err=$(cat err)
}

# expect STATUS ARGUMENT...: runs the command, which must exit with STATUS and leave no temporary files.
expect() {
    local wanted=$1
    shift
    verso "$@"
    [[ $status == "$wanted" ]] || fail "verso $*: status $status, not $wanted; it says: $err"
    if ((wanted == 0)); then
        [[ -z $err ]] || fail "verso $*: said '$err'"
    elif [[ $1 == grad ]]; then
        [[ -z $out ]] || fail "verso $*: printed '$out' though it failed"
        [[ -n $err ]] || fail "verso $*: failed without a message"
    fi
    [[ -z $(ls "$TMPDIR") ]] || fail "verso $*: left $(ls "$TMPDIR") behind"
}

says() {
    [[ $err == *"$1"* ]] || fail "expected the message '$1', not '$err'"
}

prints() {
    [[ $out == *"$1"* ]] || fail "expected the output '$1', not '$out'"
}

if command -v jq >/dev/null; then
    json_check() { jq .; }
elif command -v python3 >/dev/null; then
    json_check() { python3 -m json.tool; }
else
    json_check() { cat; }
fi

# near WANTED GOT: two lists of numbers, separated by blanks, agree to 13 digits.
near() {
    awk -v wanted="$1" -v got="$2" 'BEGIN {
        n = split(wanted, a, " "); m = split(got, b, " ")
        for (i = 1; i <= n; i++) {
            d = a[i] - b[i]; if (d < 0) d = -d
            size = a[i] < 0 ? -a[i] : a[i]
            if (!(d <= 1e-13 * size)) exit 1
        }
        exit n != m
    }'
}

# gradient 'VALUE' 'DERIVATIVES' ARGUMENT...: value and gradient that `verso grad ARGUMENT...` (with --json) must print.
gradient() {
    local value=$1 derivatives=$2
    shift 2
    expect 0 grad "$@"
    near "$value" "$(sed -n 's/^{"value": \([^,]*\),.*/\1/p' out)" || fail "verso grad $*: not the value $value in $out"
    near "$derivatives" "$(sed -n 's/.*"gradient": \(.*\), "steps".*/\1/p' out | sed 's/"[^"]*"://g; s/[][{},]/ /g')" ||
        fail "verso grad $*: not the gradient $derivatives in $out"
    json_check <out >/dev/null || fail "verso grad $*: not JSON: $out"
}

# usage MESSAGE ARGUMENT...: `verso grad ARGUMENT...` must refuse its command line with MESSAGE.
usage() {
    local message=$1
    shift
    expect 2 grad "$@"
    says "$message"
    says "Try 'verso grad --help'."
}

# failure MESSAGE ARGUMENT...: `verso grad ARGUMENT...` must fail with MESSAGE.
failure() {
    local message=$1
    shift
    expect 1 grad "$@"
    says "$message"
}

# Call it last: exits with 1 if anything has failed.
finish() {
    if ((failures > 0)); then
        echo "${0##*/}: $failures failed" >&2
        exit 1
    fi
    echo "${0##*/}: all passed"
}
