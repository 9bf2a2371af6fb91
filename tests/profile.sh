# `verso profile` and `verso tune` on a real program: what is predicted is what is measured, to the byte; verso.sites is
# read back as it was written; bad files and bad command lines have messages.
# ctest runs it with VERSO, SOURCE set; by hand: VERSO=build/verso SOURCE=. bash tests/profile.sh
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
SOURCE=$(realpath "$SOURCE")
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
mkdir tmp
export TMPDIR=$folder/tmp

fail() {
    echo "profile.sh: $*" >&2
    exit 1
}
# expect STATUS WORDS...: runs the command; $out and $err are what it says.
expect() {
    local wanted=$1 status=0
    shift
    timeout 120 "$VERSO" "$@" >out 2>err || status=$?
    out=$(<out) err=$(<err)
    [[ $status == "$wanted" ]] || fail "verso $*: status $status, not $wanted; it says: $err"
}
prints() { grep -qE -- "$1" <<<"$out" || fail "no '$1' in: $out"; }
complains() { grep -qE -- "$1" <<<"$err" || fail "no '$1' in: $err"; }
# field FILE NAME...: a number or word of JSON.
field() {
    python3 -c 'import json, sys
value = json.load(open(sys.argv[1]))
for name in sys.argv[2:]:
    value = value[int(name) if name.isdigit() else name]
print(value)' "$@"
}

"$VERSO" cc -std=c17 -O2 -g -Wall -Wextra -Werror "$SOURCE/tests/native/profile/glacier.c" -o glacier -lm
plain=$(./glacier)

# ---- Profile ----

expect 0 profile -- ./glacier
[[ $(head -1 out) == "$plain" ]] || fail "the program's own output is not passed on: $out"
prints 'calls checkpointed'
prints 'Switched off, these gain time'
prints 'volume > step, .*glacier.c:[0-9]+ +40 '
prints 'relax > friction, .* +28,800 '
[[ -z $err ]] || fail "it says $err"

expect 0 profile --json --html page.html --out all.sites -- ./glacier
[[ $err == "$plain" ]] || fail "with --json the program's output belongs to the standard error"
cp out all.json
count=$(python3 -c 'import json; print(len(json.load(open("all.json"))["sites"]))')
((count >= 8)) || fail "$count sites"
[[ $(grep -c '^on ' all.sites) == "$count" && $(grep -vc '^#' all.sites) == "$count" ]] || fail "$(<all.sites)"
grep -q '<table>' page.html && grep -q 'glacier.c' page.html && grep -q '</html>' page.html || fail "page.html"
peak=$(field all.json peak_bytes)
memory=$(field all.json memory_bytes) # and all else: what budgets are about
((memory > peak)) || fail "$memory bytes in all, $peak of recordings and snapshots"

# measured SITES: what the first gradient takes with that choice; its result must be the same.
measured() {
    rm -f measured.json
    [[ $(VERSO_SITES=$1 VERSO_MEASURE=measured.json ./glacier) == "$plain" ]] || fail "$1 changes the gradient"
    field measured.json tape_bytes
}
[[ $(measured all.sites) == "$peak" ]] || fail "all on: $peak bytes predicted"

# Each site alone: the change that is printed is the one that happens.
for ((i = 0; i < count; i++)); do
    python3 - "$i" <<'END'
import json, sys
data = json.load(open("all.json"))
one = data["sites"][int(sys.argv[1])]
names = lambda s: [s["caller"], s["callee"], "%s#%d" % (s["where"].split(" ")[-1], s["number"])]
lines = ["on * * *", "off %s %s %s" % tuple(names(one))]
open("one.sites", "w").write("\n".join(lines) + "\n")
open("one.wanted", "w").write("%d\n" % (data["peak_bytes"] + one["peak_bytes_change"]))
END
    [[ $(measured one.sites) == $(<one.wanted) ]] || fail "$(tail -1 one.sites): $(<one.wanted) bytes predicted"
    # The same choice looked at: the totals are those, and what was switched is off.
    if ((i % 3 == 0)); then
        expect 0 profile --json --sites one.sites -- ./glacier
        [[ $(field out peak_bytes) == $(<one.wanted) ]] || fail "--sites one.sites: $(field out peak_bytes)"
        grep -q '"group": "off"' out || fail "no site is off"
    fi
