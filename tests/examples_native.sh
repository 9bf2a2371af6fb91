# examples/native, compiled by `verso cc`: each checks its own gradient and says so by its exit status.
# ctest runs it with VERSO and SOURCE set; everything it makes is in one temporary folder.
set -euo pipefail

if [[ -n ${VERSO_SANITIZE:-} || ${VERSO_COVERAGE:-OFF} == ON ]]; then
    echo "skipped: an instrumented library needs more to be linked with"
    exit 77
fi
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

"$VERSO" cc -O2 -Wall -Wextra -Werror "$SOURCE/examples/native/waves.c" -lm -o "$scratch/waves"
"$scratch/waves" "$scratch/picture.pgm" | tee "$scratch/said"
grep -q '^gradient .* ms / plain call .* ms = [0-9.]*; [0-9]* MB at most$' "$scratch/said" || { echo "no times" >&2; exit 1; }
# The picture: on the line from what was pushed to the weaker springs it is dark, away from it grey.
shade() { # ROW COLUMN
    tail -c $((200 * 200)) "$scratch/picture.pgm" | tail -c +$((200 * $1 + $2 + 1)) | head -c 1 | od -An -tu1
}
(($(shade 90 95) < 60)) || { echo "not dark on the way: $(shade 90 95)" >&2; exit 1; }
(($(shade 190 95) > 110 && $(shade 190 95) < 145)) || { echo "not grey off the way: $(shade 190 95)" >&2; exit 1; }
