# Tests `verso profile` and `verso tune` on a real program: predictions equal measurements to the byte; verso.sites is
# read back as it was written; bad files and bad command lines are reported.
# ctest sets VERSO and SOURCE; by hand: VERSO=build/verso SOURCE=. bash tests/profile/profile.sh
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
prints 'Switching these off saves time'
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

# ---- Within limits ----

# Cut by memory: what is said of the whole is estimated from a part, and is about what the whole profile says.
expect 0 profile --json -- ./glacier 2000
cp out whole.json
expect 0 profile --json --memory 1M -- ./glacier 2000
[[ -z $err ]] || fail "a program whose profile was cut prints a gradient: $err"
[[ $(field whole.json complete) == True && $(field whole.json part) == 1 && $(field out complete) == False ]] ||
    fail "not cut by memory: $out"
python3 - <<'END' || fail "what is estimated from a part: $out"
import json
whole, part = json.load(open("whole.json")), json.load(open("out"))
assert 0 < part["part"] < 0.9
assert part["seconds"] < 1e5 and all(abs(s["seconds_change"]) < 1e5 for s in part["sites"])
for name in "turn_bytes", "peak_bytes", "memory_bytes":
    assert abs(part[name] / whole[name] - 1) < 0.25, name
key = lambda s: (s["caller"], s["callee"], s["where"], s["number"])
changes = {key(s): s for s in part["sites"]}
for site in whole["sites"]:
    if site["peak_bytes_change"] > 1e6:
        assert abs(changes[key(site)]["peak_bytes_change"] / site["peak_bytes_change"] - 1) < 0.25, site
END
expect 0 profile --memory 1M --html page.html -- ./glacier 2000
prints 'The profile was cut by its limits of time and memory after .*, and covers [0-9.]+ % of the run'
grep -q 'part of the run that was profiled' page.html || fail "page.html does not say that the profile was cut"
# By time, of a run that would take hours; and by a signal: what is known is reported, and nothing stays behind.
expect 0 profile --time-limit 1 -- ./glacier 100000000
prints 'cut by its limits .* % of the part of the run that was seen'
status=0
timeout --preserve-status -s TERM 2 "$VERSO" profile --time-limit 600 --out cut.sites -- ./glacier 100000000 >out || status=$?
[[ $status == 143 ]] && grep -q 'The profile was interrupted after' out && grep -q 'volume > step' out ||
    fail "interrupted: status $status, $(<out)"
[[ -s cut.sites && -z $(ls tmp) ]] || fail "interrupted: no cut.sites, or left behind: $(ls tmp)"
# Tuning goes on from a part whose share is known, and says so when it is not.
expect 1 tune --memory 1M --time-limit 0.5 -- ./glacier 100000000
complains 'had not finished when the profile was cut after .*; raise --time-limit'
expect 2 profile --time-limit soon -- ./glacier
VERSO_PROFILE=p,second=1 ./glacier 2>err && fail "VERSO_PROFILE: second"
grep -q "VERSO_PROFILE: 'second=1' is not an option of a profile" err || fail "$(<err)"
VERSO_PROFILE=p,seconds=x ./glacier 2>err && fail "VERSO_PROFILE: seconds=x"
grep -q "'seconds=x' is not a number of seconds" err || fail "$(<err)"

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
    # Which is handed out depends on times.
    [[ $(field chosen.json handed_out) == plain || $(measured chosen.sites) == "$wanted" ]] ||
        fail "$1: chosen.sites is another choice"
    grep -q '<svg' chosen.html && grep -q 'class="way0"' chosen.html && grep -q 'class="chosen"' chosen.html ||
        fail "chosen.html"
    # Bytes are in units, and to the byte besides; the chart is as narrow as the screen.
    grep -q "<dd>[0-9.]* [kMG]*B<small>$(grouped "$all") bytes</small>" chosen.html || fail "chosen.html: no $all bytes"
    grep -Eq '>[-+][0-9]+,[0-9]{3}' chosen.html && fail "chosen.html: bytes without a unit"
    grep -Eq '(^|})\.points\{max-width' chosen.html && fail "chosen.html: the chart is wider than a narrow screen"
    return 0
}
grouped() { sed -E ':again; s/([0-9])([0-9]{3})(,|$)/\1,\2\3/; t again' <<<"$1"; }
for strategy in best time-first memory-careful; do
    for budget in "$memory" $(((memory + most) / 2)) "$most"; do
        tuned $strategy "$budget"
        [[ $strategy == best || $(field chosen.json handed_out) == plain ]] ||
            ! grep -qE '^(memory|step) ' chosen.sites || fail "$strategy has a schedule"
    done