done

# ---- Tune ----

none=$(printf 'off * * *\n' >none.sites && measured none.sites)
((none > peak)) || fail "all off takes $none bytes, all on $peak"
most=$((none + memory - peak))
# tuned STRATEGY BUDGET: what is measured is what was predicted, and within the budget; the file says it to any run.
tuned() {
    expect 0 tune --memory "$2" --strategy "$1" --json --out chosen.sites --html chosen.html -- ./glacier
    cp out chosen.json
    local predicted all wanted
    predicted=$(field chosen.json predicted peak_bytes)
    all=$(field chosen.json measured memory_bytes)
    ((all <= $2 && $(field chosen.json predicted memory_bytes) <= $2)) || fail "$1: $all of $2 bytes"
    wanted=$(field chosen.json measured peak_bytes)
    grep -q '^memory ' chosen.sites || [[ $wanted == "$predicted" ]] || fail "$1: measured is not predicted"
    [[ $(measured chosen.sites) == "$wanted" ]] || fail "$1: chosen.sites is another choice"
    grep -q '<svg' chosen.html && grep -q 'class="way0"' chosen.html && grep -q 'class="chosen"' chosen.html ||
        fail "chosen.html"
}
for strategy in best time-first memory-careful; do
    for budget in "$memory" $(((memory + most) / 2)) "$most"; do
        tuned $strategy "$budget"
        [[ $strategy == best ]] || ! grep -qE '^(memory|step) ' chosen.sites || fail "$strategy has a schedule"
    done
done
# Everything fits: at one go.
expect 0 tune --memory 1G -- ./glacier
prints 'to the byte'
expect 0 tune --memory 1G --json -- ./glacier
cp out chosen.json
! grep -qE '^(memory|step) ' verso.sites || fail "a schedule, though all fits"
[[ $(measured verso.sites) == "$(field chosen.json predicted peak_bytes)" ]] || fail "verso.sites is another choice"

# ---- Tune: by a schedule, where nothing fits at one go ----

expect 1 tune --memory 1k -- ./glacier
complains 'no choice of calls takes 1000 bytes or less, at one go or by a schedule: the least is ([0-9]+)'
expect 1 tune --memory 1k --strategy time-first -- ./glacier
complains 'no choice of calls on the way of time-first takes 1000 bytes or less: the least is [0-9]+; the strategy best has'
# A longer run: checkpointed calls at one go need several times as much as a schedule does.
expect 1 tune --memory 1k --strategy memory-careful -- ./glacier 2000
least=$(grep -oE 'the strategy best has one of [0-9]+' err | grep -oE '[0-9]+')
plain_long=$(./glacier 2000)
for budget in $((least / 3)) $((least - 1)); do
    expect 0 tune --memory "$budget" --json --out long.sites --html long.html -- ./glacier 2000
    grep -q "^memory $budget\$" long.sites && grep -q '^step ' long.sites || fail "no schedule within $budget bytes"
    grep -q '"schedule": {' out || fail "JSON has no schedule"
    rm -f measured.json
    [[ $(VERSO_SITES=long.sites VERSO_MEASURE=measured.json ./glacier 2000) == "$plain_long" ]] || fail "another gradient"
    (($(field measured.json peak_bytes) <= budget)) || fail "$(<measured.json) is beyond $budget bytes"
    grep -q '"schedule": "online' measured.json || fail "$(<measured.json) is by no schedule"
