# Tests VLAD within memory budgets: listing 2 of paper 1, a deep recursion, large states, and a checkpoint-*j inside
# another, with every evaluator. The output has the bits of a run without a budget (nested: 13 digits), the reported
# peak is within the budget, and more memory never needs more steps; a budget that is too small is refused with a
# sufficient one. ctest sets VERSO and SOURCE; by hand: VERSO=build/verso SOURCE=. bash tests/vlad/vlad_memory.sh
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/vlad_scripts.sh"

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
cd "$SOURCE"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
evaluators=(--interpret --hybrid --compile)
can_compile || evaluators=(--interpret --hybrid)
number() { # MARK: the first number of the line of statistics that begins so
    awk -v mark="$1" '$1 == mark { print $2 }' "$scratch/err"
}

repeated() {
    awk '/more were run/ { print $4 }' "$scratch/err"
}

run() { # EVALUATOR PROGRAM INPUT OPTION...
    local evaluator=$1 program=$2 input=$3 built
    shift 3
    built=$scratch/$(basename "$program" .vlad)
    if [[ $evaluator != --compile ]]; then
        timeout 300 "$VERSO" vlad "$program" "$evaluator" "$@" --stats <<<"$input" >"$scratch/out" 2>"$scratch/err"
        return
    fi
    [[ -x $built ]] || "$VERSO" vlad "$program" -o "$built" || return
    timeout 300 "$built" "$@" --stats <<<"$input" >"$scratch/out" 2>"$scratch/err"
}

same() {
    [[ ${1:-} == nested ]] || { cmp -s "$scratch/out" "$scratch/expected" && return; }
    paste "$scratch/out" "$scratch/expected" |
        awk '{ d = $1 - $2; m = $2 < 0 ? -$2 : $2; if (NF != 2 || d > 1e-13 * m || -d > 1e-13 * m) exit 1 }'
}

# Each budget in turn, from small to large; "nested": to 13 digits.
within() { # EVALUATOR PROGRAM INPUT HOW BYTES...
    local evaluator=$1 program=$2 input=$3 how=$4 most=0 bytes peak steps
    shift 4
    run "$evaluator" "$program" "$input" || { complain "$program $input $evaluator: $(cat "$scratch/err")" && return; }
    cp "$scratch/out" "$scratch/expected"
    for bytes in "$@"; do
        run "$evaluator" "$program" "$input" --memory "$bytes" ||
            { complain "$program $input $evaluator --memory $bytes: $(cat "$scratch/err")" && continue; }
        same "$how" || complain "$program $input $evaluator --memory $bytes: another result"
        peak=$(number memory) steps=$(repeated)
        [[ -n $peak && -n $steps ]] || { complain "$program $evaluator --memory $bytes: no statistics" && continue; }
        ((peak <= bytes)) || complain "$program $input $evaluator --memory $bytes: took $peak"
        ((most == 0 || steps <= most)) ||
            complain "$program $input $evaluator --memory $bytes: $steps steps more, $most with less memory"
        most=$steps
        [[ -z ${VERSO_TELL:-} ]] || echo "$(basename "$program") $input $evaluator $bytes: peak $peak, repeated $steps, $(grep budget "$scratch/err")"
    done
}

# The budget that the message names suffices, and is not far above one that does not.
refused() { # EVALUATOR PROGRAM INPUT BYTES
    local evaluator=$1 program=$2 input=$3 bytes=$4 least
    if run "$evaluator" "$program" "$input" --memory "$bytes"; then complain "$program $evaluator --memory $bytes: was not refused"; fi
    least=$(sed -n 's/.*too small for this derivative; about \([0-9]*\) bytes are needed.*/\1/p' "$scratch/err")
    [[ -n $least ]] || { complain "$program $evaluator --memory $bytes: $(cat "$scratch/err")" && return; }
    [[ -z ${VERSO_TELL:-} ]] || echo "$(basename "$program") $evaluator $bytes: about $least"
    run "$evaluator" "$program" "$input" --memory "$least" || complain "$program $evaluator: $least does not do: $(cat "$scratch/err")"
    ((least > bytes)) || complain "$program $evaluator: $least would do, and $bytes would not"
}

# Sixty times as many steps take no more memory, but for a few states: a leaf is a leaf, however stretches are split.
bounded() { # EVALUATOR OPTION...
    local evaluator=$1 n peaks=()
    shift
    for n in 5000 300000; do
        run "$evaluator" tests/vlad/budget/dense.vlad "$n" --leaf 1000 "$@" || complain "dense $n $*: $(cat "$scratch/err")"
        peaks+=("$(number memory)")
    done
    ((peaks[1] <= peaks[0] * 5 / 4)) || complain "dense $evaluator $*: ${peaks[0]} bytes for 5000 rounds, ${peaks[1]} for 300000"
    [[ -z ${VERSO_TELL:-} ]] || echo "dense $evaluator $*: ${peaks[*]}"
}

listing=examples/vlad/listing2.vlad
for evaluator in "${evaluators[@]}"; do
    within "$evaluator" "$listing" "1000 3 1" bits 1000000 2000000 8000000 64000000
    if [[ -n ${VERSO_SANITIZE:-} ]]; then # slow: what is short does
        within "$evaluator" tests/vlad/budget/nested.vlad "100" nested 1000000 64000000
        continue
    fi
    within "$evaluator" "$listing" "10000 3 1" bits 100000 500000 1000000 8000000 64000000
    within "$evaluator" tests/vlad/budget/deep.vlad "20000" bits 6500000 10000000 100000000
    within "$evaluator" tests/vlad/budget/wide.vlad "1000 100" bits 1000000 3000000 6000000 20000000 200000000
    within "$evaluator" tests/vlad/budget/nested.vlad "1000" nested 1000000 4000000 64000000
    refused "$evaluator" "$listing" "10000 3 1" 40000
    if run "$evaluator" tests/vlad/budget/wide.vlad "1000 100" --memory 100000; then complain "$evaluator: wide in 100000 bytes"; fi
    grep -q "the program needs more than 100000 bytes of memory" "$scratch/err" || complain "$evaluator: wide: $(cat "$scratch/err")"
    # What is given by hand is kept.
    run "$evaluator" "$listing" "1000 3 1" && cp "$scratch/out" "$scratch/expected"
    for options in "--leaf 500" "--slots 3" "--leaf 700 --slots 5" "--space 4" "--schedule treeverse" "--schedule online" "--log --leaf 300"; do
        # shellcheck disable=SC2086
        run "$evaluator" "$listing" "1000 3 1" --memory 600k $options || complain "$evaluator $options: $(cat "$scratch/err")"
        same || complain "$evaluator $options: another result"
        (($(number memory) <= 600000)) || complain "$evaluator $options: took $(number memory)"
        [[ $options != "--leaf"* || $(grep budget "$scratch/err") == *" $(cut -d ' ' -f 2 <<<"$options") steps" ]] ||
            complain "$evaluator $options: $(cat "$scratch/err")"
    done
done
for split in binomial halves bisection; do # of schedules evaluators know nothing: the fastest does
    for bound in "" "--space 4" "--time 3"; do
        # shellcheck disable=SC2086
        [[ -n ${VERSO_SANITIZE:-} ]] || bounded "${evaluators[-1]}" --split "$split" $bound
    done
done
((failed == 0)) || exit 1
echo "vlad_memory.sh: ${#evaluators[@]} evaluators (${SECONDS} s)"
