# Tests the command from outside: its output, its error messages and its exit status.
# ctest sets VERSO and SOURCE. Expected numbers are typed from the reference tables (tests/data/golden), not computed.
set -uo pipefail

: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

fail() {
    echo "cli.sh: FAILED: $*" >&2
    failures=$((failures + 1))
}

# Runs the command, for at most 120 s; sets $status, $out and $err.
verso() {
    timeout 120 "$VERSO" "$@" >"$scratch/out" 2>"$scratch/err" </dev/null
    status=$?
    out=$(cat "$scratch/out")
    err=$(cat "$scratch/err")
}

# expect STATUS ARGUMENT...: runs the command, which must exit with STATUS, and print a message exactly if it fails.
expect() {
    local wanted=$1
    shift
    verso "$@"
    [[ $status == "$wanted" ]] || fail "verso $*: status $status, not $wanted; it says: $err"
    if ((wanted == 0)); then
        [[ -z $err ]] || fail "verso $*: said '$err'"
    else
        [[ -z $out ]] || fail "verso $*: printed '$out' though it failed"
        [[ -n $err ]] || fail "verso $*: failed without a message"
    fi
}

says() {
    [[ $err == *"$1"* ]] || fail "expected the message '$1', not '$err'"
}

prints() {
    [[ $out == *"$1"* ]] || fail "expected the output '$1', not '$out'"
}

