# Tests programs that use MPI, with Open MPI and MPICH as far as they are here: tests/mpi/NAME.c, on 1 and 3 ranks (MPICH:
# 2, because its ranks wait without yielding the processor). tests/mpi/harness.h says what each compares. Programs of
# tests/mpi/refuse are refused with the message that their first line names.
# By hand: VERSO=build/verso SOURCE=. bash tests/mpi/mpi.sh [NAME...]
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
SOURCE=$(realpath "$SOURCE")
. "$SOURCE/tests/support/mpi.sh"
((${#mpis[@]} > 0)) || { echo "skipped: MPI is not here"; exit 77; }
names=("$@")
all=$((${#names[@]} == 0))
((all == 0)) || names=(point collect requests floats nonblocking neighbours hybrid random)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "mpi.sh: $*" >&2
    exit 1
}

for mpi in "${mpis[@]}"; do
    for name in "${names[@]}"; do
        [[ -f $SOURCE/tests/mpi/$name.c ]] || continue
        flags=()
        [[ $name == hybrid ]] && flags=(-fopenmp)
        compile "$mpi" -O2 -Wall -Wextra -Werror "${flags[@]}" "-I$SOURCE/include" "$SOURCE/tests/mpi/$name.c" \
            -o "$name.$mpi" -lm
        ranks="1 3"
        [[ $mpi == mpich ]] && ranks=2
        for count in $ranks; do
            start "$mpi" "$count" "./$name.$mpi" >output 2>&1 || { cat output; fail "$mpi, $count ranks: $name"; }
            grep -q '^PASS' output || { cat output; fail "$mpi, $count ranks: $name does not pass"; }
        done
        echo "$mpi: $name"
    done
done

# The example: two ranks of four have smaller blocks than the others. The bits do not depend on the budget.
if ((all)); then
    mpi=${mpis[0]}
    compile "$mpi" -O2 -Wall -Wextra -Werror "-I$SOURCE/include" "$SOURCE/examples/mpi/halo.c" -o halo -lm
    expected=
    for memory in "" 4M 900k; do
        VERSO_MEMORY=$memory start "$mpi" 4 ./halo 40 30 300 >output 2>&1 || { cat output; fail "halo, memory $memory"; }
        awk '/derivative/ { seen++; d = $(NF - 3) - $NF; if (d * d > 1e-12) exit 1 } END { exit seen != 4 }' \
            <(tr -d , <output) || { cat output; fail "halo: the gradient is not that of differences"; }
        sum=$(sed -n 's/.*gradient \([0-9a-f]\{16\}\).*/\1/p' output)
        [[ -n $sum && ( -z $expected || $sum == "$expected" ) ]] || { cat output; fail "halo: other bits with $memory"; }
        expected=$sum
    done
    echo "example: halo"
fi

# Refusals.
mpi=${mpis[0]}
for file in "$SOURCE"/tests/mpi/refuse/*.c; do
    ((all)) || break
    message=$(sed -n '1s@^/\* message: \(.*\) \*/$@\1@p' "$file")
    [[ -n $message ]] || fail "$file names no message"
    status=0
    compile "$mpi" -O2 "-I$SOURCE/include" "$file" -o refused >output 2>&1 || status=$?
    ((status != 0)) || start "$mpi" 2 ./refused >>output 2>&1 || true
    tr '\n' ' ' <output | grep -q -- "$message" || { cat output; fail "$file: not refused with '$message'"; }
    echo "refused: $(basename "$file")"
done
