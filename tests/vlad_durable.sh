# Durable VLAD runs: killed at random instants and run again with the same input until they end, they print what an undisturbed
# run prints, each line once, with the same bits; under several schedules. What was killed as an interpreted program may go on
# as a compiled one, and the other way round. VERSO_KILLS (50) and VERSO_SEED say otherwise; a failure prints the seed. Another
# program and other input are refused. ctest sets VERSO and SOURCE.
set -euo pipefail

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
cd "$SOURCE/tests/vlad"
kills=${VERSO_KILLS:-50}
seed=${VERSO_SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$seed
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
schedules=("--leaf 300" "--leaf 300 --split bisection --space 4" "--schedule revolve --slots 5 --leaf 1000"
    "--schedule online --slots 6 --leaf 700" "--schedule disk --slots 2 --leaf 800" "--schedule treeverse --leaf 150" "--memory 300k" "--memory 2M --schedule binary")

fail() {
    echo "vlad_durable.sh (seed $seed): $*" >&2
    exit 1
}

# A library that gcc's sanitizers or a coverage tool have changed cannot be linked into programs by clang.
compiled=1
[[ ${VERSO_COVERAGE:-OFF} != ON && (-z ${VERSO_SANITIZE:-} || ${CC:-} == *clang*) ]] || compiled=0
((compiled == 0)) || "$VERSO" vlad long_effects.vlad -o "$scratch/program" || fail "it cannot be compiled"

# One run to its end, killed so often at most. Bash tells of each kill on its own standard error, which nobody wants.
play() { # FOLDER KILLS OPTION...
    local folder=$1 left=$2 status limit program
    shift 2
    : >"$scratch/out"
    while :; do
        program=("$VERSO" vlad long_effects.vlad --interpret)
        ((RANDOM % 3 > 0 || compiled == 0)) || program=("$scratch/program")
        limit=$((5 + RANDOM % 40))
        status=0
        timeout -s KILL "$((left > 0 ? 0 : 300)).0$((limit < 10 ? 10 : limit))" "${program[@]}" "$@" --run "$folder" \
            <long_effects.in >>"$scratch/out" 2>"$scratch/err" || status=$?
        ((status == 137 && left > 0)) || return "$status"
        left=$((left - 1))
        killed=$((killed + 1))
    done
}

killed=0 runs=0
exec 3>&2 2>/dev/null
# How long a run lasts is the machine's affair: as many as it takes for so many kills, and each schedule once.
while ((killed < kills || runs < ${#schedules[@]})); do
    ((runs < 20 * ${#schedules[@]})) || fail "only $killed kills in $runs runs: they are too short" 2>&3
    options=${schedules[runs % ${#schedules[@]}]}
    read -r -a words <<<"$options"
    status=0
    play "$scratch/run$runs" $(((kills + ${#schedules[@]} - 1) / ${#schedules[@]})) "${words[@]}" || status=$?
    ((status == 0)) || fail "$options: exit status $status: $(cat "$scratch/err")" 2>&3
    # A line that was printed just before a kill, and not noted yet, is printed again: it follows itself.
    cmp -s <(uniq "$scratch/out") <(uniq long_effects.out) ||
        fail "$options: $(diff "$scratch/out" long_effects.out | head -n 5)" 2>&3
    runs=$((runs + 1))
done
exec 2>&3
folder=$scratch/run0
if "$VERSO" vlad long_effects.vlad --interpret ${schedules[0]} --run "$folder" <<<"1 2 3 4 5 6 7 8" >"$scratch/out" 2>"$scratch/err"; then
    fail "other input was not refused"
fi
grep -q "is not the one with which this run began" "$scratch/err" || fail "other input: $(cat "$scratch/err")"
echo "vlad_durable.sh: $runs runs, $killed kills, seed $seed (${SECONDS} s)"
