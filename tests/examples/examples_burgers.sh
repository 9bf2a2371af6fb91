# Tests examples/burgers.c: the minimisation ends with the same bits for any memory, with and without files, and if it
# is killed at many places and started again; it converges; the Taylor test has order 2.
# ctest sets BUILD. All files are made in one temporary folder.
set -euo pipefail

burgers=$BUILD/examples/burgers
[[ -x $burgers ]] || { echo "skipped: the examples are not built"; exit 77; }
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "examples_burgers.sh: $*" >&2
    exit 1
}

size=(--cells 150 --steps 400)

run() {
    "$burgers" "${size[@]}" "$@" >said 2>notes || { cat said notes; fail "burgers $* failed"; }
    sum=$(sed -n 's/^Checksum .*: //p' said)
    [[ -n $sum ]] || fail "burgers $* names no checksum"
}

# ---- The same bits everywhere, and they are a minimum ----

run --memory 8
expected=$sum
grep -q '^Converged' said || { cat said; fail "it did not converge"; }
before=$(awk '/^ +0 / { print $3 }' said) after=$(awk '/^Cost/ { print $2 + 0 }' said)
awk -v before="$before" -v after="$after" 'BEGIN { exit !(after < before / 3) }' || fail "the cost went from $before to $after"
awk '/^Distance/ { exit !($7 + 0 < ($NF + 0) / 3) }' said || fail "it did not come nearer to the truth: $(grep ^Distance said)"
for memory in 0.005 0.02 0.1; do
    run --memory $memory
    [[ $sum == "$expected" ]] || fail "$memory MB: another result"
done
run --memory 0.02 --run whole --report last.html --json last.json
[[ $sum == "$expected" ]] || fail "in files: another result"
grep -q '<svg' last.html || fail "the report has no picture"
gradients=$(find whole -mindepth 1 -maxdepth 1 | wc -l)
run --memory 0.02 --run whole
[[ $sum == "$expected" ]] || fail "loaded from files: another result"
grep -q " $gradients gradients, $gradients of them done before" said || fail "finished gradients were computed again"

# ---- Killed and started again ----

few=(--iterations 4 --memory 0.02)
run "${few[@]}"
expected=$sum
deaths=0
for kill in 1 64 65 300 700 1100 1600 2500 4000 6500 9000; do
    for attempt in "$kill" $((kill / 2 + 100)); do
        status=0
        { "$burgers" "${size[@]}" "${few[@]}" --run "killed-$kill" --kill-after "$attempt" || status=$?; } &>/dev/null
        [[ $status == 0 || $status == 137 ]] || fail "killed after $attempt callbacks, it ended with $status"
        ((status == 0)) || deaths=$((deaths + 1))
    done
    run "${few[@]}" --run "killed-$kill"
    [[ $sum == "$expected" ]] || fail "killed after $kill callbacks: another result"
done

((deaths >= 15)) || fail "only $deaths processes died"

# ---- Taylor ----

"$burgers" "${size[@]}" --taylor >said 2>notes || fail "burgers --taylor failed"
orders=$(awk 'NF == 3 && $3 ~ /^[0-9.]+$/ { print $3 }' said)
[[ $(wc -l <<<"$orders") == 6 ]] || { cat said; fail "6 orders were to be printed"; }
awk '$1 < 1.95 || $1 > 2.05 { exit 1 }' <<<"$orders" || { cat said; fail "an order is not 2"; }

# ---- Wrong words ----

for words in "--cells 2000 --steps 100" "--steps x" "--celsl 3"; do
    status=0
    # shellcheck disable=SC2086
    "$burgers" $words >/dev/null 2>&1 || status=$?
    [[ $status == 2 ]] || fail "burgers $words ended with $status"
done
echo "burgers: $gradients gradients of a minimisation, $deaths deaths, 6 orders"
