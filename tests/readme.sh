# The C programs of README.md: each compiles without a warning, runs, and runs again where the first time left it.
# ctest runs it with SOURCE, BUILD and CC set; everything it makes is in one temporary folder.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} == ON ]]; then
    echo "skipped: an instrumented library needs more to be linked with"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

awk '/^```c$/ { number++; inside = 1; next } /^```$/ { inside = 0 } inside { print > (number ".c") }' "$SOURCE/README.md"
count=0
for program in *.c; do
    name=${program%.c}
    "$CC" -std=c17 -Wall -Wextra -Wpedantic -Werror "-I$SOURCE/include" "$program" -o "$name" "-L$BUILD" -lverso -lm \
        "-Wl,-rpath,$BUILD"
    "./$name" >first || { echo "readme.sh: program $name failed" >&2; exit 1; }
    "./$name" >second
    [[ -s first ]] && cmp first second || { echo "readme.sh: program $name says something else the second time" >&2; exit 1; }
    count=$((count + 1))
done
((count >= 2)) || { echo "readme.sh: $count programs in README.md" >&2; exit 1; }
echo "readme: $count programs; the last says: $(cat second)"