done
# Checkpointed calls inside steps: a step is longer than what recording it takes, and that is what it takes.
printf 'off * * *\non volume step *\nmemory %d\nstep 2M 400k 2k\n' "$((least - 1))" >both.sites
rm -f measured.json
[[ $(VERSO_SITES=both.sites VERSO_MEASURE=measured.json ./glacier 2000) == "$plain_long" ]] || fail "another gradient"
(($(field measured.json tape_bytes) <= 400000)) || fail "a step takes more than is spared for it: $(<measured.json)"
# What the environment says of budgets goes before the file.
rm -f measured.json
VERSO_MEMORY=1G VERSO_SITES=long.sites VERSO_MEASURE=measured.json ./glacier 2000 >/dev/null
! grep -q "online: .* slots" measured.json || (($(field measured.json tape_bytes) > 2 * least)) ||
    fail "VERSO_MEMORY does not count: $(<measured.json)"

# By the names of functions.
printf 'on * * *\noff * flux *\noff * friction *\n' >named.sites
wanted=$(measured named.sites)
rm -f measured.json
VERSO_CHECKPOINT='*' VERSO_NOCHECKPOINT=flux,friction VERSO_MEASURE=measured.json ./glacier >/dev/null
[[ $(field measured.json tape_bytes) == "$wanted" ]] || fail "VERSO_CHECKPOINT: $(<measured.json), and not $wanted"
VERSO_NOCHECKPOINT=flux,nobody ./glacier 2>err && fail "VERSO_NOCHECKPOINT: nobody is called"
grep -q "VERSO_NOCHECKPOINT:1: the program has no call of 'nobody'" err || fail "$(<err)"
VERSO_CHECKPOINT=, ./glacier 2>err && fail "VERSO_CHECKPOINT without names"
grep -q 'VERSO_CHECKPOINT: expected names' err || fail "$(<err)"

# Several gradients, each of twice the steps: the first counts, for profile and measurement. What is chosen may differ from
# one run to the next, for it depends on times.
expect 0 tune --memory "$most" --out several.sites --json -- ./glacier 40 3
cp out several.json
[[ $(measured several.sites) == $(field several.json measured peak_bytes) ]] || fail "another gradient counted"

# ---- What can go wrong ----

GLACIER_FAILS=1 expect 7 profile -- ./glacier
complains 'ended with exit status 7'
prints 'calls checkpointed'
expect 1 profile -- ./not-there
complains "cannot run './not-there'"
expect 1 profile -- true
complains 'has computed no gradient'
expect 2 profile
complains 'which program'
expect 2 profile ./glacier
complains 'stands behind --'
expect 2 tune -- ./glacier
complains 'how much memory'
expect 2 tune --memory many -- ./glacier
expect 2 tune --memory 1M --strategy bets -- ./glacier
complains "did you mean 'best'"
expect 1 profile --sites none-such -- ./glacier
complains "cannot read 'none-such'"
echo "on volume nobody glacier.c:1" >bad.sites
expect 1 profile --sites bad.sites -- ./glacier
complains "bad.sites:1: the program has no call of 'nobody' by 'volume'"
status=0
VERSO_SITES=bad.sites ./glacier 2>err || status=$?
[[ $status == 3 ]] && grep -q "bad.sites:1: the program has no call of 'nobody'" err || fail "VERSO_SITES=bad.sites: $(<err)"
echo "maybe volume step *" >bad.sites
expect 1 profile --sites bad.sites -- ./glacier
complains 'bad.sites:1: expected `on` or `off`'
echo "memory lots" >bad.sites
expect 1 profile --sites bad.sites -- ./glacier
complains "bad.sites:1: 'lots'"
VERSO_SITES=$folder/none-such ./glacier 2>err && fail "a file that is not there"
grep -q none-such err || fail "$(<err)"
VERSO_PROFILE=$folder/none/such ./glacier 2>err && fail "a profile that cannot be written"
grep -q none/such err || fail "$(<err)"
expect 1 profile --out /none/such -- ./glacier
complains "cannot write '/none/such'"
[[ -z $(ls tmp) ]] || fail "left behind: $(ls tmp)"
echo "profile.sh: $count sites, $peak to $none bytes"
