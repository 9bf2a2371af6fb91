# Durable runs of an MPI program (tests/mpi/durable.c): kills one rank, or all, at random instants, until the run ends
# between two kills; then its bits must be those of a run that nothing disturbed. Also suspends it by signals, and changes
# the number of ranks. VERSO_KILLS: number of kills with each MPI.
# By hand: VERSO=build/verso SOURCE=. VERSO_KILLS=200 bash tests/mpi/mpi_durable.sh
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
kills=${VERSO_KILLS:-2}
export LIMIT=${LIMIT:-600}
RANDOM=${VERSO_SEED:-$$}
echo "seed ${VERSO_SEED:-$$}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "mpi_durable.sh: $*" >&2
    exit 1
}

seconds() { # of milliseconds
    printf '%d.%03d' "$(($1 / 1000))" "$(($1 % 1000))"
}

checksum() {
    sed -n 's/^checksum //p' "$1"
}

# Starts the program, and sends SIGNAL to one rank or to all after DELAY seconds. Returns whether the program has ended by
# itself.
disturb() {
    local mpi=$1 delay=$2 victims=$3 signal=$4
    rm -f pid.*
    start "$mpi" "$ranks" "./durable.$mpi" "$steps" >output 2>&1 &
    local job=$! status=0
    sleep "$delay"
    if kill -0 "$job" 2>/dev/null; then
        for ((i = 0; i < ranks; i++)); do
            if [[ $victims == all || $victims == "$i" ]] && [[ -s pid.$i ]]; then
                kill "-$signal" "$(cat "pid.$i")" 2>/dev/null || true
            fi
        done
    fi
    wait "$job" 2>/dev/null || status=$?
    return "$status"
}

for mpi in "${mpis[@]}"; do
    compile "$mpi" -O2 -Wall -Wextra -Werror "-I$SOURCE/include" "$SOURCE/tests/mpi/durable.c" -o "durable.$mpi" -lm
    ranks=3 steps=${VERSO_STEPS:-6000}
    [[ $mpi == mpich ]] && ranks=2 steps=$((steps / 4)) # its ranks wait without yielding the processor
    start "$mpi" "$ranks" "./durable.$mpi" "$steps" >output 2>&1 || { cat output; fail "$mpi: without a directory"; }
    expected=$(checksum output)
    export VERSO_RUN=$scratch/run.$mpi VERSO_MEMORY=3M VERSO_INTERVAL=0.2
    began=$(date +%s%N)
    start "$mpi" "$ranks" "./durable.$mpi" "$steps" >output 2>&1 || { cat output; fail "$mpi: undisturbed"; }
    length=$((($(date +%s%N) - began) / 1000000)) # milliseconds
    [[ $(checksum output) == "$expected" ]] || { cat output; fail "$mpi: other bits in a durable run"; }
    start "$mpi" "$ranks" "./durable.$mpi" "$steps" >output 2>&1 || { cat output; fail "$mpi: done already"; }
    [[ $(checksum output) == "$expected" ]] || { cat output; fail "$mpi: other bits when it was done already"; }
    done=0 runs=0 lives=0
    rm -rf "$VERSO_RUN"
    while ((done < kills)); do
        victims=all
        ((RANDOM % 2 == 0)) || victims=$((RANDOM % ranks))
        signal=KILL
        ((RANDOM % 4 > 0)) || signal=TERM
        lives=$((lives + 1))
        if disturb "$mpi" "$(seconds "$((length / 10 + RANDOM * length / 32768))")" "$victims" "$signal"; then
            [[ $(checksum output) == "$expected" ]] || { cat output; fail "$mpi: other bits after $done kills"; }
            rm -rf "$VERSO_RUN"
            runs=$((runs + 1))
        else
            done=$((done + 1))
            ! grep -q "cannot be continued\|damaged" output || { cat output; fail "$mpi: not continued"; }
        fi
        ((lives < 3 * kills + 20)) || fail "$mpi: the program is too short to be killed"
    done
    start "$mpi" "$ranks" "./durable.$mpi" "$steps" >output 2>&1 || { cat output; fail "$mpi: last process"; }
    [[ $(checksum output) == "$expected" ]] || { cat output; fail "$mpi: other bits at the end"; }
    echo "$mpi: $done kills, $((runs + 1)) runs"
    status=0
    start "$mpi" "$((ranks - 1))" "./durable.$mpi" "$steps" >output 2>&1 || status=$?
    ((status != 0)) && grep -q "it began with $ranks ranks" output || { cat output; fail "$mpi: other ranks not refused"; }
    unset VERSO_RUN VERSO_MEMORY VERSO_INTERVAL
done
