# Tests Fortran: compiles every file of tests/native/fortran with `verso fc`, links it with tests/native/harness.c, and
# checks its function f as native.sh does: bits of all runs, tangent mode, Taylor's theorem, cuts, schedules within little
# memory, checkpointed calls. refuse/ has programs that cannot be differentiated.
# By hand: VERSO=build/verso SOURCE=. BUILD=build bash tests/native/fortran.sh [NAME...]. LEVEL: flags after -O2. JOBS
# programs run at a time (2). A program begins with comments: "! at: V1,V2,...", and if need be "! cuts: COUNT",
# "! noise: X", "! durable: REGEXP", "! flags: ...", "! own: main" for a program that exits with 0, "! message: REGEXP".
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
if ! command -v flang-new-19 >/dev/null && [[ -z ${VERSO_FLANG:-} ]]; then
    echo "skipped: flang 19 is not installed (packages flang-19 and libflang-19-dev)"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
SOURCE=$(realpath "$SOURCE")
programs=$SOURCE/tests/native/fortran

field() { # NAME FILE
    sed -n -E "1,9s/^[!cC] *$1: *(.*[^ ]) *$/\1/p" "$2" | head -n 1
}

check() { # FILE
    local flags at cuts noise message status=0
    read -r -a flags <<<"-O2 $(field flags "$1") ${LEVEL:-}"
    message=$(field message "$1")
    if [[ -n $message ]]; then
        "$VERSO" fc "${flags[@]}" "$1" "$shared/harness.o" -o program >said 2>&1 || status=$?
        ((status == 1)) && [[ $(tr '\n' ' ' <said) =~ $message ]] && return 0
        if ((status == 0)); then
            ./program --at "$(field at "$1")" --refused --cuts 0 >said 2>&1 || status=$?
            ((status == 0)) && [[ $(tr '\n' ' ' <said) =~ $message ]] && return 0
        fi
        echo "not refused with '$message' (status $status):"
        cat said
        return 1
    fi
    "$VERSO" fc "${flags[@]}" -c "$1" -o program.o
    if [[ $(field own "$1") == main ]]; then
        "$VERSO" fc "${flags[@]}" program.o -o program
        timeout "${LIMIT:-60}" ./program
        return
    fi
    "$VERSO" fc "${flags[@]}" program.o "$shared/harness.o" -o program
    cuts=$(field cuts "$1")
    noise=$(field noise "$1")
    timeout "${LIMIT:-60}" ./program --at "$(field at "$1")" --cuts "${cuts:-12}" --noise "${noise:-1e-12}"
}

if [[ ${1:-} == --one ]]; then
    shared=$2 status=0
    mkdir -p "$shared/$3"
    cd "$shared/$3"
    (set -e; check "$programs/$3") >report 2>&1 &
    wait $! || status=$?
    if ((status == 0)); then
        printf 'PASS %s: %s\n' "$3" "$(tr '\n' ' ' <report)"
    else
        printf 'FAIL %s (%s)\n%s\n' "$3" "$shared/$3" "$(sed 's/^/    /' report)"
    fi
    exit $status
fi

shared=$(mktemp -d)
"$VERSO" cc -std=gnu17 -O2 -I"$SOURCE/include" -c "$SOURCE/tests/native/harness.c" -o "$shared/harness.o"
if (($# > 0)); then
    names=("$@")
else
    mapfile -t names < <(cd "$programs" && ls ./*.f90 ./*.f refuse/*.f90 2>/dev/null | sed 's@^\./@@')
fi
export VERSO SOURCE
failed=0
printf '%s\0' "${names[@]}" | xargs -0 -n 1 -P "${JOBS:-2}" bash "${BASH_SOURCE[0]}" --one "$shared" || failed=1
if ((failed)); then
    echo "fortran.sh: some of ${#names[@]} programs failed ($SECONDS s); what they left is in $shared" >&2
    exit 1
fi
rm -rf "$shared"
echo "fortran.sh: ${#names[@]} programs ($SECONDS s)"
