# Tests reversible sources after `verso rev`: every file of rev/library and examples/rev is translated and compiles
# without warnings with gcc and clang, with and without checks. Tests inverses, adjoints, tangents and Hessians of the
# library, and runs each example's own check. With checks, the examples are those of the build. REV_OPTIMIZED=1
# (tests/long/rev) adds all combinations with optimization. ctest sets VERSO, SOURCE, BUILD, CC and VERSO_SANITIZE.
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

library() { # COMPILER FLAG...
    "$@" -DLIBRARY_GENERATED "$SOURCE/tests/rev/library.c" -o "$scratch/program" -lm
    "$scratch/program" || fail "the library, compiled by $*, is wrong"
}

runs() { # NAME PROGRAM BY-WHAT
    (cd "$scratch" && "$2" >output) || fail "$1, compiled by $3, fails: $(cat "$scratch/output")"
}

examples() { # COMPILER FLAG...
    local name
    for file in "$SOURCE"/examples/rev/*.rev.c "$SOURCE/tests/rev/exact.rev.c"; do
        name=$(basename "$file" .rev.c)
        "$@" "$scratch/$name.c" "$BUILD/libverso.a" -o "$scratch/program" -lxxhash -lzstd -lpthread -lm
        runs "$name" ./program "$*"
    done
}

# With the optimizations that break what is not written with care, also where the function is to be inlined.
optimized() { # COMPILER FLAG...
    for storage in "" "static inline "; do
        sed "s/^rev void/rev ${storage}void/" "$SOURCE/tests/rev/optimized/restrict.rev.c" >"$scratch/restrict.rev.c"
        "$VERSO" rev "$scratch/restrict.rev.c" -o "$scratch/restrict.c"
        "$@" -O3 -DVERSO_REV_NOCHECK "$scratch/restrict.c" -o "$scratch/program" -lm
        runs restrict ./program "$*"
    done
}

flags=("${warnings[@]}" "${includes[@]}")
if [[ -n ${VERSO_SANITIZE:-} ]]; then # one way is enough, for it takes its time
    library "$CC" -O0 "${flags[@]}" "-fsanitize=$VERSO_SANITIZE" -fno-sanitize-recover=all
    for program in "$BUILD"/examples/rev/*; do runs "$(basename "$program")" "$program" "the build"; done
else
    other=clang-19
    [[ $CC != *clang* ]] || other=gcc
    library "$CC" -O0 "${flags[@]}"
    library "$CC" -O0 "${flags[@]}" -DVERSO_REV_NOCHECK
    optimized "$CC" "${flags[@]}"
    for program in "$BUILD"/examples/rev/*; do runs "$(basename "$program")" "$program" "the build"; done
    if command -v "$other" >/dev/null; then
        library "$other" -O0 "${flags[@]}"
        optimized "$other" "${flags[@]}"
        examples "$other" -O1 "${flags[@]}" -DVERSO_REV_NOCHECK
    fi
    if [[ ${REV_OPTIMIZED:-0} == 1 ]]; then
        for compiler in "$CC" "$other"; do
            library "$compiler" -O2 "${flags[@]}"
            library "$compiler" -O3 "${flags[@]}" -DVERSO_REV_NOCHECK
            examples "$compiler" -O1 "${flags[@]}"
            examples "$compiler" -O3 "${flags[@]}" -DVERSO_REV_NOCHECK
        done
    fi
fi
echo "rev_library.sh: all good"