done
# Everything fits: in a single pass.
expect 0 tune --memory 1G -- ./glacier
prints 'to the byte'
expect 0 tune --memory 1G --json -- ./glacier
cp out chosen.json
if [[ $(field chosen.json handed_out) == choice ]]; then
    ! grep -qE '^(memory|step) ' verso.sites || fail "a schedule, though all fits"
    [[ $(measured verso.sites) == "$(field chosen.json predicted peak_bytes)" ]] || fail "verso.sites is another choice"
fi

# ---- Tune: by a schedule, where nothing fits in a single pass ----

expect 1 tune --memory 1k -- ./glacier
complains 'no choice of calls fits into 1000 bytes, in a single pass or with a schedule; at least ([0-9]+) bytes are needed'
expect 1 tune --memory 1k --strategy time-first -- ./glacier
complains 'no choice of calls of the strategy time-first fits into 1000 bytes; at least [0-9]+ bytes are needed. The strategy best needs'
# A longer run: checkpointed calls in a single pass need several times as much as a schedule does.
expect 1 tune --memory 1k --strategy memory-careful -- ./glacier 2000
least=$(grep -oE 'The strategy best needs at least [0-9]+' err | grep -oE '[0-9]+')
plain_long=$(./glacier 2000)
for budget in $((least / 3)) $((least - 1)); do
    expect 0 tune --memory "$budget" --json --out long.sites --html long.html -- ./glacier 2000
    grep -q "^memory $budget\$" long.sites && { grep -q '^step ' long.sites || grep -q '"handed_out": "plain"' out; } ||
        fail "no schedule within $budget bytes"
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
printf 'off * * *\nmemory %d\nstep 300k 300k 9k\n' "$((least - 1))" >steps.sites
rm -f measured.json
VERSO_SITES=steps.sites VERSO_MEASURE=measured.json ./glacier 2000 >/dev/null
grep -q '"schedule": "online' measured.json || fail "steps.sites does not count: $(<measured.json)"
rm -f measured.json
VERSO_MEMORY=1G VERSO_SITES=steps.sites VERSO_MEASURE=measured.json ./glacier 2000 >/dev/null
grep -q '"schedule": "single pass"' measured.json || fail "VERSO_MEMORY does not count: $(<measured.json)"

# ---- Tune: against VERSO_MEMORY alone ----

# Measurements are given: CHOICE seconds for calls or steps, PLAIN for the budget alone, which may hang or fail instead.
cat >given <<'END'
#!/bin/sh
seconds=$CHOICE
if [ -n "$VERSO_MEASURE" ] && ! grep -qE '^(on|step) ' "$VERSO_SITES"; then
    echo alone >>alone
    case $PLAIN in hang) exec sleep 100 ;; fail) echo too little >&2; exit 3 ;; esac
    seconds=$PLAIN
fi
./glacier || exit
[ -z "$VERSO_MEASURE" ] || sed -i "s/\"seconds_processor\": [^,]*/\"seconds_processor\": $seconds/" "$VERSO_MEASURE"
END
chmod +x given
# compared CHOICE PLAIN STRATEGY [--json]
compared() {
    rm -f alone
    CHOICE=$1 PLAIN=$2 expect 0 tune --memory 1000000 --strategy "$3" "${@:4}" -- ./given
    [[ $(<alone) == alone ]] || fail "the budget alone is measured $(wc -l <alone) times"
}
compared 50 5 best
prints '^  VERSO_MEMORY alone +5 s '
prints '^  The prediction was wrong: .* predicted, 50 s measured'
prints '^  VERSO_MEMORY alone is faster than the choice and is used instead'
prints ': 0 of [0-9]+ calls checkpointed'
prints 'verso.sites contains the budget'
! grep -qE '^(on|step) ' verso.sites && grep -q "^memory 1000000\$" verso.sites || fail "$(<verso.sites)"
compared 50 5 best --json
[[ $(field out handed_out) == plain && $(field out time_as_predicted) == False && $(field out plain seconds) == 5* ]] ||
    fail "$out"
compared 1e-9 5 best --json
[[ $(field out handed_out) == choice && $(field out time_as_predicted) == True && $(field out plain seconds) == 5* ]] ||
    fail "$out"
grep -qE '^(on|step) ' verso.sites || fail "$(<verso.sites)"
compared 50 5 memory-careful
prints '^  VERSO_MEMORY alone is faster than the choice and is used instead'
! grep -qE '^on ' verso.sites && grep -q "^memory 1000000\$" verso.sites || fail "memory-careful: $(<verso.sites)"
for end in hang fail; do
    compared 1e-9 $end best
    prints 'VERSO_MEMORY alone fails within this budget or takes more than twice as long'
    [[ -z $err ]] && grep -qE '^(on|step) ' verso.sites || fail "$end: $err $(<verso.sites)"
done

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

# ---- Inside the step of a fixed point ----