# plan 'KEY=VALUE KEY=VALUE' ARGUMENT...: the JSON object of `verso plan ARGUMENT...` must have these members. Values
# contain no spaces.
plan() {
    local wanted=$1 pair
    shift
    expect 0 plan "$@" --json
    valid_json
    for pair in $wanted; do
        local member="\"${pair%%=*}\": ${pair#*=}"
        member=${member//,/, }
        [[ $out == *"$member,"* || $out == *"$member}"* ]] || fail "verso plan $*: no $member in $out"
    done
}

if command -v jq >/dev/null; then
    json_check() { jq .; }
elif command -v python3 >/dev/null; then
    json_check() { python3 -m json.tool; }
else
    json_check() { cat; }
fi
valid_json() {
    json_check <"$scratch/out" >/dev/null || fail "not JSON: $out"
}

# ---- Costs ----

keys='"kind": "[a-z-]*", "steps": [0-9]*, "forward_steps": [0-9]*, "recorded_steps": [0-9]*, "makespan": [0-9.]*, '
keys+='"writes": \[[0-9, ]*\], "reads": \[[0-9, ]*\], "peak_slots": \[[0-9, ]*\], "repetition": [0-9]*'
plan 'forward_steps=15 recorded_steps=10 makespan=25 writes=[6] reads=[9] peak_slots=[3] repetition=2' \
    revolve --steps 10 --slots 3
grep -q "^{$keys, " "$scratch/out" || fail "keys or their order: $out"
plan 'kind="revolve" forward_steps=316 writes=[44] reads=[99] repetition=4 least_makespan=416' revolve --steps 100 --slots 5
plan 'forward_steps=499999999999500000000000' revolve --steps 1e12 --slots 1
plan 'forward_steps=60318312900290 repetition=67' revolve --steps 1T --slots 10
plan 'forward_steps=0 recorded_steps=0 makespan=0 repetition=0' revolve --steps 0 --slots 3
plan 'forward_steps=0 makespan=1' revolve --steps 1 --slots 1
plan 'forward_steps=9 repetition=1' revolve --steps 10 --slots 30
plan 'forward_steps=45 reads=[9] peak_slots=[1]' none --steps 10
plan 'forward_steps=9 writes=[9]' store-all --steps 10
plan 'longest_recording=4' every-k --steps 10 --interval 4
plan 'longest_recording=4' every-k --steps 10 --distance 4
plan 'longest_recording=4' every-k --steps 10
plan 'longest_recording=3 peak_slots=[3]' every-k --steps 10 --slots 3
plan 'forward_steps=317' treeverse --steps 100 --space 5 --split binomial
plan 'forward_steps=11196' binary --steps 3003 --time 4
plan 'makespan=17 tiers=["memory","disk"]' disk --steps 6 --slots 1 --write 1 --read 1
plan 'makespan=41' disk --steps 11 --slots 1 --write 1 --read 10 --backward 0
plan 'makespan=976' disk --steps 76 --slots 0 --write 1 --read 10
plan 'makespan=425' disk --steps 201 --slots 5 --write 1 --read 1 --backward 0
plan 'makespan=425 period=6' periodic --steps 201 --slots 5 --write 1 --read 1 --backward 0
plan 'makespan=431 tiers=["0","1"]' levels --steps 61 --levels 1:0:0,1:1:5 --backward 0
plan 'makespan=25 tiers=["0","1","2"]' levels --steps 6 --levels 1:1:1,1:2:2,1:4:4
plan 'forward_steps=5' mixed --steps 6 --slots 2
plan 'forward_steps=159' mixed --steps 50 --slots 3
plan 'forward_steps=144' resilient --steps 50 --slots 4 --distance 20
plan 'forward_steps=1372280 free_distance=20020' resilient --steps 350000 --slots 52 --distance 26235
plan 'forward_steps=1372280' continuous --steps 350000 --slots 52
plan 'forward_steps=374' single-recovery --steps 100 --slots 5 --distance 30
plan 'steps=100' two-level --steps 100 --slots 8 --distance 20
plan 'tiers=["memory"]' online --steps 100 --slots 5
plan 'tiers=["memory","disk"]' online --steps 100 --slots 5 --write 2 --read 2

expect 0 plan revolve --steps 350k --slots 52
prints 'forward steps     1,372,280 (3.92 passes)'
prints 'makespan          1,722,280 (optimal)'
expect 0 plan resilient --steps 350k --slots 52 --distance 26235
prints '20,020'

# ---- Numbers ----

for form in 1000000 1e6 1M 1000k 1.0e6 0.001G 1E+6 01000000 .001e9 10000000e-1; do
    plan 'steps=1000000' revolve --steps "$form" --slots 20
done
# Decimal costs are exact: the plan of makespan 41 with all costs multiplied by 0.25.
plan 'makespan=10.25' disk --steps 11 --slots 1 --forward 0.25 --write 0.25 --read 2.5 --backward 0
plan 'makespan=0.000000041' disk --steps 11 --slots 1 --forward 1e-9 --write 1e-9 --read 1e-8 --backward 0
plan 'makespan=107.75' levels --steps 61 --levels 1:0:0,1:0.25:1.25 --backward 0 --forward 0.25
for bad in -5 abc '' 1.5 1e 1e-3 0x10 5. . 1kk '1 ' 1_000 10^6 inf nan; do
    expect 2 plan revolve --steps "$bad" --slots 3
    says "--steps: '$bad' is"
done
for bad in 18446744073709551615 18446744073709551616 99999999999999999999999 1e99 1e99999999999999999999; do
    expect 2 plan revolve --steps 10 --slots "$bad"
    says "--slots: '$bad'"
done
expect 2 plan disk --steps 10 --slots 1 --write 0.0000000001 --read 1
says "--write: '0.0000000001' has more than 9 decimals"
expect 2 plan disk --steps 10 --slots 1 --write 18446744073709551614 --read 0.5
says "--write: '18446744073709551614' is too large"
for bad in 1 1:2 a:1:1 1:1:x :1:1 1:1:1:1 '1:1:1,' ''; do
    expect 2 plan levels --steps 10 --levels "$bad"
    says '--levels'
done
expect 2 plan levels --steps 10 --levels 1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0,1:0:0
says 'more than 8 tiers'

# ---- Actions ----

expect 0 plan revolve --steps 5 --slots 2 --actions
wanted='store 0 memory 0
advance 0 2
store 2 memory 1
advance 2 4
reverse 5 4
restore 2 memory 1
advance 2 3
reverse 4 3
restore 2 memory 1
discard 2 memory 1
reverse 3 2
restore 0 memory 0
advance 0 1
reverse 2 1
restore 0 memory 0
discard 0 memory 0
reverse 1 0
done'
[[ $out == "$wanted" ]] || fail "the actions of revolve, 5 steps on 2 slots: $out"

# All lines follow the grammar, each step is reversed once and in order, and the predicted number of steps is advanced.
actions() {
    local tier=$1
    shift
    plan "steps=37" "$@" --steps 37
    local predicted=${out#*\"forward_steps\": }
    expect 0 plan "$@" --steps 37 --actions
    local place="($tier) [0-9]+" line='^(advance N N|(store|restore|discard) N P|reverse N N|store-adjoint N'
    line+='|record N N P|sweep N N P|done)$'
    line=${line//N/[0-9]+}
    line=${line//P/$place}
    if grep -Evq "$line" "$scratch/out"; then
        fail "verso plan $*: not of the grammar: $(grep -Ev "$line" "$scratch/out" | head -3)"
    fi
    awk -v end=37 -v forward="${predicted%%,*}" '
        $1 == "advance" { forward -= $3 - $2 }
        $1 == "reverse" || $1 == "sweep" { if ($2 != end || $3 >= $2) exit bad = 1; end = $3 }
        $1 == "done" { done++ }
        END { exit bad || end != 0 || forward != 0 || done != 1 || $1 != "done" }
    ' "$scratch/out" || fail "verso plan $* --actions: steps reversed out of order, or not as many as predicted"
}
actions memory store-all
actions memory none
actions memory every-k --interval 5
actions memory revolve --slots 3
actions memory treeverse --log
actions memory binary --space 4 --leaf 3 --split bisection
actions memory binary --leaf 3 --split halves
actions memory treeverse --time 2 --leaf 3 --split halves
actions 'memory|disk' disk --slots 2 --write 3 --read 2
actions 'memory|disk' periodic --slots 2 --write 3 --read 2
actions '0|1|2' levels --levels 2:0:0,2:1:1,inf:4:3
actions memory online --slots 3
actions 'memory|disk' online --slots 3 --disk --write 2 --read 2
actions memory mixed --slots 4
actions memory resilient --slots 4 --distance 15 --adjoint-distance 6
actions memory continuous --slots 4 --adjoint-distance 6
actions memory single-recovery --slots 4 --distance 10 --adjoint-distance 6
actions 'memory|disk' two-level --slots 8 --distance 10

# No message if the reader closes the pipe, whether SIGPIPE is ignored or not.
"$VERSO" plan revolve --steps 1e6 --slots 20 --actions 2>"$scratch/err" | head -n 1 >/dev/null
[[ ! -s $scratch/err ]] || fail "a closed pipe: $(cat "$scratch/err")"
(trap '' PIPE && "$VERSO" plan revolve --steps 1e6 --slots 20 --actions 2>"$scratch/err" | head -n 1 >/dev/null)
[[ ! -s $scratch/err ]] || fail "a closed pipe, SIGPIPE ignored: $(cat "$scratch/err")"
# Output that cannot be written is reported.
if [[ -e /dev/full ]]; then
    for output in --json --actions; do
        "$VERSO" plan revolve --steps 1e5 --slots 20 $output >/dev/full 2>"$scratch/err"
        status=$?
        err=$(cat "$scratch/err")
        [[ $status == 1 ]] || fail "a full device: status $status"
        says 'cannot write the output'
    done
fi

# ---- Usage errors ----

usage() {
    local message=$1
    shift
    expect 2 "$@"
    says "$message"
    says "--help'."
}
usage "there is no command 'pln'; did you mean 'plan'?" pln
usage "there is no option '--frobnicate'" --frobnicate
usage "there is no option '--verison'; did you mean '--version'?" --verison
usage "there is no option '-x' before a command" -x
usage "there is no option '-O'; what is passed on comes after '--'" grad x.c:f --at 1 -O3
usage "there is no command 'gard'; did you mean 'grad'?" gard
usage "there is no command 'gard'; did you mean 'grad'?" help gard
usage "there is no command 'staus'; did you mean 'status'?" help --man staus
# Every long option of every command is suggested if its middle letters are swapped.
misspelt() {
    local word=$1 middle
    for ((middle = ${#word} / 2; middle + 1 < ${#word}; middle++)); do
        if [[ ${word:middle:1} != "${word:middle+1:1}" ]]; then
            echo "${word:0:middle}${word:middle+1:1}${word:middle:1}${word:middle+2}"
            return
        fi
    done
    echo "${word}z"
}
wrong_options=0
for command in cc grad check profile tune plan rev vlad status help version; do
    ours=--
    [[ $command != cc ]] || ours=--verso- # all others are clang's
    options=$("$VERSO" $command --help | grep -Eo "^ *(-[a-zA-Z], )?--[a-z][a-z-]*" | grep -o -- "$ours.*")
    for option in $options; do
        wrong=$ours$(misspelt "${option#"$ours"}")
        expect 2 $command "$wrong"
        says "there is no option '$wrong'; did you mean '$option'?"
        wrong_options=$((wrong_options + 1))
    done
done
((wrong_options > 100)) || fail "only $wrong_options options were misspelt"
usage "there is no kind 'revolv'; did you mean 'revolve'?" plan revolv --steps 3
usage "there is no kind 'xyzzyplugh'" plan xyzzyplugh --steps 3
usage "there is no option '--stpes'; did you mean '--steps'?" plan revolve --stpes 3
usage "'--s' is short for more than one option" plan revolve --s 3
usage "there is no option '-q'" plan revolve -q
usage "--steps needs a value" plan revolve --steps
usage "--json takes no value" plan revolve --json=yes
usage "which kind of schedule?" plan --steps 3
usage "unexpected argument 'extra'" plan revolve extra --steps 3 --slots 2
usage "revolve needs --steps N and --slots C" plan revolve
usage "resilient needs --steps N, --slots C and --distance D" plan resilient
usage "disk needs --write W and --read R" plan disk --steps 3 --slots 1
usage "online needs --read R" plan online --steps 3 --slots 1 --write 2
usage "levels needs --levels" plan levels --steps 3
usage "same for every-k" plan every-k --steps 3 --interval 2 --distance 2
usage "revolve does not take --leaf A" plan revolve --steps 3 --slots 2 --leaf 2
usage "store-all does not take --leaf A" plan store-all --steps 3 --leaf 2
usage "--slots is the same as --space" plan treeverse --steps 3 --slots 2 --space 2
usage "revolve does not take --places P" plan revolve --steps 3 --slots 2 --places 4
usage "is not 'binomial', 'bisection' or 'halves'" plan treeverse --steps 3 --split middle
usage "--log" plan treeverse --steps 3 --log --space 2
usage "only one of" plan revolve --steps 3 --slots 2 --json --actions
usage "only one of" plan revolve --steps 3 --slots 2 --svg - --html -
usage "give only one of --compare and" plan --compare --simulate-failures --steps 3 --slots 2
usage "--compare needs --steps N and --slots C" plan --compare
usage "--compare does not take --actions" plan --compare --steps 3 --slots 2 --actions
usage "unexpected argument 'revolve'" plan revolve --compare --steps 3 --slots 2
usage "--simulate-failures needs --slots C" plan --simulate-failures --steps 100
usage "--places" plan --simulate-failures --places 0
usage "takes at most 4935000 steps; use fewer" plan --simulate-failures --steps 1e8 --slots 50
usage "for each of 200000 places of breakdown, from up to 900 capsules" plan --simulate-failures --steps 1e6 --slots 900 --places 100000
usage "there is no command 'nothing'" help nothing
expect 2

# ---- Impossible requests name the smallest sufficient value ----

expect 1 plan revolve --steps 10 --slots 0
says 'at least 1'
expect 1 plan store-all --steps 10 --slots 8
says 'at least 9'
expect 0 plan store-all --steps 10 --slots 9
expect 1 plan resilient --steps 100 --slots 4 --distance 5
says '25'

# Messages name the option by which a parameter of the schedule was given.
expect 2 vlad --leaf abc program.vlad
says "verso vlad: --leaf: 'abc' is not a number (write"
expect 2 vlad --schedule revolve,slots=x program.vlad
says "verso vlad: --schedule: slots: 'x' is not a number"

# ---- Comparison and breakdowns ----

expect 0 plan --compare --steps 1000 --slots 20 --write 2.5 --read 5
for row in store-all every-k none revolve treeverse binary disk periodic levels online 'online --disk' mixed resilient \
    continuous single-recovery two-level; do
    grep -Eq "^  $row +[0-9]" "$scratch/out" || fail "no row '$row'"
done
prints '--interval 32'
prints '--levels 20:0:0,80:2.5:5'
expect 0 plan --compare --steps 1000 --slots 20 --json
valid_json
[[ $(grep -c '"kind"' "$scratch/out") == 16 ]] || fail "not 16 kinds in $out"
for slots in 1 3 1000 1G; do # the promise is 2 s; sanitizers and loaded machines are slower
    for words in "" "--write 1000000000000 --read 1"; do
        # shellcheck disable=SC2086
        (ulimit -t 60 && expect 0 plan --compare --steps 1152921504606846976 --slots $slots $words) || exit 1
    done
done
expect 0 plan --compare --steps 10 --slots 0
prints 'revolve is impossible:'
prints 'treeverse is impossible:'
expect 0 plan --compare --steps 10 --slots 0 --json
valid_json
for steps in 0 1 2; do
    expect 0 plan --compare --steps "$steps" --slots 1
done

expect 0 plan --simulate-failures --steps 2000 --slots 12 --places 5
for row in resilient single-recovery two-level continuous revolve; do
    grep -Eq "^  $row +([0-9]|impossible)" "$scratch/out" || fail "no row '$row'"
done
expect 0 plan --simulate-failures --steps 2000 --slots 12 --distance 400 --adjoint-distance 100 --places 5 --json
valid_json
prints '"adjoint_distance": 100, "places": 10'
expect 0 plan --simulate-failures --steps 3 --slots 2 --distance 2 --places 40
prints '3 places in each sweep'
expect 0 plan --simulate-failures --places 3
[[ $(grep -c '^  resilient ' "$scratch/out") == 9 ]] || fail "not nine configurations: $out"
prints 'Over all configurations'

# ---- Pictures ----

well_formed() {
    [[ -s $1 ]] || fail "$1 is empty or not there"
    if command -v xmllint >/dev/null && [[ $1 == *.svg ]]; then
        xmllint --noout "$1" || fail "$1 is not well-formed"
    fi
    grep -q '</svg>' "$1" || fail "$1 has no picture that ends"
}
expect 0 plan revolve --steps 50 --slots 5 --svg "$scratch/a.svg" --html "$scratch/a.html" --json
valid_json
well_formed "$scratch/a.svg"
well_formed "$scratch/a.html"
grep -q '</html>' "$scratch/a.html" || fail "the page does not end"
expect 0 plan revolve --steps 50 --slots 5 --svg -
cmp -s "$scratch/out" "$scratch/a.svg" || fail "--svg - differs from --svg FILE"
# An existing picture is replaced as a whole, also through a symbolic link, or not at all.
echo old >"$scratch/b.svg"
ln -s b.svg "$scratch/link.svg"
expect 0 plan revolve --steps 50 --slots 5 --svg "$scratch/link.svg"
[[ -L $scratch/link.svg ]] || fail "the link was replaced by a file"
cmp -s "$scratch/b.svg" "$scratch/a.svg" || fail "the picture did not get through the link"
expect 1 plan revolve --steps 50 --slots 5 --svg "$scratch/none/a.svg"
says "cannot write '$scratch/none/a.svg'"
echo old >"$scratch/c.svg"
(ulimit -f 1 && trap '' XFSZ && "$VERSO" plan revolve --steps 500 --slots 5 --svg "$scratch/c.svg" >/dev/null 2>&1) &&
    fail "a picture beyond the file size limit went well"
[[ $(cat "$scratch/c.svg") == old ]] || fail "a drawing that failed changed the older picture"
[[ -z $(find "$scratch" -name '*.svg.*') ]] || fail "a drawing that failed left something behind"

# ---- Status (test_status.c tests its output) ----

expect 2 status
says 'which directory?'
expect 2 status a b
expect 2 status --jsno "$scratch"
says "did you mean '--json'?"
expect 1 status "$scratch"
says "there is no run in '$scratch'"
expect 1 status "$scratch/none" --json
expect 1 status "$scratch/out"

# ---- Help ----

for page in --help 'help' 'help plan' 'plan --help' 'plan -h' 'help --help' 'version --help' 'help version' 'help status' 'status --help' 'help grad' 'grad -h' 'check --help' 'help cc'; do
    # shellcheck disable=SC2086
    expect 0 $page
    prints 'Usage: verso'
    prints 'Examples'
    prints 'Exit status'
done
# Files that the examples read exist in the source; files that they write (-o, --out and the like) need not.
named=0
for command in verso cc c++ grad check profile tune plan rev vlad; do
    while read -r file; do
        [[ -f $SOURCE/$file ]] || fail "the examples of 'verso help $command' name $file, which does not exist"
        named=$((named + 1))
    done < <("$VERSO" help $command | sed -n '/^Examples/,/^Exit status/p' |
        sed -E 's/(-o|--[a-z-]+) [^ @]*\.(c|txt|html)( |$)/ /g' | grep -Eo '[^ @=:]+\.(c|cpp|vlad|txt)\b')
done
((named > 15)) || fail "only $named files are named in examples"
awk 'length > 110 { exit 1 }' <("$VERSO" plan --help) || fail "the help text has lines that are too long"
expect 0 --version
[[ $out =~ ^verso\ [0-9]+\.[0-9]+\.[0-9]+$ ]] || fail "the version: $out"
"$VERSO" version | cmp -s - "$scratch/out" || fail "'verso version' is not 'verso --version'"

if ((failures > 0)); then
    echo "cli.sh: $failures failed" >&2
    exit 1
fi
echo "cli.sh: all passed"
