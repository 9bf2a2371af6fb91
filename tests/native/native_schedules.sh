# Tests every kind of schedule on compiled programs, with several numbers of capsules and step lengths: the gradient
# must have the same bits as in a single pass, or the message must name a sufficient budget. See
# tests/native/schedules.c. ctest sets VERSO and SOURCE; by hand:
# VERSO=build/verso SOURCE=. [SLOTS=1,2,3] [LEAVES=100,4096] [MEMORY=1000000] [LONGEST=0.2] bash
# tests/native/native_schedules.sh [NAME...]
# NAMEs are programs of tests/native, or paths of others, and are run at the points that they name. Gradients that
# would take more than LONGEST seconds are skipped.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
programs=$SOURCE/tests/native
slots=${SLOTS:-1,2,3,10}
leaves=${LEAVES:-60,1000,4096,65536}
memory=${MEMORY:-400000,1000000,16000000}
longest=${LONGEST:-0.1}
unset VERSO_MEMORY VERSO_SCHEDULE VERSO_RUN VERSO_REPORT VERSO_OFFLOAD

# field NAME FILE: what the opening comment says after "NAME:".
field() {
    sed -n -E "1,/\*\//s@^(/\*| \*) $1: *(.*[^ /*])[ */]*\$@\2@p" "$2" | head -n 1
}

check_one() { # NAME
    local file=$programs/$1 name compiler=cc standard=gnu17 flags point status=0
    [[ $1 != /* ]] || file=$1
    name=$(basename "$1")
    if [[ $1 == *.cpp ]]; then compiler=c++ standard=c++17; fi
    read -r -a flags <<<"$(field flags "$file")"
    "$VERSO" $compiler -std=$standard -O2 "${flags[@]}" "-I$SOURCE" "-I$SOURCE/include" -c "$file" -o "$scratch/$name.o"
    "$VERSO" $compiler "$scratch/schedules.o" "$scratch/$name.o" -o "$scratch/program" -lm
    for point in "$(field at "$file")" "$(field large "$file")"; do
        [[ -n $point ]] || continue
        "$scratch/program" --at "$point" --slots "$slots" --leaves "$leaves" --memory "$memory" --seconds "$longest" \
            >"$scratch/report" 2>&1 || status=1
        echo "$name:$(cat "$scratch/report")"
    done
    [[ -z $(ls "$TMPDIR") ]] || { echo "$name: left $(ls "$TMPDIR") behind"; status=1; }
    return $status
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
export TMPDIR=$scratch/tmp
mkdir "$TMPDIR"
"$VERSO" cc -std=gnu17 -O2 -Wall -Wextra -Werror "-I$SOURCE/include" -c "$programs/schedules.c" -o "$scratch/schedules.o"
names=("$@")
(($# > 0)) || names=(recursion.c linked_list.c realloc_growing.c kernel_heat.c recursion_mutual.c globals.c setjmp_loop.c qsort_structs.c)
failed=0
for name in "${names[@]}"; do
    check_one "$name" || failed=$((failed + 1))
done
((failed == 0)) || { echo "native_schedules.sh: $failed of ${#names[@]} programs failed ($SECONDS s)" >&2; exit 1; }
echo "native_schedules.sh: ${#names[@]} programs ($SECONDS s)"
