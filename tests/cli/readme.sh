# Tests the documents that readers copy from: the C programs in docs/getting-started.md and docs/native.md compile
# without warnings, run, and run a second time with the files that the first run left; the commands for README.md's
# example and for getting-started.md's pendulum print what the pages show. ctest sets VERSO, SOURCE, BUILD and CC. All
# files are made in one temporary folder.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} == ON ]]; then
    echo "skipped: an instrumented library needs more to be linked with"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

# Writes the C programs of a page to NAME-1.c, NAME-2.c, ...
extract() { # PAGE NAME
    awk -v name="$2" '
        /^```c$/ { number++; inside = 1; next }
        /^```$/ { inside = 0 }
        inside { print > (name "-" number ".c") }' "$SOURCE/$1"
}
fail() {
    echo "readme.sh: $*" >&2
    exit 1
}

extract docs/getting-started.md started
extract docs/native.md native
count=0
strict=(-std=c17 -Wall -Wextra -Wpedantic -Werror)
for program in *.c; do
    name=${program%.c}
    if grep -q '<verso/native.h>' "$program"; then
        "$VERSO" cc -O2 "${strict[@]}" "$program" -o "$name" -lm
    else
        "$CC" "${strict[@]}" "-I$SOURCE/include" "$program" -o "$name" "-L$BUILD" -lverso -lm "-Wl,-rpath,$BUILD"
    fi
    "./$name" >first || fail "program $name failed"
    "./$name" >second
    [[ -s first ]] && cmp first second || fail "program $name says something else the second time"
    count=$((count + 1))
done
((count >= 5)) || fail "$count programs"

# The pages' commands, run in a folder that contains `include` and `build`, like the reader's.
cc() { "$CC" "$@"; }
ln -s "$SOURCE/include" include
ln -s "$(cd "$BUILD" && pwd)" build
cp "$(grep -l '"pendulum-run"' started-*.c)" pendulum.c
rm -rf pendulum-run
sed -n 's/^    \$ \(cc .* pendulum\.c .*\)/\1/p; s/^    \$ \(\.\/pendulum\)$/\1/p' "$SOURCE/docs/getting-started.md" >commands
(($(wc -l <commands) == 2)) || fail "the commands of getting-started.md for pendulum.c: $(cat commands)"
# shellcheck source=/dev/null
. ./commands >answer
grep -qxF "    $(cat answer)" "$SOURCE/docs/getting-started.md" || fail "not in getting-started.md: $(cat answer)"

# README's example: the page shows the beginning of the output, then an ellipsis.
extract README.md readme
mv readme-1.c pendulum.c
command=$(sed -n 's/^    \$ \(build\/verso grad pendulum\.c.*\)/\1/p' "$SOURCE/README.md")
[[ -n $command ]] || fail "README.md does not differentiate pendulum.c"
eval "$command" >answer
sed -n '/^    \$ build\/verso grad pendulum/,/^      \.\.\.$/ { /\$ build/d; /\.\.\.$/d; s/^    //; p }' "$SOURCE/README.md" >shown
[[ -s shown ]] && cmp shown <(head -n "$(wc -l <shown)" answer) || fail "README.md shows another result"
echo "readme: $count programs"
