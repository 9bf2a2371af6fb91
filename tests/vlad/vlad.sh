# Tests VLAD programs (tests/vlad/NAME.vlad) with `verso vlad`, each with its input NAME.in, if there is one: the
# output must be NAME.out, to the bit, for every schedule of checkpoint-*j, every leaf, and however often memory is
# collected. (If a program contains "; nested", it takes a derivative of a checkpointed one, which adds in another
# order: 13 digits must agree.) A program with NAME.err is refused, and the message has those lines. All evaluators
# are tested, and their step counts must agree. Compiled programs also run with one of two regions of code
# interpreted. ctest sets VERSO and SOURCE; by hand:
# VERSO=build/verso SOURCE=. bash tests/vlad/vlad.sh [NAME...]
set -euo pipefail
source "$(dirname "${BASH_SOURCE[0]}")/../support/vlad_scripts.sh"

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
cd "$SOURCE/tests/vlad"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
schedules=("" "--leaf 1" "--leaf 7 --split bisection" "--leaf 100 --space 3" "--leaf 13 --time 2" "--schedule treeverse --leaf 5"
    "--schedule revolve --slots 3 --leaf 50" "--schedule revolve --slots 1 --leaf 400" "--schedule online --slots 4 --leaf 30"
    "--schedule store-all --leaf 20" "--schedule none --leaf 300" "--schedule every-k,distance=3 --leaf 40")
evaluators=(--interpret --hybrid --compile --compile-stress-2)
if [[ -n ${VERSO_SANITIZE:-} ]]; then # slow, and about memory: few schedules do
    schedules=("${schedules[@]:0:3}")
    evaluators=(--interpret --hybrid --compile)
fi
can_compile || evaluators=(--interpret --hybrid)
run() { # NAME OPTION...
    local name=$1 input=/dev/null
    shift
    [[ ! -f $name.in ]] || input=$name.in
    timeout 300 "$VERSO" vlad "$name.vlad" "$@" <"$input" >"$scratch/out" 2>"$scratch/err"
}

# The same by an evaluator; a program is compiled once.
run_by() { # EVALUATOR NAME OPTION...
    local evaluator=$1 name=$2 input=/dev/null
    shift 2
    if [[ $evaluator != --compile* ]]; then
        run "$name" "$@" "$evaluator"
        return
    fi
    [[ -x $scratch/program-$name ]] || "$VERSO" vlad "$name.vlad" -o "$scratch/program-$name" 2>"$scratch/err" || return
    [[ ! -f $name.in ]] || input=$name.in
    [[ $evaluator != --compile-stress-* ]] || set -- "$@" --stress "${evaluator##*-}"
    timeout 300 "$scratch/program-$name" "$@" <"$input" >"$scratch/out" 2>"$scratch/err"
}

# Whether the output is as expected.
same() { # NAME
    if ! grep -q '^; nested' "$1.vlad"; then
        cmp -s "$scratch/out" "$1.out"
        return
    fi
    paste "$scratch/out" "$1.out" | awk '{ d = $1 - $2; m = $2 < 0 ? -$2 : $2; if (NF != 2 || d > 1e-13 * m || -d > 1e-13 * m) exit 1 }'
}

# Runs each evaluator; their step counts must agree.
expect_output() { # NAME OPTION...
    local name=$1 evaluator
    for evaluator in "${evaluators[@]}"; do
        run_by "$evaluator" "$@" --stats ||
            { complain "$* $evaluator: exit status $?: $(head -c 300 "$scratch/err")" && continue; }
        same "$name" ||
            complain "$* $evaluator: $(diff "$scratch/out" "$name.out" | head -n 4 | tr '\n' ' ')"
        grep -v '^memory' "$scratch/err" >"$scratch/steps$evaluator"
        grep -q '^steps' "$scratch/steps$evaluator" || complain "$* $evaluator: says nothing of steps"
        cmp -s "$scratch/steps$evaluator" "$scratch/steps${evaluators[0]}" ||
            complain "$* $evaluator: $(paste -d / "$scratch/steps$evaluator" "$scratch/steps${evaluators[0]}")"
        cmp -s "$scratch/out" "$scratch/out${evaluators[0]}" || [[ $evaluator == "${evaluators[0]}" ]] ||
            complain "$* $evaluator: not the bits of ${evaluators[0]}"
        cp "$scratch/out" "$scratch/out$evaluator"
    done
}

