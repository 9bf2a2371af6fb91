# The C programs of README.md and docs/native.md: each compiles without a warning, runs, and runs again where the first
# time left it. ctest runs it with VERSO, SOURCE, BUILD and CC set; everything it makes is in one temporary folder.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} == ON ]]; then
    echo "skipped: an instrumented library needs more to be linked with"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch"

for page in README.md docs/native.md; do
    awk -v page="$(basename "$page" .md)" '
        /^```c$/ { number++; inside = 1; next }
        /^```$/ { inside = 0 }
        inside { print > (page "-" number ".c") }' "$SOURCE/$page"
done
count=0
strict=(-std=c17 -Wall -Wextra -Wpedantic -Werror)
for program in *.c; do
    name=${program%.c}
    if grep -q '<verso/native.h>' "$program"; then
        "$VERSO" cc -O2 "${strict[@]}" "$program" -o "$name" -lm
    else
        "$CC" "${strict[@]}" "-I$SOURCE/include" "$program" -o "$name" "-L$BUILD" -lverso -lm "-Wl,-rpath,$BUILD"
    fi
    "./$name" >first || { echo "readme.sh: program $name failed" >&2; exit 1; }
    "./$name" >second
    [[ -s first ]] && cmp first second || { echo "readme.sh: program $name says something else the second time" >&2; exit 1; }
    count=$((count + 1))
done
((count >= 6)) || { echo "readme.sh: $count programs" >&2; exit 1; }
echo "readme: $count programs; the last says: $(cat second)"
