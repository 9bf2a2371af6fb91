# Tests durable VLAD runs: killed at random instants and run again with the same input until they end, they print what
# an undisturbed run prints, each line once, with the same bits, under several schedules. An interpreted run may be
# continued by the compiled program and vice versa; capsules of --hybrid are refused by the others. Another program
# and other input are refused. VERSO_KILLS: number of kills (32); VERSO_SEED: the seed, which a failure prints. ctest
# sets VERSO and SOURCE.
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/vlad_scripts.sh"

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
cd "$SOURCE/tests/vlad"
kills=${VERSO_KILLS:-${VERSO_SANITIZE:+12}}
kills=${kills:-32}
seed=${VERSO_SEED:-$((RANDOM * 32768 + RANDOM))}
RANDOM=$seed
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
schedules=("--leaf 300" "--leaf 300 --split bisection --space 4" "--schedule revolve --slots 5 --leaf 1000"
    "--schedule online --slots 6 --leaf 700" "--schedule disk --slots 2 --leaf 800" "--schedule treeverse --leaf 150" "--memory 300k"
    "--memory 2M --schedule binary")
# Under a sanitizer all is slow; others have been through the rest.
[[ -z ${VERSO_SANITIZE:-} ]] || schedules=("--leaf 300" "--schedule disk --slots 2 --leaf 800" "--memory 300k")
variants=()
for name in long_effects long_nested; do
    for evaluator in shared hybrid; do
        for schedule in "${schedules[@]}"; do
            # Within a budget each process may choose otherwise, and the last bits of nested derivatives depend on that.
            [[ $name == long_nested && $schedule == --memory* ]] || variants+=("$name $evaluator $schedule")
        done
    done
done

fail() {
    echo "vlad_durable.sh (seed $seed): $*" >&2
    exit 1
}

compiled=1
can_compile || compiled=0
for name in long_effects long_nested; do
    ((compiled == 0)) || "$VERSO" vlad $name.vlad -o "$scratch/$name" || fail "$name cannot be compiled"
done

# Sets `program`: the evaluator of the next process.
choose() { # NAME EVALUATOR
    program=("$VERSO" vlad "$1.vlad" --interpret)
    [[ $2 != hybrid ]] || program=("$VERSO" vlad "$1.vlad" --hybrid)
    [[ $2 == hybrid ]] || ((RANDOM % 3 > 0 || compiled == 0)) || program=("$scratch/$1")
}

# Makes one run to its end, killed at most the given number of times. Bash's messages about kills are discarded.
play() { # NAME EVALUATOR FOLDER KILLS OPTION...
    local name=$1 evaluator=$2 folder=$3 left=$4 status limit program
    shift 4
    : >"$scratch/out"
    while :; do
        choose "$name" "$evaluator"
        limit=$((10 + RANDOM % (RANDOM % 2 == 0 ? 30 : 300))) # milliseconds
        ((left > 0)) || limit=300000
        status=0
        timeout --foreground -s KILL "$((limit / 1000)).$(printf %03d $((limit % 1000)))" "${program[@]}" "$@" --run "$folder" \
            <"$name.in" >>"$scratch/out" 2>"$scratch/err" || status=$?
        ((status != 124)) || status=0 # it ended in the instant before the kill; its output says whether it was right
        ((status == 137 && left > 0)) || return "$status"
        left=$((left - 1))
        killed=$((killed + 1))
    done
}

# Sets `expected`, a file with what an undisturbed run prints. Of nested derivatives the last bits depend on the schedule.
run_alone() { # NAME SCHEDULE OPTION...
    local name=$1
    expected=$name.out
    [[ ! -f $expected ]] || return 0
    expected=$scratch/expected-${2// /_}
    shift 2
    [[ -f $expected ]] || "$VERSO" vlad "$name.vlad" --interpret "$@" --run "$expected.run" <"$name.in" >"$expected"
}

killed=0 runs=0
exec 3>&2 2>/dev/null
# The duration of a run depends on the machine: makes as many runs as it takes for all kills, and each variant once.
while ((killed < kills || runs < ${#variants[@]})); do
    ((runs < 20 * ${#variants[@]})) || fail "only $killed kills in $runs runs: they are too short" 2>&3
    read -r name evaluator options <<<"${variants[runs % ${#variants[@]}]}"
    read -r -a words <<<"$options"
    what="$name $evaluator $options"
    status=0
    play "$name" "$evaluator" "$scratch/run$runs" $(((kills + ${#variants[@]} - 1) / ${#variants[@]})) "${words[@]}" || status=$?
    ((status == 0)) || fail "$what: exit status $status: $(cat "$scratch/err")" 2>&3
    run_alone "$name" "$options" "${words[@]}" || fail "$what: it does not run at all" 2>&3
    # A line that was printed just before a kill, and not noted yet, is printed again: it follows itself. A run that had just
    # ended prints all of it again.
    cmp -s <(uniq "$scratch/out") <(uniq "$expected") || cmp -s <(uniq "$scratch/out") <(cat "$expected" "$expected" | uniq) ||
        fail "$what: $(diff "$scratch/out" "$expected" | head -n 5)" 2>&3
    runs=$((runs + 1))
done
exec 2>&3

# Each in the folder of a run that has ended.
refused() { # FOLDER WHAT MESSAGE OPTION... <INPUT
    local folder=$1 what=$2 message=$3
    shift 3
    if "$VERSO" vlad long_effects.vlad ${schedules[0]} "$@" --run "$folder" >"$scratch/out" 2>"$scratch/err"; then
        fail "$what was not refused"
    fi
    grep -q -- "$message" "$scratch/err" || fail "$what: $(cat "$scratch/err")"
}
other="is not the one with which this run began"
refused "$scratch/run0" "other input" "$other" --interpret <<<"1 2 3 4 5 6 7 8"
refused "$scratch/run${#schedules[@]}" "other input" "$other" --hybrid <<<"1 2 3 4 5 6 7 8"
refused "$scratch/run0" "another evaluator" "was started without --hybrid" --hybrid <long_effects.in
refused "$scratch/run${#schedules[@]}" "another evaluator" "was started with --hybrid" --interpret <long_effects.in
refused "$scratch/run0" "another leaf" "belongs to another program" --interpret --leaf 301 <long_effects.in
echo "vlad_durable.sh: $runs runs, $killed kills, seed $seed (${SECONDS} s)"