cp glacier ice
"$VERSO" cc -std=c17 -O2 -g -Wall -Wextra -Werror "$SOURCE/tests/native/profile/stream.c" -o glacier -lm
plain=$(./glacier)
expect 0 profile --json --out all.sites -- ./glacier
cp out all.json
all=$(measured all.sites)
[[ $all == "$(field all.json peak_bytes)" ]] || fail "fixed point, all on: $all bytes"
grep -q 'balance *relax' all.sites || fail "no site in the step: $(<all.sites)"
# Each site of the step is worth something: bytes change as predicted.
for callee in relax sweep soften; do
    printf 'off * * *\non * %s *\n' $callee >one.sites
    expect 0 profile --json --sites one.sites -- ./glacier
    [[ $(measured one.sites) == $(field out peak_bytes) ]] || fail "fixed point, $callee on: $(field out peak_bytes)"
done
printf 'off * * *\n' >none.sites
printf 'off * * *\non * relax *\n' >one.sites
((4 * $(measured one.sites) < $(measured none.sites))) || fail "relax on saves little"
# A profile that is cut within repetitions; a choice within a budget, without and with a schedule.
for memory in 150k 300k 1M; do
    expect 0 profile --json --memory $memory -- ./glacier 200
    [[ $(field out complete) == False ]] || fail "fixed point: not cut"
done
expect 0 tune --memory 300k --strategy memory-careful -- ./glacier
prints 'as predicted, to the byte'
expect 0 tune --memory 400k --json --out both.sites -- ./glacier 500
[[ $(VERSO_SITES=both.sites ./glacier 500) == "$(./glacier 500)" ]] || fail "both.sites changes the gradient"
# The sizes of a step with its calls checkpointed are enough.
printf 'off * * *\non * relax *\nmemory 1M\nstep 1M 300k 2k\n' >both.sites
rm -f measured.json
[[ $(VERSO_SITES=both.sites VERSO_MEASURE=measured.json ./glacier 500) == "$(./glacier 500)" ]] || fail "another gradient"
grep -q '"schedule": "online' measured.json && (($(field measured.json peak_bytes) <= 1000000)) || fail "$(<measured.json)"
mv ice glacier
plain=$(./glacier)

# Marked in the source: nothing switches these calls, and a text that names them and says otherwise is refused.
"$VERSO" cc -std=c17 -O2 -g -Wall -Wextra -Werror "$SOURCE/tests/native/profile/marked.c" -o marked
marked=$(./marked)
sed -E 's/VERSO_(NO)?CHECKPOINT/__attribute__((noinline))/' "$SOURCE/tests/native/profile/marked.c" >unmarked.c
"$VERSO" cc -std=c17 -O2 -g unmarked.c -o unmarked
# tape PROGRAM [VARIABLE=VALUE...]: the gradient is always the same.
tape() {
    rm -f marked.json
    [[ $(env "${@:2}" VERSO_MEASURE=marked.json "./$1") == "$marked" ]] || fail "$*: another gradient"
    field marked.json tape_bytes
}
always=$(tape unmarked VERSO_CHECKPOINT=long_run)
[[ $(tape marked) == "$always" && $(tape marked VERSO_NOCHECKPOINT='*') == "$always" && $(tape unmarked) != "$always" ]] ||
    fail "long_run is not always checkpointed"
ours=$(tape marked VERSO_CHECKPOINT='*')
[[ $ours == $(tape unmarked VERSO_CHECKPOINT='*' VERSO_NOCHECKPOINT=cheap) &&
    $ours != $(tape unmarked VERSO_CHECKPOINT='*') ]] || fail "never: $ours"
# How many calls are fixed, and how many of them are as marked.
fixed() {
    python3 -c 'import json, sys
fixed = [s for s in json.load(open(sys.argv[1]))["sites"] if s["group"] == "fixed"]
print(len(fixed), sum({"cheap": False, "long_run": True}[s["callee"]] == s["on"] for s in fixed))' "$1"
}
expect 0 profile --json --out marked.sites -- ./marked
[[ $(fixed out) == "3 3" ]] || fail "$out"
grep -qE '^on +f +long_run ' marked.sites && [[ $(grep -cE '^off +[a-z_]+ +cheap ' marked.sites) == 2 ]] || fail "$(<marked.sites)"
[[ $(VERSO_SITES=marked.sites ./marked) == "$marked" ]] || fail "marked.sites changes the gradient"
expect 0 profile -- ./marked
prints 'free_call > cheap, .* never'
prints 'f > long_run, .* 50 +always'
for budget in 150k 1G; do
    expect 0 tune --memory $budget --json -- ./marked
    [[ $(fixed out) == "3 3" ]] && grep -qE '^on +f +long_run ' verso.sites &&
        ! grep -qE '^on .* cheap ' verso.sites || fail "$(<verso.sites)"
