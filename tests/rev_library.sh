# Reversible sources after `verso rev`: every file of rev/library and examples/rev is translated, compiles without a warning
# with gcc and clang, with and without checks, and does what it must: inverses, adjoints, tangents and Hessians of the
# library; each example's own check. ctest runs it with VERSO, SOURCE, CC and VERSO_SANITIZE set.
set -euo pipefail
: "${VERSO:?the command}" "${SOURCE:?the folder of the source}" "${CC:?a C compiler}"
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

sanitize=()
[[ -z ${VERSO_SANITIZE:-} ]] || sanitize=("-fsanitize=$VERSO_SANITIZE" -fno-sanitize-recover=all)
for compiler in "$CC" gcc clang-19; do
    command -v "$compiler" >/dev/null || continue
    for check in "" -DVERSO_REV_NOCHECK; do
        flags=(-O2 "${warnings[@]}" "${includes[@]}")
        [[ $compiler != "$CC" ]] || flags+=("${sanitize[@]}")
        [[ -z $check ]] || flags+=("$check")
        "$compiler" "${flags[@]}" "-I$scratch/library" -DLIBRARY_GENERATED "$SOURCE/tests/rev/library.c" \
            -o "$scratch/program" -lm
        "$scratch/program" || fail "the library, compiled by $compiler $check, is wrong"
        for file in "$SOURCE"/examples/rev/*.rev.c "$SOURCE/tests/rev/exact.rev.c"; do
            name=$(basename "$file" .rev.c)
            "$compiler" "${flags[@]}" "$scratch/$name.c" -o "$scratch/program" -lm
            (cd "$scratch" && ./program >output) || fail "$name, compiled by $compiler $check, fails: $(cat "$scratch/output")"
        done
    done
done
echo "rev_library.sh: all good"
