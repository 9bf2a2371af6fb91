# Reversible sources after `verso rev`: every file of rev/library and examples/rev is translated, compiles without a warning
# with gcc and clang, with and without checks, and does what it must: inverses, adjoints, tangents and Hessians of the
# library; each example's own check. ctest runs it with VERSO, SOURCE, BUILD, CC
# and VERSO_SANITIZE set.
set -euo pipefail
: "${VERSO:?the command}" "${SOURCE:?the folder of the source}" "${CC:?a C compiler}" "${BUILD:?the folder of the build}"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
warnings=(-std=c17 -Wall -Wextra -Wpedantic -Werror -D_XOPEN_SOURCE=700)
includes=("-I$scratch" "-I$SOURCE" "-I$SOURCE/include")

fail() {
    echo "rev_library.sh: $1" >&2
    exit 1
}

mkdir "$scratch/library"
for file in "$SOURCE"/rev/library/*.rev.c; do
    "$VERSO" rev "$file" -o "$scratch/library/$(basename "$file" .rev.c).c"
done
for file in "$SOURCE"/examples/rev/*.rev.c "$SOURCE/tests/rev/exact.rev.c"; do
    "$VERSO" rev "$file" -o "$scratch/$(basename "$file" .rev.c).c"
done

# compile_and_run COMPILER FLAG...: everything.
compile_and_run() {
    local name
    "$@" -DLIBRARY_GENERATED "$SOURCE/tests/rev/library.c" -o "$scratch/program" -lm
    "$scratch/program" || fail "the library, compiled by $*, is wrong"
    for file in "$SOURCE"/examples/rev/*.rev.c "$SOURCE/tests/rev/exact.rev.c"; do
        name=$(basename "$file" .rev.c)
        "$@" "$scratch/$name.c" "$BUILD/libverso.a" -o "$scratch/program" -lxxhash -lzstd -lpthread -lm
        (cd "$scratch" && ./program >output) || fail "$name, compiled by $*, fails: $(cat "$scratch/output")"
    done
}

flags=(-O1 "${warnings[@]}" "${includes[@]}")
if [[ -n ${VERSO_SANITIZE:-} ]]; then # one way is enough, for it takes its time
    compile_and_run "$CC" "${flags[@]}" "-fsanitize=$VERSO_SANITIZE" -fno-sanitize-recover=all
else
    other=clang-19
    [[ $CC != *clang* ]] || other=gcc
    compile_and_run "$CC" "${flags[@]}"
    compile_and_run "$CC" "${flags[@]}" -DVERSO_REV_NOCHECK
    ! command -v "$other" >/dev/null || compile_and_run "$other" "${flags[@]}"
fi
echo "rev_library.sh: all good"