names=("$@")
(($# > 0)) || mapfile -t names < <(ls *.vlad | sed 's/\.vlad$//' | grep -v -x -E 'prelude|long_effects|long_nested|nested_memory')
for name in "${names[@]}"; do
    if [[ -f $name.err ]]; then
        for evaluator in "${evaluators[@]}"; do
            if run_by "$evaluator" "$name"; then complain "$name $evaluator: was not refused"; fi
            cmp -s "$scratch/err" "$name.err" || complain "$name $evaluator: $(cat "$scratch/err")"
        done
    elif grep -q 'checkpoint' "$name.vlad" || grep -q '^; schedules' "$name.vlad"; then
        for schedule in "${schedules[@]}"; do
            # shellcheck disable=SC2086
            expect_output "$name" $schedule
        done
        expect_output "$name" --leaf 25 --collect
    else
        expect_output "$name"
    fi
done
if run "${names[0]}" --interpret --hybrid; then complain "--interpret --hybrid: was not refused"; fi
if (($# == 0)); then
    expect_output nested_memory --leaf 200 --limit 1M
fi
if run "${names[0]}" --repl --emit-c "$scratch/session.c"; then complain "--repl --emit-c: was not refused"; fi
if run "${names[0]}" --hybrid --compile; then complain "--hybrid --compile: was not refused"; fi

# Compile and run in one command: output, status and messages are the program's, and no file is left.
if [[ ${names[*]} == *arithmetic* && ${#evaluators[@]} -gt 2 ]]; then
    mkdir "$scratch/temporary"
    TMPDIR=$scratch/temporary run arithmetic --compile --stats || complain "--compile: exit status $?"
    cmp -s "$scratch/out" arithmetic.out || complain "--compile: not the output"
    grep -q '^steps' "$scratch/err" || complain "--compile: no statistics"
    [[ -z $(ls "$scratch/temporary") ]] || complain "--compile: leaves $(ls "$scratch/temporary")"
    if TMPDIR=$scratch/temporary run error_pattern --compile; then complain "--compile error_pattern: was not refused"; fi
    cmp -s "$scratch/err" error_pattern.err || complain "--compile error_pattern: $(cat "$scratch/err")"
    if VERSO_CLANG=/nowhere/clang run arithmetic --compile; then complain "--compile without clang: was not refused"; fi
    grep -q 'compiled with clang 19' "$scratch/err" || complain "--compile without clang: $(cat "$scratch/err")"
    # Nor when a signal ends it, wherever.
    for delay in 0.05 0.2 0.5 1; do
        TMPDIR=$scratch/temporary timeout -s TERM "$delay" "$VERSO" vlad example_xor.vlad >"$scratch/out" 2>"$scratch/err" || true
        [[ -z $(ls "$scratch/temporary") ]] || complain "--compile, ended after $delay s: leaves $(ls "$scratch/temporary")"
    done
    # What cannot be written is refused before the work, the program itself above all.
    cp prelude.vlad "$scratch" && cp arithmetic.vlad "$scratch/own.vlad"
    for output in "$scratch" "$scratch/nowhere/program" "$scratch/own.vlad"; do
        if "$VERSO" vlad "$scratch/own.vlad" -o "$output" 2>"$scratch/err"; then complain "-o $output: was not refused"; fi
        grep -q "^verso vlad: .*'$output'" "$scratch/err" || complain "-o $output: $(cat "$scratch/err")"
    done
    cmp -s "$scratch/own.vlad" arithmetic.vlad || complain "-o: the program is gone"
    # A program's own command line.
    "$VERSO" vlad arithmetic.vlad -o "$scratch/own"
    for words in --help --stats=1 --leaf "--leaf 0" x; do
        # shellcheck disable=SC2086
        { "$scratch/own" $words >"$scratch/out" 2>"$scratch/err" && status=0; } || status=$?
        ((status == 2)) || complain "program $words: exit status $status"
        [[ $words != --help ]] || grep -q 'there are --schedule' "$scratch/err" || complain "program --help: $(cat "$scratch/err")"
    done
    # Output that does not get out: said once, in the same words.
    if "$scratch/own" >/dev/full 2>"$scratch/err"; then complain "/dev/full: was not noticed"; fi
    if "$VERSO" vlad arithmetic.vlad --interpret >/dev/full 2>"$scratch/out"; then complain "/dev/full: was not noticed"; fi
    cmp -s "$scratch/out" "$scratch/err" || complain "/dev/full: $(diff "$scratch/out" "$scratch/err")"
    # A function that is too long for clang is interpreted, among others that are compiled; many functions are cut off.
    { echo "(define (g x) (if (< x 1) x (f (- x 1)))) (define (f x) $(printf '(+ 1 %.0s' {1..12000}) (g x)" &&
        printf ')%.0s' {1..12000} && echo ') (write-real (f 3))'; } >"$scratch/long.vlad"
    [[ $("$VERSO" vlad "$scratch/long.vlad") == 48000 ]] || complain "a long function"
    { for ((i = 1; i <= 30000; i++)); do echo "(define (f$i x) (+ x (f$((i - 1)) x)))"; done &&
        echo '(define (f0 x) x) (write-real (f30000 1))'; } >"$scratch/many.vlad"
    "$VERSO" vlad "$scratch/many.vlad" --emit-c "$scratch/many.c" || complain "many functions"
    (($(stat -c %s "$scratch/many.c") < 16 << 20)) || complain "many functions: $(stat -c %s "$scratch/many.c") bytes of C"
    "$VERSO" vlad arithmetic.vlad --emit-c "$scratch/arithmetic.c" && grep -q 'int main' "$scratch/arithmetic.c" ||
        complain "--emit-c: no program"
fi
# A program from standard input, which is then at its end.
if (($# == 0)); then
    for evaluator in "${evaluators[@]:0:3}"; do
        if echo '(write-real (+ 1 2)) (write-real (read-real))' | "$VERSO" vlad - "$evaluator" >"$scratch/out" 2>"$scratch/err"; then
            complain "- $evaluator: reads what is not there"
        fi
        [[ $(cat "$scratch/out") == 3 && $(cat "$scratch/err") == "standard input:1:1: \`read-real\` finds no number"* ]] ||
            complain "- $evaluator: $(cat "$scratch/out" "$scratch/err")"
    done
fi
((failed == 0)) || exit 1
echo "vlad.sh: ${#names[@]} programs (${SECONDS} s)"
