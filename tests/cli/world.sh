# Tests that effects on the outside world happen once: programs that print, read and write files while they are
# differentiated produce the same output on every stream, the same files and the same gradient, however often their
# runs are repeated.
# ctest sets VERSO and SOURCE; by hand: VERSO=build/verso SOURCE=. bash tests/cli/world.sh
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} != OFF ]]; then
    echo "skipped: programs are linked with the plain library"
    exit 77
fi
: "${VERSO:?the path of the command}" "${SOURCE:?the folder of the source}"
VERSO=$(realpath "$VERSO")
programs=$(realpath "$SOURCE")/tests/native/world
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"

"$VERSO" cc -std=gnu17 -O2 -Wall -Wextra -Werror "-I$programs/../../../include" "$programs/talk.c" -o talk -lm
"$VERSO" c++ -std=c++17 -O2 -Wall -Wextra -Werror "-I$programs/../../../include" "$programs/streams.cpp" -o streams -lm
for i in 0 1 2 3 4 5 6 7 8 9; do
    printf '0.%d\n1.%d\n2.%d\n%d\n' "$i" "$i" "$i" "$i"
done >input
echo "x" >>input # stays unread

# run NAME CUTS MEMORY: runs `talk`, with input from a file, then from a pipe. Its output and files go to NAME.*.
run() {
    ./talk "$2" "$3" "$1.log" <input >"$1.out" 2>"$1.err"
    cat input | ./talk "$2" "$3" "$1.piped.log" >"$1.piped.out" 2>"$1.piped.err"
}
same() { # NAME CUTS MEMORY
    local stream
    for stream in out err log piped.out piped.err piped.log; do
        cmp "whole.$stream" "$1.$stream" || { echo "world.sh: $stream differs with $2 cuts in $3 bytes" >&2; exit 1; }
    done
}

run whole 0 0
cmp whole.out whole.piped.out
[[ $(grep -c '' whole.out) == 53 && $(grep -c '' whole.err) == 10 && $(grep -c '' whole.log) == 40 ]]
grep -q "left over: 120" whole.out
count=0
for way in "1 0" "2 0" "5 0" "40 0" "2000 0" "0 600000" "0 1000000"; do
    read -r cuts memory <<<"$way"
    run again "$cuts" "$memory"
    same again "$cuts" "$memory"
    count=$((count + 1))
done

./streams 0 0 >streams.whole
[[ $(grep -c round streams.whole) == 10 ]]
for cuts in 3 1000; do
    ./streams "$cuts" 0 >streams.cut
    cmp streams.whole streams.cut
done
echo "world.sh: $count ways to repeat a run that talks"