done
VERSO_CHECKPOINT=cheap ./marked 2>err && fail "cheap is marked"
grep -q "VERSO_CHECKPOINT:1: calls of 'cheap' cannot be checkpointed: the source marks it VERSO_NOCHECKPOINT" err || fail "$(<err)"
printf 'off f long_run *\n' >bad.sites
VERSO_SITES=bad.sites ./marked 2>err && fail "long_run is marked"
grep -q "bad.sites:1: calls of 'long_run' are always checkpointed" err || fail "$(<err)"
sed 's/^VERSO_CHECKPOINT /VERSO_CHECKPOINT VERSO_NOCHECKPOINT /' "$SOURCE/tests/native/profile/marked.c" >twice.c
"$VERSO" cc -O2 twice.c -o twice 2>err && fail "two marks"
grep -q 'long_run is marked VERSO_CHECKPOINT and VERSO_NOCHECKPOINT; remove one' err || fail "$(<err)"

# Marked call by call, at every level of optimisation and in C++.
calls=$SOURCE/tests/native/profile/marked_calls.c
cp "$calls" marked_calls.cpp
"$VERSO" c++ -O2 -g marked_calls.cpp -o calls.plus
for level in 0 1 2 3; do
    "$VERSO" cc -std=c17 -O$level -g -Wall -Wextra -Wpedantic -Werror "$calls" -o calls.$level
done
wanted=$(./calls.2)
for program in calls.0 calls.1 calls.3 calls.plus; do
    [[ $(./$program) == "$wanted" && $(VERSO_CHECKPOINT='*' ./$program) == "$wanted" ]] || fail "$program: another gradient"
    expect 0 profile --json --out calls.sites -- ./$program
    python3 - $program <<'END' || fail "$program: $out"
import json, sys
sites = [s for s in json.load(open("out"))["sites"] if s["group"] == "fixed"]
lines = {}
for site in sites:
    lines.setdefault(site["where"].split(":")[-1], []).append(site["on"])
assert sorted(sorted(on) for on in lines.values()) == [[False], [False], [False, True], [True], [True]], lines
END
    [[ $(VERSO_SITES=calls.sites ./$program) == "$wanted" ]] || fail "$program: calls.sites"
done
VERSO_CHECKPOINT=run ./calls.0 >/dev/null || fail "run is marked in some calls only"
cat >pointer.c <<'END'
#include <verso/native.h>
double (*which)(double);
double f(const double *x, size_t n) { return VERSO_CHECKPOINT_CALL(which)(x[n - 1]); }
int main(void) { return verso_gradient(f, (double[]){1}, 1, (double[1]){0}, NULL, NULL, NULL); }
END
"$VERSO" cc -O2 pointer.c -o pointer 2>err && fail "a marked pointer"
grep -q 'VERSO_CHECKPOINT_CALL and VERSO_NOCHECKPOINT_CALL are given the name of a function' err || fail "$(<err)"

# Several gradients, each of twice the steps: the first counts, for profile and measurement. What is chosen may differ from
# one run to the next, for it depends on times.
expect 0 tune --memory "$most" --out several.sites --json -- ./glacier 40 3
cp out several.json
[[ $(field several.json handed_out) == plain || $(measured several.sites) == $(field several.json measured peak_bytes) ]] || fail "another gradient counted"

# ---- What can go wrong ----

GLACIER_FAILS=1 expect 7 profile -- ./glacier
complains 'ended with exit status 7'
prints 'calls checkpointed'
expect 1 profile -- ./not-there
complains "cannot run './not-there'"
expect 1 profile -- true
complains 'computed no gradient'
expect 2 profile
complains 'which program'
expect 2 profile ./glacier
complains 'write the program after --'
expect 2 tune -- ./glacier
complains '--memory is missing'
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

# ---- Names of C++ ----

"$VERSO" c++ -std=c++17 -O2 -g -Wall -Wextra -Werror "$SOURCE/tests/native/profile/names.cpp" -o names
expect 0 profile --html names.html --out names.sites -- ./names
prints 'simulate\(double const\*, unsigned long\) > void waves::step<double>\(double\*, unsigned long, double\), '
grep -q '_Z' out && fail "a name as the linker has it: $out"
grep -q 'void waves::step&lt;double&gt;(double\*' names.html || fail "the page has no 'waves::step<double>'"
grep -q '_Z' names.html && fail "the page has a name as the linker has it"
grep -q '^on .*_ZN5waves4stepIdEEvPT_mS1_ ' names.sites || fail "no key in $(<names.sites)"
expect 0 tune --memory 10M --out tuned.sites --html names.html -- ./names
grep -q '_Z' out names.html && fail "a name as the linker has it: $out"

[[ -z $(ls tmp) ]] || fail "left behind: $(ls tmp)"
echo "profile.sh: $count sites, $peak to $none bytes"
