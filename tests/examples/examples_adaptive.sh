# Tests examples/adaptive: online in memory and with files, killed and continued, compared with store-all. Its own
# checks (bits, tangents, Taylor test) are part of its exit status. ctest sets BUILD.
set -euo pipefail

adaptive=$BUILD/examples/adaptive
if [[ ! -x $adaptive ]]; then
    echo "skipped: the examples are not built"
    exit 77
fi
scratch=$(mktemp -d -p "$([[ -w /dev/shm ]] && echo /dev/shm || echo /tmp)")
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

fail() {
    echo "examples_adaptive.sh: $*" >&2
    exit 1
}

# The gradient of the run that was asked for; the checks behind it must hold.
gradient_of() {
    "$adaptive" "$@" >output 2>notices || { cat output notices; fail "adaptive $* failed"; }
    grep -q "the same, bit for bit" output || fail "adaptive $*: another gradient than store-all"
    sed -n '/^online/{n;p}' output
}

# False when it was killed, without a word of the shell about it.
lives() {
    (
        exec 2>/dev/null
        "$adaptive" "${small[@]}" "$@" >output
    )
}

# Every number of slots, every tolerance: one gradient.
for tolerance in 1e-6 1e-10; do
    expected=$(gradient_of --tolerance $tolerance --slots 200)
    [[ $expected == *gradient* ]] || fail "no gradient in the output"
    for slots in 1 2 3 7 20; do
        [[ $(gradient_of --tolerance $tolerance --slots $slots) == "$expected" ]] || fail "$slots slots: another gradient"
        [[ $(gradient_of --tolerance $tolerance --slots $slots --directory run-$tolerance-$slots) == "$expected" ]] ||
            fail "$slots slots and a disk: another gradient"
    done
done

# Killed at many callbacks, until it ends by itself.
small=(--tolerance 1e-8 --slots 5)
expected=$(gradient_of "${small[@]}")
for first in 1 2 50 200 400 600; do
    kills=0
    for ((after = first; ; after += 60)); do
        if lives --directory killed-$first --kill-after $after; then
            break
        fi
        kills=$((kills + 1))
        ((kills < 100)) || fail "no end"
    done
    ((kills > 0)) || fail "nothing was killed"
    [[ $(gradient_of "${small[@]}" --directory killed-$first) == "$expected" ]] ||
        fail "killed from callback $first on: another gradient"
done

# The newest capsule is damaged.
lives --directory damaged --kill-after 400 && fail "it was to die"
newest=$(ls -t damaged/capsules/* | sed -n 1p)
printf '\377' | dd of="$newest" bs=1 seek=120 conv=notrunc status=none
[[ $(gradient_of "${small[@]}" --directory damaged) == "$expected" ]] || fail "damaged: another gradient"
